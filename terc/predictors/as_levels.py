"""Numbers of few values read as a choice among them: the actions of a game have numbers, but no order."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from terc.predictors.base import Forecasts, Predictor, Problem
from terc.predictors.target import MOST_CHOICES, Forecast, Part


@dataclass(frozen=True)
class AsLevels:
    """What another predictor says of a number if each of its values is a level.

    Attributes:
        predictor: The other.
    """

    predictor: Predictor

    @property
    def name(self) -> str:
        """For tables."""
        return f"{self.predictor.name} of levels"

    def only(self, models: Collection[str]) -> Self | None:
        """Itself, or nothing."""
        return self if self.name in models else None

    def forecasts(self, problem: Problem) -> Forecasts:
        """One model; none for what is a choice anyway, or has too many values."""
        number = problem.part
        if not number.is_number:
            return {}
        values, codes = np.unique(number.target[number.rows], return_inverse=True)
        if len(values) > MOST_CHOICES:
            return {}
        shares = np.zeros((len(number.target), len(values)), dtype=np.float32)
        shares[number.rows, codes.reshape(-1)] = 1
        choice = Part(shares, 0.0, number.rows, number.given)
        found = self.predictor.forecasts(replace(problem, part=choice))
        return {
            self.name: [
                Forecast((one.chance * shares).sum(1, keepdims=True), one.chance @ values[:, None])
                for one in forecasts
            ]
            for forecasts in found.values()
        }
