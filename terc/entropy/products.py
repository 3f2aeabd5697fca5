"""Variables that act only together: products of two columns, and of three or four where these are few.

A parity of four bits covaries with none of them, with no pair and with no triple, but plainly with the
product of all four. All pairs are one matrix product per tile; the number of larger products grows fast, and
they are tested only where all of them together are cheap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from terc.arrays import Array
from terc.entropy.base import Subset
from terc.entropy.covariance import chance_of_t, strongest_t, t_of_chance

if TYPE_CHECKING:
    from terc.predictors.splits import Splits

GROUPS = 40
"""Groups of clusters by which all pairs are looked at first."""
PROMISING = 1e-3
"""Chance below which a pair is then looked at by all clusters; at most `MOST_PROMISING`."""
MOST_PROMISING = 2000
TILE = 512
"""Columns that are paired with all others at a time."""
MOST_PAIR_WORK = 1e12
"""Products of a step's residual and two columns in the first look at all pairs, about half a minute."""
FEWEST_EFFECTIVE_PAIRS = 100
ORDERS = (3, 4)
COLUMNS_AT_ONCE = 64
MOST_WORK = 5e7
FEWEST_EFFECTIVE_PRODUCTS = 100


@dataclass(frozen=True)
class Pair:
    """Two variables that act together: t-value of the action's residual with their product, and p-value."""

    first: int
    second: int
    z: float
    p_value: float


def significant_pairs(
    action: Array,
    columns: Array,
    owner: Array,
    given: Subset,
    splits: Splits,
    alpha: float,
) -> list[Pair]:
    """Pairs of columns of different variables, not both given, whose products covary with the action.

    Args:
        action: Residuals `[n, q]`.
        columns: Residuals of the variables' columns `[n, p]`.
        owner: Variable of each column.
        given: Variables already kept.
        splits: Clusters.
        alpha: Error rate over all pairs together.
    """
    tests = _pairs_of(owner) - _pairs_of(owner[np.isin(owner, given)])
    if tests == 0:
        return []
    first, second = _promising_pairs(action, columns, owner, given, splits)
    if len(first) == 0:
        return []
    freedom = max(splits.n_clusters - 1, 1)
    t = np.concatenate(
        [
            np.abs(strongest_t(action, columns[:, i] * columns[:, j], splits, FEWEST_EFFECTIVE_PAIRS))
            for i, j in zip(*(np.array_split(of, len(of) // 64 + 1) for of in (first, second)), strict=True)
        ]
    )
    chance = np.minimum(1.0, 2 * chance_of_t(t, freedom) * tests * action.shape[1])
    return [
        Pair(int(owner[first[k]]), int(owner[second[k]]), float(t[k]), float(chance[k]))
        for k in np.argsort(-t, kind="stable")
        if chance[k] < alpha
    ]


def _pairs_of(owner: Array) -> int:
    """Pairs of columns of different variables."""
    same = np.unique(owner, return_counts=True)[1]
    return (len(owner) ** 2 - int(np.square(same).sum())) // 2


def _promising_pairs(
    action: Array, columns: Array, owner: Array, given: Subset, splits: Splits
) -> tuple[Array, Array]:
    """Pairs worth an exact look: t-values of all of them by a few groups of clusters, tile by tile.

    Where that would be too much work, by every so manieth cluster.
    """
    every = math.ceil(columns.shape[1] ** 2 * action.size / MOST_PAIR_WORK)
    rows = splits.clusters % every == 0
    clusters = splits.clusters[rows] // every
    groups = clusters * GROUPS // max(int(clusters[-1]) + 1, GROUPS)
    bounds = [*np.flatnonzero(np.diff(groups, prepend=-1)), int(rows.sum())]
    inside, threshold = np.isin(owner, given), t_of_chance(PROMISING / 2, max(len(bounds) - 2, 1))
    if every > 1:
        action, columns = action[rows], columns[rows]
    found: list[tuple[Array, Array, Array]] = []
    for start in range(0, columns.shape[1], TILE):
        tile = slice(start, start + TILE)
        t = _tile_t(action, columns[:, tile], columns[:, start:], bounds)
        useful = (owner[tile, None] < owner[None, start:]) & ~(inside[tile, None] & inside[None, start:])
        i, j = np.nonzero((t > threshold) & useful)
        found.append((t[i, j], i + start, j + start))
    strength, first, second = (np.concatenate(parts) for parts in zip(*found, strict=True))
    best = np.argsort(-strength, kind="stable")[:MOST_PROMISING]
    return first[best], second[best]


def _tile_t(action: Array, left: Array, right: Array, bounds: Sequence[int]) -> Array:
    """Largest |t| over the action's columns of mean(action * left_i * right_j) by groups of rows."""
    count, strongest = len(bounds) - 1, np.zeros((left.shape[1], right.shape[1]))
    for residual in action.T:
        total, square = np.zeros((2, left.shape[1], right.shape[1]))
        for begin, end in pairwise(bounds):
            part = (left[begin:end] * residual[begin:end, None]).T @ right[begin:end]
            total += part
            square += np.square(part, out=part)
        spread = (square - total**2 / count) * count / max(count - 1, 1)
        strongest = np.maximum(strongest, np.abs(total) / np.sqrt(np.maximum(spread, 1e-12)))
    return strongest


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
