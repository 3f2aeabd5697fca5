"""Numbers and dates in text as people write them: signs between thousands, the day before the month."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from terc.trajectories.columns import Column, column_of

BETWEEN_THOUSANDS = {",": ". '\u00a0\u202f", ".": ", '\u00a0\u202f"}
"""Decimal sign -> what may stand between thousands beside it."""
DATE = re.compile(
    r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[ T,]+(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,6}))?)?)?"
)


def as_written(column: Column, decimal: str) -> Column:
    """A column of text whose cells are all numbers or all dates, as numbers or dates; any other as it is.

    Args:
        decimal: The decimal sign of the file; a comma was seen to be one, a point may be assumed.

    Example:
        >>> as_written(column_of("bar", np.array(["1.389,47", "205", "98,5"])), ",").values.tolist()
        [1389.47, 205.0, 98.5]
    """
    if column.levels is None or not all(isinstance(level, str) for level in column.levels):
        return column
    texts = [str(level).strip() for level in column.levels]
    filled = [text for text in texts if text]
    found: npt.NDArray[Any] | None = _numbers(filled, decimal)
    found = _dates(filled) if found is None else found
    if found is None:
        return column
    blank = np.array([not text for text in texts])
    values = found[np.maximum(np.cumsum(~blank) - 1, 0)][column.values]
    empty = blank[column.values] if column.empty is None else blank[column.values] | column.empty
    return replace(column_of(column.name, values), empty=empty if empty.any() else None)


def _numbers(texts: Sequence[str], decimal: str) -> npt.NDArray[np.float64] | None:
    """The numbers, where one sign between thousands fits every cell and cannot be a decimal sign."""
    for sign in BETWEEN_THOUSANDS[decimal]:
        grouped = rf"[+-]?[1-9]\d{{0,2}}(?:{re.escape(sign)}\d{{3}})+"
        one = re.compile(rf"{grouped}(?:\{decimal}\d+)?|[+-]?\d+(?:\{decimal}\d+)?")
        sure = re.compile(grouped if decimal == "," else rf"{grouped}(?:\.\d+|{re.escape(sign)}\d{{3}})")
        if all(one.fullmatch(text) for text in texts) and any(sure.match(text) for text in texts):
            return np.array([float(text.replace(sign, "").replace(decimal, ".")) for text in texts])
    return None


def _dates(texts: Sequence[str]) -> npt.NDArray[np.datetime64] | None:
    """The dates; points mean day first, of other signs a number beyond 12 must show which is the day."""
    if not texts or not DATE.fullmatch(texts[0]):
        return None
    parts = [match for text in texts if (match := DATE.fullmatch(text)) is not None]
    if len(parts) < len(texts):
        return None
    first, second = (max(int(match[place]) for match in parts) for place in (1, 3))
    day_first = first > 12 or all(match[2] == "." for match in parts)
    if second > 12 if day_first else second <= 12:
        return None
    order = (4, 3, 1) if day_first else (4, 1, 3)
    written = [
        "-".join(match[place].zfill(2) for place in order)
        + f"T{(match[5] or '0').zfill(2)}:{match[6] or '00'}:{match[7] or '00'}.{match[8] or 0}"
        for match in parts
    ]
    try:
        return np.array(written, dtype="datetime64[us]")
    except ValueError:  # the 31st of February
        return None
