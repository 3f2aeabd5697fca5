"""A linear model: softmax regression on levels, least squares on numbers."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from terc.arrays import Array
from terc.networks.heads import softmax
from terc.networks.lbfgs import minimised
from terc.predictors.base import WIDEST, Forecasts, OneModel, Problem, held_out
from terc.predictors.counts import cells
from terc.predictors.residual_density import with_density
from terc.predictors.target import Forecast

RIDGE = 3.0
"""Penalty on each squared coefficient of a standardised column, in steps: as if so many steps said zero."""
ITERATIONS = 60
CONVERGED = 1e-7
"""Relative fall of the loss at which the search ends: losses are then right to about 1e-7 nats."""
WIDE = 100
"""Columns beyond which single precision, which halves the time, is fine enough."""


@dataclass(frozen=True)
class Linear(OneModel):
    """Many weak additive variables are its strength: it has little to overfit with."""

    by_fold: ClassVar[bool] = True
    name: str = "linear"

    def forecasts(self, problem: Problem) -> Forecasts:
        """One model; none for a view that is too wide to be solved for."""
        encoding, part = problem.laid.encoding, problem.part
        labels = encoding.labels.only(problem.view)
        inputs = encoding.smooth(problem.view, WIDEST - labels.values.shape[1]).beside(labels)
        if inputs.values.shape[1] > WIDEST:
            return {}
        constant, beside = np.ones((len(inputs.values), 1), dtype=np.float32), problem.always()
        always = np.concatenate([constant, beside], axis=1)
        x = np.concatenate([always, inputs.values], axis=1)
        if part.is_number:
            weights = _least_squares(x, problem)
        else:
            cell = None if beside.size else cells(encoding.codes, problem.view)
            learnt = (problem.train_rows(fold) for fold in problem.folds)
            weights = [_softmax_regression(*_merged(x, part.target, rows, cell)) for rows in learnt]

        def predict(place: int, rows: Array, seen: Array) -> Array:
            scores = np.concatenate([always[rows], seen], axis=1) @ weights[place]
            return np.asarray(scores if part.is_number else softmax(scores))

        found = held_out(problem, inputs, predict)
        if part.is_number:
            return {self.name: [with_density(problem, one[:, 0], found[0][:, 0]) for one in found]}
        return {self.name: [Forecast(chance, chance) for chance in found]}


def _least_squares(x: Array, problem: Problem) -> list[Array]:
    """Coefficients `[p, 1]` for each fold; what the folds have in common is summed once."""
    grams, sums = [], []
    for fold in range(problem.laid.n_folds):
        rows = problem.test_rows(fold)
        rows = rows[problem.laid.taught[rows]]
        own = x[rows].astype(np.float64)
        grams.append(own.T @ own)
        sums.append(own.T @ problem.part.target[rows, None].astype(np.float64))
    gram, total = sum(grams) + np.diag(_penalty(x)), sum(sums)
    return [np.linalg.solve(gram - grams[k], total - sums[k]) for k in problem.folds]


def _merged(x: Array, y: Array, rows: Array, cell: Array | None) -> tuple[Array, Array]:
    """Inputs and shares of some steps; those of one cell are one row, with the sums of their shares."""
    if cell is None:
        return x[rows], y[rows]
    _, first, which = np.unique(cell[rows], return_index=True, return_inverse=True)
    return x[rows[first]], np.stack([np.bincount(which, share) for share in y[rows].T], axis=1)


def _softmax_regression(x: Array, y: Array) -> Array:
    """Coefficients `[p, K]` by L-BFGS as if on columns made orthogonal, so that few iterations are enough.

    Args:
        x: Inputs `[n, p]`.
        y: How many steps of each level a row stands for `[n, K]`.
    """
    exact = np.float32 if x.shape[1] > WIDE else np.float64
    x, y = x.astype(exact, copy=False), y.astype(exact, copy=False)
    p, k, steps = x.shape[1], y.shape[1], y.sum(1, keepdims=True)
    penalty, each = _penalty(x), np.sqrt(steps) * x
    root = np.linalg.inv(np.linalg.cholesky((each.T @ each).astype(np.float64) / 4 + np.diag(penalty)))

    def coefficients(flat: Array) -> Array:
        return np.asarray(root.T @ flat.reshape(p, k))

    def loss(flat: Array) -> tuple[float, Array]:
        w = coefficients(flat)
        held = penalty[:, None] * w
        logits = x @ w.astype(exact)
        logits -= logits.max(1, keepdims=True)
        chance = np.exp(logits)
        total = chance.sum(1, keepdims=True)
        chance *= steps / total
        surprise = (steps * np.log(total)).sum(dtype=np.float64) - (y * logits).sum(dtype=np.float64)
        slope = (x.T @ (chance - y)).astype(np.float64) + held
        return float(surprise + 0.5 * (w * held).sum()), (root @ slope).ravel()

    return coefficients(minimised(loss, np.zeros(p * k), iterations=ITERATIONS, converged=CONVERGED))


def _penalty(x: Array) -> Array:
    """Per column; next to none on the constant one, which comes first."""
    return np.array([1e-3] + [RIDGE] * (x.shape[1] - 1))
