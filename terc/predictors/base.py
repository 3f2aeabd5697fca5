"""`Predictor`: how probable each held-out action is, given some variables; `Problem`: what it is asked."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from terc.arrays import Array
from terc.predictors.encoding import Encoding, Inputs
from terc.predictors.target import FEWEST_STEPS, Forecast, Part

Subset = tuple[int, ...]

LEAST_CHANCE = 1e-9
"""No action is impossible: a held-out loss stays finite."""


WIDEST = 1000
"""Columns beyond which models that read all of them are not asked: screening and trees look there."""


class Spread(Protocol):
    """Applies a function to every task, in whatever processes."""

    def __call__(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
        """The results in the order of the tasks."""

    def begin(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Callable[[], list[Any]]:
        """The same once what is returned is called; other processes may begin now."""


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
        taught: bool `[n]`, steps that models may learn from; all, for what is there in too few of them.
        n_folds: Number of folds.
    """

    encoding: Encoding
    context: Array
    folds: Array
    partner: Array
    seed: int
    taught: Array
    n_folds: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_folds", int(self.folds.max()) + 1)


@dataclass(frozen=True, eq=False)
class Problem:
    """One part of the action, to be predicted from some variables.

    Attributes:
        laid: The data.
        part: What is predicted.
        view: Columns that are read.
        shuffled: For each of these sets one more forecast, in which its columns are shuffled.
        only: The folds that are wanted; None for all.
        impression: Whether a first impression is enough.
        folds: The folds that are wanted.
    """

    laid: Laid
    part: Part
    view: Subset
    shuffled: Sequence[Subset] = ()
    only: tuple[int, ...] | None = None
    impression: bool = False
    folds: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        folds = tuple(range(self.laid.n_folds)) if self.only is None else self.only
        object.__setattr__(self, "folds", folds)

    def train_rows(self, fold: int) -> Array:
        """Steps that the model of a fold learns from: those taught, or all where these are too few."""
        outside = self.part.rows[self.laid.folds[self.part.rows] != fold]
        taught = outside[self.laid.taught[outside]]
        return taught if len(taught) >= FEWEST_STEPS else outside

    def test_rows(self, fold: int) -> Array:
        """Steps that it is evaluated on."""
        return self.part.rows[self.laid.folds[self.part.rows] == fold]

    def always(self) -> Array:
        """What every view reads `[n, m]`: the context, and the parts of the action before this one."""
        return np.concatenate([self.laid.context, self.part.given], axis=1)


class OneModel:
    """For predictors whose one model has their own name."""

    name: str
    by_fold: ClassVar[bool] = False

    def only(self, models: Collection[str]) -> Self | None:
        """Itself, or nothing."""
        return self if self.name in models else None


class Predictor(Protocol):
    """A way to predict one part of the action from some variables."""

    by_fold: ClassVar[bool]
    """Whether it may be asked about levels fold by fold, with the same forecasts and in no more time."""

    @property
    def name(self) -> str:
        """For tables."""

    def only(self, models: Collection[str]) -> Self | None:
        """The predictor without models that are not among these; None if none is left."""

    def forecasts(self, problem: Problem) -> Forecasts:
        """Held-out forecasts of one or several models; none where it has nothing to say about such a view."""


def held_out(problem: Problem, inputs: Inputs, predict: Callable[[int, Array, Array], Array]) -> list[Array]:
    """Predictions for the view, then with each set shuffled; each step by the model of its fold.

    Args:
        problem: What is predicted.
        inputs: The columns of the view.
        predict: From the place of a fold among those wanted, its rows and their inputs `[b, p]` to
            predictions `[b, ...]`.
    """
    laid, out = problem.laid, list[Array]()
    for swap in ((), *problem.shuffled):
        moved = np.isin(inputs.owner, swap)
        result: Array | None = None
        for place, fold in enumerate(problem.folds):
            rows = problem.test_rows(fold)
            if len(rows) == 0:
                continue
            seen = inputs.values[rows]
            if swap:
                seen[:, moved] = inputs.values[laid.partner[rows]][:, moved]
            predicted = predict(place, rows, seen)
            if result is None:
                result = np.zeros((len(laid.folds), *predicted.shape[1:]), dtype=predicted.dtype)
            result[rows] = predicted
        out.append(np.zeros(0) if result is None else result)
    return out
