"""Does a finer partition of the states say more about the action than a coarser one? A test on counts.

Within each cell of the coarse partition the actions are exchangeable if the finer cells add nothing.
Pearson's statistic then has a known mean and variance for *fixed* margins (Haldane 1940, Dawson 1954),
however sparse the table is, so no permutation has to be drawn: the sum over the coarse cells is matched by
a gamma distribution. Steps of one episode may resemble each other beyond what the states explain; the
statistic is divided by the design effect that the spread between groups of episodes shows (Rao and Scott
1981).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from terc.entropy.counting import Codes, Reals, compact
from terc.predictors.splits import split

LARGEST_TABLE = 4_000_000
"""Entries of the table (groups x cells x actions) behind the design effect; more are not looked at."""
GROUPS = 40
"""Groups of whole episodes, or stretches of a long one, whose spread shows dependence between steps."""


@dataclass(frozen=True)
class CountedLoss:
    """What is lost by seeing only the coarse cells, and whether chance explains it.

    Attributes:
        nats: H(A | coarse) - H(A | fine), plug-in; never negative, and above zero by chance alone.
        excess: The share of `nats` that chance does not explain: none of it if Pearson's statistic is what
            it is on average without a loss.
        error: Standard error of `excess`.
        p_value: Chance of such a statistic if the finer cells add nothing.
        resolution: Nats that would stand out from chance: three standard deviations of it.
        design_effect: How much dependence between steps inflates the statistic; 1 for independent steps.

    Example:
        >>> print(CountedLoss(0.6931, 0.6931, 0.0, 0.0))
        0.6931 nats (p = 0)
    """

    nats: float
    excess: float
    error: float
    p_value: float
    resolution: float = 0.0
    design_effect: float = 1.0

    def __str__(self) -> str:
        """Loss and p-value."""
        return f"{self.nats:.4f} nats (p = {self.p_value:.2g})"


@dataclass(frozen=True)
class _Table:
    """Counts of the coarse cells, the fine cells within them, and the actions."""

    coarse: Reals  # [p]
    fine: Reals  # [q]
    coarse_of_fine: Codes  # [q]
    coarse_action: Reals  # [p, a]
    pairs: Codes  # codes q * n_actions + a that occur
    pair_counts: Reals

    @property
    def n_actions(self) -> int:
        return int(self.coarse_action.shape[1])


def loss_by_counts(
    actions: Codes, coarse: Codes, fine: Codes, *, weights: Reals | None = None
) -> CountedLoss:
    """Test of H(A | coarse) = H(A | fine) for independent steps.

    Args:
        actions: Compact codes `[m]`.
        coarse: Compact codes of the coarse cells `[m]`.
        fine: Compact codes of the fine cells `[m]`; each lies within one coarse cell.
        weights: Steps behind each row; None means one each.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> bit, noise = rng.integers(0, 2, (2, 1000))
        >>> nothing = np.zeros(1000, dtype=np.int64)
        >>> loss_by_counts(bit, nothing, bit).p_value < 1e-9
        True
        >>> loss_by_counts(bit, nothing, noise).p_value > 0.01
        True
    """
    table = _table(actions, coarse, fine, weights)
    statistic, mean, variance = _pearson(table)
    steps = float(table.coarse.sum())
    nats, error = _plug_in(table, steps)
    excess = nats * max(0.0, 1 - mean / statistic) if statistic > 0 else 0.0
    resolution = 3 * variance**0.5 / (2 * steps)
    return CountedLoss(nats, excess, error, _gamma_tail(statistic, mean, variance), resolution)


def corrected_for_groups(
    loss: CountedLoss, actions: Codes, coarse: Codes, fine: Codes, *, groups: Codes
) -> CountedLoss:
    """The same test when steps of one group (episode, or block of one) may depend on each other.

    All codes are per step `[n]`. The p-value can only grow.
    """
    table = _table(actions, coarse, fine, None)
    effect = _design_effect(table, actions, coarse, fine, groups)
    if effect <= 1.0:
        return loss
    statistic, mean, variance = _pearson(table)
    freedom = 2 * mean * mean / variance if variance > 0 else 1.0
    p_value = float(special.fdtrc(freedom, int(groups.max()), statistic / (effect * mean)))
    error = loss.error * effect**0.5
    return replace(loss, error=error, p_value=max(loss.p_value, p_value), design_effect=effect)


def groups_of_steps(
    episodes: npt.NDArray[Any], action: npt.NDArray[Any] | None = None, *, n_groups: int = GROUPS
) -> Codes:
    """At most `n_groups` groups of neighbouring episodes, or of what stands for them (`predictors.splits`).

    Args:
        episodes: Number of the episode of each step, non-decreasing.
        action: The action as columns of numbers `[n, q]`, to be looked at for drift.
        n_groups: Most groups.

    Example:
        >>> groups_of_steps(np.repeat(np.arange(8), 5), n_groups=4).max()
        np.int64(3)
    """
    clusters = split(compact(episodes), rng=np.random.default_rng(0), action=action).clusters
    count = int(clusters[-1]) + 1
    return compact(clusters * min(n_groups, count) // count)


def _table(actions: Codes, coarse: Codes, fine: Codes, weights: Reals | None) -> _Table:
    n_actions = int(actions.max()) + 1
    n_fine = int(fine.max()) + 1
    coarse_of_fine = np.zeros(n_fine, dtype=np.int64)
    coarse_of_fine[fine] = coarse
    n_coarse = int(coarse.max()) + 1
    coarse_action = np.bincount(coarse * n_actions + actions, weights, n_coarse * n_actions)
    pairs, inverse = np.unique(fine * n_actions + actions, return_inverse=True)
    return _Table(
        np.bincount(coarse, weights).astype(np.float64),
        np.bincount(fine, weights).astype(np.float64),
        coarse_of_fine,
        coarse_action.reshape(n_coarse, n_actions).astype(np.float64),
        pairs,
        np.bincount(inverse.reshape(-1), weights).astype(np.float64),
    )


def _plug_in(table: _Table, steps: float) -> tuple[float, float]:
    """Mean over steps of log p(a | fine) - log p(a | coarse), and its error for independent steps."""
    q, a = np.divmod(table.pairs, table.n_actions)
    p = table.coarse_of_fine[q]
    local = np.log(table.pair_counts * table.coarse[p] / (table.fine[q] * table.coarse_action[p, a]))
    nats = float(table.pair_counts @ local) / steps
    spread = float(table.pair_counts @ np.square(local - nats)) / steps
    return (nats, (spread / steps) ** 0.5) if nats > 1e-11 else (0.0, 0.0)


def _pearson(table: _Table) -> tuple[float, float, float]:
    """Pearson's statistic summed over the coarse cells, with its mean and variance for fixed margins."""
    q, a = np.divmod(table.pairs, table.n_actions)
    p = table.coarse_of_fine[q]
    terms = table.pair_counts**2 / (table.fine[q] * table.coarse_action[p, a])
    n = table.coarse
    statistic = n * (np.bincount(p, terms, len(n)) - 1)
    r = np.bincount(table.coarse_of_fine, minlength=len(n)).astype(np.float64)
    c = (table.coarse_action > 0).sum(axis=1).astype(np.float64)
    rows = n * np.bincount(table.coarse_of_fine, 1 / table.fine, len(n)) - r**2
    with np.errstate(divide="ignore"):
        columns = n * np.where(table.coarse_action > 0, 1 / table.coarse_action, 0.0).sum(axis=1) - c**2
    open_cells = (r > 1) & (c > 1)
    mean = np.where(open_cells, n * (r - 1) * (c - 1) / np.maximum(n - 1, 1), 0.0)
    variance = np.where(open_cells, _dawson(n, r, c, rows, columns), 0.0)
    return float(statistic[open_cells].sum()), float(mean.sum()), float(variance.sum())


