"""What a policy is shown in place of a variable that is unplugged."""

from collections.abc import Callable, Sequence

import numpy as np

from terc.arrays import Array
from terc.playing.arena import Turn
from terc.returns.student import Heads, Schooling, Student

# The columns that are replaced, and those from which an expectation may be computed.
Unplugged = tuple[tuple[int, ...], tuple[int, ...]]

# A regression need not be as fine as a policy; it is made once per row of the table.
REGRESSION = Schooling(hidden=(64,), updates=1000)


Replacement = Callable[[Array, Turn], Array]
"""Values `[n, d]` for states and turns, of which the caller takes the columns that each variant hides."""


class Moments:
    """The state at another moment of the recording, drawn anew in each step of each episode.

    All hidden columns come from one moment, so that what they have to do with each other stays, and what
    they have to do with the rest is gone. Which moment follows from the seed, the episode and the step:
    every variant is shown the same.

    Example:
        >>> moments = Moments(np.arange(10.0)[:, None], seed=1)
        >>> turn = Turn(*np.array([[0, 1], [4, 4], [2, 2]]))
        >>> shown = moments(np.zeros((2, 1)), turn)
        >>> bool(shown[0] == shown[1])
        True
    """

    def __init__(self, recording: Array, seed: int) -> None:
        self._recording, self._seed = recording, np.uint64(seed)

    def __call__(self, states: Array, turn: Turn) -> Array:
        """A recorded row for each row of `states`."""
        number = turn.episode.astype(np.uint64) << np.uint64(32) | turn.step.astype(np.uint64)
        rows = _scrambled(_scrambled(number) ^ self._seed) % np.uint64(len(self._recording))
        return np.asarray(self._recording[rows.astype(np.int64)])


class Mean:
    """Each variable's mean over the recording; where only whole numbers are possible, the most frequent."""

    def __init__(self, recording: Array, whole: bool = False) -> None:
        self._row = np.array([_most_frequent(c) if whole else c.mean() for c in recording.T])

    def __call__(self, states: Array, turn: Turn) -> Array:
        """The same row for all."""
        return np.broadcast_to(self._row, states.shape)


class Expectation:
    """Each hidden variable's expectation given the columns that are shown, by regression on the recording.

    Where only whole numbers are possible, the nearest that was recorded.
    """

    def __init__(
        self, recording: Array, variants: Sequence[Unplugged | None], whole: bool, *, rng: np.random.Generator
    ) -> None:
        self._mean, self._variants = Mean(recording, whole), variants
        self._values = [np.unique(column) if whole else None for column in recording.T]
        self._students = [
            None if hidden is None or not hidden[1] else _regression(recording, *hidden, rng=rng)
            for hidden in variants
        ]

    def __call__(self, states: Array, turn: Turn) -> Array:
        """Predictions for the hidden columns of each row's variant."""
        shown = self._mean(states, turn).astype(np.float64, copy=True)
        for variant in np.unique(turn.variant):
            student, hidden = self._students[variant], self._variants[variant]
            if student is not None and hidden is not None:
                rows = np.flatnonzero(turn.variant == variant)
                answers = student.answers(states[np.ix_(rows, hidden[1])])
                shown[np.ix_(rows, hidden[0])] = self._possible(answers, hidden[0])
        return shown

    def _possible(self, answers: Array, columns: Sequence[int]) -> Array:
        snapped = answers.astype(np.float64)
        for place, column in enumerate(columns):
            if (values := self._values[column]) is not None:
                snapped[:, place] = values[np.abs(snapped[:, place, None] - values).argmin(axis=1)]
        return snapped


KINDS = ("moments", "expectation", "mean")


def make_replacement(
    kind: str,
    recording: Array,
    variants: Sequence[Unplugged | None],
    whole: bool,
    *,
    rng: np.random.Generator,
) -> Replacement:
    """The replacement of that name."""
    seed = int(rng.integers(2**63))
    if kind == "moments":
        return Moments(recording, seed)
    if kind == "mean":
        return Mean(recording, whole)
    return Expectation(recording, variants, whole, rng=rng)


def hide(states: Array, hidden: Array, shown: Array) -> Array:
    """`states` with the entries where `hidden` is true taken from `shown`, in the dtype of the states."""
    return np.where(hidden, shown.astype(states.dtype, copy=False), states)


def _regression(
    recording: Array, hidden: Sequence[int], given: Sequence[int], *, rng: np.random.Generator
) -> Student:
    student = Student(len(given), Heads(size=len(hidden)), REGRESSION, rng=rng)
    student.learn(recording[:, list(given)], recording[:, list(hidden)], rng=rng)
    return student


def _most_frequent(column: Array) -> float:
    values, counts = np.unique(column, return_counts=True)
    return float(values[counts.argmax()])


def _scrambled(number: Array) -> Array:
    """A bijection of 64 bits whose output looks random (two rounds of multiply and shift)."""
    for factor, shift in ((0xBF58476D1CE4E5B9, 30), (0x94D049BB133111EB, 27)):
        number = (number ^ (number >> np.uint64(shift))) * np.uint64(factor)
    return number ^ (number >> np.uint64(31))
