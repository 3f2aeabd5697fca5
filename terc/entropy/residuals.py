"""Covariance of residuals: the cheap instrument that sees weak links.

Regress the action and every candidate variable on what is already kept; if a candidate tells nothing more about the
action, the two residuals do not covary (the generalised covariance measure of Shah and Peters). All candidates share
one regression, all pairs of candidates one matrix product. Blind to synergies of three and more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from terc.entropy.base import Subset
from terc.entropy.inputs import Inputs, network_inputs, probe_inputs
from terc.entropy.likelihoods import Categorical, likelihood_of

if TYPE_CHECKING:
    from terc.entropy.splits import Splits
    from terc.trajectories.data import Trajectories

MOST_PRODUCTS = 400
RANDOM_FEATURES = 100
STEPS_PER_COLUMN = 50
RIDGE = 1e-5
DETERMINED = 0.02
EXPLAINED = 1e-5
COLUMNS_AT_ONCE = 64
VARIABLES_AT_ONCE = 50
MOST_GROUPS = 500
FEWEST_EFFECTIVE = 25
FEWEST_EFFECTIVE_PAIRS = 100


@dataclass(frozen=True)
class Scores:
    """Evidence for each variable beyond a given set.

    Attributes:
        z: float64 `[d]`, the largest clustered t-value over the variable's probes; 0 for those already given.
        p_value: float64 `[d]`, corrected for the probes of that variable, not for the number of variables.
        gain: float64 `[d]`, nats that the covariance alone accounts for beyond what noise typically reaches.
        determined: bool `[d]`, the given set all but determines the variable: the instrument abstains.
    """

    z: np.ndarray
    p_value: np.ndarray
    gain: np.ndarray
    determined: np.ndarray


@dataclass(frozen=True)
class Pair:
    """Two variables that act together: z-value of the action's residual with their product, and its p-value."""

    first: int
    second: int
    z: float
    p_value: float


