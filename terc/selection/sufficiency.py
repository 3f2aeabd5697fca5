"""Is a set of variables sufficient: is the action as certain given it as given all of them?

On samples H(A | P) is never exactly H(A | X). A set counts as *insufficient* when a larger one says more
about the action than chance explains (a test at level `alpha`) and more than `min_effect`. Two answers to
that question live here: by counting, and by the held-out losses of an estimator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

import numpy as np

from terc.entropy.countable import is_countable
from terc.entropy.counting import Codes, CountedEntropies
from terc.errors import BadTypeError, BadValueError
from terc.selection.counted_test import CountedLoss, corrected_for_groups, groups_of_steps, loss_by_counts
from terc.selection.estimated_sufficiency import MIN_EFFECT, EstimatedSufficiency
from terc.selection.hitting_set import Members
from terc.selection.irreducible import Clock
from terc.selection.result import Interval

if TYPE_CHECKING:
    from terc.entropy.base import Estimator
    from terc.trajectories.columns import IntArray
    from terc.trajectories.data import Trajectories

MOST_PAIRS = 120
"""Pairs of further variables tried where the table of all variables is too sparse to test."""


class Sufficiency(Protocol):
    """The question, asked of subsets of column numbers."""

    @property
    def n_variables(self) -> int:
        """Columns."""

    def __call__(self, subset: Members) -> bool:
        """Whether `subset` is sufficient."""

    def misses_each(self, members: Members, units: Members) -> bool:
        """Whether `members` surely tell less without any single one of `units`."""

    def entropies(self, subsets: Sequence[Members]) -> list[Interval]:
        """H(A | subset) in nats, with an interval where it is estimated."""

    def describe(self) -> str:
        """How the question is answered, in words."""


@dataclass(frozen=True, eq=False)
class CountedSufficiency:
    """Sufficiency by counted entropies and the test of `counted_test`.

    The set is compared with all variables at once. Where that table is too sparse to show a loss of
    `min_effect`, it is also compared with itself plus one and plus two further variables.

    Attributes:
        counted: The entropies.
        alpha: Chance of calling any sufficient set insufficient in a search over subsets.
        min_effect: Share of I(A; X) that does not matter.
        groups: Group of each step (see `groups_of_steps`) when steps may depend on each other.
        exact: Take the counts for the true distribution: no test, a set is sufficient if the entropies are
            equal.

    Example:
        >>> states = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 50)
        >>> enough = CountedSufficiency(CountedEntropies(states, states[:, 1]))
        >>> enough(frozenset({0})), enough(frozenset({1}))
        (False, True)
    """

    counted: CountedEntropies
    alpha: float = 0.05
    min_effect: float = MIN_EFFECT
    groups: Codes | None = field(default=None, repr=False)
    exact: bool = False

    @property
    def n_variables(self) -> int:
        """Columns."""
        return self.counted.n_variables

    @property
    def floor(self) -> float:
        """Nats that do not matter."""
        if self.exact:
            return 1e-9
        return self.min_effect * self.counted.information(self.counted.everything)

    def __call__(self, subset: Members) -> bool:
        """Whether `subset` is sufficient."""
        everything = self.counted.everything
        if self.counted.h(subset) - self.counted.h(everything) <= self.floor:
            return True
        if self.exact:
            return False
        loss = self.loss(subset, everything)
        tests = 1 + len(everything - subset)
        if self._matters(loss, tests):
            return False
        return loss.resolution <= self.floor or not self._more_in_a_few(subset, tests)

    def misses_each(self, members: Members, units: Members) -> bool:
        """Whether `members` surely tell less without any single one of `units`."""
        fewer = [members - {unit} for unit in units]
        if self.exact:
            return all(self.counted.h(less) - self.counted.h(members) > self.floor for less in fewer)
        return all(self._matters(self.loss(less, members), max(1, len(units))) for less in fewer)

    def loss(self, subset: Members, larger: Members) -> CountedLoss:
        """What `subset` loses against `larger`, which contains it."""
        coarse, fine = (self.counted.merged_codes(tuple(sorted(s))) for s in (subset, larger))
        found = loss_by_counts(self.counted.merged_actions, coarse, fine, weights=self.counted.merged_weights)
        if self.groups is None or found.p_value > self.alpha:
            return found
        rows = self.counted.row_of_step
        return corrected_for_groups(found, self.counted.actions, coarse[rows], fine[rows], groups=self.groups)

    def entropies(self, subsets: Sequence[Members]) -> list[Interval]:
        """H(A | subset) of the counts; the two ends are the value itself."""
        values = [self.counted.h(subset) for subset in subsets]
        return [Interval(value, value, value) for value in values]

    def describe(self) -> str:
        """How the question is answered."""
        if self.exact:
            return f"By counting {self.counted.n_steps} rows as the exact distribution"
        return f"By counting {self.counted.n_steps} steps, tests at {self.alpha:g}"

    def _matters(self, loss: CountedLoss, tests: int) -> bool:
        # A search asks about some n^2 subsets, so the level is shared out between them too.
        level = self.alpha / (tests * self.n_variables**2)
        return loss.excess > self.floor and loss.p_value < level

    def _more_in_a_few(self, subset: Members, tests: int) -> bool:
        others = sorted(self.counted.everything - subset)
        pairs = list(combinations(others, 2))
        few: list[tuple[int, ...]] = [(other,) for other in others]
        few += pairs if len(pairs) <= MOST_PAIRS else []
        return any(self._matters(self.loss(subset, subset | set(more)), tests + len(few)) for more in few)


def counted_sufficiency(
    data: Trajectories, *, alpha: float = 0.05, min_effect: float | None = None, exact: bool = False
) -> CountedSufficiency:
    """The counting answer for discrete `data`; steps of one episode may depend on each other."""
    counted = CountedEntropies(data.states, data.actions)
    share = MIN_EFFECT if min_effect is None else min_effect
    return CountedSufficiency(counted, alpha, share, groups_of_steps(data.episodes), exact)


def sufficiency_of(
    data: Trajectories,
    *,
    estimator: str | Estimator | None = None,
    alpha: float = 0.05,
    min_effect: float | None = None,
    rng: np.random.Generator,
    clock: Clock | None = None,
) -> CountedSufficiency | EstimatedSufficiency:
    """By counting where `data` can be counted and nothing else is asked for, otherwise by the estimator.

    Args:
        data: Recorded steps.
        estimator: None or "auto" count if possible and else take "predictive"; "plugin" counts in any case;
            "knn" looks at its `most_rows` of the steps.
        alpha: Level of the tests.
        min_effect: Share of I(A; X) that does not matter; 0.002 when None.
        rng: For the estimator.
        clock: Ends a long question of the estimator.
    """
    if not 0 < alpha < 1:
        raise BadValueError(f"alpha must lie between 0 and 1, got {alpha}.")
    if min_effect is not None and not 0 <= min_effect < 1:
        raise BadValueError(f"min_effect is a share of I(A; X) and must lie in 0..1, got {min_effect}.")
    undecided = estimator is None or estimator == "auto"
    if estimator == "plugin" or (undecided and is_countable(data)):
        return counted_sufficiency(data, alpha=alpha, min_effect=min_effect)
    from terc.entropy.choose import choose_estimator

    chosen = choose_estimator("predictive" if undecided or estimator is None else estimator)
    share = MIN_EFFECT if min_effect is None else min_effect
    rows = _steps_used(chosen, len(data), rng)
    used = data if rows is None else data.rows(rows)
    # The episodes as they were: between the rows that were drawn they have holes, which cut `used` apart.
    groups = groups_of_steps(data.episodes if rows is None else data.episodes[rows])
    return EstimatedSufficiency(used, chosen, rng, alpha, share, clock, groups)


def _steps_used(estimator: Estimator, n: int, rng: np.random.Generator) -> IntArray | None:
    """The rows that all questions are to be asked of, drawn once; None for all of them."""
    from terc.entropy.mine import MineEstimator
    from terc.entropy.nearest_neighbours import KnnEstimator

    if isinstance(estimator, MineEstimator):
        raise BadValueError(
            "estimator: 'mine' gives one value for all steps, and a loss for each is wanted. "
            "Take 'plugin', 'predictive' or 'knn', or leave it out."
        )
    if isinstance(estimator, KnnEstimator) and n > estimator.most_rows:
        return estimator.steps_used(n, rng=rng)
    return None


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
