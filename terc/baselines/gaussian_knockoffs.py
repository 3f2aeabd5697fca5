"""Second-order knockoffs: columns with the means and covariances of the real ones that know nothing more."""

import math

import numpy as np

from terc.arrays import Floats

RIDGE = 1e-6


def second_order_knockoffs(columns: Floats, *, rng: np.random.Generator) -> Floats:
    """Knockoffs `[n, d]` of `columns` `[n, d]`, drawn as if these were Gaussian.

    With S the covariance and D = diag(s), the pair (X, knockoff) has covariance [[S, S - D], [S - D, S]]:
    swapping a variable with its knockoff changes no first or second moment. s is the same share of every
    variance (equi-correlated), as large as a covariance matrix allows: copies leave no room, and their
    knockoffs are copies too.

    Example:
        >>> x = np.random.default_rng(0).standard_normal((4000, 2))
        >>> both = np.hstack([x, second_order_knockoffs(x, rng=np.random.default_rng(1))])
        >>> bool(np.abs(np.corrcoef(both.T) - np.eye(4)).max() < 0.06)
        True
    """
    mean, spread = columns.mean(0), columns.std(0)
    spread = np.where(spread > 0, spread, 1.0)
    standard = (columns - mean) / spread
    correlation = standard.T @ standard / len(standard)
    share = min(1.0, 2 * max(0.0, float(np.linalg.eigvalsh(correlation)[0])))
    steady = correlation + RIDGE * np.eye(len(correlation))
    pulled = np.linalg.solve(steady, standard.T).T * share
    # Covariance of what is random in the knockoffs: 2 D - D S^-1 D, D = share times the unit matrix.
    rest = 2 * share * np.eye(len(steady)) - share**2 * np.linalg.inv(steady)
    drawn = rng.standard_normal(standard.shape) @ _root(rest)
    knockoffs: Floats = mean + spread * (standard - pulled + drawn)
    return knockoffs


def _root(matrix: Floats) -> Floats:
    values, vectors = np.linalg.eigh(matrix)
    root: Floats = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return root


def knockoff_threshold(statistics: Floats, rate: float, *, plus: bool = False) -> float:
    """The smallest t at which #{W <= -t} / #{W >= t} is at most `rate`; infinity if there is none.

    With `plus` one is added above the line, which bounds the false discovery rate itself, but keeps nothing
    unless at least 1 / `rate` variables can be kept.

    Example:
        >>> knockoff_threshold(np.array([3.0, 2.0, 0.4, -0.5, 0.1]), 0.1)
        2.0
        >>> knockoff_threshold(np.array([3.0, 2.0, 0.4, -0.5, 0.1]), 0.1, plus=True)
        inf
    """
    for level in np.unique(np.abs(statistics[statistics != 0])):
        wrong = int(plus) + int((statistics <= -level).sum())
        if wrong / max(1, int((statistics >= level).sum())) <= rate:
            return float(level)
    return math.inf
