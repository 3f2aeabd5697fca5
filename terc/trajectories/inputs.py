"""What `Trajectories` accepts for each argument: checked columns of one length, and the matrix they make."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from terc.arrays import Floats, Integers
from terc.errors import BadTypeError, BadValueError
from terc.trajectories.columns import (
    Column,
    Label,
    as_array,
    as_float,
    column_of,
    in_levels,
    refuse_unusable,
)
from terc.trajectories.episodes import SORT_ARRAYS, numbered
from terc.trajectories.frames import columns_of_frame, is_frame
from terc.trajectories.names import checked_names
from terc.trajectories.shapes import are_tables, refuse_tables, refuse_transposed, refuse_transposed_states
from terc.trajectories.text_numbers import refuse_numbers_as_text, warn_of_many_levels


def variables(states: Any, names: Sequence[str] | None, actions: Any = None) -> list[Column]:
    """One column per variable, all of one length, at least one step, names checked.

    Args:
        actions: One for each step, to say what is wrong with the shape of `states`.
    """
    columns = _columns("states", states, names, default="x", actions=actions)
    if not columns:
        raise BadValueError("states: wanted at least one variable, got none.")
    checked_names("names", [column.name for column in columns])
    n = len(columns[0].values)
    if not n:
        raise BadValueError("states: wanted at least one step, got none.")
    _same_lengths(columns, n)
    return columns


def action_columns(actions: Any, n: int) -> list[Column]:
    """One column per dimension of the actions, each of length `n`."""
    named = is_frame(actions) or are_columns(actions) or isinstance(actions, Mapping)
    if not named and not are_tables(actions):
        actions = as_array("actions", actions)
        actions = actions[:, None] if actions.ndim == 1 else actions
        refuse_transposed("actions", actions.shape, n)
    columns = _columns("actions", actions, None, default="action")
    if not columns:
        raise BadValueError("actions: wanted at least one dimension, got none.")
    _same_length("actions", len(columns[0].values), n)
    _same_lengths(columns, n)
    return columns


def are_columns(given: Any) -> bool:
    """Whether they are `Column`s already, which whoever made them has looked at."""
    return isinstance(given, list) and bool(given) and all(isinstance(one, Column) for one in given)


def _columns(
    where: str, given: Any, names: Sequence[str] | None, *, default: str, actions: Any = None
) -> list[Column]:
    columns = _named_columns(where, given)
    if columns is not None:
        chosen = _checked_count(names, len(columns)) or [column.name for column in columns]
        return [replace(column, name=name) for column, name in zip(columns, chosen, strict=True)]
    if type(given) is list and given and isinstance(given[0], Mapping):
        raise BadValueError(f"{where}: wanted a table, got dictionaries; pass pandas.DataFrame({where}).")
    if are_tables(given):
        refuse_tables(where, given, default, actions)
    array = as_array(where, given)
    if are_tables(array):
        refuse_tables(where, array, default, actions)
    if array.ndim != 2:
        way_out = " States come first, actions second; one variable alone is numpy.reshape(states, (-1, 1))."
        raise BadValueError(
            f"{where}: wanted a table [steps, {default}...], got shape {array.shape}."
            f"{way_out if where == 'states' else ''}"
        )
    if where == "states":
        refuse_transposed_states(array.shape, actions)
    chosen = _checked_count(names, array.shape[1]) or [f"{default}_{j}" for j in range(array.shape[1])]
    return [column_of(name, array[:, j]) for j, name in enumerate(chosen)]


def _named_columns(where: str, given: Any) -> list[Column] | None:
    """The columns of what names them itself: columns, a frame, or arrays by name; None for all else."""
    if are_columns(given):
        return list(given)
    if is_frame(given):
        return columns_of_frame(where, given)
    if not isinstance(given, Mapping):
        return None
    columns = []
    for name, values in given.items():
        array = as_array(f"{where}: {name!r}", values)
        if array.ndim not in (1, 2):
            raise BadValueError(
                f"{where}: {name!r} has shape {array.shape}; wanted [n] or [n, d], a row of numbers per step."
            )
        parts = [(name, array)] if array.ndim == 1 else [(f"{name}_{j}", x) for j, x in enumerate(array.T)]
        columns += [column_of(part, values) for part, values in parts]
    return columns


def _checked_count(names: Sequence[str] | None, n_columns: int) -> Sequence[str] | None:
    if names is None:
        return None
    if isinstance(names, str):
        raise BadTypeError(f"names: wanted a list of names, got the single text {names!r}.")
    try:
        listed = list(names)
    except TypeError:
        raise BadTypeError(f"names: wanted a list of names, got {names!r}.") from None
    if len(listed) != n_columns:
        raise BadValueError(f"names: wanted one for each of the {n_columns} variables, got {len(listed)}.")
    return checked_names("names", listed)


def _same_lengths(columns: Sequence[Column], n: int) -> None:
    for column in columns:
        _same_length(column.name, len(column.values), n)


def _same_length(what: str, length: int, n: int) -> None:
    if length != n:
        raise BadValueError(
            f"{what}: wanted one for each of the {n} steps in states, got {length}; leave out what is no "
            "step, such as a last state of an episode in which nothing was done any more."
        )


def vector(what: str, given: Any, n: int) -> Column:
    """One value per step as a column of length `n`."""
    if isinstance(given, Column):
        _same_length(what, len(given.values), n)
        return given
    array = as_array(what, given)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise BadValueError(f"{what}: wanted one value per step [n], got shape {array.shape}.")
    _same_length(what, len(array), n)
    return column_of(what, array)


def episode_numbers(given: Any, n: int) -> Integers:
    """Numbers 0, 1, ... of the episodes `[n]`; all 0 when `given` is None."""
    if given is None:
        return np.zeros(n, dtype=np.int64)
    return numbered(vector("episodes", given, n), sorting=SORT_ARRAYS)[0]


def numbers(what: str, given: Any, n: int) -> Floats | None:
    """Finite numbers `[n]`, or None when `given` is None."""
    if given is None:
        return None
    column = vector(what, given, n)
    refuse_unusable(what, [column])
    if column.levels is not None:
        raise BadTypeError(f"{what}: wanted numbers, got text such as {column.levels[0]!r}.")
    return as_float(what, column)


def progress(given: Any, n: int) -> Floats | None:
    """Numbers in 0..1 `[n]`, or None when `given` is None."""
    values = numbers("progress", given, n)
    if values is not None and (values.min() < 0 or values.max() > 1):
        raise BadValueError(f"progress: wanted values from 0 to 1, got {values.min():g} to {values.max():g}.")
    return values


def matrix(what: str, given: Any) -> npt.NDArray[Any] | None:
    """The array `[n, k]` behind `given` (an array, or columns of a file), or None."""
    if given is None:
        return None
    if are_columns(given):
        refuse_unusable(what, given)
        if any(column.levels is not None for column in given):
            raise BadTypeError(f"{what}: wanted numbers, got text.")
        _same_lengths(given, len(given[0].values))
        return np.column_stack([column.values for column in given])
    return as_array(what, given)


LARGE_CELLS = 25_000_000
"""Values from which single precision is considered: 200 MB in double precision."""
LARGEST_EXACT = 2**24
"""Whole numbers up to here are exact in single precision."""
FINEST = 1e-5
"""Rounding must stay below this share of a column's standard deviation: far below any test's resolution."""


def read_states(
    where: str, columns: Sequence[Column], nominal: Iterable[str]
) -> tuple[Floats, dict[str, tuple[Label, ...]]]:
    """The matrix of all variables, and the labels of those that hold codes: in `nominal`, or with text."""
    refuse_unusable(where, columns)
    shape = (len(columns[0].values), len(columns))
    single = shape[0] * shape[1] > LARGE_CELLS and all(map(fits_single, columns))
    states = np.empty(shape, np.float32 if single else np.float64, order="F")  # read column by column
    levels: dict[str, tuple[Label, ...]] = {}
    for j, given in enumerate(columns):
        column = in_levels(given) if given.name in nominal else given
        states[:, j] = as_float(where, column)
        if column.levels is not None:
            levels[column.name] = column.levels
            if given.name not in nominal:
                refuse_numbers_as_text(where, column)
                warn_of_many_levels(f"{where}: variable {column.name!r}", column)
    return states, levels


def fits_single(column: Column) -> bool:
    """Whether single precision keeps whole numbers exact and all else far finer than it varies.

    Clocks and identifiers with large offsets do not fit: their differences would be lost.

    Example:
        >>> fits_single(Column("speed", np.array([0.1, 0.7])))
        True
        >>> fits_single(Column("clock", 1e9 + np.arange(2)))
        False
    """
    values = column.values
    if values.dtype.kind == "f" and values.dtype.itemsize <= 4 or values.dtype.itemsize <= 2:
        return True
    largest = max(abs(float(values.max())), abs(float(values.min())))
    if largest <= LARGEST_EXACT and (values.dtype.kind in "biu" or np.array_equal(values, np.round(values))):
        return True
    if values.dtype.kind != "f" or largest > 1e30:
        return False
    spread = float(values.std(dtype=np.float64))
    return spread > 1e-30 and largest * 2.0**-24 < FINEST * spread
