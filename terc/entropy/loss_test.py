"""Removal test by losses: is the action harder to predict without these variables, by whole episodes?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.base import Array, Estimator, Subset
from terc.entropy.evidence import (
    ALPHA,
    MIN_EFFECT,
    Evidence,
    Held,
    Level,
    Question,
    RemovalTest,
    Terms,
    Unit,
    columns_of,
)
from terc.errors import BadValueError
from terc.predictors.splits import Splits, split

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories


LUCK = 0.01
"""Folds differ by more than chance if it has less than this; a spread that is not real costs power."""


@dataclass(eq=False)
class LossTest(RemovalTest):
    """Phi as the mean difference of an estimator's losses, each subset estimated once and remembered.

    Attributes:
        estimator: Any estimator.
        data: The steps.
        splits: Episodes, or what stands for them.
        level: What counts as sure and material.
        seed: Of the estimator, the same for every call.

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
    level: Level
    seed: int
    known: dict[Subset, Array] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, estimator: Estimator, data: Trajectories, terms: Terms, *, rng: np.random.Generator
    ) -> LossTest:
        """The test on these terms; the floor is a share of what all variables carry."""
        splits, seed = split(data.episodes, rng=rng), int(rng.integers(2**62))
        test = cls(estimator, data, splits, level_of(terms, 0.0), seed)
        everything: Subset = tuple(range(len(data.names)))
        test._prepare([(), everything])
        information = float(test.known[()].mean() - test.known[everything].mean())
        test.level = level_of(terms, information)
        return test

    @property
    def tests(self) -> float:  # type: ignore[override]
        """Number that p-values are corrected for."""
        return self.level.tests

    def ask(self, questions: Sequence[Question]) -> list[Evidence]:
        """One piece of evidence per question; all subsets of one call are estimated together."""
        pairs = [(q.other_columns, tuple(sorted((*q.other_columns, *q.removed_columns)))) for q in questions]
        self._prepare([subset for pair in pairs for subset in pair])
        name = type(self.estimator).__name__.removesuffix("Estimator").lower()
        return [
            paired_evidence(self.known[less] - self.known[more], self.splits, self.level, name)
            for less, more in pairs
        ]

    def for_discoveries(self, p_values: Sequence[float]) -> None:
        """See `Level.for_discoveries`."""
        self.level = self.level.for_discoveries(p_values)

    @property
    def floor(self) -> float:  # type: ignore[override]
        """Nats below which a loss is immaterial."""
        return self.level.floor

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


def level_of(terms: Terms, information: float) -> Level:
    """The level on these terms, the floor being a share of `information`."""
    share = MIN_EFFECT if terms.min_effect is None else terms.min_effect
    return Level(ALPHA if terms.alpha is None else terms.alpha, terms.units, share * max(0.0, information))


def paired_evidence(difference: Array, splits: Splits, level: Level, instrument: str) -> Evidence:
    """Evidence that the mean of `difference` (loss without minus loss with, per step) is above zero.

    Differences are summed by cluster; the t-value has as many degrees of freedom as there are clusters, less
    one: with few episodes little is sure. Where the folds differ by more than their steps explain, because
    models do not always end their training in the same place, that spread is part of the error.

    Args:
        difference: `[n]` nats.
        splits: Folds and clusters of the steps.
        level: What counts as sure and material.
        instrument: Word for the table.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> splits = split(np.arange(900), rng=rng)
        >>> level = Level(alpha=0.05, tests=10, floor=0.01)
        >>> found = paired_evidence(rng.normal(0.5, 1, 900), splits, level, "networks")
        >>> found.needed, abs(found.gain - 0.5) < 3 * found.error, round(found.error, 2)
        (True, True, 0.03)
    """
    from scipy import special

    gain = float(difference.mean(dtype=np.float64))
    by_steps = clustered_error(difference - gain, splits)
    size = np.bincount(splits.folds)
    folds = np.bincount(splits.folds, weights=difference) / size
    freedom = splits.n_folds - 1
    between = float(size @ np.square(folds - gain)) / len(difference) / max(freedom, 1)
    luck = special.chdtrc(freedom, freedom * between / max(by_steps**2, 1e-300)) < LUCK and freedom > 0
    error = float(np.hypot(by_steps, np.sqrt(between))) if luck else by_steps
    p_value = 1.0 if gain <= 0 else 0.0
    if error > 0:
        # Welch and Satterthwaite: a spread that few folds show is itself known with few degrees of freedom.
        parts = by_steps**4 / (splits.n_clusters - 1) + (between**2 / freedom if luck else 0.0)
        p_value = float(special.stdtr(error**4 / max(parts, 1e-300), -gain / error))
    return Evidence(
        gain, error, p_value, level.passes(gain, p_value), instrument, 1.645 * error, tuple(folds.tolist())
    )


def clustered_error(centred: Array, splits: Splits) -> float:
    """Standard error of a mean whose terms may depend on each other within a cluster."""
    sums = np.add.reduceat(centred.astype(np.float64), splits.cluster_starts)
    count = len(sums)
    return float(np.sqrt(np.square(sums).sum() * count / max(count - 1, 1)) / len(centred))
