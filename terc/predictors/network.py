"""A small network on standardised inputs with the same inputs whitened beside them."""

from dataclasses import dataclass, field

import numpy as np

from terc.arrays import Array
from terc.networks.heads import LogisticMixture, Softmax
from terc.networks.stack import Stack, Training
from terc.predictors.base import WIDEST, Forecasts, OneModel, Problem, held_out
from terc.predictors.target import Forecast, Part

LEAST_VARIANCE = 1e-12
"""Share of the largest variance below which a direction is rounding of single precision, not signal."""
ROWS_AT_ONCE = 4096
"""Rows whose products are summed in double precision at a time."""


@dataclass(frozen=True)
class Network(OneModel):
    """One hidden layer.

    It also reads the principal directions of its inputs at unit variance: a difference of two nearly equal
    columns (a velocity in two positions) has too little variance to be found otherwise.

    Attributes:
        name: For tables.
        training: The settings.
    """

    name: str = "network"
    training: Training = field(default_factory=Training)

    def forecasts(self, problem: Problem) -> Forecasts:
        """One model; none for levels where there is nothing to read, or for a view too wide to be learnt."""
        part, view = problem.part, problem.view
        inputs, always = problem.laid.encoding.smooth(view, WIDEST), problem.always()
        if inputs.values.shape[1] + always.shape[1] == 0 and part.is_number:
            always = np.ones((len(inputs.values), 1), dtype=np.float32)
        if inputs.values.shape[1] > WIDEST:
            return {}
        whitening = _whitening(inputs.values)

        def read(rows: Array | slice, seen: Array) -> Array:
            return np.concatenate([always[rows], seen, seen @ whitening], axis=1)

        x = read(slice(None), inputs.values)
        if x.shape[1] == 0:
            return {}
        head = LogisticMixture(part.target, part.width / 2) if part.is_number else Softmax(part.target)
        rng = np.random.default_rng([problem.laid.seed, len(view), *view])
        stack = Stack(x.shape[1], problem.n_folds, head, hidden=self.training.hidden, rng=rng)
        stack.train(x, [problem.train_rows(fold) for fold in range(problem.n_folds)], self.training, rng=rng)

        def predict(fold: int, rows: Array, seen: Array) -> Array:
            return stack.outputs(fold, read(rows, seen))

        outputs = held_out(problem, inputs, predict)
        return {self.name: [_forecast(head, part, one) for one in outputs]}


def _forecast(head: LogisticMixture | Softmax, part: Part, outputs: Array) -> Forecast:
    if isinstance(head, Softmax):
        chance = head.probabilities(outputs)
        return Forecast(chance, chance)
    return Forecast(head.probability(outputs, part.target)[:, None], head.expected(outputs)[:, None])


def _whitening(x: Array) -> Array:
    """Principal directions at unit variance `[p, r]`; none for a single column, which has it already."""
    if x.shape[1] < 2:
        return np.zeros((x.shape[1], 0), dtype=np.float32)
    gram = np.zeros((x.shape[1], x.shape[1]))
    for start in range(0, len(x), ROWS_AT_ONCE):
        some = x[start : start + ROWS_AT_ONCE].astype(np.float64)
        gram += some.T @ some
    variances, directions = np.linalg.eigh(gram / len(x))
    seen = variances > LEAST_VARIANCE * variances[-1]
    return (directions[:, seen] / np.sqrt(variances[seen])).astype(np.float32)
