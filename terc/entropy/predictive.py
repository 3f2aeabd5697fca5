"""Held-out cross-entropy of small networks that predict the action from a subset of the variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.base import Array, Estimator, HeldOut, Spread, Subset, View
from terc.entropy.inputs import Inputs, network_inputs
from terc.entropy.likelihoods import Likelihood, likelihood_of
from terc.entropy.splits import Splits, split
from terc.entropy.stacked import Training, Views, held_out

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

NETWORKS_AT_ONCE = 8


@dataclass(frozen=True)
class PredictiveEstimator(Estimator):
    """H(A | subset) as the loss of q(a | subset) on episodes it was not trained on.

    An upper bound of the true conditional entropy, so a difference of two can fall on either side of zero.
    Where the policy's own probabilities are in the data they are the target, and the sampling noise of the
    actions is gone.

    Attributes:
        training: Settings of the networks.

    Example:
        The action is the XOR of two fair bits: both together tell all, one alone nothing.
        >>> from terc.trajectories.data import Trajectories
        >>> rng = np.random.default_rng(0)
        >>> x = rng.integers(0, 2, (2000, 2))
        >>> data = Trajectories(x, x[:, 0] ^ x[:, 1], episodes=np.arange(2000))
        >>> h = PredictiveEstimator().conditional_entropies(data, [(0, 1), (0,)], rng=rng)
        >>> bool(h[0] < 0.02), round(float(h[1]), 1)
        (True, 0.7)
    """

    training: Training = field(default_factory=Training)

    def predictor(
        self, data: Trajectories, splits: Splits, *, rng: np.random.Generator, spread: Spread | None = None
    ) -> NetworkPredictor:
        """Networks bound to the data and to one split of it."""
        return NetworkPredictor(
            network_inputs(data), likelihood_of(data), splits, self.training, int(rng.integers(2**62)), spread
        )

    def _losses(self, data: Trajectories, subsets: list[Subset], *, rng: np.random.Generator) -> Array:
        predictor = self.predictor(data, split(data.episodes, rng=rng), rng=rng)
        return predictor.judge([View(subset) for subset in subsets]).losses[:, None]


@dataclass(frozen=True, eq=False)
class NetworkPredictor:
    """Networks over one encoding and one split of the data, trained a few views at a time.

    Every call starts from the same seed, so that an answer depends on the question and not on what was asked
    before.
    """

    inputs: Inputs
    likelihood: Likelihood
    splits: Splits
    training: Training
    seed: int
    spread: Spread | None = None

    def judge(self, views: Sequence[View]) -> HeldOut:
        """Train and judge one network per view and fold; a view of nothing needs no network."""
        reading = [view for view in views if view.seen or view.shuffled]
        parts = [reading[i : i + NETWORKS_AT_ONCE] for i in range(0, len(reading), NETWORKS_AT_ONCE)]
        train = partial(_train, self.inputs, self.likelihood, self.splits, self.training, self.seed)
        judged = [train(part) for part in parts] if self.spread is None else self.spread(train, parts)
        answers = {
            view: part.of(i)
            for views, part in zip(parts, judged, strict=True)
            for i, view in enumerate(views)
        }
        answers[View(())] = self.likelihood.unconditional(self.splits.folds)
        losses, residuals = zip(*(answers[view] for view in views), strict=True)
        return HeldOut(np.array(losses, dtype=np.float32), np.array(residuals, dtype=np.float32))


def _train(
    inputs: Inputs,
    likelihood: Likelihood,
    splits: Splits,
    training: Training,
    seed: int,
    part: list[View],
) -> HeldOut:
    seen = np.stack([np.isin(inputs.owner, view.seen) for view in part])
    shuffled = np.stack([np.isin(inputs.owner, view.shuffled) for view in part])
    rng = np.random.default_rng(seed)
    return held_out(inputs.values, Views(seen, shuffled), likelihood, splits, training=training, rng=rng)
