"""From an expected number to the chance of its bin: the spread of the residuals in the other folds."""

import numpy as np

from terc.arrays import Array
from terc.predictors.base import Problem
from terc.predictors.target import Forecast

BROAD = 0.02
"""Weight of a broad logistic density beside the empirical one: nothing is impossible."""
QUANTILES = 400


def with_density(problem: Problem, expected: Array, calibrate: Array) -> Forecast:
    """A forecast from means: residuals of the other folds show how far numbers scatter.

    Args:
        problem: A number to predict; where only one fold has means, it shows its own spread.
        expected: `[n]` held-out means.
        calibrate: `[n]` held-out means whose residuals show the spread.
    """
    part, chance = problem.part, np.zeros(len(expected))
    residual = part.target - calibrate
    for fold in problem.folds:
        rows = problem.test_rows(fold)
        seen = residual[problem.train_rows(fold) if problem.only is None else rows]
        at = (part.target - expected)[rows].astype(np.float64)
        grid = np.quantile(seen, np.linspace(0, 1, min(QUANTILES, len(seen)))).astype(np.float64)
        # A value that many residuals share is a jump, which interpolation needs at two places.
        grid += np.arange(len(grid)) * 1e-9
        level = np.linspace(0, 1, len(grid))
        half = part.width / 2
        mass = np.interp(at + half, grid, level) - np.interp(at - half, grid, level)
        scale = max(float(seen.std()), part.width)
        broad = _sigmoid((at + half) / scale) - _sigmoid((at - half) / scale)
        chance[rows] = (1 - BROAD) * mass + BROAD * broad
    return Forecast(chance[:, None], expected[:, None])


def _sigmoid(x: Array) -> Array:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)))
