"""Where episodes begin and end, and cutting recorded steps without losing that."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from terc.arrays import Floats, Integers
from terc.errors import BadValueError
from terc.trajectories.columns import Column, in_levels, refuse_gaps, refuse_unusable


def numbered(
    column: Column, file_starts: Sequence[int] = (0,), *, cut_between_files: bool = False
) -> tuple[Integers, bool]:
    """Episode numbers 0, 1, ... in order of appearance, from labels of any kind.

    Args:
        file_starts: The row with which each file begins: a label may come again in a later file.

    Returns:
        The numbers, and whether a label came again in another file.

    Example:
        >>> numbered(Column("episode", np.array([7, 7, 3, 9, 9])))[0].tolist()
        [0, 0, 1, 2, 2]
    """
    # Dates are no variables but fair labels of episodes.
    refuse = refuse_gaps if column.levels is not None else refuse_unusable
    refuse("episodes", [column])
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
        raise BadValueError(
            f"episodes: the steps of one episode must follow each other, but episode {label!r} starts again "
            f"at row {int(starts[again])}; sort the steps of each episode by time, sort= (--sort COLUMN; the "
            "episode column itself keeps the order of the rows), or give each run its own label."
        )
    return np.cumsum(new, dtype=np.int64) - 1, len(np.unique(labels)) < len(labels)


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
