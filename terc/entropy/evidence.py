"""The question every method asks, the answer every test gives, and when an answer counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from terc.arrays import Array
from terc.predictors.base import Spread
from terc.predictors.splits import Splits
from terc.progress import silent

Unit = tuple[int, ...]
"""Columns that stand or fall together: one variable, or a group the user named."""


ALPHA = 0.05
MIN_EFFECT = 0.005
"""Share of I(A; X) that does not matter: half a percent, about what two trainings of a network differ by."""
LUCK = 0.01
"""Folds differ by more than chance if it has less than this; a spread that is not real costs power."""
HELD = 2.0
"""Of a column that never changes within a cluster one can only learn which clusters are alike. What one of
them gains by another, the other gains by it: each pair counts twice, and the mixture is fitted to the luck of
both. Pairs alone would make it the root of two; `NULLS` of held labels need this."""


def columns_of(units: Sequence[Unit]) -> tuple[int, ...]:
    """The columns of several units, in order."""
    return tuple(sorted(column for unit in units for column in unit))


@dataclass(frozen=True)
class Question:
    """Can `removed` go, when `others` stay?

    Attributes:
        removed: Units to take away together.
        others: Units that stay.
        removed_columns: Column numbers of what would go.
        other_columns: Column numbers of what would stay.
    """

    removed: tuple[Unit, ...]
    others: tuple[Unit, ...]
    removed_columns: tuple[int, ...] = field(init=False)
    other_columns: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "removed_columns", columns_of(self.removed))
        object.__setattr__(self, "other_columns", columns_of(self.others))


@dataclass(frozen=True)
class Evidence:
    """How much the action's uncertainty grows when something goes, and how sure that is.

    Attributes:
        gain: Phi, nats.
        error: Standard error of `gain`.
        p_value: Chance of such evidence if nothing is lost; not yet corrected for the number of variables.
        needed: The verdict at the test's level and floor.
        instrument: What decided, and whose the gain and its error are.
        null_high: What `gain` would reach in 95 % of cases if nothing were lost.
        repeats: `gain` in each fold or run; empty where there is but one.
        sure_by: Whose the p-value is, where it is of another instrument.

    Example:
        >>> low, high = Evidence(0.5, 0.1, 0.0, True, "counts").interval
        >>> round(low, 2), round(high, 2)
        (0.3, 0.7)
    """

    gain: float
    error: float
    p_value: float
    needed: bool
    instrument: str
    null_high: float = math.nan
    repeats: tuple[float, ...] = ()
    sure_by: str = ""

    @property
    def decided_by(self) -> str:
        """The instrument, and that of the p-value where it is another."""
        return f"{self.instrument}, p-value by {self.sure_by}" if self.sure_by else self.instrument

    def or_surer(self, other: Evidence) -> Evidence:
        """The same with the p-value of another look at it, where that is smaller."""
        if other.p_value >= self.p_value:
            return self
        return replace(self, p_value=other.p_value, sure_by=other.instrument)

    @property
    def interval(self) -> tuple[float, float]:
        """Ends of the 95 % interval of `gain`."""
        return self.gain - 1.96 * self.error, self.gain + 1.96 * self.error


@dataclass(frozen=True)
class Terms:
    """What a selection asks of a test.

    Attributes:
        alpha: Error rate; None for the estimator's own.
        min_effect: Share of I(A; X) below which a loss is immaterial; None for the estimator's own.
        units: Units that could be kept wrongly.
        error_rate: What alpha bounds: "family" or "discovery".
        method: How the answers will be used: "naive", "sequential" or "minimal".
        spread: Where the work may be done; None for this process.
        tick: Called with the number of sets of variables evaluated so far.
    """

    alpha: float | None = None
    min_effect: float | None = None
    units: int = 1
    error_rate: str = "family"
    method: str = "sequential"
    spread: Spread | None = None
    tick: Callable[[int], None] = silent


@dataclass(frozen=True)
class Level:
    """When a loss counts.

    Attributes:
        alpha: Family-wise error rate over `tests`.
        tests: Number of units that could be kept wrongly; each p-value is compared with alpha / tests.
            For a false-discovery rate it is that number over the number of discoveries.
        floor: Nats below which a loss is immaterial, whatever its p-value.
    """

    alpha: float
    tests: float
    floor: float

    @classmethod
    def of(cls, terms: Terms, information: float) -> Level:
        """The level on these terms, the floor being a share of `information`."""
        share = MIN_EFFECT if terms.min_effect is None else terms.min_effect
        return cls(ALPHA if terms.alpha is None else terms.alpha, terms.units, share * max(0.0, information))

    def passes(self, gain: float, p_value: float) -> bool:
        """Whether a loss is both sure and material."""
        return p_value * self.tests < self.alpha and gain >= self.floor

    def for_discoveries(self, p_values: Sequence[float]) -> Level:
        """The level that keeps the share of wrong ones among the kept below alpha (Benjamini and Hochberg).

        Example:
            >>> Level(0.05, 10, 0.0).for_discoveries([0.001, 0.009, 0.3]).tests
            5.0
        """
        ranked = sorted(p_values)
        found = [k for k, p_value in enumerate(ranked, 1) if p_value * self.tests <= self.alpha * k]
        return replace(self, tests=self.tests / max(found, default=1))


def paired_evidence(
    difference: Array,
    splits: Splits,
    level: Level,
    instrument: str,
    again: Sequence[tuple[Array, Array]] = (),
    *,
    held: bool = False,
) -> Evidence:
    """Evidence that the mean of `difference` (loss without minus loss with, per step) is above zero.

    Differences are summed by cluster; the t-value has as many degrees of freedom as there are clusters, less
    one: with few episodes little is sure. Where the folds differ by more than their steps explain, because
    models do not always end their training in the same place, that spread is part of the error.

    Args:
        difference: `[n]` nats.
        splits: Folds and clusters of the steps.
        level: What counts as sure and material.
        instrument: Word for the table.
        again: The differences of further trainings, each with its folds.
        held: Whether what is removed never changes within a cluster; the error is then `HELD` times as large.

    Example:
        >>> from terc.predictors.splits import split
        >>> rng = np.random.default_rng(0)
        >>> splits = split(np.arange(900), rng=rng)
        >>> level = Level(alpha=0.05, tests=10, floor=0.01)
        >>> found = paired_evidence(rng.normal(0.5, 1, 900), splits, level, "networks")
        >>> found.needed, abs(found.gain - 0.5) < 3 * found.error, round(found.error, 2)
        (True, True, 0.03)
    """
    from scipy import special

    runs = [(difference, splits.folds), *again]
    mean = np.asarray(np.mean([values for values, _ in runs], axis=0, dtype=np.float64))
    gain = float(mean.mean())
    by_steps = clustered_error(mean - gain, splits) * (HELD if held else 1.0)
    size = np.concatenate([np.bincount(folds) for _, folds in runs])
    folds = np.concatenate([np.bincount(folds, weights=values) for values, folds in runs]) / size
    freedom = len(size) - 1
    between = float(size @ np.square(folds - gain)) / size.sum() / max(freedom, 1)
    spread = freedom * between * len(runs) / max(by_steps**2, 1e-300)
    luck = special.chdtrc(freedom, spread) < LUCK and freedom > 0
    error = float(np.hypot(by_steps, np.sqrt(between))) if luck else by_steps
    p_value = 1.0 if gain <= 0 else 0.0
    if error > 0:
        # Welch and Satterthwaite: a spread that few folds show is itself known with few degrees of freedom.
        parts = by_steps**4 / (splits.n_clusters - 1) + (between**2 / freedom if luck else 0.0)
        p_value = float(special.stdtr(error**4 / max(parts, 1e-300), -gain / error))
    return Evidence(
        gain, error, p_value, level.passes(gain, p_value), instrument, 1.645 * error, tuple(folds.tolist())
    )


def only_luck_speaks_against(
    loss: Evidence, difference: Array, splits: Splits, level: Level, instruments: int
) -> bool:
    """Whether a loss would be sure if folds did not differ by more than their steps explain.

    Args:
        loss: What `paired_evidence` found.
        difference: Of which it was found.
        splits: Folds and clusters of the steps.
        level: What counts as sure and material.
        instruments: Number of tests that share alpha.
    """
    from scipy import special

    error = clustered_error(difference - loss.gain, splits)
    if loss.error <= error or loss.gain < level.floor:
        return False
    chance = float(special.stdtr(splits.n_clusters - 1, -loss.gain / error))
    without, with_luck = instruments * chance, instruments * loss.p_value
    return level.passes(loss.gain, without) and not level.passes(loss.gain, with_luck)


def clustered_error(centred: Array, splits: Splits) -> float:
    """Standard error of a mean whose terms may depend on each other within a cluster."""
    sums = np.add.reduceat(centred.astype(np.float64), splits.cluster_starts)
    count = len(sums)
    return float(np.sqrt(np.square(sums).sum() * count / max(count - 1, 1)) / len(centred))