def _dawson(n: Reals, r: Reals, c: Reals, rows: Reals, columns: Reals) -> Reals:
    """Variance of Pearson's statistic of an r x c table of n steps with fixed margins."""
    v_rows, v_columns = (r - 1) * (n - r) / np.maximum(n - 1, 1), (c - 1) * (n - c) / np.maximum(n - 1, 1)
    w_rows, w_columns = rows / np.maximum(n - 2, 1), columns / np.maximum(n - 2, 1)
    spread = 2 * n / np.maximum(n - 3, 1) * (v_rows - w_rows) * (v_columns - w_columns)
    variance: Reals = np.where(n > 3, spread, 0.0) + n**2 / np.maximum(n - 1, 1) * w_rows * w_columns
    return np.maximum(variance, 0.0)


def _gamma_tail(statistic: float, mean: float, variance: float) -> float:
    if mean <= 0 or variance <= 0:
        return 1.0
    return float(special.gammaincc(mean * mean / variance, statistic * mean / variance))


def _design_effect(table: _Table, actions: Codes, coarse: Codes, fine: Codes, groups: Codes) -> float:
    """Mean of the statistic under dependence within groups, over its mean for independent steps."""
    n_groups, n_actions, n_fine = int(groups.max()) + 1, table.n_actions, len(table.fine)
    if n_groups < 4 or n_groups * n_fine * n_actions > LARGEST_TABLE:
        return 1.0
    share = table.coarse_action / table.coarse[:, None]
    p = table.coarse_of_fine
    in_fine = np.bincount(
        (groups * n_fine + fine) * n_actions + actions, minlength=n_groups * n_fine * n_actions
    )
    in_fine = in_fine.reshape(n_groups, n_fine, n_actions).astype(np.float64)
    coarse_codes = (groups * len(table.coarse) + coarse) * n_actions + actions
    in_coarse = np.bincount(coarse_codes, minlength=n_groups * len(table.coarse) * n_actions)
    in_coarse = in_coarse.reshape(n_groups, len(table.coarse), n_actions).astype(np.float64)
    residual_fine = in_fine - share[p] * in_fine.sum(axis=2, keepdims=True)
    residual_coarse = in_coarse - share * in_coarse.sum(axis=2, keepdims=True)
    score = residual_fine - (table.fine / table.coarse[p])[:, None] * residual_coarse[:, p]
    expected = table.fine[:, None] * share[p]
    spread = score.var(axis=0, ddof=1) * n_groups
    observed = float((spread[expected > 0] / expected[expected > 0]).sum())
    mean = _pearson(table)[1]
    return observed / mean if mean > 0 else 1.0
