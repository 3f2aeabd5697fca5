"""Past values of each variable as further variables of the present step, never across an episode's start."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from terc.arrays import Floats, Integers
from terc.checks import whole_number
from terc.errors import BadValueError
from terc.trajectories.names import checked_names

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories


def with_history(data: Trajectories, length: int) -> Trajectories:
    """Each variable followed by its `length` past values; steps without so many before them are left out."""
    lags = range(whole_number("with_history", "length", length) + 1)
    rows = rows_with_past(data.episodes, length)
    lagged_names = [lagged_name(v, lag) for v in data.names for lag in lags]
    levels = {lagged_name(v, lag): data.levels[v] for v in data.levels for lag in lags}
    return data._rows(
        rows,
        np.unique(data.episodes[rows], return_inverse=True)[1].reshape(-1).astype(np.int64),
        states=lagged(data.states, rows, length),
        names=checked_names("with_history", lagged_names),
        levels=MappingProxyType(levels),
        groups=tuple(tuple(lagged_name(v, lag) for v in group) for group in data.groups for lag in lags),
    )


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
