"""Every estimator by its name."""

from terc.entropy.base import Estimator
from terc.entropy.mine import MineEstimator
from terc.entropy.nearest_neighbours import KnnEstimator
from terc.entropy.plugin import PluginEstimator
from terc.entropy.predictive import PredictiveEstimator

ESTIMATORS: dict[str, type[Estimator]] = {
    "plugin": PluginEstimator,
    "predictive": PredictiveEstimator,
    "mine": MineEstimator,
    "knn": KnnEstimator,
}
