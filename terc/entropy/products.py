"""Three or four variables that act only together: products of their columns, where there are few enough.

A parity of four bits covaries with none of them, with no pair and with no triple, but plainly with the
product of all four. Their number grows fast: they are looked at only where all of them together are cheap.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.base import Array, Subset
from terc.entropy.covariance import strongest_t, t_of_chance

if TYPE_CHECKING:
    from terc.predictors.splits import Splits

ORDERS = (3, 4)
COLUMNS_AT_ONCE = 64
MOST_WORK = 5e7
FEWEST_EFFECTIVE_PRODUCTS = 100


def strongest_product(
    action: Array, columns: Array, owner: Array, given: Subset, splits: Splits, alpha: float
) -> Subset:
    """Variables of the product of three or four columns that covaries most with the action; () if unsure.

    Args:
        action: Residuals `[n, q]`.
        columns: Residuals of the variables' columns `[n, p]`.
        owner: Variable of each column.
        given: Variables already kept; products of them alone are left out.
        splits: Clusters.
        alpha: Error rate over all products together.

    Example:
        >>> from terc.predictors.splits import split
        >>> rng = np.random.default_rng(0)
        >>> bits = rng.choice(np.array([-1, 1], dtype=np.float32), (500, 8))
        >>> parity = bits[:, [1, 2, 4, 7]].prod(1, keepdims=True)
        >>> splits = split(np.arange(500), rng=rng)
        >>> strongest_product(parity, bits, np.arange(8), (), splits, alpha=0.05)
        (1, 2, 4, 7)
    """
    chosen = [_of_order(order, columns, action, splits) for order in ORDERS]
    sets = [members for part in chosen for members in part if _is_new(owner[list(members)], given)]
    if not sets:
        return ()
    tests, freedom = len(sets) * action.shape[1], max(splits.n_clusters - 1, 1)
    t = np.concatenate(
        [
            strongest_t(action, _products(columns, some), splits, FEWEST_EFFECTIVE_PRODUCTS)
            for begin in range(0, len(sets), COLUMNS_AT_ONCE)
            for some in [sets[begin : begin + COLUMNS_AT_ONCE]]
        ]
    )
    best = int(t.argmax())
    if t[best] <= t_of_chance(alpha / tests / 2, freedom):
        return ()
    return tuple(sorted(int(owner[column]) for column in sets[best]))


def _of_order(order: int, columns: Array, action: Array, splits: Splits) -> list[tuple[int, ...]]:
    """All sets of so many columns; none where they are too many to look at."""
    n, count = columns.shape
    # Steps that are clusters of their own need one matrix product, others a sum by cluster for each action.
    dear = 1 if splits.n_clusters == n else action.shape[1]
    if comb(count, order) * n * dear > MOST_WORK:
        return []
    return list(combinations(range(count), order))


def _is_new(owners: Array, given: Subset) -> bool:
    return len(set(owners.tolist())) == len(owners) and not np.isin(owners, given).all()


def _products(columns: Array, sets: list[tuple[int, ...]]) -> Array:
    return np.stack([columns[:, members].prod(1) for members in sets], axis=1)
