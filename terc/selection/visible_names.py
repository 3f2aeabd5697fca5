"""Names of variables as a reader may safely see them: nothing hidden, nothing that moves other text."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from os.path import commonprefix

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
    return text if columns(text) <= room else "…".join(_ends(text, room // 2, room))


def _ends(text: str, first: int, room: int) -> tuple[str, str]:
    """A beginning of at most `first` columns, and the end that fits into `room` beside it and a sign."""
    head, tail = text[:first], text[-room:]  # of a name of any length only its ends are counted
    while columns(head) > first:
        head = head[:-1]
    while tail and columns(tail) > room - 1 - columns(head):
        tail = tail[1:]
    return head, tail


def distinct(name: str, among: Iterable[str], room: int) -> str:
    """`name` in at most `room` columns, cut where no other name of `among` fits what is left.

    Cut at both ends where names differ in their middle only; as `shortened` does where no single cut helps.

    Example:
        >>> names = ["cart_position[t-2]", "cart_velocity[t-2]", "cart_velocity"]
        >>> shortened(names[0], 11), distinct(names[0], names, 11)
        ('cart_…[t-2]', 'cart…n[t-2]')
    """
    if columns(name) <= room:
        return name
    others = [other for other in among if other != name]
    for parts in _cuts(name, others, room):
        if not any(_fits(parts, other) for other in others):
            return "…".join(parts)
    return shortened(name, room)


def _cuts(name: str, others: Sequence[str], room: int) -> Iterator[tuple[str, ...]]:
    """What may be left of a name: its two ends, the middle one first, then a stretch where it differs."""
    for first in sorted(range(room), key=lambda first: abs(first - room // 2)):
        yield _ends(name, first, room)
    usual = _ends(name, room // 2, room)
    alike = (len(commonprefix([name, other])) for other in others if _fits(usual, other))
    for place in sorted(set(alike)):
        start = max(1, place - room // 3)
        stretch = name[start : start + room]
        while stretch and columns(stretch) > room - 2:
            stretch = stretch[:-1]
        yield "", stretch, ""


def _fits(parts: Sequence[str], other: str) -> bool:
    """Whether `other` may be meant by these parts of a name."""
    head, tail = parts[0], parts[-1]
    inside = other[len(head) : len(other) - len(tail)]
    ends = len(other) >= len(head) + len(tail) and other.startswith(head) and other.endswith(tail)
    return ends and all(part in inside for part in parts[1:-1])


def wrapped(text: str, room: int) -> list[str]:
    """`text` in lines of at most `room` columns, broken at spaces; a longer word has a line of its own."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if columns(longer) <= room or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def listed(names: Iterable[object], most: int = 3, room: int = 28, among: Iterable[object] = ()) -> str:
    """A few names for a sentence, then how many more there are.

    Args:
        names: To be named; each is shortened by itself.
        most: So many of them.
        room: Columns of one name.
        among: Other names that a shortened one must not be taken for.

    Example:
        >>> listed(["a", "b", "c", "d", "e"])
        'a, b, c and 2 more'
    """
    every = [visible(name) for name in names]
    known = [*every, *map(visible, among)] if any(columns(name) > room for name in every[:most]) else []
    shown = ", ".join(steady(distinct(name, known, room)) for name in every[:most])
    return f"{shown} and {len(every) - most} more" if len(every) > most else shown
