"""Removal test by nearest neighbours: what is removed is permuted among steps alike in the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from terc.entropy.base import RemovalTest
from terc.entropy.evidence import Evidence, Level, Question
from terc.entropy.nearest_neighbours import KnnEstimator, Points
from terc.errors import BadValueError

if TYPE_CHECKING:
    from terc.entropy.base import Subset
    from terc.trajectories.data import Trajectories

PERMUTATIONS = 40
AMONG = 10


@dataclass(frozen=True, eq=False)
class LocalPermutationTest(RemovalTest):
    """Needed if I(A; removed | others) is more than permuting the removed among like steps leaves of it.

    A permuted value belongs to a step that is near in the other variables: what ties the removed variables to
    the others stays, what ties them to the action beyond that goes (Runge 2018). The p-value is that of a
    t-statistic against the permuted values, so that forty of them can stand a correction for many variables.

    Steps are taken as exchangeable given the others: where both the action and a variable drift within long
    episodes, use another estimator.

    Attributes:
        data: The steps.
        estimator: How many neighbours, how many steps.
        rng: Gives one seed, used for every question: an answer does not depend on what was asked before.
        alpha: Family-wise error rate over `tests`.
        tests: Number of variables that could be kept wrongly; 0 for all in the data.
        min_effect: Share of I(A; X), as the neighbours tell it, below which a gain is immaterial.
        permutations: How often the removed variables are permuted.
        among: Nearest steps that a value may come from.

    Example:
        >>> from terc.selection.algorithm_1 import one_at_a_time
        >>> from terc.trajectories.data import Trajectories
        >>> rng = np.random.default_rng(0)
        >>> x = rng.standard_normal((400, 3))
        >>> data = Trajectories(x, x[:, 0] * x[:, 1] > 0)
        >>> test = LocalPermutationTest(data, KnnEstimator(), rng=rng)
        >>> answers = test.ask(one_at_a_time([(0,), (1,), (2,)]))
        >>> [answer.needed for answer in answers]
        [True, True, False]
    """

    data: Trajectories
    estimator: KnnEstimator
    rng: np.random.Generator = field(kw_only=True, repr=False)
    alpha: float = field(default=0.05, kw_only=True)
    tests: float = field(default=0, kw_only=True)
    min_effect: float = field(default=0.0, kw_only=True)
    permutations: int = field(default=PERMUTATIONS, kw_only=True)
    among: int = field(default=AMONG, kw_only=True)
    _known: dict[Question, Evidence] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse a test without a null; the floor is a share of what all variables carry."""
        if self.permutations < 10:
            raise BadValueError(
                f"LocalPermutationTest: permutations must be at least 10, got {self.permutations}."
            )
        level = Level(self.alpha, self.tests or len(self.data.names), self._floor)
        object.__setattr__(self, "level", level)

    def ask(self, questions: Sequence[Question]) -> list[Evidence]:
        """One piece of evidence per question."""
        for question in questions:
            if question not in self._known:
                self._known[question] = self._evidence(question)
        return [self._known[question] for question in questions]

    def entropies(self, subsets: Sequence[Subset]) -> list[tuple[float, float]]:
        """-I(A; subset), which is H(A | subset) up to a constant, with its error for independent steps."""
        told = (
            self._points.conditional(s, (), neighbours=self.estimator.neighbours).local() for s in subsets
        )
        return [(-float(one.mean()), float(one.std(ddof=1) / np.sqrt(len(one)))) for one in told]

    def _evidence(self, question: Question) -> Evidence:
        removed, others = question.removed_columns, question.other_columns
        rng = np.random.default_rng([self._seed, len(removed), *removed, *others])
        laid_out = self._points.conditional(removed, others, neighbours=self.estimator.neighbours)
        local = laid_out.local()
        orders = laid_out.permuted(self.permutations, among=self.among, rng=rng)
        null = np.array([laid_out.local(order).mean() for order in orders])
        spread, observed = float(null.std(ddof=1)), float(local.mean())
        # A copy of another variable adds nothing, exactly; permuted it costs a dimension and falls below
        # zero.
        gain = min(observed, observed - float(null.mean()))
        width = spread * float(np.sqrt(1 + 1 / len(null)))
        p_value = float(special.stdtr(len(null) - 1, -gain / width)) if width > 0 else float(gain <= 0)
        error = float(np.hypot(local.std(ddof=1) / np.sqrt(len(local)), spread / np.sqrt(len(null))))
        return Evidence(gain, error, p_value, self.level.passes(gain, p_value), "neighbours", 1.645 * width)

    @cached_property
    def _floor(self) -> float:
        if self.min_effect == 0:
            return 0.0
        everything = tuple(range(len(self.data.names)))
        told = self._points.conditional(everything, (), neighbours=self.estimator.neighbours)
        return self.min_effect * max(0.0, float(told.local().mean()))

    @cached_property
    def _seed(self) -> int:
        return int(self.rng.integers(2**62))

    @cached_property
    def _points(self) -> Points:
        return self.estimator.sample(self.data, rng=np.random.default_rng(self._seed))
