"""Counts: how often each action came with these values, where the same values come back."""

from dataclasses import dataclass

import numpy as np

from terc.arrays import Array
from terc.predictors.base import Forecasts, OneModel, Problem, Subset
from terc.predictors.encoding import STEPS_PER_LEVEL
from terc.predictors.target import Forecast


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
        cell = cells(problem.laid.encoding.codes, view)
        if cell is None:
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


def cells(codes: Array, view: Subset) -> Array | None:
    """For each step the number of its combination of values; None where these hardly come back."""
    cell = np.zeros(len(codes), dtype=np.int64)
    for j in view:
        if codes[0, j] < 0:
            return None
        combined = cell * (int(codes[:, j].max()) + 1) + codes[:, j]
        found, cell = np.unique(combined, return_inverse=True)
        if len(found) * STEPS_PER_LEVEL > len(codes):
            return None
    return cell


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
