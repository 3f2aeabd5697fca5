"""Columns that hold the value that another one has a step later: by their names, and by what they hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from terc.arrays import Floats, Integers
from terc.errors import BadValueError
from terc.notes import Note
from terc.trajectories.names import some_of
from terc.trajectories.suspicions import (
    FEWEST_STEPS,
    FIRST_STEPS,
    LEAST_REPEATS,
    LEAVE_OUT,
    codes_of,
    decided_by,
)

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

BETWEEN_WORDS = re.compile(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])")
NEXT = "next"
AHEAD = re.compile(r"([\[({]+[tkn]?|[\s_@.][tkn])\+\d+[\])}]*$")
"""How a name ends that counts steps forward: `x[t+1]`, `x(k+1)`, `x_t+1`."""
PRESENT = re.compile(r"([\[({]+[tkn][\])}]+|[\s_@.]t)$")
BACK = re.compile(r"-\d+[\])}]*$")
"""How a name ends that counts steps back: `x[t-1]`, `x_t-1`, `x[-1]`."""
PAST = re.compile(
    r"(prev|previous|last|past|old|before|earlier|ago|lag|lagged|delay|delayed|history|hist|tm|minus)\d*"
)
"""A word that one of two names has: its value is the older one, as of `prev_x` and `x_lag1` beside `x`."""
SMALLEST_SINGLE = 2.0**-100
"""Single precision may not hold columns of which all numbers are smaller, or one exceeds its inverse."""
SEEN_WAY_OUT = "a column that the agent does see when it acts is named by seen= (--seen)"
FEWEST_CHANGES = 20
"""Columns that change less often in the first steps (a switch, a setting) may agree by chance."""


def named_as_next(variables: Iterable[str], names: Iterable[str]) -> dict[str, list[str]]:
    """Those of `variables` whose name says that they are the next value of others of `names`, with these.

    Example:
        >>> named_as_next(["next_x", "ballNext.y", "v[t+1]", "next_gate"], ["x", "ball.y", "v[t]", "gap"])
        {'next_x': ['x'], 'ballNext.y': ['ball.y'], 'v[t+1]': ['v[t]']}
    """
    others: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        others.setdefault(_words(PRESENT.sub("", name)), []).append(name)
    found = {
        name: [one for words in _what_it_follows(name) for one in others.get(words, ())] for name in variables
    }
    return {name: followed for name, followed in found.items() if followed}


def _words(name: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in BETWEEN_WORDS.split(name) if word)


def _what_it_follows(name: str) -> list[tuple[str, ...]]:
    """The words of the names of which this one would be the next value; without any it says nothing."""
    words = _words(name)
    found = [words[:k] + words[k + 1 :] for k, word in enumerate(words) if word == NEXT]
    if AHEAD.search(name):
        found.append(_words(AHEAD.sub("", name)))
    return [one for one in found if one]


def refuse_next_values(where: str, data: Trajectories, seen: Sequence[str] = ()) -> None:
    """Raise an error for columns that are, by name and by what they hold, the next value of another one.

    Args:
        where: What was read, for the message.
        data: All of it.
        seen: Columns of which the caller says that the agent sees them when it acts.
    """
    inside = np.flatnonzero(data.episodes[1:] == data.episodes[:-1])
    if len(inside) < FEWEST_STEPS:
        return
    place = {name: j for j, name in enumerate(data.names)}
    pairs = [
        (later, other)
        for later, others in named_as_next(
            [name for name in data.names if name not in seen], data.names
        ).items()
        for other in others
        if _changes(data, place[other], inside) and _in_every_step(data, place[later], place[other], inside)
    ]
    if pairs:
        listed = some_of([f"{later!r} is {other!r} one step later" for later, other in pairs], 5)
        raise BadValueError(
            f"{where}: {listed}, by name and in every step; it would be known only after the action, so is "
            f"not part of the state; leave it out with ignore= (--ignore); {SEEN_WAY_OUT}."
        )


def _changes(data: Trajectories, j: int, inside: Integers) -> bool:
    return bool((data.states[inside, j] != data.states[inside + 1, j]).sum() >= FEWEST_CHANGES)


def next_values(data: Trajectories, leave_out: str = LEAVE_OUT, seen: Sequence[str] = ()) -> tuple[Note, ...]:
    """A doubt about columns that equal another one a step later, where nobody says that the other is older.

    Of a frame and the one before it, the newer one equals the older one a step later as well: which of two
    columns was known when the agent chose, only the reader can say.
    """
    pairs = [(data.names[later], data.names[j]) for later, j in _one_step_later(data)]
    pairs = [(later, other) for later, other in pairs if later not in seen]
    if not pairs:
        return ()
    if len(pairs) == 1:
        later, other = map(repr, pairs[0])
        text = f"{later} is {other} one step later: fine if {other} is a past value, but if {later}"
    else:
        listed = some_of([f"{later!r} is {other!r}" for later, other in pairs])
        text = f"{listed}, each one step later: fine if the second of two is a past value, but if the first"
    return (Note("doubt", "next-value", f"{text} is known only after the action, {leave_out}."),)


def _one_step_later(data: Trajectories) -> list[tuple[int, int]]:
    """Pairs of columns of which the first equals the second a step later in each episode, unexplained."""
    inside = np.flatnonzero(data.episodes[1:] == data.episodes[:-1])
    if len(inside) < FEWEST_STEPS:
        return []
    first = inside[:FIRST_STEPS]
    now, then = (_values(data, range(len(data.names)), rows) for rows in (first, first + 1))
    changing = np.flatnonzero((now != then).sum(0) >= FEWEST_CHANGES).tolist()
    equal: dict[bytes, list[int]] = {}
    for j in changing:
        equal.setdefault(then[:, j].tobytes(), []).append(j)
    found: dict[int, int] = {}
    for later in changing:
        others = [j for j in equal.get(now[:, later].tobytes(), ()) if j != later]
        if any(_is_older(data.names[j], data.names[later]) for j in others):
            continue
        other = next((j for j in others if _in_every_step(data, later, j, inside)), None)
        if other is not None:
            found[later] = other
    # Of several columns of two values that follow each other, as days of the week do, none is of the future.
    both = set(found) & set(found.values())
    return [
        (later, j)
        for later, j in found.items()
        if both.isdisjoint((later, j)) or len(np.unique(data.states[first, j])) > 2
    ]


def _in_every_step(data: Trajectories, later: int, j: int, inside: Integers) -> bool:
    """Whether `later` is the next value of `j` in all steps, and says more than `j` itself does by then."""
    now, own = _values(data, [later], inside), _values(data, [j], inside)
    if not np.array_equal(now, _values(data, [j], inside + 1)):
        return False
    codes = codes_of(own[:, 0])
    repeats = len(codes) >= LEAST_REPEATS * (codes.max() + 1)
    return not (repeats and decided_by(codes, now, [0]))


def _values(data: Trajectories, columns: Sequence[int], rows: Integers) -> Floats:
    """The numbers of some columns to single precision, as one of two may have been saved; labels alike."""
    values = data.states[np.ix_(rows, np.asarray(columns))]
    texts = {label for labels in data.levels.values() for label in labels if isinstance(label, str)}
    number: dict[Any, Any] = {label: code for code, label in enumerate(sorted(texts))}
    for place, j in enumerate(columns):
        if labels := data.levels.get(data.names[j]):
            known = np.array([float(number.get(label, label)) for label in labels])
            values[:, place] = known[values[:, place].astype(np.int64)]
    return _to_single(values.astype(np.float64))


def _to_single(values: Floats) -> Floats:
    """Numbers `[n, d]` rounded to single precision; columns beyond its range to as many digits.

    Example:
        >>> (_to_single(np.array([[0.5, 1e-50], [1 + 1e-9, 2e-50]])) > [[0, 0], [1, 0]]).tolist()
        [[True, True], [False, True]]
    """
    largest = np.abs(values).max(0, initial=0)
    beyond = (largest > 1 / SMALLEST_SINGLE) | (largest < SMALLEST_SINGLE)
    digits, powers = np.frexp(values)
    with np.errstate(over="ignore", under="ignore"):
        wide = np.ldexp(digits.astype(np.float32).astype(np.float64), powers)
        return np.where(beyond, wide, values.astype(np.float32)) + 0.0  # no negative zero


def _is_older(name: str, other: str) -> bool:
    """Whether `name` says that it is older than `other`, or both are numbered frames.

    Example:
        >>> [_is_older(name, "x_1") for name in ("x[t-1]", "last_x_1", "x_1_lag2", "x_2", "y_2", "x")]
        [True, True, True, True, False, False]
    """
    own = Counter(_words(name)) - Counter(_words(other))
    if BACK.search(name) or any(map(PAST.fullmatch, own)):
        return True
    numbered = re.sub(r"\d+", "", name) == re.sub(r"\d+", "", other)
    return numbered or re.sub(r"[_.\[ ]?\d+\]?$", "", name) == other
