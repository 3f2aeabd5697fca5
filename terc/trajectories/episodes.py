"""Where episodes begin and end: cutting them, drawing whole ones, past values within one."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from terc.arrays import Floats, Integers
from terc.checks import whole_number
from terc.errors import BadValueError
from terc.seeding import generator
from terc.trajectories.columns import Column, in_levels, refuse_gaps, refuse_unusable
from terc.trajectories.names import checked_names

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories


SORT = (
    "sort the steps of each episode by time, sort= (--sort COLUMN; the episode column itself keeps the order "
    "of the rows)"
)
"""Of a file or a frame."""
SORT_ARRAYS = "take all arrays in the order numpy.argsort(episodes, kind='stable')"


def numbered(
    column: Column,
    file_starts: Sequence[int] = (0,),
    *,
    cut_between_files: bool = False,
    sorting: str = SORT,
) -> tuple[Integers, bool]:
    """Episode numbers 0, 1, ... in order of appearance, from labels of any kind.

    Args:
        file_starts: The first row of each file: a later file may use a label again.
        cut_between_files: Whether no episode goes on in the next file.
        sorting: What brings the steps of an episode together.

    Returns:
        The numbers, and whether a label came again in another file.

    Example:
        >>> numbered(Column("episode", np.array([7, 7, 3, 9, 9])))[0].tolist()
        [0, 0, 1, 2, 2]
    """
    usable_labels(column)
    coded = in_levels(column)
    codes = coded.values
    new = np.r_[True, codes[1:] != codes[:-1]]
    if cut_between_files:
        new[[start for start in file_starts if start < len(new)]] = True
    starts = np.flatnonzero(new)
    labels, file = codes[starts], np.searchsorted(file_starts, starts, side="right")
    first_seen = np.unique(file * (int(codes.max()) + 1) + labels, return_index=True)[1]
    if len(first_seen) < len(labels):
        again = int(np.setdiff1d(np.arange(len(labels)), first_seen)[0])
        label = (coded.levels or ())[int(labels[again])]
        if np.isin(column.values, (0, 1)).all() and column.levels is None:
            raise BadValueError(
                f"episodes: wanted a label for each episode, got {label!r} again at row "
                f"{int(starts[again])}, as where ends of episodes are marked; name such a column with "
                "done= (--done), or of an array give episodes=numpy.cumsum(ends) - ends, "
                "where beginnings are marked numpy.cumsum(beginnings)."
            )
        raise BadValueError(
            f"episodes: the steps of one episode must follow each other, but episode {label!r} starts again "
            f"at row {int(starts[again])}; {sorting}, or give each run its own label."
        )
    return np.cumsum(new, dtype=np.int64) - 1, len(np.unique(labels)) < len(labels)


def usable_labels(column: Column) -> None:
    """Refuse labels of episodes with gaps, or of another kind; dates are no variables, but they can label."""
    refuse = refuse_gaps if column.levels is not None else refuse_unusable
    refuse("episodes", [column])


def run_numbers(codes: npt.NDArray[Any]) -> Integers:
    """0, 1, ... for each run of equal values."""
    changes: Integers = np.cumsum(np.r_[False, codes[1:] != codes[:-1]], dtype=np.int64)
    return changes


def row_numbers(chosen: npt.ArrayLike, n: int) -> Integers:
    """Increasing row numbers, from a mask `[n]` or from themselves."""
    mask = np.asarray(chosen)
    if mask.dtype == bool and mask.shape != (n,):
        raise BadValueError(f"rows: wanted a mask of {n} values, got shape {mask.shape}.")
    rows = np.flatnonzero(mask) if mask.dtype == bool else mask
    if rows.ndim != 1 or not rows.size or rows.dtype.kind not in "iu":
        raise BadValueError("rows: wanted at least one step, as a mask or as row numbers; got none.")
    if rows[0] < 0 or rows[-1] >= n or (np.diff(rows) <= 0).any():
        raise BadValueError(f"rows: wanted increasing row numbers from 0 to {n - 1}.")
    return rows.astype(np.int64)


def after_cut(episodes: Integers, rows: Integers) -> Integers:
    """Episode numbers of the rows that stay; a hole starts a new episode, so no history crosses it."""
    before = episodes[rows]
    new = np.r_[False, (before[1:] != before[:-1]) | (rows[1:] != rows[:-1] + 1)]
    return np.cumsum(new, dtype=np.int64)


def quarter_of_each_step(episodes: Integers, progress: Floats | None) -> Integers:
    """0..3 for each step: by `progress` through training if known, else by row order.

    Without `progress` four or more episodes are dealt out whole, by where their middle lies; fewer are cut.
    """
    n = len(episodes)
    if progress is None:
        position = np.arange(n) / n
        if episodes[-1] >= 3:
            counts = np.bincount(episodes)
            middle = np.cumsum(counts) - counts / 2
            position = (middle / n)[episodes]
    else:
        position = progress
    quarters = np.minimum((position * 4).astype(np.int64), 3)
    for k in range(4):
        if not (quarters == k).any():
            raise BadValueError(
                f"quarters: no step falls in quarter {k + 1} of 4 ({n} steps, "
                f"{int(episodes[-1]) + 1} episodes); give progress= for each step, or more steps."
            )
    return quarters


STRETCH = 2_000
"""Steps of a stretch into which long episodes are cut: 50 of them make 100,000 steps, enough for folds."""
LONGEST_EPISODE = 10 * STRETCH
"""Episodes beyond this are cut, so that a sample of some ten thousand steps holds several pieces."""


def starts_of_pieces(episodes: Integers) -> Integers:
    """The first step of each piece that is drawn as a whole: an episode, or a stretch of a long one.

    Example:
        >>> starts_of_pieces(np.repeat([0, 1], [300, 25_000])).tolist()[:4]
        [0, 300, 2300, 4300]
    """
    starts = np.flatnonzero(np.r_[True, episodes[1:] != episodes[:-1]])
    lengths = np.diff(np.r_[starts, len(episodes)])
    long = lengths > LONGEST_EPISODE
    cut = [
        np.arange(start, start + length, STRETCH)
        for start, length in zip(starts[long], lengths[long], strict=True)
    ]
    return np.sort(np.concatenate([starts[~long], *cut])).astype(np.int64)


def sampled_steps(episodes: Integers, steps: int, *, seed: int = 0) -> Integers:
    """Increasing numbers of about `steps` steps: whole pieces in an order that `seed` decides.

    Samples with the same seed are nested. The last piece is whole, so that there may be a few steps more.

    Example:
        >>> sampled_steps(np.array([0, 0, 1, 1, 2, 2]), 3, seed=0).tolist()
        [0, 1, 4, 5]
    """
    starts = starts_of_pieces(episodes)
    lengths = np.diff(np.r_[starts, len(episodes)])
    order = generator(seed).permutation(len(starts))
    before = np.cumsum(lengths[order]) - lengths[order]
    chosen = np.zeros(len(starts), dtype=bool)
    chosen[order[before < steps]] = True
    return np.flatnonzero(np.repeat(chosen, lengths))


def with_history(data: Trajectories, length: int) -> Trajectories:
    """Each variable followed by its `length` past values; steps with fewer before them are left out."""
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


def rows_with_past(episodes: Integers, length: int, asked: str = "with_history: length") -> Integers:
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
            f"{asked} {length} needs an episode of more than {length} steps, the longest has "
            f"{int(age.max()) + 1}."
        )
    return rows


def lagged(states: Floats, rows: Integers, length: int) -> Floats:
    """`[rows, d * (length + 1)]`: for each variable its value now, one step ago, ..., `length` steps ago."""
    stacked = np.stack([states[rows - lag] for lag in range(length + 1)], axis=2)
    return stacked.reshape(len(rows), -1)
