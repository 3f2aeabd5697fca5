"""What a policy is shown in place of a variable that is unplugged."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

from terc.arrays import Array
from terc.playing.arena import Turn
from terc.returns.student import Heads, Schooling, Student

# A regression need not be as fine as a policy; it is made once per row of the table.
REGRESSION = Schooling(hidden=(64,), updates=1000)

Replacement = Callable[[Array, Turn], Array]
"""Values `[n, d]` for states and turns, of which the caller takes the columns that each variant hides."""


def make_replacement(
    kind: str,
    recording: Array,
    hidden: Sequence[Sequence[int]],
    kept: Sequence[int],
    whole: bool,
    *,
    rng: np.random.Generator,
) -> Replacement:
    """The replacement of that name.

    Args:
        hidden: The columns that each variant hides.
        kept: Those from which an expectation may be computed, where they are not hidden.
        whole: Whether only whole numbers are possible.
    """
    seed = int(rng.integers(2**63))
    if kind == "moments":
        return moments(recording, seed)
    if kind == "mean":
        return mean(recording, whole)
    return expectation(recording, hidden, kept, whole, rng=rng)


def moments(recording: Array, seed: int) -> Replacement:
    """The state at another moment of the recording, drawn anew in each step of each episode.

    All hidden columns come from one moment, so that what they have to do with each other stays, and what
    they have to do with the rest is gone. Which moment follows from the seed, the episode and the step:
    every variant is shown the same.

    Example:
        >>> turn = Turn(*np.array([[0, 1], [4, 4], [2, 2]]))
        >>> shown = moments(np.arange(10.0)[:, None], seed=1)(np.zeros((2, 1)), turn)
        >>> bool(shown[0] == shown[1])
        True
    """

    def shown(states: Array, turn: Turn) -> Array:
        number = turn.episode.astype(np.uint64) << np.uint64(32) | turn.step.astype(np.uint64)
        rows = _scrambled(_scrambled(number) ^ np.uint64(seed)) % np.uint64(len(recording))
        return np.asarray(recording[rows.astype(np.int64)])

    return shown


def mean(recording: Array, whole: bool) -> Replacement:
    """Each variable's mean over the recording; where only whole numbers are possible, the most frequent."""
    row = stats.mode(recording).mode if whole else recording.mean(axis=0)
    return lambda states, turn: np.broadcast_to(row, states.shape)


def expectation(
    recording: Array,
    hidden: Sequence[Sequence[int]],
    kept: Sequence[int],
    whole: bool,
    *,
    rng: np.random.Generator,
) -> Replacement:
    """Each hidden variable's expectation given the columns that are shown, by regression on the recording.

    Where only whole numbers are possible, the nearest that was recorded; never beyond what was recorded.
    """
    least, most = recording.min(axis=0), recording.max(axis=0)
    usual, given = mean(recording, whole), [[k for k in kept if k not in columns] for columns in hidden]
    possible = [np.unique(column) for column in recording.T] if whole else []
    students: list[Student | None] = []
    for columns, known in zip(hidden, given, strict=True):
        student = (
            Student(len(known), Heads(size=len(columns)), REGRESSION, rng=rng) if columns and known else None
        )
        if student is not None:
            student.learn(recording[:, known], recording[:, list(columns)], rng=rng)
        students.append(student)

    def shown(states: Array, turn: Turn) -> Array:
        values = usual(states, turn).astype(np.float64, copy=True)
        for variant in np.unique(turn.variant):
            if (student := students[variant]) is not None:
                rows = np.flatnonzero(turn.variant == variant)
                answers = student.answers(states[np.ix_(rows, given[variant])]).astype(np.float64)
                for place, column in enumerate(hidden[variant]):
                    found = answers[:, place]
                    values[rows, column] = _nearest(found, possible[column]) if whole else found
                values[rows] = values[rows].clip(least, most)
        return values

    return shown


def _nearest(found: Array, possible: Array) -> Array:
    nearest: Array = possible[np.abs(found[:, None] - possible).argmin(axis=1)]
    return nearest


def _scrambled(number: Array) -> Array:
    """A bijection of 64 bits whose output looks random (two rounds of multiply and shift)."""
    for factor, shift in ((0xBF58476D1CE4E5B9, 30), (0x94D049BB133111EB, 27)):
        number = (number ^ (number >> np.uint64(shift))) * np.uint64(factor)
    return number ^ (number >> np.uint64(31))
