"""The paper's cut for scores of any kind: a variable must clear what columns of random bits reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from terc.arrays import Floats
from terc.entropy.null_rule import PAPER_WIDTH, null_upper_end, standard_error, welch

NULL_DRAWS = 5


@dataclass(frozen=True, eq=False)
class RepeatedScores:
    """Scores of the variables and of the null model, over the runs.

    Attributes:
        values: `[variable, run]`.
        null: One array of runs per column of random bits that was drawn.
    """

    values: Floats
    null: Sequence[Floats]

    @classmethod
    def of_runs(cls, runs: Sequence[Floats]) -> RepeatedScores:
        """Of runs with a column of random bits each, whose score comes last."""
        scores = np.array(runs).T
        return cls(scores[:-1], [np.array([score]) for score in scores[-1]])


@dataclass(frozen=True, eq=False)
class Cut:
    """What the null model says about each variable; arrays are `[variable]`.

    Attributes:
        null_high: What a column of random bits reaches.
        p_values: One-sided Welch test of the runs against the null model's, times the number of variables.
    """

    mean: Floats
    low: Floats
    high: Floats
    null_high: float
    p_values: Floats

    @property
    def kept(self) -> list[bool]:
        """Whose lower end lies above the null model's upper end."""
        return [bool(low > self.null_high) for low in self.low]


def cut(scores: RepeatedScores, alpha: float | None = None) -> Cut:
    """Keep a variable if mean - w sd / sqrt(runs) lies above the null model's mean + w sd / sqrt(runs).

    w is 2, the paper's rule, which has no correction for the number of variables; with `alpha` it is the
    normal quantile of alpha / variables. One column of random bits is the paper's null model; one draw is
    fragile, so with several the spread between them counts if it is the larger.

    Example:
        >>> runs = np.array([[0.30, 0.31, 0.29], [0.01, -0.01, 0.00]])
        >>> cut(RepeatedScores(runs, [np.array([0.0, 0.01, -0.01])])).kept
        [True, False]
    """
    width = PAPER_WIDTH if alpha is None else float(stats.norm.isf(alpha / len(scores.values)))
    mean, error = scores.values.mean(1), standard_error(scores.values)
    return Cut(
        mean,
        mean - width * error,
        mean + width * error,
        null_upper_end(scores.null, width),
        np.array([welch(runs, np.concatenate(scores.null)) for runs in scores.values]),
    )
