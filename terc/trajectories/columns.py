"""Columns as the caller gave them: numbers and labels kept apart, checked before anything is computed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from terc.arrays import Booleans, Floats, Integers
from terc.errors import BadTypeError, BadValueError, TercError

Label = str | int | float | bool
LARGEST_EXACT_INTEGER = 2**53
SPACES = " \u00a0\u202f"
"""Those that people and their spreadsheets put between thousands: plain, and the two that do not break."""
DATES_WAY_OUT = (
    "order the steps by it with sort= (--sort), leave it out with ignore= (--ignore), or give numbers (for "
    "instance seconds since the start of the episode)"
)
TOO_LARGE = (
    "holds whole numbers beyond 2**53, which double precision cannot tell apart; give labels as text (str), "
    "other numbers as float"
)
NEITHER = "leave it out, ignore= (--ignore), or convert it"
INDICATOR_WAY_OUT = " missing='indicator' (from_frame, load; --missing indicator) for empty and NaN"


@dataclass(frozen=True)
class Column:
    """One column as it was given: numbers, or codes of labels.

    Attributes:
        values: Numbers `[n]` of any real kind, or the codes `[n]` when there are `levels`.
        levels: The labels that the codes stand for, in order; None for a column of numbers.
        empty: Mask `[n]` of the cells that were empty (None, null), where `values` says nothing; None if none
            was. NaN in `values` is counted later.
        problem: Why it cannot be a variable, if so. Raised only on use: the column may be one to leave out,
            and dates (which have `levels` too) may label episodes.
    """

    name: str
    values: npt.NDArray[Any]
    levels: tuple[Label, ...] | None = None
    empty: Booleans | None = None
    problem: str = ""


def as_array(where: str, given: Any) -> npt.NDArray[Any]:
    """`given` as an array that lost nothing: masked cells, texts beside numbers, digits of whole numbers."""
    if isinstance(given, np.ma.MaskedArray):
        if np.ma.getmaskarray(given).any():
            hidden = int(np.ma.getmaskarray(given).sum())
            raise BadValueError(f"{where}: the masked array hides {hidden} values; fill them first.")
        return np.asarray(given.data)
    try:
        array = np.asarray(given)
        listed = not isinstance(given, np.ndarray)
        if listed and (array.dtype.kind in "US" or are_large(array)):
            array = np.asarray(given, dtype=object)
    except TercError:
        raise
    except Exception as error:
        raise BadValueError(f"{where}: cannot be read as one array ({one_line(error)}).") from error
    return array


def are_large(numbers: npt.NDArray[Any]) -> bool:
    """Whether some may have been whole numbers that lost digits beside others."""
    if numbers.dtype != np.float64:
        return False
    return bool((np.isfinite(numbers) & (np.abs(numbers) >= LARGEST_EXACT_INTEGER)).any())


def one_line(error: BaseException) -> str:
    """The first line of an error's text, without its final full stop."""
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(". ") if lines else type(error).__name__


def column_of(name: str, values: npt.NDArray[Any]) -> Column:
    """The column `values` `[n]`, with texts turned into codes of labels."""
    kind = values.dtype.kind
    if kind in "biuf":
        return Column(name, values)
    if kind == "U":
        return _labelled(name, values)
    if kind == "O":
        return _column_of_objects(name, values)
    if kind == "S" and (text := _decoded(values)) is not None:
        return _labelled(name, text)
    if kind in "mM":
        dates = _labelled(name, values.astype(str))
        return replace(dates, problem=f"holds dates or durations; {DATES_WAY_OUT}")
    return unusable(name, len(values), f"holds {values.dtype}; wanted numbers, true/false or text; {NEITHER}")


def _decoded(values: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
    """Bytes as the text that they are in UTF-8; None where they are none."""
    try:
        return np.char.decode(values, "utf8")
    except UnicodeDecodeError:
        return None


def unusable(name: str, length: int, problem: str) -> Column:
    """A column that raises `problem` when it is used."""
    return Column(name, np.zeros(length), problem=problem)


def _column_of_objects(name: str, values: npt.NDArray[Any]) -> Column:
    nothing = ("NoneType", "NAType", "NaTType")
    empty = np.array([type(one).__name__ in nothing or one != one for one in values], dtype=bool)
    if empty.any():
        return with_empty(column_of(name, values[~empty]), empty)
    present = list(values)
    if all(isinstance(value, str) for value in present):
        return _labelled(name, values)
    if all(isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)) for value in present):
        numbers = np.array(present)
        if numbers.dtype.kind in "biu":
            return column_of(name, numbers)
        if all(map(_is_exact, present)):
            return column_of(name, numbers.astype(np.float64))
        # They may label episodes.
        return replace(_labelled(name, np.array(list(map(str, present)))), problem=TOO_LARGE)
    kinds = ", ".join(sorted({type(value).__name__ for value in present}))
    return unusable(
        name, len(values), f"holds objects of type {kinds}; wanted only numbers or only text; {NEITHER}"
    )


def _is_exact(number: Any) -> bool:
    """Whether double precision holds the number, where it is a whole one of Python's or numpy's."""
    if not isinstance(number, int | np.integer):
        return True
    try:
        return int(float(number)) == int(number)
    except OverflowError:
        return False


