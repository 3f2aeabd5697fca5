"""How a .csv file is written: separator, decimal sign, encoding, comments, numbers and dates."""

import codecs
import csv
import gzip
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from terc.trajectories.columns import SPACES, Column, column_of
from terc.trajectories.lists import width_of

HEAD = 1 << 16
"""Bytes that are looked at, and more where they hold too few lines."""
FEWEST_LINES, LONGEST_LINE = 10, 1 << 22
SEPARATORS = ("\t", ";", "|", " ")
"""Beside the comma, which counts wherever the header has one; the space where it has no other."""
NAMED = re.compile(r"sep=(.)")
"""The first line by which a spreadsheet names its separator."""
COMMENT, END = "#", re.compile("\r\n|\n|\r")
MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16", codecs.BOM_UTF8: "utf-8"}
"""How a file begins that names its own encoding."""
WITHOUT_MARK = "cp1252"
"""What spreadsheets and controllers write where it is not UTF-8."""
WITH_COMMA, WITH_POINT = (
    re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?"),
    re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?"),
)
MISSING = ("-", "--", "?", "nan", "n/a", "na", "#n/a", "null", "none")
"""What people write into a cell without a value."""
WHOLE = re.compile(r"[+-]?\d{1,400}")
"""As many digits as double precision has room for, and more."""
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}((,\d{3})+|(\.\d{3})+)")


@dataclass(frozen=True)
class Dialect:
    """How the lines of a .csv file are to be read.

    Example:
        >>> Dialect.of(chr(10).join(["# pump 3", "level;valve", "0,5;1"]))
        Dialect(separator=';', decimal=',', skipped=1, encoding='utf-8')
        >>> Dialect.of(chr(10).join(["level,valve", "0.5,1"]))
        Dialect(separator=',', decimal='.', skipped=0, encoding='utf-8')
    """

    separator: str = ","
    decimal: str = "."
    skipped: int = 0
    encoding: str = "utf-8"
    units: tuple[str, ...] = field(default=(), repr=False)
    """Words in the line below the header, where the lines after it hold numbers."""
    lists: tuple[int | None, ...] = field(default=(), repr=False)
    """For each column that holds lists of numbers, how many."""

    @classmethod
    def of(cls, text: str) -> Self:
        """The dialect of a file that begins with `text`."""
        lines = END.split(text)  # str.splitlines knows more ends than a .csv file has
        named = NAMED.fullmatch(lines[0]) if lines else None
        begin = 0 if named is None else 1
        skipped = next((k for k, line in enumerate(lines) if k >= begin and not line.startswith(COMMENT)), 0)
        written = [f"{line}\n" for line in lines[skipped : skipped + 101]]
        separator = named[1] if named else _separator(written)
        body = list(csv.reader(written, delimiter=separator))[1:]  # a quoted name may hold the end of a line
        columns = [[cell.strip() for cell in column] for column in zip_longest(*body, fillvalue="")]
        commas = any(_has_decimal_comma(column, separator) for column in columns)
        cells = [cell for column in columns for cell in column]
        # Beside a comma that can only be a decimal sign, 1.234 is a thousand.
        sure = any(WITH_COMMA.fullmatch(cell) and not THOUSANDS.fullmatch(cell) for cell in cells)
        decimals = [cell for cell in cells if WITH_POINT.fullmatch(cell)]
        points = any(not (sure and THOUSANDS.fullmatch(cell)) for cell in decimals)
        decimal = "," if commas and not points else "."
        whole = max(1, len(body) - 1)  # the end of the last may not have been read
        lists = tuple(width_of(column[:whole]) for column in columns)
        return cls(separator, decimal, skipped, units=_line_of_units(columns, decimal), lists=lists)

    @classmethod
    def read(cls, path: Path) -> Self:
        """The dialect of a file."""
        with gzip.open(path) if is_packed(path) else path.open("rb") as stream:
            head: bytes = stream.read(HEAD)
            # To the end of a line; of thousands of columns a header alone may be longer than all that.
            for _ in range(max(1, FEWEST_LINES - head.count(b"\n"))):
                head += stream.readline(LONGEST_LINE)
        encoding = _encoding(head)
        text = head.decode(encoding, errors="replace").removeprefix("\ufeff")
        return replace(cls.of(text), encoding=encoding)


