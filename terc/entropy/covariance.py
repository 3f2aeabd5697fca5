"""Do residuals covary? What regression leaves of columns, t-values by cluster, how many steps carry them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from terc.arrays import Array

if TYPE_CHECKING:
    from terc.predictors.splits import Splits

MOST_PRODUCTS = 400
"""Products of given columns up to which a regression reads them all."""
RANDOM_FEATURES = 100
"""Random hinges that a regression reads beside them."""
STEPS_PER_COLUMN = 50
"""Steps that each function in a regression must have."""
RIDGE = 1e-5
"""Share of a unit variance that is added to each column's own: enough to solve where columns repeat."""
PRODUCTS_CUT = 0.04
"""Share of products of two residuals that is pulled in: their tails are heavier than those of residuals."""
MOST_PAIRED = 8
"""Numbers of an action of which all products of two are looked at: each costs as much as a number."""
FEWEST_EFFECTIVE = 25
"""Steps that must carry a sum of products for its t-value to be about normal."""


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


@dataclass(frozen=True, eq=False)
class Regression:
    """Regression on the columns of `basis` `[n, m]`, in closed form, for many targets at once.

    Fitted and judged on the same steps, on both sides of a covariance, as in a partial correlation: then an
    error in one of the two regressions meets nothing in the other that it could covary with.

    Example:
        >>> x = np.linspace(-1, 1, 50, dtype=np.float32)[:, None]
        >>> line = Regression(np.concatenate([np.ones_like(x), x], axis=1))
        >>> bool(np.abs(line.left_over(3 * x + 2)).max() < 1e-3)
        True
    """

    basis: Array

    @cached_property
    def _gram(self) -> Array:
        products = (self.basis.T @ self.basis).astype(np.float64)
        return products + RIDGE * len(self.basis) * np.eye(len(products))

    def left_over(self, targets: Array) -> Array:
        """What it leaves of `targets` `[n, c]`, orthogonal to every column of the basis."""
        weights = np.linalg.solve(self._gram, (self.basis.T @ targets).astype(np.float64))
        # Each column in one piece, as the targets' are.
        explained = (weights.T.astype(np.float32) @ self.basis.T).T
        return np.subtract(targets, explained, out=explained, casting="same_kind")

    def left_over_by_fold(self, targets: Array, folds: Array) -> Array:
        """The same in each fold by itself, because each fold's residuals carry its own network's errors."""
        out = np.empty(targets.shape, dtype=np.float32)
        for fold in range(int(folds.max()) + 1):
            rows = folds == fold
            out[rows] = Regression(self.basis[rows]).left_over(targets[rows])
        return out


@dataclass(frozen=True, eq=False)
class Residuals:
    """Columns of residuals `[n, c]`, with what their squares say.

    Attributes:
        values: The residuals.
        power: float64 `[c]`, mean squares.
        kurtosis: float64 `[c]`, mean fourth powers over squared mean squares; 1 for a coin, 3 for a normal.
    """

    values: Array
    power: Array
    kurtosis: Array

    @classmethod
    def of(cls, values: Array) -> Residuals:
        """Of `values`, which are not copied."""
        square = np.square(values)
        power = square.mean(0, dtype=np.float64)
        fourth = np.einsum("ij,ij->j", square, square, dtype=square.dtype) / len(square)
        return cls(values, power, fourth / np.maximum(np.square(power), 1e-300) + 1e-12)

    def only(self, columns: Array | slice) -> Residuals:
        """Some of the columns."""
        return Residuals(self.values[:, columns], self.power[columns], self.kurtosis[columns])


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


def sure_t(action: Residuals, probes: Residuals, splits: Splits) -> Array:
    """|t| of every product `[q, c]`; by a bound that always holds where few steps carry it."""
    few = effective_steps(action, probes) < FEWEST_EFFECTIVE
    t = np.abs(clustered_t(action.values, probes.values, splits))
    columns = np.flatnonzero(few.any(0))
    if len(columns):
        bound = bounded_t(action.values, probes.values[:, columns], splits)
        # The bound may not be tighter than the normal value that is doubted.
        t[:, columns] = np.where(few[:, columns], np.minimum(bound, t[:, columns]), t[:, columns])
    return t


def effective_steps(first: Residuals, second: Residuals) -> Array:
    """About how many steps carry each sum of products `[q, c]`: n over the product of the columns' kurtoses.

    A product of two rare events, or of a residual that is zero but for a few steps, rests on so few of them
    that its t-value has no normal distribution.

    Example:
        >>> rare = np.zeros((1000, 1)); rare[:10] = 1.0
        >>> effective_steps(Residuals.of(rare), Residuals.of(np.ones((1000, 1)))).round().tolist()
        [[10.0]]
    """
    return np.outer(1.0 / first.kurtosis, 1.0 / second.kurtosis) * len(first.values)


def clipped(columns: Array, cut: float = 0.01) -> Array:
    """Columns with a share `cut` pulled in at either end, so that a few large errors do not carry a sum."""
    low, high = np.quantile(columns, [cut, 1 - cut], axis=0)
    return np.clip(columns, low, high)


def second_moments(numbers: Array) -> Array:
    """Squares of the residuals of numbers `[n, q]`, and products of two where these are not too many.

    A variable may change how far an action scatters, or which parts of it go together, and not where it lies.
    """
    count = numbers.shape[1]
    first, second = np.triu_indices(count) if count <= MOST_PAIRED else np.tile(np.arange(count), (2, 1))
    return clipped(numbers[:, first] * numbers[:, second], PRODUCTS_CUT)


def typical_of_noise(tests: Array) -> Array:
    """Median of the largest of `tests` squared normal scores: what noise reaches as a matter of course."""
    return np.asarray(special.chdtri(1, -np.expm1(np.log(0.5) / tests)))


def nats(action: Residuals, probes: Residuals, hidden: Array, drawn: Array) -> Array:
    """-log(1 - rho^2) / 2 of the largest correlation with a column of the action, `[c]`; 0 if hidden.

    Args:
        action: `[n, q]`.
        probes: Of the variables `[n, c]`.
        hidden: Columns to leave out `[c]`.
        drawn: Variance `[q]` that drawing an action from its probabilities adds: residuals of probabilities
            lack it, and information about the action is meant.
    """
    covariance = (action.values.T @ probes.values).astype(np.float64) / len(action.values)
    power = np.outer(action.power + drawn, probes.power)
    rho2 = np.divide(covariance**2, power, out=np.zeros_like(power), where=power > 1e-12).max(0)
    return np.where(hidden, 0.0, -0.5 * np.log1p(-np.minimum(rho2, 1 - 1e-9)))


def strongest_t(action: Array, products: Array, splits: Splits, fewest: float) -> Array:
    """Largest |t| over the action's columns of each product `[c]`; 0 where too few steps carry it."""
    t = np.abs(clustered_t(action, products, splits))
    carried = effective_steps(Residuals.of(action), Residuals.of(products))
    return np.asarray(np.where(carried >= fewest, t, 0.0).max(0))


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
