"""Removing from columns what they owe to another: by optimal transport, or by linear regression.

Optimal transport moves each conditional distribution of a column, given the protected one, to the same
uniform distribution by its own ranks: the order within it is kept, dependence is gone.
"""

import numpy as np

from terc.arrays import Floats, Integers

ROWS_PER_BIN = 150
FEW_LEVELS = 20
SMALLEST_SPREAD = 1e-6


def transported(columns: Floats, protected: Floats, *, rng: np.random.Generator) -> Floats:
    """`columns` `[n, d]`, each made independent of `protected` `[n]` and uniform on 0..1.

    `protected` is cut into its levels if they are few, else at its ceil(n / 150) quantiles. A continuous
    column is regressed on `protected` within each bin and replaced by the rank of its residual over the bin's
    size; a discrete one (few levels) by a uniform draw between its conditional cumulative shares just below
    and at its value.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> x = rng.standard_normal(3000)
        >>> y = x + 0.5 * rng.standard_normal(3000)
        >>> moved = transported(y[:, None], x, rng=rng)[:, 0]
        >>> round(float(np.corrcoef(x, y)[0, 1]), 1), abs(float(np.corrcoef(x, moved)[0, 1])) < 0.05
        (0.9, True)
    """
    bins = _bins(protected)
    moved = np.empty_like(columns)
    few = np.array([is_discrete(column) for column in columns.T], dtype=bool)
    for j in np.flatnonzero(few):
        moved[:, j] = _within_steps(columns[:, j], bins, rng=rng)
    if not few.all():
        smooth = columns[:, ~few]
        ranks = np.empty_like(smooth)  # of each row's residual within its bin, over the bin's size
        for rows in np.split(np.argsort(bins, kind="stable"), np.cumsum(np.bincount(bins))[:-1]):
            ranks[rows] = _ranks_in_bin(smooth[rows], protected[rows], rng=rng)
        moved[:, ~few] = ranks
    return moved


def regressed_out(columns: Floats, protected: Floats, *, nominal: bool = False) -> Floats:
    """Residuals of `columns` `[n, d]` after linear regression on `protected` `[n]` (its levels if nominal).

    Example:
        >>> x = np.arange(5.0)
        >>> regressed_out((2 * x + 1)[:, None], x)[:, 0].round(9).tolist() == [0, 0, 0, 0, 0]
        True
    """
    codes = np.unique(protected, return_inverse=True)[1].reshape(-1)
    centred = protected - protected.mean()
    if nominal:
        shares = np.bincount(codes)
        means = np.stack([np.bincount(codes, weights=column) / shares for column in columns.T], axis=1)
        return columns - means[codes]
    slopes = centred @ columns / max(float(centred @ centred), SMALLEST_SPREAD**2)
    return columns - columns.mean(0) - np.outer(centred, slopes)


def is_discrete(column: Floats) -> bool:
    """Whether the column has few levels: no more than it would have bins.

    Example:
        >>> is_discrete(np.tile([0.0, 1.0], 50)), is_discrete(np.arange(100.0))
        (True, False)
    """
    return len(np.unique(column)) <= _few(len(column))


def _few(n: int) -> int:
    return max(FEW_LEVELS, -(-n // ROWS_PER_BIN))


def _bins(protected: Floats) -> Integers:
    """The bin of each row: levels if few, else quantiles; equal values always share a bin."""
    n = len(protected)
    levels, codes = np.unique(protected, return_inverse=True)
    if len(levels) <= _few(n):
        return codes.reshape(-1).astype(np.int64)
    count = -(-n // ROWS_PER_BIN)
    edges = np.unique(np.quantile(protected, np.arange(1, count) / count))
    return np.searchsorted(edges, protected, side="right").astype(np.int64)


def _within_steps(column: Floats, bins: Integers, *, rng: np.random.Generator) -> Floats:
    """A uniform draw between the conditional cumulative share below each value and the one at it."""
    codes = np.unique(column, return_inverse=True)[1].reshape(-1)
    counts = np.zeros((bins.max() + 1, codes.max() + 1))
    np.add.at(counts, (bins, codes), 1.0)
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1.0)
    at = shares.cumsum(1)
    drawn: Floats = at[bins, codes] - shares[bins, codes] * rng.random(len(column))
    return drawn


def _ranks_in_bin(columns: Floats, protected: Floats, *, rng: np.random.Generator) -> Floats:
    residual = regressed_out(columns, protected) if np.ptp(protected) > SMALLEST_SPREAD else columns
    flat = residual.std(0) < SMALLEST_SPREAD
    # Without any spread the ranks would follow the order of the rows, which may mean something.
    residual = np.where(flat, SMALLEST_SPREAD * rng.standard_normal(residual.shape), residual)
    ranks: Floats = (residual.argsort(0).argsort(0) + 1.0) / len(residual)
    return ranks
