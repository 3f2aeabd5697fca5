"""The estimator that a caller named or passed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from terc.entropy.base import Estimator
from terc.entropy.countable import is_countable
from terc.entropy.predictive import PredictiveEstimator
from terc.errors import BadTypeError, unknown_name

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories


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
    if estimator == "plugin":
        from terc.entropy.plugin import PluginEstimator

        return PluginEstimator()
    from terc.entropy.estimators import ESTIMATORS

    if estimator not in ESTIMATORS:
        raise unknown_name("select", "estimator", estimator, ["auto", *ESTIMATORS])
    return ESTIMATORS[estimator]()


def counted_if_possible(estimator: str | Estimator | None, data: Trajectories) -> str | Estimator:
    """For searches over many subsets: counting, exact and fast, unless something else is asked for."""
    if estimator is not None and estimator != "auto":
        return estimator
    return "plugin" if is_countable(data) else "auto"
