"""`Predictor`: how probable each held-out action is, given some variables; `Laid`: the data it reads."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self

import numpy as np

from terc.arrays import Array
from terc.predictors.encoding import Encoding, Inputs
from terc.predictors.target import Forecast, Part

Subset = tuple[int, ...]

LEAST_CHANCE = 1e-9
"""No action is impossible: a held-out loss stays finite."""


WIDEST = 1000
"""Columns beyond which models that read all of them are not asked: screening and trees look there."""


Forecasts = Mapping[str, list[Forecast]]
"""For each model of a predictor its forecast for the view, then one for each set that was shuffled."""


@dataclass(frozen=True, eq=False)
class Laid:
    """The data laid out for predictors.

    Attributes:
        encoding: The states.
        context: float32 `[n, m]`, what every view may read: functions of time, where actions drift.
        folds: int64 `[n]`, the fold in which each step is held out.
        partner: int64 `[n]`, another step of the same fold, for variables that are to be shuffled.
        seed: Of everything random.
        n_folds: Number of folds.
    """

    encoding: Encoding
    context: Array
    folds: Array
    partner: Array
    seed: int
    n_folds: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_folds", int(self.folds.max()) + 1)

    def train_rows(self, part: Part, fold: int) -> Array:
        """Steps that the model of a fold learns from."""
        return part.rows[self.folds[part.rows] != fold]

    def test_rows(self, part: Part, fold: int) -> Array:
        """Steps that it is evaluated on."""
        return part.rows[self.folds[part.rows] == fold]

    def always(self, part: Part) -> Array:
        """What every view reads `[n, m]`: the context, and the parts of the action before this one."""
        return np.concatenate([self.context, part.given], axis=1)


class OneModel:
    """For predictors whose one model has their own name."""

    name: str

    def only(self, models: Collection[str]) -> Self | None:
        """Itself, or nothing."""
        return self if self.name in models else None


class Predictor(Protocol):
    """A way to predict one part of the action from some variables."""

    @property
    def name(self) -> str:
        """For tables."""

    def only(self, models: Collection[str]) -> Self | None:
        """The predictor without models that are not among these; None if none is left."""

    def forecasts(
        self,
        laid: Laid,
        part: Part,
        view: Subset,
        *,
        shuffled: Sequence[Subset] = (),
        folds: int | None = None,
    ) -> Forecasts:
        """Held-out forecasts of one or several models; none where it has nothing to say about such a view.

        Args:
            laid: The data.
            part: What is predicted.
            view: Columns that are read.
            shuffled: For each of these sets one more forecast, in which its columns are shuffled.
            folds: Only so many folds, for a first impression; None for all.
        """


def held_out(
    laid: Laid,
    part: Part,
    inputs: Inputs,
    predict: Callable[[int, Array, Array], Array],
    *,
    shuffled: Sequence[Subset] = (),
    folds: int | None = None,
) -> list[Array]:
    """Predictions for the view, then with each of `shuffled` shuffled; each step by the model of its fold.

    Args:
        laid: The data.
        part: What is predicted.
        inputs: The columns of the view.
        predict: From a fold, its rows and their inputs `[b, p]` to predictions `[b, ...]`.
        shuffled: Sets of variables.
        folds: Only so many folds.
    """
    out: list[Array] = []
    for swap in ((), *shuffled):
        moved = np.isin(inputs.owner, swap)
        result: Array | None = None
        for fold in range(laid.n_folds if folds is None else folds):
            rows = laid.test_rows(part, fold)
            if len(rows) == 0:
                continue
            seen = inputs.values[rows]
            if swap:
                seen[:, moved] = inputs.values[laid.partner[rows]][:, moved]
            predicted = predict(fold, rows, seen)
            if result is None:
                result = np.zeros((len(laid.folds), *predicted.shape[1:]), dtype=predicted.dtype)
            result[rows] = predicted
        out.append(np.zeros(0) if result is None else result)
    return out
