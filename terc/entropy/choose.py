"""Names of estimators."""

from __future__ import annotations

from terc.entropy.base import Estimator
from terc.entropy.mine import MineEstimator
from terc.entropy.nearest_neighbours import KnnEstimator
from terc.entropy.plugin import PluginEstimator
from terc.entropy.predictive import PredictiveEstimator
from terc.errors import BadTypeError, unknown_name

ESTIMATORS: dict[str, type[Estimator]] = {
    "plugin": PluginEstimator,
    "predictive": PredictiveEstimator,
    "mine": MineEstimator,
    "knn": KnnEstimator,
}


def choose_estimator(estimator: str | Estimator) -> Estimator:
    """The estimator the caller named or passed; "auto" is "predictive", which counts where that is best."""
    if isinstance(estimator, Estimator):
        return estimator
    if not isinstance(estimator, str):
        raise BadTypeError(
            f"select: estimator must be a name or an Estimator, got {type(estimator).__name__}."
        )
    if estimator == "auto":
        return PredictiveEstimator()
    if estimator not in ESTIMATORS:
        raise unknown_name("select", "estimator", estimator, ["auto", *ESTIMATORS])
    return ESTIMATORS[estimator]()
