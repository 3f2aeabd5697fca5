"""The interquartile mean of several runs and how sure it is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def interquartile_mean(values: npt.ArrayLike, axis: int = 0) -> Floats:
    """Mean of the middle half along `axis`: steadier than the mean, uses more runs than the median.

    Where a quarter of the runs is not a whole number, the runs at the edge count in part, so the
    weight of the middle is one half for any number of runs. Three runs: weights 1/4, 1, 1/4.

    Example:
        >>> float(interquartile_mean([0.0, 1.0, 2.0, 100.0]))
        1.5
    """
    ordered = np.sort(np.asarray(values, dtype=float), axis=axis)
    count = ordered.shape[axis]
    edges = np.arange(count + 1)
    inside = np.clip(edges, count / 4, 3 * count / 4)
    weights = np.diff(inside) / (count / 2)
    shape = [1] * ordered.ndim
    shape[axis] = count
    return np.asarray((ordered * weights.reshape(shape)).sum(axis=axis))


def bootstrap_band(
    returns: npt.ArrayLike, *, rng: np.random.Generator, draws: int = 1000, share: float = 0.95
) -> tuple[Floats, Floats]:
    """Ends of the bootstrap interval of the interquartile mean; whole runs are drawn, not single points.

    Args:
        returns: `[runs, points]`.
        rng: Advanced by this call.
        draws: Bootstrap samples.
        share: Of the bootstrap distribution that the interval holds.

    Returns:
        Low and high, `[points]` each.
    """
    runs = np.asarray(returns, dtype=float)
    chosen = rng.integers(len(runs), size=(draws, len(runs)))
    means = interquartile_mean(runs[chosen], axis=1)
    tail = (1.0 - share) / 2
    return np.quantile(means, tail, axis=0), np.quantile(means, 1.0 - tail, axis=0)
