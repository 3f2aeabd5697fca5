"""Numbers of few values read as a choice among them: the actions of a game have numbers, but no order."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from terc.predictors.base import Forecasts, Predictor, Problem
from terc.predictors.target import MOST_VALUES, Forecast, Part

OF_LEVELS = " of levels"


@dataclass(frozen=True)
class AsLevels:
    """What another predictor says of a number if each of its values is a level.

    Attributes:
        predictor: The other.
    """

    by_fold: ClassVar[bool] = False
    predictor: Predictor

    @property
    def name(self) -> str:
        """For tables."""
        return self.predictor.name + OF_LEVELS

    def only(self, models: Collection[str]) -> Self | None:
        """With the models of the other that are among these."""
        own = [model.removesuffix(OF_LEVELS) for model in models if model.endswith(OF_LEVELS)]
        left = self.predictor.only(own)
        return None if left is None else replace(self, predictor=left)

    def forecasts(self, problem: Problem) -> Forecasts:
        """The other's models; none for what is a choice anyway, or has too many values."""
        number = problem.part
        if not number.is_number:
            return {}
        values, codes = np.unique(number.target[number.rows], return_inverse=True)
        if len(values) > MOST_VALUES:
            return {}
        shares = np.zeros((len(number.target), len(values)), dtype=np.float32)
        shares[number.rows, codes.reshape(-1)] = 1
        choice = Part(shares, 0.0, number.rows, number.given)
        found = self.predictor.forecasts(replace(problem, part=choice))
        return {
            model + OF_LEVELS: [
                Forecast((one.chance * shares).sum(1, keepdims=True), one.chance @ values[:, None])
                for one in forecasts
            ]
            for model, forecasts in found.items()
        }
