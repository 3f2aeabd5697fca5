"""How sure a mean over episodes is: a bootstrap over whole episodes, widened for few of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from terc.arrays import Array
from terc.errors import BadValueError

# 2.5 % of the draws are 50, so that the ends of an interval move by a few percent of its width at most.
DRAWS = 2000
ALPHA = 0.05


class Range(NamedTuple):
    """The two ends of an interval.

    Example:
        >>> print(Range(1.0, 2.5))
        [1, 2.5]
    """

    low: float
    high: float

    @classmethod
    def from_plain(cls, ends: Sequence[float | None]) -> Range:
        """The range in a file, where an end at infinity is None."""
        low, high = ends
        return cls(-np.inf if low is None else low, np.inf if high is None else high)

    def __str__(self) -> str:
        return f"[{self.low:.4g}, {self.high:.4g}]"


def mean_interval(values: Array, tests: int = 1) -> Range:
    """The 95 % interval of the mean of `values`, one per episode.

    The ends of the bootstrap interval, which need not lie symmetrically about the mean, are moved outwards
    by the factor t / z * sqrt(n / (n - 1)): Student's quantile at 0.05 / `tests` over the normal one at
    0.05, and the variance that drawing n values again does not show. The draws are always the same, so that
    the same values have the same interval wherever it is shown.

    Args:
        values: `[n]`, at least one. Of a single value nothing is known: the interval is infinite.

    Example:
        >>> low, high = mean_interval(np.random.default_rng(0).normal(5.0, 1.0, 100))
        >>> 4.7 < low < 5.0 < high < 5.4
        True
        >>> mean_interval(np.full(8, 3.0))
        Range(low=3.0, high=3.0)
    """
    values = np.asarray(values, np.float64)
    if values.ndim != 1 or not len(values):
        raise BadValueError(f"mean_interval: wanted one value per episode, got shape {values.shape}.")
    count, middle = len(values), float(values.mean())
    if count == 1:
        return Range(-np.inf, np.inf)
    rng = np.random.default_rng(count)
    draws = values[rng.integers(count, size=(DRAWS, count), dtype=np.int32)].mean(axis=1)
    low, high = np.quantile(draws, [ALPHA / 2, 1 - ALPHA / 2])
    factor = widening(count, tests)
    # a constant is known exactly; its bootstrap may miss it by a rounding
    if values.min() == values.max():
        return Range(middle, middle)
    return Range(float(middle - factor * (middle - low)), float(middle + factor * (high - middle)))


def widening(count: int, tests: int = 1) -> float:
    """How much wider than its bootstrap an interval over `count` values must be, read beside `tests` - 1.

    Example:
        >>> [round(widening(n), 2) for n in (2, 5, 20, 100)], round(widening(100, tests=10), 2)
        ([9.17, 1.58, 1.1, 1.02], 1.47)
    """
    student = stdtrit(count - 1, 1 - ALPHA / (2 * tests))
    return float(student / ndtri(1 - ALPHA / 2) * np.sqrt(count / (count - 1)))
