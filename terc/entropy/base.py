"""`Estimator`: H(A | subset) for many subsets in one call, and the test by which it decides in `select`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from terc.entropy.evidence import MIN_EFFECT, RemovalTest, Terms
from terc.errors import BadValueError

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

Array = npt.NDArray[Any]
Subset = tuple[int, ...]


class Estimator(ABC):
    """A frozen set of hyper-parameters that turns (data, subsets) into losses; it keeps no state.

    A loss is what one step costs, in nats, when its action is coded with the subset at hand: the mean over
    steps estimates the conditional entropy H(A | subset) up to a constant that is the same for every subset
    of one call.
    """

    default_min_effect: ClassVar[float] = MIN_EFFECT
    """Share of I(A; X) below which a loss is immaterial, if the caller does not say."""

    def losses(self, data: Trajectories, subsets: Sequence[Subset], *, rng: np.random.Generator) -> Array:
        """Losses `[subset, repeat, step]` in nats; all subsets at once, because that is where the speed is.

        Args:
            data: n steps of d variables.
            subsets: Column numbers of the variables that may be used, one tuple per question.
            rng: Advanced by this call.
        """
        wanted = [tuple(sorted(set(subset))) for subset in subsets]
        for subset in wanted:
            if subset and not (subset[0] >= 0 and subset[-1] < len(data.names)):
                raise BadValueError(
                    f"losses: subsets must hold column numbers 0..{len(data.names) - 1}, got {subset}."
                )
        return self._losses(data, wanted, rng=rng)

    @abstractmethod
    def _losses(self, data: Trajectories, subsets: list[Subset], *, rng: np.random.Generator) -> Array:
        """The estimator's own part; subsets are sorted and checked."""

    def conditional_entropies(
        self, data: Trajectories, subsets: Sequence[Subset], *, rng: np.random.Generator
    ) -> Array:
        """Mean loss of each subset, `[subset]`."""
        return self.losses(data, subsets, rng=rng).mean(axis=(1, 2), dtype=np.float64)

    def check(self, terms: Terms) -> None:
        """Refuse terms on which the estimator cannot decide; any will do by default."""
        del terms

    def removal_test(self, data: Trajectories, terms: Terms, *, rng: np.random.Generator) -> RemovalTest:
        """What answers the questions of a selection; by default differences of `losses`, tested by episode.

        Args:
            data: The steps.
            terms: Error rate, floor and size of the selection.
            rng: Advanced by this call.
        """
        from terc.entropy.loss_test import LossTest

        return LossTest.of(self, data, terms, rng=rng)
