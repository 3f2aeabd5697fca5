"""Functions of a few columns to regress on in closed form: products, and random hinges."""

from __future__ import annotations

import numpy as np

from terc.arrays import Array

MOST_PRODUCTS = 400
"""Products of two columns; beyond, squares alone."""
STEPS_PER_FUNCTION = 50
"""Steps that each function needs at least."""


def regression_basis(columns: Array, *, hinges: int, rng: np.random.Generator) -> Array:
    """Functions of the columns to regress on `[n, m]`: 1, x, all products if few, and random hinges.

    Example:
        >>> x = np.linspace(-1, 1, 500, dtype=np.float32)[:, None]
        >>> regression_basis(x, hinges=3, rng=np.random.default_rng(0)).shape  # 1, x, its square, 3 hinges
        (500, 6)
    """
    n, p = columns.shape
    if p == 0:
        return np.ones((n, 1), dtype=np.float32)
    parts = [columns]
    if p * (p + 1) // 2 <= min(MOST_PRODUCTS, n // STEPS_PER_FUNCTION):
        first, second = np.triu_indices(p)
        parts.append(columns[:, first] * columns[:, second])
    else:
        parts.append(columns**2)
    hinges = min(hinges, n // STEPS_PER_FUNCTION)
    directions = (rng.standard_normal((p, hinges)) * (1.5 / np.sqrt(p))).astype(np.float32)
    offsets = rng.standard_normal(hinges).astype(np.float32)
    parts.append(np.maximum(columns @ directions + offsets, 0))
    basis = np.concatenate(parts, axis=1)
    basis -= basis.mean(0)
    spread = basis.std(0)
    basis /= np.where(spread > 1e-6, spread, 1.0)
    return np.concatenate([np.ones((n, 1), dtype=np.float32), basis], axis=1)
