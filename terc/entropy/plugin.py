"""Counting: the action's frequencies in every cell of the subset, near exact where cells are few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from terc.arrays import Array
from terc.entropy.base import Estimator, RemovalTest, Subset
from terc.entropy.counting import FEW_LEVELS, column_codes, compact, join
from terc.entropy.evidence import Terms
from terc.errors import BadValueError
from terc.predictors.splits import split

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories


@dataclass(frozen=True)
class PluginEstimator(Estimator):
    """H(A | subset) from the frequencies of the action in each cell of the subset.

    With `held_out` the frequencies of a step's cell come from the other folds and are drawn towards the
    action's overall frequencies by `smoothing` imaginary steps: an honest loss, which can be tested. Without
    it the losses are the classical plug-in, whose mean is exactly the entropy of the counts and biased low.

    Attributes:
        smoothing: Weight of the overall frequencies in each cell, in steps.
        held_out: Whether a step is coded by frequencies it had no part in.

    Example:
        >>> from terc.trajectories.data import Trajectories
        >>> x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 500)
        >>> data = Trajectories(x, x[:, 0] ^ x[:, 1], episodes=np.arange(2000))
        >>> exact, rng = PluginEstimator(held_out=False), np.random.default_rng(0)
        >>> exact.conditional_entropies(data, [(), (0,), (0, 1)], rng=rng).round(3).tolist()
        [0.693, 0.693, 0.0]
    """

    smoothing: float = 1.0
    held_out: bool = True

    def removal_test(self, data: Trajectories, terms: Terms, *, rng: np.random.Generator) -> RemovalTest:
        """The cells' own test; soft probabilities cannot be counted and are tested by held-out losses."""
        if data.probabilities is not None:
            return super().removal_test(data, terms, rng=rng)
        from terc.entropy.counted_test import CountedTest

        _codes(data), action_shares(data)
        return CountedTest.of(data, terms)

    def _losses(self, data: Trajectories, subsets: list[Subset], *, rng: np.random.Generator) -> Array:
        codes, shares = _codes(data), action_shares(data)
        folds = split(data.episodes, rng=rng).folds if self.held_out else np.zeros(len(data), dtype=np.int64)
        losses = []
        for subset in subsets:
            expected = self._expected(codes, shares, folds, subset)
            with np.errstate(divide="ignore", invalid="ignore"):
                losses.append(-np.where(shares > 0, shares * np.log(expected), 0.0).sum(1))
        return np.array(losses, dtype=np.float32)[:, None]

    def _expected(self, codes: Array, shares: Array, folds: Array, subset: Subset) -> Array:
        """Probability of each action in the cell of each step `[n, K]`."""
        cell = np.zeros(len(codes), dtype=np.int64)
        for column in subset:
            cell = join(cell, codes[:, column])
        inside = np.stack([np.bincount(cell, weights=share) for share in shares.T], axis=1)
        if not self.held_out:
            return np.asarray((inside / inside.sum(1, keepdims=True))[cell])
        out = np.empty_like(shares)
        for fold in range(int(folds.max()) + 1):
            rows = folds == fold
            own = [np.bincount(cell[rows], weights=share[rows], minlength=len(inside)) for share in shares.T]
            counts = inside - np.stack(own, axis=1)
            prior = counts.sum(0) + 0.5
            smoothed = counts + self.smoothing * prior / prior.sum()
            out[rows] = (smoothed / smoothed.sum(1, keepdims=True))[cell[rows]]
        return out


def action_shares(data: Trajectories) -> Array:
    """The action of each step as a distribution over levels `[n, K]`: its probabilities, or one-hot."""
    if data.action_kind != "discrete":
        raise BadValueError(
            "plugin: counting needs discrete actions, these are continuous. "
            "Use estimator='predictive' or 'auto'."
        )
    if data.probabilities is not None:
        return data.probabilities
    codes = compact(np.asarray(data.actions, dtype=np.int64))
    return np.eye(int(codes.max()) + 1)[codes]


def _codes(data: Trajectories) -> Array:
    codes = column_codes(data.states)
    many = [name for name, top in zip(data.names, codes.max(0), strict=True) if top >= FEW_LEVELS]
    if many and not set(many) <= data.nominal:
        raise BadValueError(
            f"plugin: counting needs at most {FEW_LEVELS} different values in a column; {many[:5]} "
            f"{'has' if len(many) == 1 else 'have'} more. Use estimator='predictive' or 'auto'."
        )
    return codes
