"""The paper's cut, by numbers only: what a column of random bits reaches over the runs, and who clears it."""

import warnings
from collections.abc import Sequence

import numpy as np
from scipy import stats

from terc.arrays import Floats

PAPER_WIDTH = 2.0
ROUNDING = 1e-12


def standard_error(runs: Floats) -> Floats:
    """Standard error of the mean over the last axis; zero for a single run, which has no spread."""
    count = runs.shape[-1]
    if count < 2:
        return np.zeros(runs.shape[:-1])
    error: Floats = runs.std(-1, ddof=1) / np.sqrt(count)
    return error


def null_upper_end(null: Sequence[Floats] | Floats, width: float = PAPER_WIDTH) -> float:
    """Mean plus `width` standard errors of the null model's scores, one array of runs per draw of it.

    With one draw the paper's formula. With several the spread between draws counts, if it is the larger.

    Example:
        >>> runs = np.array([1.0, 2.0, 3.0])  # mean 2, standard error 1 / sqrt(3)
        >>> round(null_upper_end([runs]), 4), round(null_upper_end([runs, runs + 2]), 4)
        (3.1547, 5.8284)
    """
    error = float(np.mean([standard_error(runs) for runs in null]))
    means = np.array([runs.mean() for runs in null])
    between = float(means.std(ddof=1)) if len(means) > 1 else 0.0
    return float(means.mean()) + width * max(error, between)


def welch(runs: Floats, null: Floats) -> float:
    """Chance of such a difference of means if both have the same mean; the runs are the sample."""
    if min(len(runs), len(null)) < 2 or max(runs.std(), null.std()) < ROUNDING:
        return float(runs.mean() <= null.mean())
    with warnings.catch_warnings():
        # Scores floored at zero are often all the same; the test is still right to call them different.
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(stats.ttest_ind(runs, null, equal_var=False, alternative="greater").pvalue)
