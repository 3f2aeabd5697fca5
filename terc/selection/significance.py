"""Is a difference of held-out losses real? Paired, clustered by episode, wary of the networks' luck."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from terc.entropy.base import Array
from terc.entropy.counting import Codes, Reals
from terc.selection.evidence import Evidence, Level

if TYPE_CHECKING:
    from terc.entropy.splits import Splits


def paired_evidence(difference: Array, splits: Splits, level: Level, instrument: str) -> Evidence:
    """Evidence that the mean of `difference` (loss without minus loss with, per step) is above zero.

    The standard error has two parts: steps vary (clustered by episode), and networks end their training in
    different places, which shows as a spread between folds. With deterministic actions the second is the
    larger.

    Args:
        difference: `[n]` nats.
        splits: Folds and clusters of the steps.
        level: What counts as sure and material.
        instrument: Word for the table.

    Example:
        >>> from terc.entropy.splits import split
        >>> rng = np.random.default_rng(0)
        >>> splits = split(np.arange(900), rng=rng)
        >>> level = Level(alpha=0.05, tests=10, floor=0.01)
        >>> found = paired_evidence(rng.normal(0.5, 1, 900), splits, level, "networks")
        >>> found.needed, abs(found.gain - 0.5) < 3 * found.error, round(found.error, 2)
        (True, True, 0.03)
    """
    gain = float(difference.mean(dtype=np.float64))
    by_steps, by_folds = clustered_error(difference - gain, splits), fold_spread(difference, splits)
    error = float(np.hypot(by_steps, by_folds))
    p_value = 1.0 if gain <= 0 else 0.0
    if error > 0:
        # Welch and Satterthwaite: a spread that three folds tell is itself known with two degrees of freedom.
        parts = by_steps**4 / (splits.n_clusters - 1) + by_folds**4 / (splits.n_folds - 1)
        p_value = float(stats.t.sf(gain / error, error**4 / parts))
    null_high = 1.645 * error
    repeats = tuple(fold_means(difference, splits).tolist())
    return Evidence(gain, error, p_value, level.passes(gain, p_value), instrument, null_high, repeats)


def clustered_error(centred: Array, splits: Splits) -> float:
    """Standard error of a mean whose terms may depend on each other within a cluster."""
    sums = np.add.reduceat(centred.astype(np.float64), splits.cluster_starts)
    count = len(sums)
    return float(np.sqrt(np.square(sums).sum() * count / (count - 1)) / len(centred))


def grouped_error(per_step: Reals, groups: Codes) -> float:
    """Standard error of the mean of `per_step` `[n]`, whose terms may depend on each other within a group.

    Example:
        Two groups of equal terms count as two terms.
        >>> grouped_error(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 1]))
        0.5
    """
    sums = np.bincount(groups, per_step - per_step.mean())
    count = len(sums)
    return float(np.sqrt(count / max(1, count - 1) * (sums @ sums)) / len(per_step))


def fold_spread(difference: Array, splits: Splits) -> float:
    """Standard error of the mean by the spread of the folds' own means, beyond what steps explain."""
    means = fold_means(difference, splits)
    spread = float(means.std(ddof=1) / np.sqrt(len(means)))
    expected = clustered_error(difference - difference.mean(), splits)
    return float(np.sqrt(max(spread**2 - expected**2, 0.0)))


def fold_means(difference: Array, splits: Splits) -> Array:
    """Mean of each fold `[folds]`."""
    return np.asarray(np.bincount(splits.folds, weights=difference) / np.bincount(splits.folds))
