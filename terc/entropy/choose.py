"""Names of estimators, and the choice that `auto` makes from the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.base import Estimator
from terc.entropy.counting import FEW_LEVELS, encode
from terc.entropy.likelihoods import MOST_CLASSES
from terc.entropy.mine import MineEstimator
from terc.entropy.nearest_neighbours import KnnEstimator
from terc.entropy.plugin import PluginEstimator
from terc.entropy.predictive import PredictiveEstimator
from terc.errors import BadTypeError, unknown_name

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

ESTIMATORS: dict[str, type[Estimator]] = {
    "plugin": PluginEstimator,
    "predictive": PredictiveEstimator,
    "mine": MineEstimator,
    "knn": KnnEstimator,
}
STEPS_PER_CELL = 20


@dataclass(frozen=True)
class Choice:
    """An estimator and how it is used.

    Attributes:
        estimator: The estimator.
        combined: Whether residual covariance joins it (`auto`) or it decides alone.
        note: Why, in words.
    """

    estimator: Estimator
    combined: bool
    note: str


def choose_estimator(data: Trajectories, estimator: str | Estimator) -> Choice:
    """The estimator the caller named or passed; for "auto" counting where cells are few, else networks."""
    if isinstance(estimator, Estimator):
        return Choice(estimator, False, "")
    if not isinstance(estimator, str):
        raise BadTypeError(
            f"select: estimator must be a name or an Estimator, got {type(estimator).__name__}."
        )
    if estimator == "auto":
        return _automatic(data)
    if estimator not in ESTIMATORS:
        raise unknown_name("select", "estimator", estimator, ["auto", *ESTIMATORS])
    return Choice(ESTIMATORS[estimator](), False, "")


def _automatic(data: Trajectories) -> Choice:
    if data.action_kind == "discrete" and len(np.unique(data.actions)) <= MOST_CLASSES:
        levels = max(len(np.unique(column)) for column in data.states.T)
        if levels <= FEW_LEVELS:
            cells = int(encode(data.states).max()) + 1
            if cells * STEPS_PER_CELL <= len(data):
                why = f"auto: {cells} different states in {len(data)} steps, so cells are counted."
                return Choice(PluginEstimator(), True, why)
    return Choice(
        PredictiveEstimator(), True, "auto: too many different states to count, so small networks predict."
    )
