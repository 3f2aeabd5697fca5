"""Is a set of variables sufficient: is the action as certain given it as given all of them?

One question to a removal test: can all the others go? A set is insufficient if the loss is surely there and
material.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.base import RemovalTest
from terc.entropy.choose import choose_estimator, counted_if_possible
from terc.entropy.evidence import Question, Terms, Unit, columns_of
from terc.errors import BadTypeError, BadValueError
from terc.selection.doubts import about_information
from terc.selection.hitting_set import Members
from terc.selection.result import Interval

if TYPE_CHECKING:
    from terc.entropy.base import Estimator
    from terc.trajectories.data import Trajectories


@dataclass(frozen=True, eq=False)
class Sufficiency:
    """Questions about sets of units, by their numbers.

    Attributes:
        test: Answers them.
        units: What stands or falls together; a set is of their positions in this list.
        words: How the test was chosen.

    Example:
        >>> from terc.entropy.counted_test import CountedTest
        >>> from terc.trajectories.data import Trajectories
        >>> states = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 50)
        >>> data = Trajectories(states, states[:, 1], episodes=np.arange(200))
        >>> enough = Sufficiency(CountedTest.of(data, Terms(units=2)), ((0,), (1,)))
        >>> enough(frozenset({0})), enough(frozenset({1}))
        (False, True)
    """

    test: RemovalTest
    units: tuple[Unit, ...]
    words: str = ""

    def __call__(self, members: Members) -> bool:
        """Whether nothing is lost when all but `members` go."""
        others = frozenset(range(len(self.units))) - members
        return not others or not self.test.ask([self.question(others, members)])[0].needed

    def misses_each(self, members: Members, which: Members) -> bool:
        """Whether `members` surely tell less without any single one of `which`."""
        questions = [self.question(frozenset({one}), members - {one}) for one in sorted(which)]
        return all(evidence.needed for evidence in self.test.ask(questions))

    def question(self, removed: Members, others: Members) -> Question:
        """Can `removed` go, when `others` stay?"""
        return Question(self.of(removed), self.of(others))

    def of(self, members: Members) -> tuple[Unit, ...]:
        """The units of these positions."""
        return tuple(self.units[member] for member in sorted(members))

    def doubts(self) -> list[str]:
        """As sentences: whether there is anything that a set could be sufficient for."""
        held = self.test.held(self.units)
        return [] if held is None else [f"Doubt: {note.text}" for note in about_information(held)]

    def entropies(self, subsets: Sequence[Members]) -> list[Interval]:
        """H(A | subset) in nats, with an interval where it is estimated."""
        found = self.test.entropies([columns_of(self.of(subset)) for subset in subsets])
        return [Interval(value, value - 1.96 * error, value + 1.96 * error) for value, error in found]


def sufficiency_of(
    data: Trajectories,
    *,
    estimator: str | Estimator | None = None,
    alpha: float = 0.05,
    min_effect: float | None = None,
    rng: np.random.Generator,
) -> Sufficiency:
    """Questions about sets of columns, answered by counting if that is possible and nothing else asked for.

    Args:
        data: Recorded steps.
        estimator: Name or instance; None and "auto" count if `data` can be counted and else predict.
        alpha: Chance that any set is called insufficient wrongly, in a search over subsets.
        min_effect: Share of I(A; X) that does not matter; None for the estimator's own.
        rng: For the estimator.
    """
    if not 0 < alpha < 1:
        raise BadValueError(f"alpha must lie between 0 and 1, got {alpha}.")
    if min_effect is not None and not 0 <= min_effect < 1:
        raise BadValueError(f"min_effect is a share of I(A; X) and must lie in 0..1, got {min_effect}.")
    chosen = choose_estimator(counted_if_possible(estimator, data))
    columns = range(len(data.names))
    # A search asks about some n^2 subsets, so the level is shared out between them.
    terms = Terms(alpha, min_effect, max(1, len(columns) ** 2))
    chosen.check(terms)
    name = type(chosen).__name__.removesuffix("Estimator").lower()
    words = f"By estimator {name!r} on {len(data)} steps, tests at {alpha:g}"
    return Sufficiency(chosen.removal_test(data, terms, rng=rng), tuple((j,) for j in columns), words)


def checked_data(where: str, data: object) -> None:
    """Refuse what is not `Trajectories`."""
    from terc.trajectories.data import Trajectories

    if not isinstance(data, Trajectories):
        raise BadTypeError(
            f"{where}: data must be Trajectories, got {type(data).__name__}. Use terc.Trajectories(...)."
        )


def named(data: Trajectories, members: Iterable[int]) -> tuple[str, ...]:
    """The variables' names, in column order."""
    return tuple(data.names[member] for member in sorted(members))
