"""Variables that act only together: products of two, three or four columns.

A parity of four bits covaries with none of them, with no pair and with no triple, but plainly with the
product of all four. All products of two are one matrix product per tile; larger ones are those of two with
the action times the other columns, looked at in as many steps as there is time for. What goes up and down
many times, such as a sum modulo one or a bit of a number, shows in products of waves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from terc.arrays import Array
from terc.entropy.base import Subset
from terc.entropy.covariance import chance_of_t, strongest_t, t_of_chance
from terc.predictors.encoding import Inputs, middle_ranks

if TYPE_CHECKING:
    from terc.predictors.base import Spread
    from terc.predictors.splits import Splits

GROUPS = {2: 40, 3: 20, 4: 20}
"""Groups of clusters by which all products of so many columns are looked at first."""
PROMISING = 1e-3
"""Chance below which a product is then looked at by all clusters and steps; at most `MOST_PROMISING`."""
MOST_PROMISING = 2000
TILE = 128
"""Columns that are paired with all others at a time."""
WORTH_SPREADING = 1e9
"""Multiplications of a first look that are worth sending the columns to workers."""
MOST_WORK = {2: 1e12, 3: 1e10, 4: 3e8}
"""Multiplications in the first look: half a minute for pairs of thousands of columns, else below a second."""
FIRST_STEPS = {2: math.inf, 3: 4000, 4: 4000}
"""Steps that are enough for a first look."""
FEWEST_STEPS = 250
"""Steps that a first look must have."""
FEWEST_FOR_PRODUCTS = 100
"""Steps that must carry a product: more than for single columns, because the best of many is looked at."""
FARTHEST = 1.5
"""In larger products a column is flat beyond so many standard deviations: a few steps would carry them."""
COLUMNS_AT_ONCE = 64
"""Products that fit the memory together."""

MOST_PERIODS = 8
"""Periods of the finest wave over the ranks of a number."""
WIDEST = {2: 600, 3: 100}
"""Columns of waves whose products of so many take about a tenth of a second."""
MOST_CELLS = 5e7
"""Numbers that all waves hold together: 200 MB."""


@dataclass(frozen=True)
class Product:
    """Variables that act together: t-value of the action's residual with their product, and p-value."""

    variables: Subset
    z: float
    p_value: float


def significant_products(  # noqa: PLR0913  (what is looked at, beside what, and how)
    order: int,
    action: Array,
    inputs: Inputs,
    given: Subset,
    splits: Splits,
    alpha: float,
    spread: Spread | None = None,
) -> list[Product]:
    """Products of `order` columns of different variables, not all given, that covary with the action.

    Strongest first; none where there are too many to look at.

    Args:
        order: Columns in a product: 2, 3 or 4.
        action: Residuals `[n, q]`.
        inputs: Residuals of the variables' columns.
        given: Variables already kept.
        splits: Clusters.
        alpha: Error rate over all these products together.
        spread: Where the work may be done; None for this process.

    Example:
        >>> from terc.predictors.splits import split
        >>> rng = np.random.default_rng(0)
        >>> bits = rng.choice(np.array([-1, 1], dtype=np.float32), (500, 8))
        >>> parity = bits[:, [1, 2, 4, 7]].prod(1, keepdims=True)
        >>> splits = split(np.arange(500), rng=rng)
        >>> significant_products(4, parity, Inputs(bits, np.arange(8)), (), splits, alpha=0.05)[0].variables
        (1, 2, 4, 7)
    """
    values, owner = inputs.values, inputs.owner
    if order > 2:
        values = np.clip(values, -FARTHEST, FARTHEST)
        # What is cut off one side would leave a mean, and a product of the other columns in its place.
        values -= values.mean(0)
    tests = n_products(order, owner, given)
    sets = (
        _promising(order, action, Inputs(values, owner), given, splits, spread)
        if tests
        else np.zeros((0, order), int)
    )
    t = np.zeros(len(sets))
    for start in range(0, len(sets), COLUMNS_AT_ONCE):
        here = slice(start, start + COLUMNS_AT_ONCE)
        products = reduce(np.multiply, (values[:, members] for members in sets[here].T))
        t[here] = strongest_t(action, products, splits, FEWEST_FOR_PRODUCTS)
    chance = np.minimum(1.0, 2 * chance_of_t(t, max(splits.n_clusters - 1, 1)) * tests * action.shape[1])
    return [
        Product(tuple(owner[sets[k]].tolist()), float(t[k]), float(chance[k]))
        for k in np.argsort(-t, kind="stable")
        if chance[k] < alpha
    ]


