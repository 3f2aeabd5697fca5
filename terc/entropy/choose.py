"""The estimator that a caller named or passed."""

from __future__ import annotations

from terc.entropy.base import Estimator
from terc.entropy.predictive import PredictiveEstimator
from terc.errors import BadTypeError, unknown_name


def choose_estimator(estimator: str | Estimator) -> Estimator:
    """The estimator the caller named or passed; "auto" is "predictive", which counts where that is best."""
    if isinstance(estimator, Estimator):
        return estimator
    if not isinstance(estimator, str):
        raise BadTypeError(
            f"select: estimator must be a name or an Estimator, got {type(estimator).__name__}."
        )
    if estimator in ("auto", "predictive"):
        return PredictiveEstimator()
    from terc.entropy.estimators import ESTIMATORS

    if estimator not in ESTIMATORS:
        raise unknown_name("select", "estimator", estimator, ["auto", *ESTIMATORS])
    return ESTIMATORS[estimator]()
