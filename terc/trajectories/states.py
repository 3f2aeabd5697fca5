"""All variables in one matrix, in single precision where the matrix is large and loses nothing by it."""

import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from terc.arrays import Floats
from terc.errors import BadTypeError, TercWarning
from terc.trajectories.columns import Column, Label, as_float, in_levels, refuse_unusable

LARGE_CELLS = 25_000_000
"""Values from which single precision is considered: 200 MB in double precision."""
LARGEST_EXACT = 2**24
"""Whole numbers up to here are exact in single precision."""
FINEST = 1e-5
"""Rounding must stay below this share of a column's standard deviation: far below any test's resolution."""

NUMBER = re.compile(r"[+-]?\d{1,3}([., ']\d{3})+([.,]\d*)?|[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")
"""A number in any notation, with or without signs between thousands."""
FEWEST_NUMBERS, SHARE_OF_NUMBERS, MOST_LABELS = 20, 0.9, 10_000
"""So many texts must be numbers, and such a share of the first labels; codes of a kind are fewer."""


def read_states(
    where: str, columns: Sequence[Column], nominal: Iterable[str]
) -> tuple[Floats, dict[str, tuple[Label, ...]]]:
    """The matrix of all variables, and the labels of those that hold codes: in `nominal`, or with text."""
    refuse_unusable(where, columns)
    states = np.empty((len(columns[0].values), len(columns)), dtype=_precision(columns))
    levels: dict[str, tuple[Label, ...]] = {}
    for j, given in enumerate(columns):
        column = in_levels(given) if given.name in nominal else given
        states[:, j] = as_float(where, column)
        if column.levels is not None:
            levels[column.name] = column.levels
            if given.name not in nominal:
                _refuse_numbers_as_text(where, column)
                _warn_of_many_levels(where, column)
    return states, levels


def _refuse_numbers_as_text(where: str, column: Column) -> None:
    """Text of which nearly all is numbers is a number with a few strange cells, or in another notation."""
    texts = [label for label in (column.levels or ())[:MOST_LABELS] if isinstance(label, str)]
    numbers = [label for label in texts if NUMBER.fullmatch(label.strip())]
    if len(numbers) < FEWEST_NUMBERS or len(numbers) < SHARE_OF_NUMBERS * len(texts):
        return
    strange = next((label for label in texts if not NUMBER.fullmatch(label.strip())), None)
    decimal = max((label for label in numbers if set(label) & set(".,")), key=_signs, default=None)
    labels = "or say that it holds labels, nominal= (--nominal)"
    if strange is not None:
        steps = int((column.values == (column.levels or ()).index(strange)).sum())
        raise BadTypeError(
            f"{where}: column {column.name!r} holds numbers, and {strange!r} in {steps} step(s); delete "
            f"these rows, empty these cells (and missing='indicator', --missing indicator), {labels}."
        )
    if decimal is not None:
        raise BadTypeError(
            f"{where}: column {column.name!r} holds numbers as text, such as {decimal!r}; write them like "
            f"1234.5, {labels}."
        )


def _signs(number: str) -> int:
    return sum(number.count(sign) for sign in "., '")


def _warn_of_many_levels(where: str, column: Column) -> None:
    n, n_levels = len(column.values), len(column.levels or ())
    if n > 20 and n_levels > n / 2:
        warnings.warn(
            f"{where}: variable {column.name!r} has {n_levels} different labels in {n} steps; if it should "
            "be a number, look for a cell that is not one, and if it is an identifier, leave it out.",
            TercWarning,
            stacklevel=2,
        )


def _precision(columns: Sequence[Column]) -> Any:
    """float32 for a large matrix when every column survives it, otherwise float64."""
    large = len(columns) * len(columns[0].values) > LARGE_CELLS
    return np.float32 if large and all(fits_single(column) for column in columns) else np.float64


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
    spread = float(values.std(dtype=np.float64))
    return values.dtype.kind == "f" and 1e-30 < spread < 1e30 and largest * 2.0**-24 < FINEST * spread
