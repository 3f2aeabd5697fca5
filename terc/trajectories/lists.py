"""Lists of numbers that were written as text, as frames of arrays are in a .csv: "[0.1 0.2]", "(1, 2)"."""

import re
from collections.abc import Sequence

import numpy as np

from terc.arrays import Floats
from terc.trajectories.columns import Column, unusable

AROUND = re.compile(r"(?:\w+\.)?[A-Za-z]\w*\(|(?:dtype|device)=[\w.:']+|[\[\](),]")
"""What numpy, torch and Python write around numbers: `array([`, `np.float64(`, `dtype=float32`, brackets."""
BETWEEN, THOUSANDS = re.compile(r"[,;]?\s+"), re.compile(r"[+-]?\d{1,3}( \d{3})+([.,]\d*)?")
CUT_SHORT = "..."
"""What numpy writes instead of the middle of a long array."""
WAY_OUT = "leave it out, ignore= (--ignore), or give as many numbers in each step"


def numbers_in(text: str) -> list[float] | None:
    """The numbers of a list, those of nested ones in a row; None where `text` is something else.

    Example:
        >>> numbers_in("[1.5 -2. ]"), numbers_in("array([[1, 2]], dtype=int8)"), numbers_in("0.5 1e-3")
        ([1.5, -2.0], [1.0, 2.0], [0.5, 0.001])
        >>> numbers_in("[]"), numbers_in("(left)"), numbers_in("7")
        ([], None, None)
    """
    text = text.strip()
    if text[-1:] in ("]", ")"):
        words = AROUND.sub(" ", text).replace("True", "1").replace("False", "0").split()
    else:
        words = BETWEEN.split(text)
        if len(words) < 2:
            return None
    try:
        return [float(word) for word in words if word != CUT_SHORT]
    except ValueError:
        return None


def width_of(texts: Sequence[str]) -> int | None:
    """How many numbers the first list holds, where every text that is not blank is a list; else None.

    Example:
        >>> width_of(["[1, 2]", "[3]"]), width_of(["1 234", "5 678"]), width_of(["(1, 2)", "none"])
        (2, None, None)
    """
    filled = [text for text in texts if text.strip()]
    if all(THOUSANDS.fullmatch(text.strip()) for text in filled):
        return None
    first = numbers_in(filled[0])
    return len(first) if first and all(numbers_in(text) is not None for text in filled) else None


def spelt_out(column: Column, width: int) -> list[Column]:
    """The columns `NAME_0`, `NAME_1`, ... of lists of `width` numbers; unusable where a list has others.

    Example:
        >>> at = Column("at", np.array([0, 1]), ("[1 2]", "[3 4]"))
        >>> [part.values.tolist() for part in spelt_out(at, 2)]
        [[1.0, 3.0], [2.0, 4.0]]
    """
    names = [f"{column.name}_{j}" for j in range(width)]
    texts = [str(level) for level in column.levels or ()]
    blank = np.array([not text.strip() for text in texts], dtype=bool)
    found = [[0.0] * width if not text.strip() else numbers_in(text) for text in texts]
    other = next((t for t, row in zip(texts, found, strict=True) if row is None or len(row) != width), None)
    problem = ""
    if any(CUT_SHORT in text for text in texts):
        problem = f"is of {column.name!r}, whose arrays numpy cut short ('...'); save them in a .npz instead"
    elif other is not None:
        problem = (
            f"is of {column.name!r}, whose lists differ in length; wanted {width} each, got {other[:60]!r}"
        )
        problem = f"{problem}: {WAY_OUT}"
    if problem:
        return [unusable(name, len(column.values), problem) for name in names]
    table: Floats = np.array(found, dtype=np.float64).reshape(-1, width)[column.values]
    empty = blank[column.values] if column.empty is None else blank[column.values] | column.empty
    return [Column(name, table[:, j], empty=empty if empty.any() else None) for j, name in enumerate(names)]
