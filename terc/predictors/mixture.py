"""The best mixture of several predictors: its held-out loss is the estimate of H(A given view)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from terc.arrays import Array
from terc.predictors.base import LEAST_CHANCE
from terc.predictors.target import Forecast, Part

ROUNDS = 100
CONVERGED = 1e-3
"""Change of a weight below which an update ends the search; losses are then right to about 1e-6 nats."""
FASTER = 1.8
"""Exponent of an update; 1 is plain expectation maximisation, 2 would be the end of convergence."""
LEAST_WEIGHT = 3e-3
"""A model that has come below this is left out."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """Weighted forecasts of one part for one view.

    Attributes:
        names: Of the models.
        weights: `[models]`, which sum to one.
        losses: `[n]`, nats.
        residual: `[n, q]`, observed less expected.
        forecast: What the mixture expected.
    """

    names: tuple[str, ...]
    weights: Array
    losses: Array
    residual: Array
    forecast: Forecast


def mix(part: Part, forecasts: Mapping[str, Forecast]) -> Mixture:
    """The mixture with the smallest held-out loss, by expectation maximisation."""
    names = tuple(forecasts)
    rows = part.rows
    # What happened, once per level that it could have been: weight [m, K] and chance [models, m, K].
    happened = np.ones((len(rows), 1)) if part.is_number else part.target[rows].astype(np.float64)
    chance = np.stack([np.maximum(forecasts[name].chance[rows], LEAST_CHANCE) for name in names])
    weights = best_weights(chance, happened)
    mixed = np.tensordot(weights, chance, 1)
    if not part.is_number:
        mixed /= mixed.sum(1, keepdims=True)
    expected = np.tensordot(weights, np.stack([forecasts[name].expected[rows] for name in names]), 1)
    losses = -(happened * np.log(np.minimum(mixed, 1.0))).sum(1)
    residual = part.columns[rows] - expected[:, -part.columns.shape[1] :]
    spread = partial(_at_rows, rows, len(part.target))
    return Mixture(
        names, weights, spread(losses), spread(residual), Forecast(spread(mixed), spread(expected))
    )


def _at_rows(rows: Array, n: int, values: Array) -> Array:
    """`[n, ...]`, zero but for some rows."""
    out = np.zeros((n, *values.shape[1:]))
    out[rows] = values
    return out


def best_weights(chance: Array, happened: Array) -> Array:
    """Weights that maximise the mean log of the mixed chance of what happened."""
    hard = happened.shape[1] == 1 or bool((happened.max(1) >= 1).all())
    if hard:
        pick = happened.argmax(1) if happened.shape[1] > 1 else np.zeros(len(happened), int)
        flat, mass = chance[:, np.arange(len(pick)), pick], None
    else:
        flat, mass = chance.reshape(len(chance), -1), happened.ravel()
    weights, alive = np.full(len(flat), 1 / len(flat)), np.arange(len(flat))
    for update in range(ROUNDS):
        share = flat[alive] / (weights[alive] @ flat[alive])
        slope = share.mean(1) if mass is None else share @ mass / len(happened)
        # A step of expectation maximisation, made longer: the objective is concave and steps stay inside.
        after = weights[alive] * slope**FASTER
        after /= after.sum()
        change = np.abs(after - weights[alive]).max()
        weights[alive] = after
        if change < CONVERGED:
            break
        if update % 10 == 9:
            weights[weights < LEAST_WEIGHT] = 0
            alive = np.flatnonzero(weights)
    weights[weights < LEAST_WEIGHT] = 0
    return weights / weights.sum()
