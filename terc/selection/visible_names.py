"""Names of variables as a reader may safely see them: nothing hidden, nothing that moves other text."""

import unicodedata
from collections.abc import Iterable

LEFT_TO_RIGHT_MARK = "\u200e"
_WIDE = ("W", "F")
_RIGHT_TO_LEFT = ("R", "AL")


def visible(name: object) -> str:
    r"""`name` on one line, with every character that cannot be seen written as its escape.

    Newlines, terminal escapes, lone surrogates and the marks that reverse the direction of text
    become `\n`, `\x1b`, `\ud800`, `\u202e`; letters of any script stay. Names that are empty or
    begin or end with a space get quotes, so that the space can be seen.

    Example:
        >>> print(visible("speed\n(m/s)"), visible(" x"))
        speed\n(m/s) ' x'
    """
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(name))
    return text if text and text == text.strip() else f"'{text}'"


def right_to_left(text: str) -> bool:
    """Whether `text` has letters that are written from right to left."""
    return any(unicodedata.bidirectional(c) in _RIGHT_TO_LEFT for c in text)


def steady(text: str) -> str:
    """`text` between invisible marks, where needed, so that its neighbours keep their places.

    Without them a Hebrew or Arabic name would pull the numbers after it to its other side.
    """
    return f"{LEFT_TO_RIGHT_MARK}{text}{LEFT_TO_RIGHT_MARK}" if right_to_left(text) else text


def columns(text: str) -> int:
    """Columns of a terminal that `text` fills: two for a wide character, none for a combining one.

    Example:
        >>> columns("abc"), columns("速度")
        (3, 4)
    """
    return sum(_character_columns(c) for c in text)


def _character_columns(character: str) -> int:
    if unicodedata.combining(character) or character == LEFT_TO_RIGHT_MARK:
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def shortened(text: str, room: int) -> str:
    """`text` in at most `room` columns, the middle left out: names mostly differ at their ends.

    Example:
        >>> shortened("left_front_wheel_speed", 12)
        'left_f…speed'
    """
    if columns(text) <= room:
        return text
    head, tail = text[:room], text[-room:]  # of a name of any length only its ends are counted
    while columns(head) > room // 2:
        head = head[:-1]
    while columns(tail) > room - 1 - columns(head):
        tail = tail[1:]
    return f"{head}…{tail}"


def listed(names: Iterable[object], most: int = 3, room: int = 28) -> str:
    """A few names for a sentence, then how many more there are.

    Example:
        >>> listed(["a", "b", "c", "d", "e"])
        'a, b, c and 2 more'
    """
    every = [steady(shortened(visible(name), room)) for name in names]
    if len(every) <= most:
        return ", ".join(every)
    return f"{', '.join(every[:most])} and {len(every) - most} more"
