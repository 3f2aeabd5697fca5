"""Do residuals covary? What regression leaves of columns, t-values by cluster, how many steps carry them."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from terc.arrays import Array

if TYPE_CHECKING:
    from terc.predictors.splits import Splits

MOST_PRODUCTS = 400
RANDOM_FEATURES = 100
STEPS_PER_COLUMN = 50
RIDGE = 1e-5


def regression_basis(columns: Array, *, rng: np.random.Generator) -> Array:
    """Functions of the columns to regress on `[n, m]`: 1, x, all products if few, and random hinges."""
    n, p = columns.shape
    if p == 0:
        return np.ones((n, 1), dtype=np.float32)
    parts = [columns]
    if p * (p + 1) // 2 <= min(MOST_PRODUCTS, n // STEPS_PER_COLUMN):
        first, second = np.triu_indices(p)
        parts.append(columns[:, first] * columns[:, second])
    else:
        parts.append(columns**2)
    hinges = min(RANDOM_FEATURES, n // STEPS_PER_COLUMN)
    directions = (rng.standard_normal((p, hinges)) * (1.5 / np.sqrt(p))).astype(np.float32)
    offsets = rng.standard_normal(hinges).astype(np.float32)
    parts.append(np.maximum(columns @ directions + offsets, 0))
    basis = np.concatenate(parts, axis=1)
    basis -= basis.mean(0)
    spread = basis.std(0)
    basis /= np.where(spread > 1e-6, spread, 1.0)
    return np.concatenate([np.ones((n, 1), dtype=np.float32), basis], axis=1)


def left_over(basis: Array, targets: Array) -> Array:
    """What regression on `basis` leaves of `targets` `[n, c]`, orthogonal to every column of the basis.

    Fitted and judged on the same steps, on both sides of a covariance, as in a partial correlation: then an
    error in one of the two regressions meets nothing in the other that it could covary with.

    Example:
        >>> x = np.linspace(-1, 1, 50, dtype=np.float32)[:, None]
        >>> basis = np.concatenate([np.ones_like(x), x], axis=1)
        >>> bool(np.abs(left_over(basis, 3 * x + 2)).max() < 1e-3)
        True
    """
    gram = (basis.T @ basis).astype(np.float64)
    penalty = RIDGE * len(basis) * np.eye(len(gram))
    weights = np.linalg.solve(gram + penalty, (basis.T @ targets).astype(np.float64))
    return (targets - basis @ weights.astype(np.float32)).astype(np.float32)


def left_over_by_fold(basis: Array, targets: Array, folds: Array) -> Array:
    """The same in each fold by itself, because each fold's residuals carry its own network's errors."""
    out = np.empty(targets.shape, dtype=np.float32)
    for fold in range(int(folds.max()) + 1):
        rows = folds == fold
        out[rows] = left_over(basis[rows], targets[rows])
    return out


def clustered_t(action: Array, probes: Array, splits: Splits) -> Array:
    """t-values `[q, c]` of the mean products of two sets of residuals, steps of a cluster counting as one.

    Example:
        >>> from terc.predictors.splits import Splits
        >>> splits = Splits(np.zeros(4, int), np.arange(4), np.zeros((4, 0)))
        >>> clustered_t(np.array([[1.], [1.], [1.], [-1.]]), np.ones((4, 1)), splits).round(3).tolist()
        [[1.0]]
    """
    total, square, _ = _sums_by_cluster(action, probes, splits)
    count = splits.n_clusters
    mean = total / count
    spread = np.sqrt(np.maximum(square - total * mean, 0) / max(count - 1, 1) / count)
    # Sums that are all the same are the surest evidence there is, not none.
    spread = np.maximum(spread, 1e-6 * np.abs(mean))
    return np.divide(mean, spread, out=np.zeros_like(mean), where=spread > 0)


def _sums_by_cluster(action: Array, probes: Array, splits: Splits) -> tuple[Array, Array, Array]:
    """Products summed by cluster: the sum of these sums, of their squares, and the largest, each `[q, c]`."""
    n = len(action)
    if splits.n_clusters == n:
        largest = np.outer(np.abs(action).max(0), np.abs(probes).max(0))
        sums = (action.T @ probes, np.square(action).T @ np.square(probes), largest)
        return sums[0].astype(np.float64), sums[1].astype(np.float64), largest.astype(np.float64)
    total, square, largest = np.zeros((3, action.shape[1], probes.shape[1]))
    for begin, end in pairwise([*splits.cluster_starts, n]):
        part = (action[begin:end].T @ probes[begin:end]).astype(np.float64)
        total += part
        largest = np.maximum(largest, np.abs(part))
        square += np.square(part, out=part)
    return total, square, largest


def chance_of_t(t: Array | float, freedom: float) -> Array:
    """Chance that Student's t exceeds `t`."""
    return np.asarray(special.stdtr(freedom, -np.asarray(t)))


def t_of_chance(chance: Array | float, freedom: float) -> Array:
    """The t that is exceeded with this chance."""
    return np.asarray(0.0 - special.stdtrit(freedom, chance))


