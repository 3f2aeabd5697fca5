"""How a .csv file is written: separator, decimal sign, encoding, and the comments above its header."""

from __future__ import annotations

import codecs
import csv
import gzip
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

HEAD = 1 << 16
"""Bytes that are looked at, and more where they hold too few lines."""
FEWEST_LINES, LONGEST_LINE = 10, 1 << 22
SEPARATORS = ("\t", ";", "|", " ")
"""Beside the comma, which counts wherever the header has one; the space where it has no other."""
NAMED = re.compile(r"sep=(.)")
"""The first line by which a spreadsheet names its separator."""
COMMENT = "#"
MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16", codecs.BOM_UTF8: "utf-8"}
"""How a file begins that names its own encoding."""
WITHOUT_MARK = "cp1252"
"""What spreadsheets and controllers write where it is not UTF-8."""
WITH_COMMA, WITH_POINT = (
    re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?"),
    re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?"),
)
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

    @classmethod
    def of(cls, text: str) -> Dialect:
        """The dialect of a file that begins with `text`."""
        lines = text.splitlines()
        named = NAMED.fullmatch(lines[0]) if lines else None
        begin = 0 if named is None else 1
        skipped = next((k for k, line in enumerate(lines) if k >= begin and not line.startswith(COMMENT)), 0)
        separator = named[1] if named else _separator("".join(lines[skipped : skipped + 1]))
        body = csv.reader(lines[skipped + 1 : skipped + 101], delimiter=separator)
        columns = [[cell.strip() for cell in column] for column in zip_longest(*body, fillvalue="")]
        commas = any(_has_decimal_comma(column, separator) for column in columns)
        cells = [cell for column in columns for cell in column]
        # Beside a comma that can only be a decimal sign, 1.234 is a thousand.
        sure = any(WITH_COMMA.fullmatch(cell) and not THOUSANDS.fullmatch(cell) for cell in cells)
        points = any(
            WITH_POINT.fullmatch(cell) and not (sure and THOUSANDS.fullmatch(cell)) for cell in cells
        )
        return cls(separator, "," if commas and not points else ".", skipped)

    @classmethod
    def read(cls, path: Path) -> Dialect:
        """The dialect of a file."""
        with gzip.open(path) if is_packed(path) else path.open("rb") as stream:
            head: bytes = stream.read(HEAD)
            # To the end of a line; of thousands of columns a header alone may be longer than all that.
            for _ in range(max(1, FEWEST_LINES - head.count(b"\n"))):
                head += stream.readline(LONGEST_LINE)
        encoding = _encoding(head)
        text = head.decode(encoding, errors="replace").removeprefix("\ufeff")
        return replace(cls.of(text), encoding=encoding)


def _separator(header: str) -> str:
    if "," in header:
        return ","
    counts = {sign: header.count(sign) for sign in SEPARATORS[:-1]}
    most = max(counts, key=lambda sign: counts[sign])
    return most if counts[most] else SEPARATORS[-1] if SEPARATORS[-1] in header.strip() else ","


def _has_decimal_comma(column: Sequence[str], separator: str) -> bool:
    """Not where commas may stand between thousands: 1,234 beside 205, or where commas separate cells."""
    marked = [cell for cell in column if WITH_COMMA.fullmatch(cell)]
    if all(THOUSANDS.fullmatch(cell) for cell in marked):
        return bool(marked) and len(marked) == len(list(filter(None, column))) and separator != ","
    return True


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
