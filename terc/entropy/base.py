"""`Estimator`: H(A | subset) for many subsets in one call; `Predictor`: the same, bound to a split."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from terc.errors import BadValueError

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

Array = npt.NDArray[Any]
Subset = tuple[int, ...]
Spread = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]
"""Applies a function to every task, in whatever processes, and returns the results in task order."""


@dataclass(frozen=True)
class View:
    """What one prediction of the action may read.

    Attributes:
        seen: Variables read as they are.
        shuffled: Variables that are there with their rows shuffled, so that two predictions have the same
            number of inputs and differ in what the inputs know. Dropping many columns at once would hide the
            loss of a weak one behind the gain of not having to ignore the rest.

    Example:
        >>> View.without((0, 1, 2), (1,))
        View(seen=(0, 2), shuffled=(1,))
    """

    seen: Subset
    shuffled: Subset = ()

    @classmethod
    def without(cls, variables: Sequence[int], removed: Sequence[int]) -> View:
        """Of `variables`, those in `removed` shuffled."""
        gone = frozenset(removed)
        return cls(tuple(sorted(set(variables) - gone)), tuple(sorted(gone)))


@dataclass(frozen=True)
class HeldOut:
    """What predictions said about steps they had not been fitted on.

    Attributes:
        losses: float32 `[view, n]`, nats.
        residuals: float32 `[view, n, q]`, observed minus expected action.
    """

    losses: Array
    residuals: Array

    def of(self, view: int) -> tuple[Array, Array]:
        """Losses `[n]` and residuals `[n, q]` of one view."""
        return self.losses[view], self.residuals[view]


class Predictor(Protocol):
    """Predictions of the action bound to data and folds."""

    def judge(self, views: Sequence[View]) -> HeldOut:
        """Losses and residuals of each view on held-out steps."""


class Estimator(ABC):
    """A frozen set of hyper-parameters that turns (data, subsets) into losses; it keeps no state.

    A loss is what one step costs, in nats, when its action is coded with the subset at hand: the mean over
    steps estimates the conditional entropy H(A | subset) up to a constant that is the same for every subset
    of one call.
    """

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
