"""Empty cells, for those who want to keep such steps: filled, with a variable that says where."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from terc.arrays import Booleans
from terc.notes import Note
from terc.trajectories.columns import Column
from terc.trajectories.names import some_of

WAYS = ("refuse", "indicator")


@dataclass(frozen=True)
class Filled:
    """Columns without gaps.

    Attributes:
        columns: The variables; after each that had gaps its indicator, 1 where the value was missing.
        groups: Each filled variable with its indicator: they stand or fall together.
    """

    columns: list[Column]
    groups: tuple[tuple[str, ...], ...] = ()
    notes: tuple[Note, ...] = ()


def with_indicators(columns: Sequence[Column]) -> Filled:
    """Empty and NaN cells filled with a value that the column has: the median, or the most frequent label.

    Infinite values are left to be refused.
    """
    names = {column.name for column in columns}
    filled: list[Column] = []
    groups: list[tuple[str, ...]] = []
    counts: list[str] = []
    for column in columns:
        gaps = _gaps(column)
        if column.problem or not gaps.any():
            filled.append(column)
            continue
        indicator = f"{column.name}_missing"
        while indicator in names:
            indicator = f"_{indicator}"
        present = column.values[~gaps]
        value = np.bincount(present).argmax() if column.levels else np.sort(present)[len(present) // 2]
        values = np.where(gaps, value, column.values).astype(column.values.dtype)
        filled += [replace(column, values=values, empty=None), Column(indicator, gaps)]
        groups.append((column.name, indicator))
        counts.append(f"{column.name!r} ({int(gaps.sum()):,})")
    if not groups:
        return Filled(filled)
    text = f"missing values were filled: {some_of(counts)}; each of these is in one group with its indicator."
    return Filled(filled, tuple(groups), (Note("fact", "missing", text),))


def empty_as_constant(columns: Sequence[Column]) -> Filled:
    """Columns without a single value carry no information, as constants, and are read as such."""
    empty = {column.name for column in columns if len(column.values) and _gaps(column).all()}
    if not empty:
        return Filled(list(columns))
    filled = [Column(c.name, np.zeros(len(c.values))) if c.name in empty else c for c in columns]
    text = f"no value in any step, read as constant: {some_of([repr(name) for name in sorted(empty)])}."
    return Filled(filled, notes=(Note("fact", "empty", text),))


def _gaps(column: Column) -> Booleans:
    gaps = np.zeros(len(column.values), dtype=bool) if column.empty is None else column.empty.copy()
    if column.values.dtype.kind == "f":
        gaps |= np.isnan(column.values)
    return gaps


def joined(groups: Iterable[Sequence[str]], own: Iterable[Sequence[str]]) -> list[list[str]]:
    """The caller's groups, each with the indicators of its members, and the data's own that no group holds.

    Example:
        >>> joined([["x", "y"]], [("x", "x_missing"), ("z", "z_missing")])
        [['x', 'y', 'x_missing'], ['z', 'z_missing']]
    """
    found = [list(group) for group in groups]
    for members in own:
        home = next((group for group in found if set(group) & set(members)), None)
        if home is None:
            found.append(list(members))
        else:
            home += [name for name in members if name not in home]
    return found
