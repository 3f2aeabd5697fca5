"""Lists of numbers that were written as text, as frames of arrays are in a .csv: "[0.1 0.2]", "(1, 2)"."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from terc.arrays import Floats
from terc.notes import Note
from terc.trajectories.columns import SPACES, Column, unusable

KIND = re.compile(
    r"(?<![\w.])(?:(?:np|numpy|torch)\.)?(?:[aA]rray|tensor|float\d*|u?int\d*|bool_?)(?=\()"
    r"|,\s*(?:dtype|device|requires_grad)=[\w.:']+"
)
"""What numpy, torch and jax write beside brackets: `array(`, `np.float64(`, `dtype=float32`."""
BRACKETS, BETWEEN_INSIDE = re.compile(r"[][()]"), re.compile(r"[][(),\s]+")
BETWEEN = re.compile(r"[,;]?\s+", re.ASCII)
THOUSANDS = re.compile(rf"[+-]?\d{{1,3}}([{SPACES}]\d{{3}})+([.,]\d*)?")
NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?i:nan|inf|infinity))", re.ASCII)
TRUTH = {"True": "1", "False": "0", "np.True_": "1", "np.False_": "0"}
CUT_SHORT = "..."
"""What numpy writes instead of the middle of a long array."""
WAY_OUT = "leave it out, ignore= (--ignore), or give as many numbers in each step"
ROW_PER_STEP = "of rows that are whole episodes make one row per step: frame.explode(...) of pandas or polars"
LABELS = "or say that it holds labels, nominal= (--nominal)"


def numbers_in(text: str) -> list[float] | None:
    """The numbers of a list, those of nested ones in a row; None where `text` is not plainly a list.

    Example:
        >>> numbers_in("[1.5 -2. ]"), numbers_in("array([[1, 2]], dtype=int8)"), numbers_in("0.5 1e-3")
        ([1.5, -2.0], [1.0, 2.0], [0.5, 0.001])
        >>> numbers_in("[]"), numbers_in("pull(1)"), numbers_in("(0.0, 1.5]"), numbers_in("(7)")
        ([], None, None, None)
    """
    text = text.strip()
    if text[-1:] not in ("]", ")"):
        words = BETWEEN.split(text)
        return _numbers(words) if len(words) > 1 else None
    plain = KIND.sub("", text)
    if not _is_enclosed(plain) or (text[0] == "(" and "," not in text):  # (7) is no list in any language
        return None
    words = [word for word in BETWEEN_INSIDE.split(plain) if word and word != CUT_SHORT]
    return _numbers([TRUTH.get(word, word) for word in words])


def _is_enclosed(text: str) -> bool:
    """Whether one pair of brackets goes around all of `text`, and every bracket inside has its other."""
    open_ones: list[str] = []
    for bracket in BRACKETS.finditer(text):
        if not open_ones and bracket.start():
            return False
        if bracket[0] in "[(":
            open_ones.append(bracket[0])
        elif not open_ones or open_ones.pop() + bracket[0] not in ("[]", "()"):
            return False
    return bool(text) and not open_ones


def _numbers(words: Sequence[str]) -> list[float] | None:
    return [float(word) for word in words] if all(map(NUMBER.fullmatch, words)) else None


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


def episode_in_each_row(
    action: Sequence[str], variables: Sequence[str], blocks: Mapping[str, Sequence[str]]
) -> tuple[Note, ...]:
    """A doubt where each row is an episode by itself and holds as many actions as numbers of a variable.

    Args:
        blocks: The columns of each list.

    Example:
        >>> blocks = {"speed": ["speed_0", "speed_1"], "push": ["push_0", "push_1"]}
        >>> [note.code for note in episode_in_each_row(blocks["push"], blocks["speed"], blocks)]
        ['episode-rows']
        >>> episode_in_each_row(["push"], blocks["speed"], blocks)
        ()
    """
    lists = [name for name, parts in blocks.items() if len(parts) == len(action) > 1]
    acted = [name for name in lists if list(blocks[name]) == list(action)]
    seen = [name for name in lists if set(blocks[name]) <= set(variables)]
    if not acted or not seen:
        return ()
    text = f"each row is an episode and holds {len(action)} numbers of {acted[0]!r} and of {seen[0]!r}: "
    return (Note("doubt", "episode-rows", f"{text}{ROW_PER_STEP}."),)


def spelt_out(column: Column, width: int) -> list[Column]:
    """The columns `NAME_0`, `NAME_1`, ... of lists of `width` numbers; unusable where a list has others.

    Example:
        >>> at = Column("at", np.array([0, 1]), ("[1 2]", "[3 4]"))
        >>> [part.values.tolist() for part in spelt_out(at, 2)]
        [[1.0, 3.0], [2.0, 4.0]]
    """
    names = [f"{column.name}_{j}" for j in range(width)]
    texts = [str(level) for level in column.levels or ()]
    found = [[0.0] * width if not text.strip() else numbers_in(text) for text in texts]
    other = next((t for t, row in zip(texts, found, strict=True) if row is None or len(row) != width), None)
    problem = ""
    if any(CUT_SHORT in text for text in texts):
        problem = f"is of {column.name!r}, whose arrays numpy cut short ('...'); save them in a .npz instead"
    elif other is not None:
        problem = (
            f"is of {column.name!r}, whose lists differ in length; wanted {width} each, got {other[:60]!r}"
        )
        problem = f"{problem}: {WAY_OUT}, {LABELS}"
    if problem:
        return [unusable(name, len(column.values), problem) for name in names]
    # A row of zeros more, for cells that are empty where no cell is filled.
    codes = column.values.astype(np.int64)
    table: Floats = np.array([*found, [0.0] * width], dtype=np.float64)[codes]
    empty = np.array([*(not text.strip() for text in texts), False])[codes]
    empty = empty if column.empty is None else empty | column.empty
    return [Column(name, table[:, j], empty=empty if empty.any() else None) for j, name in enumerate(names)]