def with_empty(present: Column, empty: Booleans) -> Column:
    """The column of all steps, from the cells that are `present` and the mask of those that are empty."""
    values = np.zeros(len(empty), dtype=present.values.dtype if len(present.values) else np.float64)
    values[~empty] = present.values
    return replace(present, values=values, empty=empty)


def _labelled(name: str, texts: npt.NDArray[Any]) -> Column:
    levels, codes = np.unique(texts, return_inverse=True)
    return Column(name, codes.reshape(-1), tuple(str(level) for level in levels))


def in_levels(column: Column) -> Column:
    """The column with its numbers turned into codes of labels; unchanged if it holds labels already."""
    if column.levels is not None:
        return column
    found, codes = np.unique(column.values, return_inverse=True)
    levels: list[Label] = found.tolist()
    if found.dtype.kind == "f" and np.all(found == np.round(found)):
        levels = [int(level) for level in levels]
    return replace(column, values=codes.reshape(-1), levels=tuple(levels))


def recoded(codes: npt.ArrayLike, labels: Sequence[Label], every: Sequence[Label]) -> Integers:
    """Codes of `labels` as codes of the same labels in `every`."""
    place = {label: code for code, label in enumerate(every)}
    return np.array([place[label] for label in labels], dtype=np.int64)[np.asarray(codes, dtype=np.int64)]


def refuse_gaps(where: str, columns: Iterable[Column]) -> None:
    """Raise one error that names every column with empty, NaN or infinite cells, with their number."""
    if text := _gaps_in_words(where, columns):
        raise BadValueError(f"{where}: {text}")


def _gaps_in_words(where: str, columns: Iterable[Column]) -> str:
    found = {column.name: text for column in columns if (text := _gaps(column))}
    if not found:
        return ""
    texts, names = list(found.values())[:10], list(found)[:10]
    more = f" and {len(found) - 10} more columns" if len(found) > 10 else ""
    drop = "drop those steps" + ("" if where == "states" else f" (of a frame: frame.dropna(subset={names}))")
    way_out = f"fill them, or say{INDICATOR_WAY_OUT}" if where == "states" else "or fill them"
    return f"cannot use missing or infinite values: {', '.join(texts)}{more}; {drop}, {way_out}."


def refuse_unusable(where: str, columns: Sequence[Column]) -> None:
    """Raise one error for the columns that hold neither numbers nor text, and for those with gaps."""
    said = []
    for problem in dict.fromkeys(column.problem for column in columns if column.problem):
        names = [repr(column.name) for column in columns if column.problem == problem]
        if where == "actions":  # ways out for variables are none for these
            for way_out in (DATES_WAY_OUT, NEITHER):
                problem = problem.replace(way_out, "actions are numbers or labels")
        which = "column" if len(names) == 1 else "each of the columns"
        said.append(f"{which} {', '.join(names[:10])} {problem}.")
    if said:
        gaps = _gaps_in_words(where, [column for column in columns if not column.problem])
        error = BadValueError if all(one.problem in ("", TOO_LARGE) for one in columns) else BadTypeError
        raise error(f"{where}: {' Moreover: '.join(filter(None, [*said, gaps]))}")
    refuse_gaps(where, columns)


def _gaps(column: Column) -> str:
    empty = nan = infinite = 0
    if column.empty is not None:
        empty = int(column.empty.sum())
    if column.values.dtype.kind == "f":
        nan, infinite = int(np.isnan(column.values).sum()), int(np.isinf(column.values).sum())
    counts = ((empty, "empty"), (nan, "NaN"), (infinite, "infinite"))
    text = ", ".join(f"{count:,} {what}" for count, what in counts if count)
    return f"{column.name!r} ({text})" if text else ""


def as_float(where: str, column: Column) -> Floats:
    """The numbers (or codes) in double precision; whole numbers it cannot hold exactly are an error."""
    with np.errstate(over="ignore"):  # reported below
        numbers: Floats = column.values.astype(np.float64)
    if column.values.dtype.kind in "iu" and not _exact(column.values, numbers):
        raise BadValueError(f"{where}: column {column.name!r} {TOO_LARGE}.")
    if column.values.dtype.itemsize > 8 and not np.isfinite(numbers).all():
        raise BadValueError(
            f"{where}: column {column.name!r} holds values beyond the range of double precision."
        )
    return numbers


def of_size_one(numbers: npt.NDArray[Any]) -> Floats:
    """`numbers` `[n, ...]`, each column times a power of two: at most 1, so that squares stay in range.

    No digit changes by it.

    Example:
        >>> of_size_one(np.array([3.0, -4.0])).tolist(), float(of_size_one(np.array([1e300, 0.0])).max()) < 1
        ([0.375, -0.5], True)
    """
    plain = numbers.astype(np.float64)
    return np.asarray(np.ldexp(plain, -np.frexp(np.abs(plain).max(axis=0))[1]))


def _exact(whole: npt.NDArray[Any], numbers: Floats) -> bool:
    if whole.dtype.itemsize < 8 or not whole.size or np.abs(numbers).max() < LARGEST_EXACT_INTEGER:
        return True
    return all(int(a) == int(b) for a, b in zip(whole.tolist(), numbers.tolist(), strict=True))