def periods_of(order: int, inputs: Inputs, curved: Array) -> int:
    """Of the finest waves for which there is time in products of so many columns of all variables; or none.

    Args:
        order: Columns in a product.
        inputs: All variables.
        curved: bool `[d]`, which of them are numbers.
    """
    numbers = int(curved[inputs.owner].sum())
    room = min(WIDEST[order], int(MOST_CELLS / len(inputs.values))) - (len(inputs.owner) - numbers)
    return max(0, min(MOST_PERIODS, room // (2 * numbers))) if numbers else 0


def ranked(inputs: Inputs, binned: Inputs, curved: Array) -> Inputs:
    """Numbers as shares of the steps in the bins below theirs, levels as they are."""
    ranks = inputs.values.copy()
    for k in np.flatnonzero(curved[inputs.owner]):
        ranks[:, k] = middle_ranks(binned.values[:, inputs.owner[k]])
    return Inputs(ranks, inputs.owner)


def waves_of(ranks: Inputs, curved: Array, periods: int) -> Inputs:
    """Sines and cosines of one to so many periods over the ranks of each number; levels as they are."""
    angles, blocks = 2 * np.pi * np.arange(1, periods + 1, dtype=np.float32), []
    for column, j in zip(ranks.values.T, ranks.owner, strict=True):
        angle = column[:, None] * angles
        waves = [math.sqrt(2) * wave(angle) for wave in (np.sin, np.cos)] if curved[j] else [column[:, None]]
        blocks.append(np.concatenate(waves, axis=1))
    return Inputs(np.concatenate(blocks, axis=1), owner_of_waves(ranks.owner, curved, periods))


def owner_of_waves(owner: Array, curved: Array, periods: int) -> Array:
    """Whose the columns of `waves_of` are."""
    return np.repeat(owner, np.where(curved[owner], 2 * periods, 1))


def n_products(order: int, owner: Array, given: Subset) -> int:
    """Products of so many columns of different variables, not all of them given."""
    return _sets_of(order, owner) - _sets_of(order, owner[np.isin(owner, given)])


def _sets_of(order: int, owner: Array) -> int:
    """Sets of so many columns of different variables."""
    counts = [1] + [0] * order
    for same in np.unique(owner, return_counts=True)[1].tolist():
        for size in range(order, 0, -1):
            counts[size] += same * counts[size - 1]
    return counts[order]


def _promising(
    order: int, action: Array, inputs: Inputs, given: Subset, splits: Splits, spread: Spread | None
) -> Array:
    """Sets of columns worth an exact look `[m, order]`: t-values of all by a few groups of clusters."""
    (n, width), owner = inputs.values.shape, inputs.owner
    work = math.comb(width, order - 2) * width**2 * action.shape[1] * 2 / order
    steps = min(n, FIRST_STEPS[order], MOST_WORK[order] / work)
    if order > 2 and steps < min(n, FEWEST_STEPS):
        return np.zeros((0, order), dtype=np.int64)
    every = math.ceil(n / steps)
    action, columns, clusters = action[::every], inputs.values[::every], splits.clusters[::every]
    groups = clusters * GROUPS[order] // max(int(clusters[-1]) + 1, GROUPS[order])
    bounds = [*np.flatnonzero(np.diff(groups, prepend=-1)), len(groups)]
    look = _FirstLook(action, Inputs(columns, owner), ~np.isin(owner, given), bounds)
    outers = [
        some for some in combinations(range(width), order - 2) if len({*owner[list(some)]}) == len(some)
    ]
    tiles = [(outer, tile) for outer in outers for tile in _tiles(outer[-1] + 1 if outer else 0, width)]
    if work * len(action) < WORTH_SPREADING or len(tiles) < 2:
        spread = None
    looked = (spread or map)(partial(_looked_at, look), tiles)
    strengths, found = zip((np.zeros(0), np.zeros((0, order), dtype=np.int64)), *looked, strict=True)
    best = np.argsort(-np.concatenate(strengths), kind="stable")[:MOST_PROMISING]
    return np.concatenate(found)[best]


@dataclass(frozen=True, eq=False)
class _FirstLook:
    """What all products are looked at by.

    Attributes:
        action: Residuals `[steps, q]`.
        inputs: Residuals of the variables' columns.
        new: bool, which of these are not given.
        bounds: First step of each group of clusters, and the end.
    """

    action: Array
    inputs: Inputs
    new: Array
    bounds: Sequence[int]


def _looked_at(look: _FirstLook, which: tuple[Subset, slice]) -> tuple[Array, Array]:
    """Promising products of some columns with one of a tile and one behind it: t-values, and which."""
    columns, owner, new = look.inputs.values, look.inputs.owner, look.new
    outer, tile = list(which[0]), which[1]
    rest = slice(tile.start, columns.shape[1])
    weighted = look.action * columns[:, outer].prod(1, keepdims=True)
    t = _tile_t(weighted, columns[:, tile], columns[:, rest], look.bounds)
    useful = owner[tile, None] < owner[None, rest]
    useful &= new[tile, None] | new[None, rest] | new[outer].any()
    useful &= ~np.isin(owner[tile, None], owner[outer])
    i, j = np.nonzero((t > t_of_chance(PROMISING / 2, max(len(look.bounds) - 2, 1))) & useful)
    others = np.tile(np.array(outer, int), (len(i), 1))
    return t[i, j], np.column_stack([others, i + tile.start, j + tile.start])


def _tiles(start: int, end: int) -> Iterator[slice]:
    return (slice(at, min(at + TILE, end)) for at in range(start, end, TILE))


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
