"""How a .csv file is written: what separates its cells, its decimal sign, the comments above its header."""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from pathlib import Path

HEAD = 1 << 16
"""Bytes that are looked at."""
SEPARATORS = ("\t", ";", "|")
"""Beside the comma, which counts wherever the header has one."""
COMMENT = "#"
WITH_COMMA, WITH_POINT = (
    re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?"),
    re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?"),
)


@dataclass(frozen=True)
class Dialect:
    """How the lines of a .csv file are to be read.

    Example:
        >>> Dialect.of(chr(10).join(["# pump 3", "level;valve", "0,5;1"]))
        Dialect(separator=';', decimal=',', skipped=1)
        >>> Dialect.of(chr(10).join(["level,valve", "0.5,1"]))
        Dialect(separator=',', decimal='.', skipped=0)
    """

    separator: str = ","
    decimal: str = "."
    skipped: int = 0

    @classmethod
    def of(cls, text: str) -> Dialect:
        """The dialect of a file that begins with `text`."""
        lines = text.splitlines()
        skipped = next((k for k, line in enumerate(lines) if not line.startswith(COMMENT)), 0)
        header, body = "".join(lines[skipped : skipped + 1]), lines[skipped + 1 : skipped + 101]
        counts = {sign: header.count(sign) for sign in SEPARATORS}
        most = max(counts, key=lambda sign: counts[sign])
        separator = most if counts[most] and "," not in header else ","
        cells = [cell.strip().strip('"') for line in body for cell in line.split(separator)]
        commas = separator != "," and any(WITH_COMMA.fullmatch(cell) for cell in cells)
        points = any(WITH_POINT.fullmatch(cell) for cell in cells)
        return cls(separator, "," if commas and not points else ".", skipped)

    @classmethod
    def read(cls, path: Path) -> Dialect:
        """The dialect of a file."""
        with gzip.open(path) if is_packed(path) else path.open("rb") as stream:
            head: bytes = stream.read(HEAD)
        whole = head if len(head) < HEAD else head[: head.rfind(b"\n") + 1]
        return cls.of(whole.decode("utf-8-sig", errors="replace"))


def is_packed(path: Path) -> bool:
    """Whether the file is compressed, by its name."""
    return path.suffix.lower() == ".gz"
