"""Boosted trees: steps, combs and unbalanced cases that smooth models cannot follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from terc.predictors.base import Array, Forecast, Forecasts, Laid, Subset, held_out
from terc.predictors.residual_density import with_density
from terc.predictors.target import MOST_LEVELS, Part

LEAST_SHARE = 1e-6
"""Chance of a level that no training step showed."""


@dataclass(frozen=True)
class Trees:
    """scikit-learn's histogram trees, with a forecast after a few, some and many rounds.

    Attributes:
        name: For tables.
        rounds: After how many rounds a forecast is made; the mixture takes what fits the data.
        learning_rate: Share of each tree.
        leaves: Most leaves of a tree.
        smallest_leaf: Fewest steps in a leaf.
    """

    name: str = "trees"
    rounds: tuple[int, ...] = (8, 20, 50)
    learning_rate: float = 0.2
    leaves: int = 16
    smallest_leaf: int = 20

    def forecasts(
        self,
        laid: Laid,
        part: Part,
        view: Subset,
        *,
        shuffled: Sequence[Subset] = (),
        folds: int | None = None,
    ) -> Forecasts:
        """One model per number of rounds; none for a view of nothing, or where a round is too many trees."""
        inputs, always = laid.encoding.binned.only(view), laid.always(part)
        size = 1 if part.is_number else part.target.shape[1]
        if inputs.values.shape[1] + always.shape[1] == 0 or size > MOST_LEVELS:
            return {}
        labels = laid.encoding.nominal[list(view)] & (inputs.values.max(0, initial=0) < 255)
        nominal = np.concatenate([labels, np.zeros(always.shape[1], dtype=bool)])
        x = np.concatenate([inputs.values, always], axis=1)
        models = [
            self._fitted(x, part, laid.train_rows(part, fold), nominal, laid.seed)
            for fold in range(laid.n_folds if folds is None else folds)
        ]

        def predict(fold: int, rows: Array, seen: Array) -> Array:
            return self._staged(models[fold], np.concatenate([seen, always[rows]], axis=1), size)

        out = held_out(laid, part, inputs, predict, shuffled=shuffled, folds=folds)
        made: dict[str, list[Forecast]] = {}
        for stage, rounds in enumerate(self.rounds):
            staged = [one[:, stage] for one in out]
            made[f"{self.name} {rounds}"] = [
                with_density(laid, part, one[:, 0], staged[0][:, 0], folds=folds)
                if part.is_number
                else Forecast(one, one)
                for one in staged
            ]
        return made

    def _fitted(self, x: Array, part: Part, rows: Array, nominal: Array, seed: int) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        settings: dict[str, Any] = {
            "max_iter": self.rounds[-1],
            "learning_rate": self.learning_rate,
            "max_leaf_nodes": self.leaves,
            "min_samples_leaf": self.smallest_leaf,
            "l2_regularization": 1.0,
            "early_stopping": False,
            "categorical_features": nominal if nominal.any() else None,
            "random_state": seed % 2**32,
        }
        if part.is_number:
            return HistGradientBoostingRegressor(**settings).fit(x[rows], part.target[rows])
        # Where probabilities are known, one draw from each: trees take no shares.
        draws = np.random.default_rng(seed).random((len(rows), 1))
        levels = (part.target[rows].cumsum(1) < draws).sum(1).clip(max=part.target.shape[1] - 1)
        if levels.min() == levels.max():
            return int(levels[0])
        return HistGradientBoostingClassifier(**settings).fit(x[rows], levels)

    def _staged(self, model: Any, x: Array, size: int) -> Array:
        """Predictions `[b, stage, size]`."""
        out = np.full((len(x), len(self.rounds), size), LEAST_SHARE)
        if isinstance(model, int):
            out[..., model] = 1.0
            return out
        staged = getattr(model, "staged_predict_proba", None) or model.staged_predict
        seen = getattr(model, "classes_", np.arange(size))
        for done, prediction in enumerate(staged(x), 1):
            if done in self.rounds:
                out[:, self.rounds.index(done), seen] = prediction.reshape(len(x), -1)
        return out
