"""Counts: how often each action came with these values, where the same values come back."""

from dataclasses import dataclass

import numpy as np

from terc.arrays import Array
from terc.predictors.base import Forecasts, OneModel, Problem
from terc.predictors.target import Forecast

STEPS_PER_CELL = 5
"""Fewer steps in a cell than this say little about it."""


@dataclass(frozen=True)
class Counts(OneModel):
    """Frequencies of the levels in each cell, drawn towards those of all steps by `smoothing` steps.

    Of a view of nothing this is the marginal distribution of the action: the forecast of one who sees
    nothing, which is in every mixture.
    """

    name: str = "counts"
    smoothing: float = 1.0

    def forecasts(self, problem: Problem) -> Forecasts:
        """One model; none where values are numbers, or cells too many to come back."""
        part, view = problem.part, problem.view
        if problem.shuffled or (part.is_number and view):
            return {}
        codes = problem.laid.encoding.codes[:, view]
        if (codes < 0).any():
            return {}
        _, cell = np.unique(codes, axis=0, return_inverse=True) if view else (None, np.zeros(len(codes), int))
        cell = cell.reshape(-1)
        if (cell.max() + 1) * STEPS_PER_CELL > len(codes) and view:
            return {}
        return {self.name: [_number(problem) if part.is_number else self._levels(problem, cell)]}

    def _levels(self, problem: Problem, cell: Array) -> Forecast:
        target = problem.part.target
        out = np.zeros(target.shape)
        for fold in range(problem.laid.n_folds):
            seen, rows = problem.train_rows(fold), problem.test_rows(fold)
            counts = np.stack(
                [np.bincount(cell[seen], share, minlength=cell.max() + 1) for share in target[seen].T], 1
            )
            prior = counts.sum(0) + 0.5
            smoothed = counts + self.smoothing * prior / prior.sum()
            out[rows] = (smoothed / smoothed.sum(1, keepdims=True))[cell[rows]]
        return Forecast(out, out)


def _number(problem: Problem) -> Forecast:
    """A histogram of the other folds."""
    part = problem.part
    place = np.round((part.target - part.target[part.rows].min()) / part.width).astype(np.int64)
    # Bins as fine as the part's own where they are few, else pooled to about a hundred.
    pool = max(1, int(place[part.rows].max()) // 100)
    place //= pool
    size = int(place[part.rows].max()) + 1
    chance, expected = np.zeros(len(place)), np.zeros(len(place))
    for fold in range(problem.laid.n_folds):
        seen, rows = problem.train_rows(fold), problem.test_rows(fold)
        counts = np.bincount(place[seen], minlength=size) + 0.5
        chance[rows] = (counts / counts.sum() / pool)[place[rows]]
        expected[rows] = part.target[seen].mean()
    return Forecast(chance[:, None], expected[:, None])
