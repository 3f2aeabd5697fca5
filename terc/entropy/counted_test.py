"""Removal test by counting: Pearson's statistic of the cells, however sparse the table is.

What is left is compared with all that was there. Where that table is too sparse to show a loss of the floor,
it is also compared with what is left and one or two of the removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.base import Held, RemovalTest
from terc.entropy.contingency import CountedLoss, corrected_for_groups, groups_of_steps, loss_by_counts
from terc.entropy.counting import Codes, CountedEntropies
from terc.entropy.evidence import Evidence, Level, Question, Terms, Unit, columns_of

if TYPE_CHECKING:
    from terc.entropy.base import Subset
    from terc.trajectories.data import Trajectories

MOST_PAIRS = 120
"""Pairs of removed units that are tried where the table of all is too sparse to test."""


@dataclass(eq=False)
class CountedTest(RemovalTest):
    """Phi as the loss of counted entropy beyond chance.

    Attributes:
        counted: The entropies.
        level: What counts as sure and material.
        groups: Group of each step where steps may depend on each other (`groups_of_steps`), else None.

    Example:
        >>> from terc.trajectories.data import Trajectories
        >>> x = np.random.default_rng(0).integers(0, 2, (900, 3))
        >>> data = Trajectories(x, x[:, 0] ^ x[:, 1], episodes=np.arange(900))
        >>> test = CountedTest.of(data, Terms(units=3))
        >>> answers = test.ask([Question(((0,),), ((1,), (2,))), Question(((2,),), ((0,), (1,)))])
        >>> [(answer.needed, round(answer.gain, 2)) for answer in answers]
        [(True, 0.69), (False, 0.0)]
    """

    counted: CountedEntropies
    level: Level
    groups: Codes | None = field(default=None, repr=False)

    @classmethod
    def of(cls, data: Trajectories, terms: Terms) -> CountedTest:
        """The test on these terms; the floor is a share of what all variables carry."""
        counted, groups = CountedEntropies(data.states, data.actions), None
        if data.n_episodes < len(data):
            levels = np.eye(int(counted.actions.max()) + 1)
            groups = groups_of_steps(data.episodes, levels[counted.actions])
        test = cls(counted, Level.of(terms, 0.0), groups)
        test.level = Level.of(terms, test._loss((), tuple(counted.everything)).excess)
        return test

    def ask(self, questions: Sequence[Question]) -> list[Evidence]:
        """One piece of evidence per question."""
        return [self._evidence(question) for question in questions]

    def missing(self, kept: Sequence[Unit], offered: Sequence[Unit]) -> tuple[Unit, ...]:
        """One or two units that surely add something to `kept`."""
        outside = [unit for unit in offered if unit not in kept]
        return next((units for units, found in self._by_few(kept, outside) if found.needed), ())

    def beside(self, kept: Sequence[Unit], units: Sequence[Unit]) -> dict[Unit, Evidence]:
        """One question each."""
        return {unit: self._evidence(Question((unit,), tuple(kept))) for unit in units}

    def carried(self, givens: Sequence[Sequence[Unit]], units: Sequence[Unit]) -> list[dict[Unit, Evidence]]:
        """The same: counting is cheap."""
        return [self.beside(given, units) for given in givens]

    def held(self, kept: Sequence[Unit]) -> Held:
        """By the counts of the kept, of all and of none."""
        everything = tuple((column,) for column in sorted(self.counted.everything))
        columns = columns_of(kept)
        lost = self._compared(columns, [unit for unit in everything if unit[0] not in columns])
        carried = [self._loss((), subset).excess for subset in (columns, columns_of(everything))]
        return Held(max(carried), self.counted.action_entropy, lost, self.level.floor)

    def entropies(self, subsets: Sequence[Subset]) -> list[tuple[float, float]]:
        """The entropies of the counts, as they are."""
        return [(self.counted.h(subset), 0.0) for subset in subsets]

    def notes(self) -> list[tuple[str, str, str]]:
        """What decided."""
        grouped = "" if self.groups is None else f", in {int(self.groups.max()) + 1} groups of episodes"
        return [("fact", "counts", f"counted entropies of {self.counted.n_steps:,} steps{grouped}.")]

    def _evidence(self, question: Question) -> Evidence:
        found = self._compared(question.other_columns, question.removed)
        # Three standard deviations of chance that lie below the floor show all that matters.
        if found.needed or len(question.removed) < 2 or 3 * found.null_high / 1.645 <= self.level.floor:
            return found
        few = (answer for _, answer in self._by_few(question.others, question.removed))
        return next((answer for answer in few if answer.needed), found)

    def _by_few(
        self, kept: Sequence[Unit], units: Sequence[Unit]
    ) -> Iterator[tuple[tuple[Unit, ...], Evidence]]:
        """What each one and each two of `units` add to `kept`."""
        pairs = list(combinations(units, 2))
        few = [*((unit,) for unit in units), *(pairs if len(pairs) <= MOST_PAIRS else [])]
        return ((more, self._compared(columns_of(kept), more, 1 + len(few))) for more in few)

    def _compared(self, left: Subset, gone: Sequence[Unit], looks: int = 1) -> Evidence:
        """What `left` loses against `left` and `gone`; one of so many looks."""
        loss = self._loss(left, tuple(sorted((*left, *columns_of(gone)))))
        p_value, null_high = min(1.0, loss.p_value * looks), loss.resolution * 1.645 / 3
        needed = self.level.passes(loss.excess, p_value)
        return Evidence(loss.excess, loss.error, p_value, needed, "counts", null_high)

    def _loss(self, coarse: Subset, fine: Subset) -> CountedLoss:
        counted = self.counted
        cells = [counted.merged_codes(tuple(sorted(subset))) for subset in (coarse, fine)]
        found = loss_by_counts(counted.merged_actions, *cells, weights=counted.merged_weights)
        if self.groups is None or found.p_value > self.level.alpha:
            return found
        by_step = [codes[counted.row_of_step] for codes in cells]
        return corrected_for_groups(found, counted.actions, *by_step, groups=self.groups)
