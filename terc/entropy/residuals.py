"""Covariance of residuals: the cheap instrument that sees weak links.

Regress the action and every candidate variable on what is already kept; if a candidate tells nothing more
about the action, the two residuals do not covary (the generalised covariance measure of Shah and Peters). All
candidates share one regression, all pairs of candidates one matrix product. Synergies of three and four are
seen where there are few enough products to look at; blind to larger ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from terc.arrays import Array
from terc.entropy.base import Subset
from terc.entropy.covariance import (
    bounded_t,
    chance_of_t,
    clipped,
    clustered_t,
    effective_steps,
    left_over,
    left_over_by_fold,
    nats,
    regression_basis,
    typical_of_noise,
)
from terc.entropy.products import Pair, significant_pairs, strongest_product
from terc.predictors.encoding import Encoding, Inputs, curved, probes_of
from terc.predictors.target import parts_of

if TYPE_CHECKING:
    from terc.predictors.splits import Splits
    from terc.trajectories.data import Trajectories

DETERMINED = 0.02
EXPLAINED = 1e-5
VARIABLES_AT_ONCE = 50
FEWEST_EFFECTIVE = 25
SQUARES_CUT = 0.04


@dataclass(frozen=True)
class Scores:
    """Evidence for each variable beyond a given set.

    Attributes:
        z: float64 `[d]`, the largest clustered t-value over the variable's probes; 0 for those already given.
        p_value: float64 `[d]`, corrected for the probes of that variable, not for the number of variables.
        gain: float64 `[d]`, nats that the covariance alone accounts for beyond what noise typically reaches.
        determined: bool `[d]`, the given set all but determines the variable: the instrument abstains.
    """

    z: Array
    p_value: Array
    gain: Array
    determined: Array


@dataclass(frozen=True, eq=False)
class ResidualInstrument:
    """The data encoded once, with a method per question.

    Attributes:
        inputs: Columns to condition on, and to pair.
        curved: bool `[d]`, variables whose squares and waves are correlated with the action, too.
        action: The columns of the action's parts `[n, q]`: levels and standardised numbers.
        drawn: Variance `[q]` that drawing an action from its probabilities added.
        numeric: bool `[q]`, columns that are numbers and do not stand for levels.
        splits: Folds and clusters.
        n_variables: How many variables the probes belong to.
        seed: Of the random hinges in the regressions.

    Example:
        The action follows `x` with noise; `y` is a noisy sight of `x`, so it is nothing new once `x` is
        known.
        >>> from terc.predictors.splits import split
        >>> from terc.trajectories.data import Trajectories
        >>> rng = np.random.default_rng(0)
        >>> x = rng.standard_normal(4000)
        >>> y = x + rng.standard_normal(4000)
        >>> data = Trajectories(np.stack([x, y], 1), x + rng.standard_normal(4000), episodes=np.arange(4000))
        >>> look = ResidualInstrument.of(data, split(data.episodes, rng=rng), rng=rng)
        >>> (look.scores(()).p_value < 1e-6).tolist(), bool(look.scores((0,)).p_value[1] > 0.01)
        ([True, True], True)
    """

    inputs: Inputs
    curved: Array
    action: Array
    drawn: Array
    numeric: Array
    splits: Splits
    n_variables: int
    seed: int

    @classmethod
    def of(
        cls, data: Trajectories, splits: Splits, *, rng: np.random.Generator, encoding: Encoding | None = None
    ) -> ResidualInstrument:
        """The instrument for `data`, whose encoding may be known already."""
        encoding, parts = encoding or Encoding.of(data), parts_of(data, splits.folds)
        columns = [part.columns for part in parts]
        drawn = [(c * (1 - c)).mean(0) * (not p.is_number) for p, c in zip(parts, columns, strict=True)]
        return cls(
            encoding.numbers,
            curved(encoding.numbers),
            np.concatenate(columns, axis=1),
            np.concatenate(drawn),
            np.repeat([part.is_number for part in parts], [c.shape[1] for c in columns]),
            splits,
            len(data.names),
            int(rng.integers(2**63 - 1)),
        )

    def scores(
        self, given: Subset, action_residual: Array | None = None, *, among: Subset | None = None
    ) -> Scores:
        """Evidence that each variable tells more about the action than `given` does.

        Args:
            given: Variables already kept.
            action_residual: `[n, q]` residual of the action from a network that read `given`; better than
                none.
            among: Variables to look at; None means all. The others get p-value 1.
        """
        basis = self._basis(given)
        action = self._action_columns(basis, action_residual)
        wanted = np.setdiff1d(np.arange(self.n_variables) if among is None else among, given)
        return self._look(basis, action, wanted)

    def pairs(self, given: Subset, action_residual: Array | None = None, *, alpha: float) -> list[Pair]:
        """Pairs of variables, at least one not in `given`, that together tell more about the action.

        Every pair is looked at: p-values are corrected for their number. Strongest first.
        """
        basis = self._basis(given)
        action = self._action_columns(basis, action_residual, squares=False)
        columns = self._pair_columns(basis, given)
        return significant_pairs(action, columns, self.inputs.owner, given, self.splits, alpha)

    def products(
        self, given: Subset, action_residual: Array | None = None, *, among: Subset | None = None
    ) -> Scores:
        """Evidence that each variable tells more together with one of `given`: half of an XOR does.

        Arguments as those of `scores`.
        """
        basis = self._basis(given)
        action = self._action_columns(basis, action_residual, squares=False)
        beside = self.inputs.values[:, self.inputs.columns_of(given)]
        action = action[:, ~self._explained(action)]
        acting = (action[:, :, None] * beside[:, None, :]).reshape(len(action), -1)
        count = acting.shape[1]
        plain = np.zeros_like(self.curved)
        look = replace(self, curved=plain, drawn=np.zeros(count), numeric=np.ones(count, dtype=bool))
        wanted = np.setdiff1d(np.arange(self.n_variables) if among is None else among, given)
        return look._look(basis, acting, wanted if count else wanted[:0])

    def larger(self, given: Subset, action_residual: Array | None = None, *, alpha: float) -> Subset:
        """Three or four variables whose product tells more about the action, if all can be looked at.

        Empty if none is sure at `alpha`, corrected for their number.
        """
        basis = self._basis(given)
        action = self._action_columns(basis, action_residual, squares=False)
        columns = self._pair_columns(basis, given)
        return strongest_product(action, columns, self.inputs.owner, given, self.splits, alpha)

    def _basis(self, given: Subset) -> Array:
        """Functions of what is given, its own probes among them: those of a copy are then explained."""
        known = self.inputs.only(given)
        basis = regression_basis(known.values, rng=np.random.default_rng([self.seed, *given]))
        return np.concatenate([basis, probes_of(known, self.curved).values, self.splits.context], axis=1)

    def _action_columns(self, basis: Array, residual: Array | None, *, squares: bool = True) -> Array:
        columns = self._unexplained(basis, self.action if residual is None else residual, residual)
        numbers = columns[:, self.numeric]
        if numbers.shape[1] == 0:
            return columns
        numbers = self._unexplained(basis, clipped(numbers), residual)
        columns = np.concatenate([columns[:, ~self.numeric], numbers], axis=1)
        if not squares:
            return columns
        # A variable may change how far the action scatters and not where: the squared residual sees that.
        spread = self._unexplained(basis, clipped(numbers**2, SQUARES_CUT), residual)
        return np.concatenate([columns, spread], axis=1)

    def _drawn(self, action: Array) -> Array:
        """`drawn` for each of the columns that `_action_columns` made; none is known of squares."""
        ordered = np.concatenate([self.drawn[~self.numeric], self.drawn[self.numeric]])
        return np.pad(ordered, (0, action.shape[1] - len(ordered)))

    def _explained(self, action: Array) -> Array:
        """Which levels of the action are predicted all but perfectly, so that nothing is left to explain."""
        levels = np.arange(action.shape[1]) < (~self.numeric).sum()
        return levels & (np.square(action, dtype=np.float64).mean(0) < EXPLAINED)

    def _unexplained(self, basis: Array, columns: Array, residual: Array | None) -> Array:
        if residual is None:
            return left_over(basis, columns)
        return left_over_by_fold(basis, columns, self.splits.folds)

    def _pair_columns(self, basis: Array, given: Subset) -> Array:
        columns = left_over(basis, self.inputs.values)
        own = np.isin(self.inputs.owner, given)
        columns[:, own] = self.inputs.values[:, own]
        return columns

    def _sure_t(self, action: Array, probes: Array) -> Array:
        """|t| of every product `[q, c]`; by a bound that always holds where few steps carry it."""
        few = effective_steps(action, probes) < FEWEST_EFFECTIVE
        t = np.abs(clustered_t(action, probes, self.splits))
        columns = np.flatnonzero(few.any(0))
        if len(columns):
            bound = bounded_t(action, probes[:, columns], self.splits)
            # The bound may not be tighter than the normal value that is doubted.
            t[:, columns] = np.where(few[:, columns], np.minimum(bound, t[:, columns]), t[:, columns])
        return t

    def _look(self, basis: Array, action: Array, wanted: Array) -> Scores:
        """Scores of the `wanted` variables, in blocks of columns that fit the memory."""
        z, gain = np.zeros(self.n_variables), np.zeros(self.n_variables)
        p_value, determined = np.ones(self.n_variables), np.zeros(self.n_variables, dtype=bool)
        freedom = max(self.splits.n_clusters - 1, 1)
        for block in np.array_split(wanted, max(1, len(wanted) // VARIABLES_AT_ONCE)):
            if len(block) == 0:
                continue
            functions = probes_of(self.inputs.only(tuple(block)), self.curved)
            owner, starts = functions.owner, np.flatnonzero(np.diff(functions.owner, prepend=-1))
            probes = left_over(basis, functions.values)
            hidden = np.square(probes, dtype=np.float64).mean(0) < DETERMINED
            t = np.where(hidden | self._explained(action)[:, None], 0.0, self._sure_t(action, probes))
            z[block] = np.maximum.reduceat(t.max(0), starts)
            tests = np.bincount(owner, minlength=self.n_variables)[block] * action.shape[1]
            p_value[block] = np.minimum(1.0, 2 * chance_of_t(z[block], freedom) * tests)
            raw = np.maximum.reduceat(nats(action, probes, hidden, self._drawn(action)), starts)
            gain[block] = np.maximum(0.0, raw - typical_of_noise(tests) / (2 * len(action)))
            determined[block] = np.minimum.reduceat(hidden, starts)
        return Scores(z, p_value, gain, determined)