def _separator(lines: Sequence[str]) -> str:
    """The sign that cuts most lines into as many cells as the header, which may hold another in a name.

    Example:
        >>> _separator(["level, m;valve", "0,5;1"]), _separator(["level;m,valve", "0.5,1"])
        (';', ',')
    """
    header = lines[0] if lines else ""
    counts = {sign: header.count(sign) for sign in SEPARATORS[:-1] if sign in header}
    if "," not in header:
        return max(counts, key=lambda sign: counts[sign], default=" " if " " in header.strip() else ",")
    # Of two signs that fit alike, with as many cells, people write the comma into names and numbers.
    fits = {sign: _fit(lines, sign) for sign in (*counts, ",")}
    return max(fits, key=lambda sign: fits[sign]) if any(share for share, _ in fits.values()) else ","


def _fit(lines: Sequence[str], separator: str) -> tuple[float, int]:
    """The share of lines with as many cells as the header, and their number; 0 where that is one.

    Example:
        >>> _fit(["level;valve", "0,5;1", "2"], ";"), _fit(["level;valve", "0,5;1", "2"], ",")
        ((0.5, 2), (0.0, 0))
    """
    try:
        widths = [len(cells) for cells in csv.reader(lines, delimiter=separator) if cells]
    except csv.Error:  # cut by a wrong sign, a line may be one cell that is too long
        return 0.0, 0
    if len(widths) < 2 or widths[0] < 2:
        return 0.0, 0
    return sum(width == widths[0] for width in widths[1:]) / (len(widths) - 1), widths[0]


def _has_decimal_comma(column: Sequence[str], separator: str) -> bool:
    """Not where commas may stand between thousands: 1,234 beside 205, or where commas separate cells."""
    marked = [cell for cell in column if WITH_COMMA.fullmatch(cell)]
    if all(THOUSANDS.fullmatch(cell) for cell in marked):
        return bool(marked) and len(marked) == len(list(filter(None, column))) and separator != ","
    return True


def _line_of_units(columns: Sequence[Sequence[str]], decimal: str) -> tuple[str, ...]:
    """The words above numbers, if the first line holds no number itself and no word for a missing value."""

    def is_number(cell: str) -> bool:
        number = rf"[+-]?((\d+\{decimal}?\d*|\{decimal}\d+)([eE][+-]?\d+)?|inf)"
        return re.fullmatch(number, cell, re.IGNORECASE) is not None

    first = [column[0] for column in columns if column and column[0]]
    if any(is_number(cell) or cell.lower() in MISSING for cell in first):
        return ()
    below = [(column[0], [cell for cell in column[1:] if cell]) for column in columns if column and column[0]]
    return tuple(word for word, cells in below if cells and all(is_number(cell) for cell in cells))


def _encoding(head: bytes) -> str:
    for mark, name in MARKS.items():
        if head.startswith(mark):
            return name
    try:
        head.decode()
    except UnicodeDecodeError:
        return WITHOUT_MARK
    return "utf-8"


def is_packed(path: Path) -> bool:
    """Whether the file is compressed, by its name."""
    return path.suffix.lower() == ".gz"


BETWEEN_THOUSANDS = {",": f".'{SPACES}", ".": f",'{SPACES}"}
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


def with_every_digit(numbers: Column, texts: Column) -> Column:
    """A column of numbers whose whole ones are those of the `texts`, not rounded to double precision.

    Example:
        >>> texts = column_of("id", np.array(["1180591620717411303425"]))
        >>> with_every_digit(column_of("id", np.array([2.0**70])), texts).levels
        ('1180591620717411303425',)
    """
    written = [str(level).strip() for level in texts.levels or ()]
    cells: list[float | int | None] = [
        int(text) if WHOLE.fullmatch(text) else value
        for text, value in zip((written[code] for code in texts.values), numbers.values.tolist(), strict=True)
    ]
    if numbers.empty is not None:
        cells = [None if empty else cell for cell, empty in zip(cells, numbers.empty, strict=True)]
    return column_of(numbers.name, np.array(cells, dtype=object))


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