@dataclass(frozen=True, eq=False)
class ResidualInstrument:
    """The data encoded once, with a method per question.

    Attributes:
        inputs: Columns to condition on, and to pair.
        probes: Functions of each variable to correlate with the action.
        action: The action as columns of numbers `[n, q]`: one per level, or standardised dimensions.
        categorical: Whether the action's columns stand for levels.
        splits: Folds and clusters.
        n_variables: How many variables the probes belong to.
        seed: Of the random hinges in the regressions.

    Example:
        The action follows `x` with noise; `y` is a noisy sight of `x`, so it is nothing new once `x` is known.
        >>> from terc.entropy.splits import split
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
    probes: Inputs
    action: np.ndarray
    categorical: bool
    splits: Splits
    n_variables: int
    seed: int

    @classmethod
    def of(cls, data: Trajectories, splits: Splits, *, rng: np.random.Generator) -> ResidualInstrument:
        """The instrument for `data`."""
        likelihood = likelihood_of(data)
        return cls(
            network_inputs(data),
            probe_inputs(data),
            likelihood.target.numpy(),
            isinstance(likelihood, Categorical),
            splits,
            len(data.names),
            int(rng.integers(2**63 - 1)),
        )

    def scores(
        self, given: Subset, action_residual: np.ndarray | None = None, *, among: Subset | None = None
    ) -> Scores:
        """Evidence that each variable tells more about the action than `given` does.

        Args:
            given: Variables already kept.
            action_residual: `[n, q]` residual of the action from a network that read `given`; better than none.
            among: Variables to look at; None means all. The others get p-value 1.
        """
        basis = self._basis(given)
        action = self._action_columns(basis, action_residual)
        wanted = np.setdiff1d(np.arange(self.n_variables) if among is None else among, given)
        return self._look(basis, action, wanted)

    def pairs(self, given: Subset, action_residual: np.ndarray | None = None, *, alpha: float) -> list[Pair]:
        """Pairs of variables, at least one not in `given`, that together tell more about the action.

        Every pair is looked at: p-values are corrected for their number. Strongest first.
        """
        basis = self._basis(given)
        action = self._action_columns(basis, action_residual, squares=False)
        columns = self._pair_columns(basis, given)
        return _significant_pairs(action, columns, self.inputs.owner, given, self.splits, alpha)

    def pair_evidence(
        self, given: Subset, removed: Subset, action_residual: np.ndarray | None = None
    ) -> tuple[float, float]:
        """p-value and gain of the best product of a removed variable with any other of `given` or `removed`.

        The p-value is corrected as if every variable had been paired with every other, since pairs were screened.
        """
        basis = self._basis(given)
        action = self._action_columns(basis, action_residual, squares=False)
        here = self.inputs.columns_of((*given, *removed))
        owner = self.inputs.owner[here]
        inside = np.isin(owner, given)
        useful = (owner[:, None] < owner[None, :]) & ~(inside[:, None] & inside[None, :])
        if not useful.any():
            return 1.0, 0.0
        columns = self._pair_columns(basis, given)[:, here]
        t = _strongest_pair_t(action, columns, self.splits)
        strongest = float(t[useful].max())
        tests = (
            useful.sum() / max(len(given) + len(removed) - 1, 1) * (self.n_variables - 1) * action.shape[1]
        )
        p_value = float(min(1.0, 2 * stats.t.sf(strongest, _freedom(self.splits)) * tests))
        return p_value, strongest**2 / (2 * len(action))

    def _basis(self, given: Subset) -> np.ndarray:
        columns = self.inputs.values[:, self.inputs.columns_of(given)]
        return regression_basis(columns, rng=np.random.default_rng([self.seed, *given]))

    def _action_columns(
        self, basis: np.ndarray, residual: np.ndarray | None, *, squares: bool = True
    ) -> np.ndarray:
        columns = self.action if residual is None else residual
        if self.categorical:
            return self._unexplained(basis, columns[:, 1:] if columns.shape[1] == 2 else columns, residual)
        columns = self._unexplained(basis, _clipped(self._unexplained(basis, columns, residual)), residual)
        if not squares:
            return columns
        # A variable may change how far the action scatters and not where: the squared residual sees that.
        return np.concatenate([columns, self._unexplained(basis, columns**2, residual)], axis=1)

    def _explained(self, action: np.ndarray) -> np.ndarray:
        """Which levels of the action are predicted all but perfectly: nothing is left for a variable to tell."""
        return self.categorical & (np.square(action, dtype=np.float64).mean(0) < EXPLAINED)

    def _unexplained(self, basis: np.ndarray, columns: np.ndarray, residual: np.ndarray | None) -> np.ndarray:
        if residual is None:
            return left_over(basis, columns)
        return left_over_by_fold(basis, columns, self.splits.folds)

    def _pair_columns(self, basis: np.ndarray, given: Subset) -> np.ndarray:
        columns = left_over(basis, self.inputs.values)
        own = np.isin(self.inputs.owner, given)
        columns[:, own] = self.inputs.values[:, own]
        return columns

    def _look(self, basis: np.ndarray, action: np.ndarray, wanted: np.ndarray) -> Scores:
        """Scores of the `wanted` variables, in blocks of columns that fit the memory."""
        z, gain = np.zeros(self.n_variables), np.zeros(self.n_variables)
        p_value, determined = np.ones(self.n_variables), np.zeros(self.n_variables, dtype=bool)
        freedom = max(self.splits.n_clusters - 1, 1)
        for block in np.array_split(wanted, max(1, len(wanted) // VARIABLES_AT_ONCE)):
            here = self.probes.columns_of(tuple(block))
            if len(here) == 0:
                continue
            owner, starts = (
                self.probes.owner[here],
                np.flatnonzero(np.diff(self.probes.owner[here], prepend=-1)),
            )
            probes = left_over(basis, self.probes.values[:, here])
            hidden = np.square(probes, dtype=np.float64).mean(0) < DETERMINED
            told = (effective_steps(action, probes) >= FEWEST_EFFECTIVE) & ~self._explained(action)[:, None]
            t = np.where(told & ~hidden, np.abs(clustered_t(action, probes, self.splits)), 0.0)
            z[block] = np.maximum.reduceat(t.max(0), starts)
            tests = np.bincount(owner, minlength=self.n_variables)[block] * action.shape[1]
            p_value[block] = np.minimum(1.0, 2 * stats.t.sf(z[block], freedom) * tests)
            raw = np.maximum.reduceat(_nats(action, probes, hidden), starts)
            gain[block] = np.maximum(0.0, raw - _typical_of_noise(tests) / (2 * len(action)))
            determined[block] = np.minimum.reduceat(hidden, starts)
        return Scores(z, p_value, gain, determined)


def regression_basis(columns: np.ndarray, *, rng: np.random.Generator) -> np.ndarray:
    """Functions of the given columns to regress on: 1, x, all products if few, and random hinges. `[n, m]`."""
    n, p = columns.shape
    if p == 0:
        return np.ones((n, 1), dtype=np.float32)
    parts = [columns]
    if p * (p + 1) // 2 <= min(MOST_PRODUCTS, n // STEPS_PER_COLUMN):
        first, second = np.triu_indices(p)
        parts.append(columns[:, first] * columns[:, second])
    else:
        parts.append(columns**2)
    hinges = min(RANDOM_FEATURES, n // STEPS_PER_COLUMN)
    directions = (rng.standard_normal((p, hinges)) * (1.5 / np.sqrt(p))).astype(np.float32)
    offsets = rng.standard_normal(hinges).astype(np.float32)
    parts.append(np.maximum(columns @ directions + offsets, 0))
    basis = np.concatenate(parts, axis=1)
    basis -= basis.mean(0)
    spread = basis.std(0)
    basis /= np.where(spread > 1e-6, spread, 1.0)
    return np.concatenate([np.ones((n, 1), dtype=np.float32), basis], axis=1)


def left_over(basis: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """What regression on `basis` leaves of `targets` `[n, c]`, orthogonal to every column of the basis.

    Fitted and judged on the same steps, on both sides of a covariance, as in a partial correlation: then an error in
    one of the two regressions meets nothing in the other that it could covary with.

    Example:
        >>> x = np.linspace(-1, 1, 50, dtype=np.float32)[:, None]
        >>> basis = np.concatenate([np.ones_like(x), x], axis=1)
        >>> bool(np.abs(left_over(basis, 3 * x + 2)).max() < 1e-3)
        True
    """
    gram = np.float64(basis.T @ basis)
    penalty = RIDGE * len(basis) * np.eye(len(gram))
    weights = np.linalg.solve(gram + penalty, np.float64(basis.T @ targets))
    return (targets - basis @ weights.astype(np.float32)).astype(np.float32)


def left_over_by_fold(basis: np.ndarray, targets: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """The same in each fold by itself: residuals of networks carry the errors of the network of their fold."""
    out = np.empty(targets.shape, dtype=np.float32)
    for fold in range(int(folds.max()) + 1):
        rows = folds == fold
        out[rows] = left_over(basis[rows], targets[rows])
    return out


def clustered_t(action: np.ndarray, probes: np.ndarray, splits: Splits) -> np.ndarray:
    """t-values `[q, c]` of the mean products of two sets of residuals, steps of a cluster counting as one.

    Example:
        >>> from terc.entropy.splits import Splits
        >>> splits = Splits(np.zeros(4, int), np.arange(4))
        >>> clustered_t(np.array([[1.], [1.], [1.], [-1.]]), np.ones((4, 1)), splits).round(3).tolist()
        [[1.0]]
    """
    starts, n_clusters = splits.cluster_starts, splits.n_clusters
    out = np.empty((action.shape[1], probes.shape[1]))
    for begin in range(0, probes.shape[1], COLUMNS_AT_ONCE):
        block = probes[:, begin : begin + COLUMNS_AT_ONCE]
        for q in range(action.shape[1]):
            products = block * action[:, [q]]
            sums = products if n_clusters == len(action) else np.add.reduceat(products, starts, axis=0)
            out[q, begin : begin + block.shape[1]] = _t_of_sums(sums)
    return out


def _t_of_sums(sums: np.ndarray) -> np.ndarray:
    mean = sums.mean(0, dtype=np.float64)
    spread = sums.std(0, ddof=1, dtype=np.float64) / np.sqrt(len(sums))
    return np.divide(mean, spread, out=np.zeros_like(mean), where=spread > 0)


def effective_steps(*factors: np.ndarray) -> np.ndarray:
    """About how many steps carry a sum of products of independent columns: n over the product of their kurtoses.

    A product of two rare events, or of a residual that is zero but for a few steps, rests on so few of them that its
    t-value has no normal distribution. Two factors give `[q, c]`.

    Example:
        >>> rare = np.zeros((1000, 1)); rare[:10] = 1.0
        >>> effective_steps(rare, np.ones((1000, 1))).round().tolist()
        [[10.0]]
    """
    first, second = (1.0 / _kurtosis(factor) for factor in factors)
    return np.outer(first, second) * len(factors[0])


def _kurtosis(columns: np.ndarray) -> np.ndarray:
    square = np.square(columns, dtype=np.float64)
    return np.square(square).mean(0) / np.maximum(np.square(square.mean(0)), 1e-300) + 1e-12


def _clipped(columns: np.ndarray) -> np.ndarray:
    """Columns with their outermost hundredths pulled in: a few large errors must not carry a whole covariance."""
    low, high = np.quantile(columns, [0.01, 0.99], axis=0)
    return np.clip(columns, low, high)


def _typical_of_noise(tests: np.ndarray) -> np.ndarray:
    """Median of the largest of `tests` squared normal scores: what noise reaches as a matter of course."""
    return np.asarray(stats.chi2.ppf(0.5 ** (1 / tests), 1))


def _nats(action: np.ndarray, probes: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """Information -log(1 - rho^2) / 2 of the largest correlation with a column of the action, `[c]`; 0 if hidden."""
    covariance = np.float64(action.T @ probes) / len(action)
    power = np.outer(np.square(action, dtype=np.float64).mean(0), np.square(probes, dtype=np.float64).mean(0))
    rho2 = np.divide(covariance**2, power, out=np.zeros_like(power), where=power > 1e-12).max(0)
    return np.where(hidden, 0.0, -0.5 * np.log1p(-np.minimum(rho2, 1 - 1e-9)))


def _significant_pairs(  # noqa: PLR0913  (arrays of one computation)
    action: np.ndarray,
    columns: np.ndarray,
    owner: np.ndarray,
    given: Subset,
    splits: Splits,
    alpha: float,
) -> list[Pair]:
    inside = np.isin(owner, given)
    useless = (owner[:, None] >= owner[None, :]) | (inside[:, None] & inside[None, :])
    tests = (~useless).sum() * action.shape[1]
    if tests == 0:
        return []
    t = _strongest_pair_t(action, columns, splits)
    t[useless] = 0.0
    freedom = _freedom(splits)
    threshold = stats.t.isf(alpha / tests / 2, freedom)
    found = np.argwhere(t > threshold)
    pairs = [
        Pair(
            int(owner[i]),
            int(owner[j]),
            float(t[i, j]),
            float(min(1, 2 * stats.t.sf(t[i, j], freedom) * tests)),
        )
        for i, j in found
    ]
    return sorted(pairs, key=lambda pair: -pair.z)


def _groups(splits: Splits) -> int:
    return min(splits.n_clusters, MOST_GROUPS)


def _freedom(splits: Splits) -> int:
    """Degrees of freedom of the t-values of pairs; all steps where each is its own cluster."""
    independent = splits.n_clusters == len(splits.clusters)
    return max((splits.n_clusters if independent else _groups(splits)) - 1, 1)


def _strongest_pair_t(action: np.ndarray, columns: np.ndarray, splits: Splits) -> np.ndarray:
    """Largest |t| over the action's columns for every pair, `[p, p]`; 0 where too few steps carry the product."""
    carried = effective_steps(columns, columns)
    strongest = np.zeros(carried.shape)
    for q, kurtosis in enumerate(_kurtosis(action)):
        t = np.abs(_pair_t(action[:, q], columns, splits))
        strongest = np.maximum(strongest, np.where(carried / kurtosis >= FEWEST_EFFECTIVE_PAIRS, t, 0.0))
    return strongest


def _pair_t(residual: np.ndarray, columns: np.ndarray, splits: Splits) -> np.ndarray:
    """t-values `[p, p]` of mean(residual * column_i * column_j) for all pairs at once: Z' diag(r) Z."""
    n = len(residual)
    if splits.n_clusters == n:
        total = np.float64(columns.T @ (columns * residual[:, None]))
        square = np.float64((columns**2).T @ (columns**2 * residual[:, None] ** 2)) - total**2 / n
        return total / np.sqrt(np.maximum(square, 1e-12))
    groups = splits.clusters * _groups(splits) // splits.n_clusters
    bounds = [*np.flatnonzero(np.diff(groups, prepend=-1)), n]
    total, square = 0.0, 0.0
    for begin, end in zip(bounds[:-1], bounds[1:], strict=True):
        part = np.float64(columns[begin:end].T @ (columns[begin:end] * residual[begin:end, None]))
        total, square = total + part, square + part**2
    count = len(bounds) - 1
    return total / np.sqrt(np.maximum((square - total**2 / count) * count / (count - 1), 1e-12))
