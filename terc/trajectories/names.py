"""Names of variables, checked: text, none empty, none twice, each known."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from terc.errors import BadTypeError, BadValueError, unknown_name


def checked_names(where: str, names: Sequence[Any]) -> tuple[str, ...]:
    """The names as given, if each is a non-empty text and none comes twice."""
    for name in names:
        if not isinstance(name, str):
            raise BadTypeError(f"{where}: names must be text, got {name!r} of type {type(name).__name__}.")
        if not name:
            raise BadValueError(f"{where}: every variable needs a name, one has none; name it, or drop=''.")
    return without_repeats(where, [str(name) for name in names])  # numpy has texts of its own


def without_repeats(where: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names as given, if none comes twice."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise BadValueError(f"{where}: names must differ, these come more than once: {twice[:10]}.")
    return tuple(names)


def some_of(texts: Sequence[str], most: int = 10) -> str:
    """The first texts in a row for a sentence; beyond `most` they are counted."""
    return ", ".join(texts[:most]) + (f" and {len(texts) - most} more" if len(texts) > most else "")


def names_of(where: str, wanted: Iterable[str | int] | str | int, names: Sequence[str]) -> tuple[str, ...]:
    """Names for a mix of names and column numbers, each checked against `names`."""
    listed = [wanted] if isinstance(wanted, (str, int, np.integer)) else list(wanted)
    return tuple(_name_of(where, one, names) for one in listed)


def _name_of(where: str, wanted: str | int, names: Sequence[str]) -> str:
    if isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool):
        if not 0 <= wanted < len(names):
            raise BadValueError(
                f"{where}: no column number {wanted}; there are {len(names)}, numbered from 0."
            )
        return names[int(wanted)]
    if wanted not in names:
        raise unknown_name(where, "variable", wanted, names)
    return str(wanted)
