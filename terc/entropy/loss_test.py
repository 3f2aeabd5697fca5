"""Removal test by losses: is the action harder to predict without these variables, by whole episodes?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from terc.arrays import Array
from terc.entropy.base import Estimator, Held, RemovalTest, Subset
from terc.entropy.evidence import (
    Evidence,
    Level,
    Question,
    Terms,
    Unit,
    clustered_error,
    columns_of,
    paired_evidence,
)
from terc.errors import BadValueError
from terc.predictors.splits import Splits, split

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories


@dataclass(eq=False)
class LossTest(RemovalTest):
    """Phi as the mean difference of an estimator's losses, each subset estimated once and remembered.

    Attributes:
        estimator: Any estimator.
        data: The steps.
        splits: Episodes, or what stands for them.
        seed: Of the estimator, the same for every call.
        level: What counts as sure and material.

    Example:
        >>> from terc.entropy.plugin import PluginEstimator
        >>> from terc.trajectories.data import Trajectories
        >>> rng = np.random.default_rng(0)
        >>> x = rng.integers(0, 2, (900, 3))
        >>> data = Trajectories(x, x[:, 0] ^ x[:, 1], episodes=np.arange(900))
        >>> test = LossTest.of(PluginEstimator(), data, Terms(units=3), rng=rng)
        >>> answers = test.ask([Question(((0,),), ((1,), (2,))), Question(((2,),), ((0,), (1,)))])
        >>> [answer.needed for answer in answers]
        [True, False]
    """

    estimator: Estimator
    data: Trajectories
    splits: Splits
    seed: int
    level: Level
    known: dict[Subset, Array] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, estimator: Estimator, data: Trajectories, terms: Terms, *, rng: np.random.Generator
    ) -> LossTest:
        """The test on these terms; the floor is a share of what all variables carry."""
        splits, seed = split(data.episodes, rng=rng), int(rng.integers(2**62))
        test = cls(estimator, data, splits, seed, Level.of(terms, 0.0))
        everything: Subset = tuple(range(len(data.names)))
        test._prepare([(), everything])
        information = float(test.known[()].mean() - test.known[everything].mean())
        test.level = Level.of(terms, information)
        return test

    def ask(self, questions: Sequence[Question]) -> list[Evidence]:
        """One piece of evidence per question; all subsets of one call are estimated together."""
        pairs = [(q.other_columns, tuple(sorted((*q.other_columns, *q.removed_columns)))) for q in questions]
        self._prepare([subset for pair in pairs for subset in pair])
        name = type(self.estimator).__name__.removesuffix("Estimator").lower()
        return [
            paired_evidence(self.known[less] - self.known[more], self.splits, self.level, name)
            for less, more in pairs
        ]

    def beside(self, kept: Sequence[Unit], units: Sequence[Unit]) -> dict[Unit, Evidence]:
        """One question each."""
        return dict(zip(units, self.ask([Question((unit,), tuple(kept)) for unit in units]), strict=True))

    def held(self, kept: Sequence[Unit]) -> Held:
        """By the losses of the kept, of all and of none."""
        everything: Subset = tuple(range(len(self.data.names)))
        columns = columns_of(kept)
        self._prepare([columns, everything, ()])
        best = min(everything, columns, key=lambda subset: self.known[subset].mean())
        lost = paired_evidence(self.known[columns] - self.known[best], self.splits, self.level, "losses")
        entropy = float(self.known[()].mean())
        return Held(max(0.0, entropy - float(self.known[best].mean())), entropy, lost, self.level.floor)

    def entropies(self, subsets: Sequence[Subset]) -> list[tuple[float, float]]:
        """Mean losses, with errors by episode."""
        self._prepare(subsets)
        losses = [self.known[subset] for subset in subsets]
        return [(float(one.mean()), clustered_error(one - one.mean(), self.splits)) for one in losses]

    def notes(self) -> list[tuple[str, str, str]]:
        """Which losses decided."""
        return [("fact", "losses", f"differences of the losses of {self.estimator!r}, by episode.")]

    def _prepare(self, subsets: Sequence[Subset]) -> None:
        missing = [subset for subset in dict.fromkeys(subsets) if subset not in self.known]
        if missing:
            losses = self.estimator.losses(self.data, missing, rng=np.random.default_rng(self.seed))
            if losses.shape[-1] != len(self.data):
                raise BadValueError(
                    f"estimator: wanted a loss for each of the {len(self.data)} steps, "
                    f"{type(self.estimator).__name__} gave {losses.shape[-1]}. Give it a `removal_test` "
                    "of its own, or take 'plugin', 'predictive' or 'knn'."
                )
            self.known.update(zip(missing, losses.mean(1), strict=True))
