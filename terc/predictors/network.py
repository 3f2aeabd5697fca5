"""A small network on standardised inputs and on the same inputs whitened; and one that is trained longer."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from terc.arrays import Array
from terc.networks.heads import LogisticMixture, Softmax
from terc.networks.stack import Stack, Training
from terc.predictors.base import WIDEST, Forecasts, Problem, held_out
from terc.predictors.encoding import Inputs, between_atoms, drawn_in
from terc.predictors.tables import tables
from terc.predictors.target import Forecast, Part

LEAST_VARIANCE = 1e-12
"""Share of the largest variance below which a direction is rounding of single precision, not signal."""
ROWS_AT_ONCE = 4096
"""Rows whose products are summed in double precision at a time."""


@dataclass(frozen=True)
class Network:
    """One hidden layer.

    It also reads the principal directions of its inputs at unit variance: a difference of two nearly equal
    columns (a velocity in two positions) has too little variance to be found otherwise.

    Attributes:
        name: For tables.
        training: The settings.
        tables: Whether it reads what tables say (`predictors.tables`), too.
        sharpness: Factors on the log-odds of levels, a forecast with each: what is trained for a short time
            draws the boundaries of a rule in the right places, but softly.
    """

    by_fold: ClassVar[bool] = False
    name: str = "network"
    training: Training = field(default_factory=Training)
    sharpness: tuple[int, ...] = (1, 3)
    tables: bool = False

    def only(self, models: Collection[str]) -> Self | None:
        """With the factors that are among `models`."""
        left = tuple(factor for factor in self.sharpness if self._model(factor) in models)
        return replace(self, sharpness=left) if left else None

    def _model(self, factor: int) -> str:
        return self.name if factor == 1 else f"{self.name} x{factor}"

    def forecasts(self, problem: Problem) -> Forecasts:
        """A model for each factor, for numbers one; none for a view with nothing to read, or too wide."""
        part, view = problem.part, problem.view
        inputs, always = self._inputs(problem), problem.always()
        if inputs is None:
            return {}
        if inputs.values.shape[1] + always.shape[1] == 0:
            # The density of a number is learnt by one training, whatever others there are.
            if not part.is_number or self.name != Network.name:
                return {}
            always = np.ones((len(inputs.values), 1), dtype=np.float32)
        middle, whitening = _whitening(inputs.values, between_atoms(problem.laid.encoding, view))

        def read(rows: Array | slice, seen: Array) -> Array:
            return np.concatenate([always[rows], seen, drawn_in((seen - middle) @ whitening)], axis=1)

        x = read(slice(None), inputs.values)
        head = LogisticMixture(part.target, part.width / 2) if part.is_number else Softmax(part.target)
        rng = np.random.default_rng([problem.laid.seed, len(view), *view])
        stack = Stack(x.shape[1], len(problem.folds), head, hidden=self.training.hidden, rng=rng)
        stack.train(x, [problem.train_rows(fold) for fold in problem.folds], self.training, rng=rng)

        def predict(place: int, rows: Array, seen: Array) -> Array:
            return stack.outputs(place, read(rows, seen))

        outputs = held_out(problem, inputs, predict)
        if isinstance(head, LogisticMixture):
            return {self.name: [_number(head, part, one) for one in outputs]}
        made: dict[str, list[Forecast]] = {}
        for factor in self.sharpness:
            chances = [head.probabilities(one, factor) for one in outputs]
            made[self._model(factor)] = [Forecast(chance, chance) for chance in chances]
        return made

    def _inputs(self, problem: Problem) -> Inputs | None:
        """The columns of the view, and what tables say of them; None where they are too wide.

        Also where tables have nothing to say and none is missed yet. Once they are, a view without them is
        read as it is: else all that the network says would be the merit of the column with the table.
        """
        inputs = problem.laid.encoding.smooth(problem.view, WIDEST)
        said = tables(problem) if self.tables else None
        silent = said is not None and len(said.owner) == 0
        if inputs.values.shape[1] > WIDEST or (silent and problem.impression):
            return None
        return inputs if said is None else inputs.beside(said)


LONGER = Network("longer network", Training(batch=200, most_updates=4000))
"""More than twice the updates, in smaller batches: sharp choices are fitted better, noisy ones overfit."""
TABLED = Network("network on tables", tables=True)
"""An id or a time in the episode acts together with numbers."""


def _number(head: LogisticMixture, part: Part, outputs: Array) -> Forecast:
    return Forecast(head.probability(outputs, part.target)[:, None], head.expected(outputs)[:, None])


def _whitening(x: Array, rows: Array) -> tuple[Array, Array]:
    """Mean `[p]`, and directions `[p, r]` at unit variance in some rows; a single column has it already."""
    if x.shape[1] < 2:
        return x[:1] * 0, np.zeros((x.shape[1], 0), dtype=np.float32)
    gram, middle = np.zeros((x.shape[1], x.shape[1])), x[rows].mean(0, dtype=np.float64)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = x[rows[start : start + ROWS_AT_ONCE]].astype(np.float64) - middle
        gram += some.T @ some
    variances, directions = np.linalg.eigh(gram / len(rows))
    seen = variances > LEAST_VARIANCE * variances[-1]
    return middle.astype(np.float32), (directions[:, seen] / np.sqrt(variances[seen])).astype(np.float32)
