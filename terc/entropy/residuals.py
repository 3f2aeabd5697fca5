"""Covariance of residuals: the cheap instrument that sees weak links.

Regress the action and every candidate variable on what is already kept; if a candidate tells nothing more
about the action, the two residuals do not covary (the generalised covariance measure of Shah and Peters). All
candidates share one regression, all pairs of candidates one matrix product. Synergies of three are seen among
hundreds of columns, of four among some dozens; blind to larger ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from terc.arrays import Array
from terc.entropy.base import Subset
from terc.entropy.covariance import Regression, Residuals, clipped, regression_basis, second_moments
from terc.entropy.products import (
    Product,
    n_products,
    owner_of_waves,
    periods_of,
    ranked,
    significant_products,
    waves_of,
)
from terc.entropy.scores import DETERMINED, SILENT, Acting, Scores, scored
from terc.predictors.base import Spread
from terc.predictors.encoding import Encoding, Inputs, curved, probes_of
from terc.predictors.target import parts_of

if TYPE_CHECKING:
    from terc.predictors.splits import Splits
    from terc.trajectories.data import Trajectories

EXPLAINED = 1e-5
"""Variance below which nothing is left of a level to explain."""
VARIABLES_AT_ONCE = 50
"""Columns whose probes fit the memory together."""
VARIABLES_OF_A_TASK = 150
"""Columns that a worker looks at, so that its own regression takes a small part of the time."""


@dataclass(frozen=True, eq=False)
class ResidualInstrument:
    """The data encoded once, with a method per question.

    Attributes:
        inputs: Columns to condition on, and to pair.
        values: More columns to condition on: values whose ranks are in `inputs`.
        binned: Each variable cut at its quantiles.
        curved: bool `[d]`, variables whose squares and waves are correlated with the action, too.
        action: The columns of the action's parts `[n, q]`: levels and standardised numbers.
        drawn: Variance `[q]` that drawing an action from its probabilities added.
        numeric: bool `[q]`, columns that are numbers and do not stand for levels.
        splits: Folds and clusters.
        n_variables: How many variables the probes belong to.
        seed: Of the random hinges in the regressions.
        spread: Where many variables are looked at; None for this process.

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
    values: Inputs
    binned: Inputs
    curved: Array
    action: Array
    drawn: Array
    numeric: Array
    splits: Splits
    n_variables: int
    seed: int
    spread: Spread | None = None
    _last: dict[Subset, Regression] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        data: Trajectories,
        splits: Splits,
        *,
        rng: np.random.Generator,
        encoding: Encoding | None = None,
        spread: Spread | None = None,
    ) -> ResidualInstrument:
        """The instrument for `data`, whose encoding may be known already."""
        encoding, parts = encoding or Encoding.of(data), parts_of(data, splits.folds)
        columns = [part.columns for part in parts]
        drawn = [(c * (1 - c)).mean(0) * (not p.is_number) for p, c in zip(parts, columns, strict=True)]
        return cls(
            encoding.numbers,
            encoding.values,
            encoding.binned,
            curved(encoding.numbers),
            np.concatenate(columns, axis=1),
            np.concatenate(drawn),
            np.repeat([part.is_number for part in parts], [c.shape[1] for c in columns]),
            splits,
            len(data.names),
            int(rng.integers(2**63 - 1)),
            spread,
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
        acting = self._acting(self._regression(given), action_residual)
        return self._look(given, [acting], self._wanted(given, among))[0]

    def related(self, given: Subset, residual: Array | None, alpha: float, *, among: Subset) -> Subset:
        """Those of which `given` explains more than chance would, or that tell more than it does.

        No other can tell anything beside a part of `given`: I(A; U | part) is at most I(rest; U | part) +
        I(A; U | all). Steps that depend on each other explain more by chance, and are called related.
        """
        found = self.scores(given, residual, among=among)
        functions, steps = self._regression(given).basis.shape[1], len(self.action)
        by_chance = special.chdtrc(functions, steps * np.maximum(found.explained, 0.0))
        return tuple(j for j in among if min(by_chance[j], found.p_value[j]) < alpha)

    def said_of(self, variables: Subset, given: Subset) -> float:
        """Nats that regression on `given` says, beyond chance, of the variable of which it says most."""
        explained = float(self.scores(given, among=variables).explained[list(variables)].max())
        functions, steps = self._regression(given).basis.shape[1], len(self.action)
        left = (1 - explained) * steps / max(steps - functions, 1)
        return max(0.0, -0.5 * math.log(max(left, 1e-9)))

    def scores_and_products(
        self, given: Subset, action_residual: Array | None = None, *, among: Subset | None = None
    ) -> tuple[Scores, Scores]:
        """`scores`, and the same for each variable together with one of `given`: half of an XOR shows there.

        Arguments as those of `scores`.
        """
        regression = self._regression(given)
        acting = self._acting(regression, action_residual)
        beside = self.inputs.values[:, self.inputs.columns_of(given)]
        means = acting.residuals.values[:, : len(self.drawn)][:, ~acting.explained[: len(self.drawn)]]
        together = (means[:, :, None] * beside[:, None, :]).reshape(len(means), -1)
        count = together.shape[1]
        none = np.zeros(count)
        joint = Acting(Residuals.of(together), none, none.astype(bool), plain=True)
        wanted = self._wanted(given, among)
        if count == 0:
            (first,), (second,) = (self._look(given, [acting], some) for some in (wanted, wanted[:0]))
        else:
            first, second = self._look(given, [acting, joint], wanted)
        return first, second

    def products(
        self,
        given: Subset,
        action_residual: Array | None = None,
        *,
        alpha: float,
        order: int = 2,
        among: Subset | None = None,
        waves: bool = False,
    ) -> list[Product]:
        """So many variables, at least one not in `given`, whose product, or that of their waves, tells more.

        p-values are corrected for the products of all variables, also where only those of `given` and `among`
        are looked at: a search among all of them may have found these. Strongest first.
        """
        periods = periods_of(order, self.inputs, self.curved) if waves else 0
        if waves and not periods:
            return []
        inputs, owner = self.inputs, self.inputs.owner
        inputs = inputs if among is None else inputs.only((*given, *among))
        if waves:
            inputs = waves_of(ranked(inputs, self.binned, self.curved), self.curved, periods)
            owner = owner_of_waves(owner, self.curved, periods)
        regression = self._regression(given)
        action = self._action_columns(regression, action_residual, squares=False)
        columns = regression.left_over(inputs.values)
        if among is not None:
            # As evidence: what the given variables determine, all but, may not speak in their place.
            columns[:, np.square(columns).mean(0) < DETERMINED] = 0
        own = np.isin(inputs.owner, given)
        columns[:, own] = inputs.values[:, own]
        searched = 1.0
        if among is not None:
            here = n_products(order, inputs.owner, given)
            searched = max(1.0, n_products(order, owner, ()) / max(here, 1))
        found = significant_products(
            order,
            action,
            Inputs(columns, inputs.owner),
            given,
            self.splits,
            alpha / searched,
            # A few columns are sent to nobody: what is sent stays in memory to the end.
            spread=self.spread if among is None else None,
        )
        return [replace(product, p_value=searched * product.p_value) for product in found]

    def _wanted(self, given: Subset, among: Subset | None) -> Array:
        return np.setdiff1d(np.arange(self.n_variables) if among is None else among, given)

    def _regression(self, given: Subset) -> Regression:
        """On the given variables; the last one is kept, because several questions in a row share it."""
        if given not in self._last:
            known = self.inputs.only(given)
            read = known.beside(self.values.only(given))
            basis = regression_basis(read.values, rng=np.random.default_rng([self.seed, *given]))
            # Its own probes are in the basis: those of a copy are then explained.
            functions = [basis, probes_of(known, self.curved).values, self.splits.context]
            self._last.clear()
            self._last[given] = Regression(np.concatenate(functions, axis=1))
        return self._last[given]

    def _acting(self, regression: Regression, residual: Array | None) -> Acting:
        """The action's columns as `_action_columns` makes them; of squares no variance of draws is known."""
        found = Residuals.of(self._action_columns(regression, residual))
        drawn = np.concatenate([self.drawn[~self.numeric], self.drawn[self.numeric]])
        levels = np.arange(len(found.power)) < (~self.numeric).sum()
        return Acting(
            found, np.pad(drawn, (0, len(found.power) - len(drawn))), levels & (found.power < EXPLAINED)
        )

    def _action_columns(
        self, regression: Regression, residual: Array | None, *, squares: bool = True
    ) -> Array:
        def unexplained(columns: Array) -> Array:
            if residual is None:
                return regression.left_over(columns)
            return regression.left_over_by_fold(columns, self.splits.folds)

        columns = unexplained(self.action if residual is None else residual)
        numbers = columns[:, self.numeric]
        if numbers.shape[1] == 0:
            return columns
        numbers = unexplained(clipped(numbers))
        columns = np.concatenate([columns[:, ~self.numeric], numbers], axis=1)
        if not squares:
            return columns
        spread = unexplained(second_moments(numbers))
        return np.concatenate([columns, spread], axis=1)

    def _look(self, given: Subset, looks: Sequence[Acting], wanted: Array) -> list[Scores]:
        """Scores of the `wanted` variables by each look."""
        out = np.repeat(SILENT, len(looks) * self.n_variables, axis=1).reshape(4, len(looks), -1)
        tasks = np.array_split(wanted, -(-len(wanted) // VARIABLES_OF_A_TASK)) if len(wanted) else []
        work = partial(_some_scores, self, given, looks)
        found = self.spread(work, tasks) if self.spread and len(tasks) > 1 else map(work, tasks)
        for some, scores in zip(tasks, found, strict=True):
            out[:, :, some] = scores
        return [Scores(*out[:, k]) for k in range(len(looks))]

    def __getstate__(self) -> dict[str, Any]:
        """What a worker gets: it makes the regression anew, which takes less than to send it."""
        return self.__dict__ | {"spread": None, "_last": {}}


def _some_scores(
    instrument: ResidualInstrument, given: Subset, looks: Sequence[Acting], some: Array
) -> Array:
    """What `Scores` hold of some variables, by each look `[4, looks, some]`."""
    regression, found = instrument._regression(given), list[Array]()
    for block in np.array_split(some, -(-len(some) // VARIABLES_AT_ONCE)):
        inputs = instrument.inputs.only(tuple(block))
        functions = probes_of(inputs, instrument.curved)
        probes = Residuals.of(regression.left_over(functions.values))
        # The variables themselves come first.
        slices = [slice(len(inputs.owner) if acting.plain else None) for acting in looks]
        by_look = [
            scored(acting, probes.only(these), functions.owner[these], instrument.splits)
            for acting, these in zip(looks, slices, strict=True)
        ]
        found.append(np.stack(by_look, axis=1))
    return np.concatenate(found, axis=2)
