"""When counting is fair: discrete columns whose joint states come back often enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.counting import FEW_LEVELS, encode

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories


@dataclass(frozen=True)
class Countable:
    """Whether entropies of some data may be counted, with the numbers behind it; true or false as itself.

    Attributes:
        verdict: Every column and the action are discrete, and states come back often enough.
        because: One sentence.
        n_steps: Rows.
        n_states: Distinct joint states seen.
        revisited: Share of the steps whose joint state was seen at least five times.
        not_discrete: Names of the columns with too many values, "action" for the action.

    Example:
        >>> bool(Countable(False, "x takes 900 values.", 1000, 1000, 0.0, ("x",)))
        False
    """

    verdict: bool
    because: str
    n_steps: int
    n_states: int
    revisited: float
    not_discrete: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """The verdict."""
        return self.verdict

    def __str__(self) -> str:
        """Verdict and reason."""
        return f"{'countable' if self.verdict else 'not countable'}: {self.because}"


def is_countable(data: Trajectories, *, min_revisited: float = 0.5, visits: int = 5) -> Countable:
    """Whether the joint support of `data` is small enough for counted entropies to mean something.

    Where every state is unique, H(A | X) counts as zero for any action at all. So most steps must lie in
    states that were visited several times.

    Args:
        data: Steps with discrete or continuous columns.
        min_revisited: Wanted share of steps in states seen at least `visits` times.
        visits: How often a state must come back to count as known.
    """
    many = _too_many_levels(data)
    if many:
        shown = ", ".join(many[:5]) + (" ..." if len(many) > 5 else "")
        return Countable(False, f"too many values in {shown}.", len(data), len(data), 0.0, many)
    counts = np.bincount(encode(data.states)) if len(data) else np.zeros(0, dtype=np.int64)
    revisited = float(counts[counts >= visits].sum() / max(1, len(data)))
    because = (
        f"{len(counts)} joint states in {len(data)} steps, "
        f"{revisited:.0%} of the steps in a state seen at least {visits} times."
    )
    return Countable(revisited >= min_revisited, because, len(data), len(counts), revisited)


def _too_many_levels(data: Trajectories) -> tuple[str, ...]:
    """Columns (and "action") that cannot be counted by themselves."""
    many = []
    for name, column in zip(data.names, data.states.T, strict=True):
        levels = len(np.unique(column))
        if levels > FEW_LEVELS and not (name in data.nominal and levels * 5 <= len(data)):
            many.append(str(name))
    return tuple(many) + (("action",) if data.action_kind != "discrete" else ())
