"""The estimator that a caller named or passed; and when counting is fair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.base import Estimator
from terc.entropy.counting import FEW_LEVELS, encode
from terc.entropy.predictive import PredictiveEstimator
from terc.errors import BadTypeError, unknown_name

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

VISITS = 5
"""How often a state must come back to count as known."""
KNOWN = 0.5
"""Share of the steps that must lie in known states."""


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


def is_countable(data: Trajectories) -> bool:
    """Whether the joint support of `data` is small enough for counted entropies to mean something.

    Where every state is unique, H(A | X) counts as zero for any action at all. So most steps must lie in
    states that were visited several times.

    Example:
        >>> from terc.trajectories.data import Trajectories
        >>> x = np.arange(200.0)
        >>> is_countable(Trajectories(x[:, None] % 4, x % 2)), is_countable(Trajectories(x[:, None], x % 2))
        (True, False)
    """
    if data.action_kind != "discrete" or not len(data):
        return False
    levels = {name: len(np.unique(column)) for name, column in zip(data.names, data.states.T, strict=True)}
    allowed = {name: len(data) // VISITS if name in data.nominal else 0 for name in data.names}
    if any(count > max(FEW_LEVELS, allowed[name]) for name, count in levels.items()):
        return False
    counts = np.bincount(encode(data.states))
    return bool(counts[counts >= VISITS].sum() >= KNOWN * len(data))