def bounded_t(action: Array, probes: Array, splits: Splits) -> Array:
    """t-values `[q, c]` with the p-values that Bernstein's inequality grants, for what few steps carry.

    A sum S of variance v, no part of it beyond m, exceeds s with a chance of at most
    exp(-s^2 / (2 v + 2 m s / 3)), whatever the distribution. That is weaker than a normal, but a warning
    light that is on in 50 steps and decides in all of them is beyond doubt. Steps of a cluster count as one
    part; v and m are those of independent steps where these are larger, as coincidences may be yet to come.

    Example:
        >>> from terc.predictors.splits import Splits
        >>> rare = np.zeros((2000, 1)); rare[:50] = 6.0
        >>> alone = Splits(np.zeros(2000, int), np.arange(2000), np.zeros((2000, 0)))
        >>> bounded_t(rare, rare, alone).round(1).tolist(), bounded_t(rare, rare[::-1], alone).tolist()
        ([[11.7]], [[0.0]])
    """
    total, square, largest = _sums_by_cluster(action, probes, splits)
    alone = [np.square(part, dtype=np.float64).sum(0) for part in (action, probes)]
    variance = np.outer(*alone) / len(action)
    if splits.n_clusters < len(action):
        variance = np.maximum(variance, square)
    largest = np.maximum(largest, np.outer(np.abs(action).max(0), np.abs(probes).max(0)))
    total = np.abs(total)
    exponent = total**2 / np.maximum(2 * variance + 2 * largest * total / 3, 1e-300)
    chance = np.exp(-np.minimum(exponent, 600.0)).clip(max=0.5)
    return t_of_chance(chance, max(splits.n_clusters - 1, 1))


def effective_steps(*factors: Array) -> Array:
    """About how many steps carry a sum of products: n over the product of the columns' kurtoses.

    A product of two rare events, or of a residual that is zero but for a few steps, rests on so few of them
    that its t-value has no normal distribution. Two factors give `[q, c]`.

    Example:
        >>> rare = np.zeros((1000, 1)); rare[:10] = 1.0
        >>> effective_steps(rare, np.ones((1000, 1))).round().tolist()
        [[10.0]]
    """
    first, second = (1.0 / kurtosis_of(factor) for factor in factors)
    return np.outer(first, second) * len(factors[0])


def kurtosis_of(columns: Array) -> Array:
    """Mean fourth power over squared mean square, per column; 1 for a fair coin, 3 for a normal."""
    square = np.square(columns)
    fourth = np.einsum("ij,ij->j", square, square, dtype=square.dtype) / len(square)
    return fourth / np.maximum(np.square(square.mean(0, dtype=np.float64)), 1e-300) + 1e-12


def clipped(columns: Array, cut: float = 0.01) -> Array:
    """Columns with a share `cut` pulled in at either end, so that a few large errors do not carry a sum."""
    low, high = np.quantile(columns, [cut, 1 - cut], axis=0)
    return np.clip(columns, low, high)


def typical_of_noise(tests: Array) -> Array:
    """Median of the largest of `tests` squared normal scores: what noise reaches as a matter of course."""
    return np.asarray(special.chdtri(1, -np.expm1(np.log(0.5) / tests)))


def nats(action: Array, probes: Array, hidden: Array, drawn: Array) -> Array:
    """-log(1 - rho^2) / 2 of the largest correlation with a column of the action, `[c]`; 0 if hidden.

    Args:
        action: Residuals `[n, q]`.
        probes: Residuals of the variables `[n, c]`.
        hidden: Columns to leave out `[c]`.
        drawn: Variance `[q]` that drawing an action from its probabilities adds: residuals of probabilities
            lack it, and information about the action is meant.
    """
    covariance = (action.T @ probes).astype(np.float64) / len(action)
    spread = np.square(action, dtype=np.float64).mean(0) + drawn
    power = np.outer(spread, np.square(probes, dtype=np.float64).mean(0))
    rho2 = np.divide(covariance**2, power, out=np.zeros_like(power), where=power > 1e-12).max(0)
    return np.where(hidden, 0.0, -0.5 * np.log1p(-np.minimum(rho2, 1 - 1e-9)))


def strongest_t(action: Array, products: Array, splits: Splits, fewest: float) -> Array:
    """Largest |t| over the action's columns of each product `[c]`; 0 where too few steps carry it."""
    t = np.abs(clustered_t(action, products, splits))
    return np.asarray(np.where(effective_steps(action, products) >= fewest, t, 0.0).max(0))


def unit_p_value(p_values: Array, unit: tuple[int, ...]) -> float:
    """p-value of the surest column of a unit, corrected for their number."""
    return float(min(1.0, p_values[list(unit)].min() * len(unit)))


def gain_error(gain: float, n: int, t: float) -> float:
    """Standard error of a gain that a covariance accounts for.

    The gain goes with the square of the covariance, whose own error, clustered by episode, is a `t`-th of it.
    It is never smaller than for independent steps, where n times the gain is half a squared normal score.

    Example:
        >>> round(gain_error(0.4, 2000, t=3.2), 3), round(gain_error(0.0, 2000, t=0.1), 5)
        (0.25, 0.00035)
    """
    independent = math.sqrt(2 * max(gain, 0.0) / n + 0.5 / n**2)
    return max(independent, 2 * max(gain, 0.0) / max(t, 1.0))
