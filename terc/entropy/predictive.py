"""Held-out loss of the best mixture of predictors: the default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from terc.arrays import Array
from terc.entropy.base import Estimator, RemovalTest, Subset
from terc.entropy.evidence import Terms
from terc.predictors.base import Predictor
from terc.predictors.splits import split
from terc.predictors.views import PREDICTORS, Views

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

TOLERANCE = 1e-3
"""Share of H(A) that leaving out a predictor may cost where many subsets are asked about."""


@dataclass(frozen=True)
class PredictiveEstimator(Estimator):
    """H(A | subset) as the loss on held-out episodes of a mixture of counts, lines, networks and trees.

    An upper bound of the true conditional entropy, so a difference of two can fall on either side of zero.
    Where the policy's own probabilities are in the data they are the target, and the sampling noise of the
    actions is gone.

    Attributes:
        predictors: What is mixed, from the cheapest to the most expensive.

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

    any_order: ClassVar[bool] = True
    loading: ClassVar[tuple[str, ...]] = ("terc.predictors.views", "sklearn.ensemble")

    predictors: tuple[Predictor, ...] = PREDICTORS

    def removal_test(self, data: Trajectories, terms: Terms, *, rng: np.random.Generator) -> RemovalTest:
        """The mixture with residual covariance beside it."""
        from terc.entropy.mixture_test import MixtureTest

        return MixtureTest.of(data, terms, rng=rng, predictors=self.predictors)

    def _losses(self, data: Trajectories, subsets: list[Subset], *, rng: np.random.Generator) -> Array:
        views = Views.of(
            data, split(data.episodes, rng=rng), seed=int(rng.integers(2**62)), predictors=self.predictors
        )
        together = {column for subset in subsets for column in subset}
        views.choose(together, tolerance=TOLERANCE * views[()].mean)
        return np.array([views[subset].losses for subset in subsets])[:, None]
