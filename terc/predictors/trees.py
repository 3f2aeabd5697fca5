"""Boosted trees: steps, combs and unbalanced cases that smooth models cannot follow."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from terc.arrays import Array
from terc.networks.heads import softmax
from terc.predictors.base import Forecasts, Problem, held_out
from terc.predictors.encoding import bins_of
from terc.predictors.first_trees import FirstTrees
from terc.predictors.residual_density import with_density
from terc.predictors.target import MOST_LEVELS, Forecast, Part
from terc.threads import one_thread

LEAST_SHARE = 1e-6
"""Chance of a level that no training step showed."""
MOST_COLUMNS = 48
"""Of a wide view, trees read the columns that by themselves explain most in their training steps."""
MOST_FIRST = 700_000
"""Columns times steps times levels up to which trees in numpy take less time than loading scikit-learn."""
COARSE = 8
"""Bins that are taken as one where columns are compared."""


@dataclass(frozen=True)
class Trees:
    """Histogram trees, with a forecast after a few, some and many rounds.

    They are scikit-learn's. For a first impression of small data they are `FirstTrees`, which need no import
    and read labels in the order of their codes.

    Attributes:
        name: For tables.
        rounds: After how many rounds a forecast is made; the mixture takes what fits the data.
        learning_rate: Share of each tree. 33 rounds of 0.3 lose about as little as 50 of 0.2, in two thirds
            of the time.
        leaves: Most leaves of a tree.
        smallest_leaf: Fewest steps in a leaf.
    """

    by_fold: ClassVar[bool] = True
    name: str = "trees"
    rounds: tuple[int, ...] = (6, 14, 33)
    learning_rate: float = 0.3
    leaves: int = 16
    smallest_leaf: int = 20

    def only(self, models: Collection[str]) -> Self | None:
        """With the numbers of rounds that are among `models`."""
        rounds = tuple(count for count in self.rounds if f"{self.name} {count}" in models)
        return replace(self, rounds=rounds) if rounds else None

    def forecasts(self, problem: Problem) -> Forecasts:
        """One model per number of rounds; none for a view of nothing, or where a round is too many trees."""
        part, encoding = problem.part, problem.laid.encoding
        inputs, always = encoding.binned.only(problem.view), problem.always()
        size = 1 if part.is_number else part.target.shape[1]
        if inputs.values.shape[1] + always.shape[1] == 0 or size > MOST_LEVELS:
            return {}
        # For a first impression the last and longest stage is not needed.
        rounds = self.rounds[: -1 if problem.impression and len(self.rounds) > 1 else None]
        width = min(inputs.values.shape[1] + always.shape[1], MOST_COLUMNS)
        impression = problem.impression and width * len(part.rows) * size <= MOST_FIRST
        if impression:
            always = np.stack([bins_of(column) for column in always.T], 1) if always.size else always
        labels = encoding.nominal[list(problem.view)] & (inputs.values.max(0, initial=0) < 255)
        nominal = np.concatenate([labels, np.zeros(always.shape[1], dtype=bool)])
        x = np.concatenate([inputs.values, always], axis=1)
        how = (rounds[-1], problem.laid.seed)

        def predict(place: int, rows: Array, seen: Array) -> Array:
            return models[place].staged(np.concatenate([seen, always[rows]], axis=1), rounds, size)

        learnt = [problem.train_rows(fold) for fold in problem.folds]
        if impression:
            models = [self._impression(x, part, rows, rounds[-1]) for rows in learnt]
            out = held_out(problem, inputs, predict)
        else:
            with one_thread("sklearn.ensemble"):
                models = [self._fitted(x, part, rows, nominal, how) for rows in learnt]
                out = held_out(problem, inputs, predict)
        made: dict[str, list[Forecast]] = {}
        for stage, count in enumerate(rounds):
            staged = [one[:, stage] for one in out]
            made[f"{self.name} {count}"] = [
                with_density(problem, one[:, 0], staged[0][:, 0]) if part.is_number else Forecast(one, one)
                for one in staged
            ]
        return made

    def _impression(self, x: Array, part: Part, rows: Array, rounds: int) -> _Fitted:
        columns = _explaining(x[rows], part.columns[rows])
        target = part.columns if part.is_number else part.target
        model = FirstTrees.fitted(
            x[rows][:, columns], target[rows], rounds, self.learning_rate, self.smallest_leaf
        )
        return _Fitted(model, columns)

    def _fitted(self, x: Array, part: Part, rows: Array, nominal: Array, how: tuple[int, int]) -> _Fitted:
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        rounds, seed = how
        columns = _explaining(x[rows], part.columns[rows])
        x, nominal = x[:, columns], nominal[columns]
        settings: dict[str, Any] = {
            "max_iter": rounds,
            "learning_rate": self.learning_rate,
            "max_leaf_nodes": self.leaves,
            "min_samples_leaf": self.smallest_leaf,
            "l2_regularization": 1.0,
            "early_stopping": False,
            "categorical_features": nominal if nominal.any() else None,
            "random_state": seed % 2**32,
        }
        if part.is_number:
            return _Fitted(HistGradientBoostingRegressor(**settings).fit(x[rows], part.target[rows]), columns)
        # Where probabilities are known, one draw from each: trees take no shares.
        draws = np.random.default_rng(seed).random((len(rows), 1))
        levels = (part.target[rows].cumsum(1) < draws).sum(1).clip(max=part.target.shape[1] - 1)
        if levels.min() == levels.max():
            return _Fitted(int(levels[0]), columns)
        return _Fitted(HistGradientBoostingClassifier(**settings).fit(x[rows], levels), columns)


@dataclass(frozen=True)
class _Fitted:
    """The trees of one fold, or the one level that its training steps showed, and the columns they read."""

    model: Any
    columns: Array

    def staged(self, x: Array, rounds: Sequence[int], size: int) -> Array:
        """Predictions `[b, stage, size]`."""
        out = np.full((len(x), len(rounds), size), LEAST_SHARE)
        if isinstance(self.model, int):
            out[..., self.model] = 1.0
            return out
        if isinstance(self.model, FirstTrees):
            return self.model.staged(x[:, self.columns], rounds, size)
        staged = getattr(self.model, "staged_decision_function", None)
        seen = getattr(self.model, "classes_", np.arange(size))
        for done, score in enumerate((staged or self.model.staged_predict)(x[:, self.columns]), 1):
            if done in rounds:
                out[:, rounds.index(done), seen] = _shares(score) if staged else score[:, None]
        return out


def _shares(scores: Array) -> Array:
    """Chances of the levels from their scores `[b, K]`, or from the score `[b]` of the second of two."""
    return softmax(scores if scores.ndim == 2 else np.stack([np.zeros_like(scores), scores], axis=1))


def _explaining(x: Array, action: Array) -> Array:
    """Columns to read: all if they are few, else those whose bins explain most of the action's variance."""
    if x.shape[1] <= MOST_COLUMNS:
        return np.arange(x.shape[1])
    scores = np.empty(x.shape[1])
    centred = action - action.mean(0)
    for j, column in enumerate(x.T):
        bins = (column - column.min()).astype(np.int64) // COARSE
        sums = [np.bincount(bins, of_level) for of_level in centred.T]
        scores[j] = (np.square(sums) / np.maximum(np.bincount(bins), 1)).sum()
    return np.sort(np.argsort(-scores, kind="stable")[:MOST_COLUMNS])
