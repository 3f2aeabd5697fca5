"""Regression on a rich basis of a few columns, for many targets at once, in closed form."""

from __future__ import annotations

import numpy as np

from terc.entropy.base import Array

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
