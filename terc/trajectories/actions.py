"""What the agent did: discrete or continuous, one number per step or several, numbers or labels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from terc.arrays import Array, Floats, Integers
from terc.errors import BadTypeError, BadValueError
from terc.notes import Note
from terc.trajectories.columns import Column, Label, as_float, in_levels, refuse_unusable
from terc.trajectories.names import some_of
from terc.trajectories.text_numbers import refuse_numbers_as_text, refuse_too_many_labels

KINDS = ("discrete", "continuous")
MOST_DISCRETE_VALUES = 256
ALWAYS_DISCRETE_VALUES = 20


@dataclass(frozen=True)
class Actions:
    """The actions of all steps.

    Attributes:
        values: int64 `[n]` when discrete; float64 `[n]` or `[n, k]` when continuous.
        labels: What the codes in `values` stand for, or None when they are the numbers that were given.
        columns: What each column says, where choices stand beside numbers; else None.
        notes: What a reader should know about them.
    """

    values: Integers | Floats
    kind: str
    labels: tuple[Label, ...] | None = None
    columns: tuple[str, ...] | None = None
    notes: tuple[Note, ...] = ()


def read_actions(columns: Sequence[Column], kind: str | None, *, sampled_from_probabilities: bool) -> Actions:
    """The actions in `columns` (one per dimension), as `kind` or, when that is None, as what they look like.

    Text is discrete. Numbers are discrete when all are whole and few differ (at most 20, or at most 256 and
    a tenth of the steps); with `probabilities` whole numbers are always discrete. All else is continuous.
    Discrete columns alone are one joint action; text beside continuous numbers becomes columns of 0 and 1.
    """
    if kind is not None and not (isinstance(kind, str) and kind in KINDS):
        raise BadValueError(f"action_kind: wanted 'discrete', 'continuous' or None, got {kind!r}.")
    refuse_unusable("actions", columns)
    texts = [column for column in columns if column.levels is not None]
    if texts and kind == "continuous":
        raise BadTypeError("actions: text cannot be continuous; leave out action_kind=, or give numbers.")
    for column in texts if kind is None else ():
        refuse_numbers_as_text("actions", column)
    numbers = [as_float("actions", column) for column in columns if column.levels is None]
    kind = kind or (_kind(numbers, sampled_from_probabilities) if numbers else "discrete")
    if kind == "continuous" and texts:
        return _beside_numbers(columns)
    if kind == "continuous":
        return Actions(numbers[0] if len(numbers) == 1 else np.column_stack(numbers), kind)
    for column in columns:
        refuse_too_many_labels("actions", column)
    return _joint([in_levels(column) for column in columns]) if len(columns) > 1 else _single(columns[0])


def _single(column: Column) -> Actions:
    """One discrete dimension: whole numbers as they are, all else as codes of labels."""
    numbers = column.values.astype(np.float64)
    if column.levels is None and np.array_equal(numbers, np.round(numbers)) and np.abs(numbers).max() < 2**62:
        return Actions(numbers.astype(np.int64), "discrete")
    coded = in_levels(column)
    return Actions(coded.values.astype(np.int64), "discrete", coded.levels)


def _kind(numbers: Sequence[Floats], sampled_from_probabilities: bool) -> str:
    if not all(np.array_equal(column, np.round(column)) for column in numbers):
        return "continuous"
    n_distinct = len(np.unique(numbers[0] if len(numbers) == 1 else np.column_stack(numbers), axis=0))
    most = max(ALWAYS_DISCRETE_VALUES, min(MOST_DISCRETE_VALUES, len(numbers[0]) // 10))
    return "discrete" if sampled_from_probabilities or n_distinct <= most else "continuous"


def _joint(columns: Sequence[Column]) -> Actions:
    """Several discrete dimensions as one action, labelled "first, second"."""
    stacked = np.column_stack([column.values for column in columns])
    found, codes = np.unique(stacked, axis=0, return_inverse=True)
    parts = [[(column.levels or ())[code] for code in found[:, k]] for k, column in enumerate(columns)]
    rows = list(zip(*parts, strict=True))
    labels = tuple(", ".join(map(str, row)) for row in rows)
    if len(set(labels)) < len(labels):  # texts with commas of their own
        labels = tuple(", ".join(map(repr, row)) for row in rows)
    return Actions(codes.reshape(-1).astype(np.int64), "discrete", labels)


def _beside_numbers(columns: Sequence[Column]) -> Actions:
    """Choices as columns of 0 and 1 beside the numbers: to know all columns is to know the choices."""
    values: list[Array] = []
    said, notes = list[str](), list[Note]()
    for column in columns:
        if column.levels is None:
            values.append(as_float("actions", column))
            said.append(column.name)
            continue
        refuse_too_many_labels("actions", column)
        labels = ", ".join(map(repr, column.levels))
        for code, indicator in indicators(column.values, len(column.levels)):
            values.append(indicator)
            said.append(f"{column.name} = {column.levels[code]!r} of {labels}")
        notes.append(_as_numbers(column.name, column.levels))
    return Actions(np.column_stack(values).astype(np.float64), "continuous", None, tuple(said), tuple(notes))


def indicators(codes: Array, count: int) -> Iterator[tuple[int, Array]]:
    """A choice among `count` levels as columns of 0 and 1, each with its level: one for each but one of them.

    Example:
        >>> [(level, column.tolist()) for level, column in indicators(np.array([0, 1, 1]), 2)]
        [(1, [0, 1, 1])]
        >>> [(level, column.tolist()) for level, column in indicators(np.array([0, 1, 2]), 3)]
        [(0, [1, 0, 0]), (1, [0, 1, 0])]
    """
    for level in (1,) if count == 2 else range(max(count - 1, 1)):
        yield level, (codes == level).astype(np.int64)


def _as_numbers(name: str, labels: Sequence[Label]) -> Note:
    how = f"1 for {labels[-1]!r}"
    if len(labels) == 2:
        how += f" and 0 for {labels[0]!r}"
    if len(labels) > 2:
        how = f"one 0/1 column for each of {some_of([repr(label) for label in labels[:-1]])}"
        how += f", all of them 0 for {labels[-1]!r}"
    return Note("fact", "action-parts", f"the action {name!r} stands beside numbers: it is read as {how}.")
