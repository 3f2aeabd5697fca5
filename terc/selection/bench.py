"""`Bench`: one data set laid out for testing: every question meets the same folds and predictions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.base import Spread, View
from terc.entropy.plugin import PluginEstimator
from terc.entropy.predictive import PredictiveEstimator
from terc.entropy.residuals import ResidualInstrument
from terc.entropy.splits import Splits, split
from terc.selection.evidence import Level
from terc.selection.loss_test import Judgements, LossTest
from terc.selection.request import Request
from terc.selection.residual_test import CombinedTest
from terc.selection.settings import Settings

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories


@dataclass(frozen=True, eq=False)
class Bench:
    """Data, split, predictions and the caller's wishes.

    Attributes:
        data: The steps.
        request: Units to decide on.
        splits: Folds and clusters.
        judgements: Held-out predictions, remembered.
        residuals: The residual instrument on the same split.
        instrument: What predicts: "networks" or "counts".
        alpha: Family-wise error rate.
        min_effect: Share of I(A; X) below which a loss is immaterial.
        discoveries: Whether alpha is a false-discovery rate instead of a family-wise one.
    """

    data: Trajectories
    request: Request
    splits: Splits
    judgements: Judgements
    residuals: ResidualInstrument
    instrument: str
    alpha: float
    min_effect: float
    discoveries: bool = False

    @property
    def columns(self) -> tuple[int, ...]:
        """All columns that are not constant."""
        return tuple(sorted(column for unit in self.request.units for column in unit))

    @cached_property
    def action_entropy(self) -> float:
        """H(A), nats: the loss of the best prediction without any variable."""
        return self.judgements.mean(View(()))

    def information(self, *subsets: tuple[int, ...]) -> float:
        """I(A; X) as the best of the subsets holds it: noise columns cost a network more than they give."""
        best = min(self.judgements.mean(View(tuple(sorted(subset)))) for subset in subsets)
        return max(0.0, self.action_entropy - best)

    def level(self, *subsets: tuple[int, ...]) -> Level:
        """What counts as sure and material, the floor being a share of the information in the subsets."""
        return Level(self.alpha, len(self.request.units), self.min_effect * self.information(*subsets))

    def loss_test(self, level: Level, *, strict: bool = False) -> LossTest:
        """The test by prediction alone."""
        return LossTest(self.judgements, self.splits, level, self.instrument, strict)

    def combined_test(self, level: Level) -> CombinedTest:
        """The test by prediction and by residual covariance."""
        return CombinedTest(self.loss_test(level), self.residuals)


def lay_out(
    data: Trajectories,
    request: Request,
    estimator: PluginEstimator | PredictiveEstimator,
    wanted: Settings,
    *,
    rng: np.random.Generator,
    spread: Spread | None = None,
) -> Bench:
    """A bench for `data`, with the folds drawn from `rng`."""
    splits = split(data.episodes, rng=rng)
    predictor = estimator.predictor(data, splits, rng=rng, spread=spread)
    return Bench(
        data,
        request,
        splits,
        Judgements(predictor),
        residuals=ResidualInstrument.of(data, splits, rng=rng),
        instrument="counts" if isinstance(estimator, PluginEstimator) else "networks",
        alpha=wanted.alpha,
        min_effect=wanted.min_effect,
        discoveries=wanted.error_rate == "discovery",
    )
