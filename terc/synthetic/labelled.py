"""`Labelled`: a data set together with its right answer, and how a kept set compares with it."""

from collections.abc import Iterable
from dataclasses import dataclass

from terc.trajectories.data import Trajectories

Answer = tuple[tuple[str, ...], ...]
"""Classes of interchangeable names; a right set holds exactly one member of each and nothing else."""


@dataclass(frozen=True)
class Labelled:
    """Trajectories whose right answer is known.

    Attributes:
        data: The steps to select from.
        answers: Classes of interchangeable variables. `(("x1", "x4"), ("x2",))` reads: x2, and either
            x1 or x4 but not both. An empty tuple reads: keep nothing.
        alternatives: Further right answers of the same form, where condition 1 of the paper fails and
            sets of different sizes are both sufficient and irreducible. Empty in almost all families.

    Example:
        >>> from terc.synthetic import four_redundant
        >>> labelled = four_redundant(200)
        >>> labelled.answers
        (('x1', 'x4', 'x5', 'x6'), ('x2',), ('x3',))
        >>> labelled.is_exact(["x2", "x3", "x5"]), labelled.is_exact(["x1", "x2", "x3", "x5"])
        (True, False)
        >>> labelled.missed(["x1", "x2"]), labelled.wrong(["x1", "x2", "x3", "x5"])
        ((('x3',),), ('x5',))
    """

    data: Trajectories
    answers: Answer
    alternatives: tuple[Answer, ...] = ()

    def is_exact(self, kept: Iterable[str]) -> bool:
        """Whether `kept` holds one member of each class and nothing else, for any right answer."""
        return self._errors(kept) == ((), ())

    def missed(self, kept: Iterable[str]) -> Answer:
        """The classes of the closest right answer of which `kept` holds no member."""
        return self._errors(kept)[0]

    def wrong(self, kept: Iterable[str]) -> tuple[str, ...]:
        """Names in `kept` beyond the closest right answer: no part of it, or a second member of a class."""
        return self._errors(kept)[1]

    def _errors(self, kept: Iterable[str]) -> tuple[Answer, tuple[str, ...]]:
        """What is missed and what is wrong, by the right answer with the fewest of both."""
        names = tuple(kept)
        return min(
            (_compared(names, answer) for answer in (self.answers, *self.alternatives)),
            key=lambda errors: len(errors[0]) + len(errors[1]),
        )


def _compared(names: tuple[str, ...], answer: Answer) -> tuple[Answer, tuple[str, ...]]:
    missed, surplus = list(answer), []
    for name in names:
        found = next((members for members in missed if name in members), None)
        if found is None:
            surplus.append(name)
        else:
            missed.remove(found)
    return tuple(missed), tuple(surplus)


def classes(needed: Iterable[str | tuple[str, ...]]) -> Answer:
    """The answer in which each name is needed, and of each tuple of names any one.

    Example:
        >>> classes(["x2", ("x1", "x4")])
        (('x2',), ('x1', 'x4'))
    """
    return tuple((one,) if isinstance(one, str) else one for one in needed)
