"""When counting is fair: discrete columns whose joint states come back often enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.counting import FEW_LEVELS, encode

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

VISITS = 5
"""How often a state must come back to count as known."""
KNOWN = 0.5
"""Share of the steps that must lie in known states."""


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
