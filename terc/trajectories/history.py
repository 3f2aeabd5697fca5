"""Past values of each variable as further variables of the present step, never across an episode's start."""

from __future__ import annotations

import numpy as np

from terc.arrays import Floats, Integers
from terc.errors import BadValueError


def lagged_name(name: str, lag: int) -> str:
    """The name of a variable `lag` steps ago.

    Example:
        >>> lagged_name("speed", 0), lagged_name("speed", 2)
        ('speed', 'speed[t-2]')
    """
    return f"{name}[t-{lag}]" if lag else name


def rows_with_past(episodes: Integers, length: int) -> Integers:
    """Rows that have at least `length` steps of their own episode before them.

    Example:
        >>> rows_with_past(np.array([0, 0, 0, 1, 1]), 1).tolist()
        [1, 2, 4]
    """
    starts = np.flatnonzero(np.r_[True, episodes[1:] != episodes[:-1]])
    age = np.arange(len(episodes)) - starts[episodes]
    rows = np.flatnonzero(age >= length)
    if not rows.size:
        raise BadValueError(
            f"with_history: {length} past steps need an episode of more than {length} steps, "
            f"the longest has {int(age.max()) + 1}."
        )
    return rows


def lagged(states: Floats, rows: Integers, length: int) -> Floats:
    """`[rows, d * (length + 1)]`: for each variable its value now, one step ago, ..., `length` steps ago."""
    stacked = np.stack([states[rows - lag] for lag in range(length + 1)], axis=2)
    return stacked.reshape(len(rows), -1)
