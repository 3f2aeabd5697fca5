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
        names = tuple(kept)
        answers = (self.answers, *self.alternatives)
        return any(not _missed(names, one) and not _wrong(names, one) for one in answers)

    def missed(self, kept: Iterable[str]) -> Answer:
        """The classes of the closest right answer of which `kept` holds no member."""
        names = tuple(kept)
        return _missed(names, self._closest(names))

    def wrong(self, kept: Iterable[str]) -> tuple[str, ...]:
        """Names in `kept` beyond the closest right answer: no part of it, or a second member of a class."""
        names = tuple(kept)
        return _wrong(names, self._closest(names))

    def _closest(self, names: tuple[str, ...]) -> Answer:
        return min(
            (self.answers, *self.alternatives),
            key=lambda answer: len(_missed(names, answer)) + len(_wrong(names, answer)),
        )


def _missed(names: tuple[str, ...], answer: Answer) -> Answer:
    return tuple(members for members in answer if not set(members) & set(names))


def _wrong(names: tuple[str, ...], answer: Answer) -> tuple[str, ...]:
    class_of = {name: number for number, members in enumerate(answer) for name in members}
    taken: set[int] = set()
    surplus = []
    for name in names:
        number = class_of.get(name)
        if number is None or number in taken:
            surplus.append(name)
        else:
            taken.add(number)
    return tuple(surplus)


def singles(names: Iterable[str]) -> Answer:
    """The answer in which each of `names` is needed and nothing can stand in for it."""
    return tuple((name,) for name in names)
