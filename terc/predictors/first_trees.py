"""Boosted trees in plain numpy, for a first impression: loading scikit-learn alone takes a second.

Trees are grown level by level, on columns that are cut into bins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from terc.arrays import Array
from terc.networks.heads import softmax

DEPTH = 5
"""Levels of a tree. All leaves of a level are cut; 32 fit about as well as 16 where the best is cut next."""
PENALTY = 1.0
"""Added to the curvature in every leaf, which draws its value to zero."""


@dataclass(frozen=True)
class Tree:
    """Where each level cuts each of its nodes, and what the leaves add.

    Attributes:
        columns: For each level the column `[nodes]` that is read.
        cuts: For each level the last bin `[nodes]` that goes left.
        values: `[leaves]`.
    """

    columns: tuple[Array, ...]
    cuts: tuple[Array, ...]
    values: Array

    def __call__(self, bins: Array) -> Array:
        """What the leaves of the steps add `[n]`, for bins `[p, n]`."""
        leaf = np.zeros(bins.shape[1], dtype=np.int64)
        for columns, cuts in zip(self.columns, self.cuts, strict=True):
            leaf = _below(leaf, bins, columns, cuts)
        return np.asarray(self.values[leaf])


@dataclass(frozen=True)
class FirstTrees:
    """Trees one after the other, each fitted to what those before it left.

    Attributes:
        start: `[q]`, what is expected before the first tree.
        rounds: For each round one tree per number: for the score of each level, or for the number itself.
        is_number: Whether numbers are predicted, and not scores of levels.

    Example:
        >>> bins = np.arange(400)[:, None] % 256
        >>> model = FirstTrees.fitted(bins, (bins > 99).astype(float), 20, 0.2, 20)
        >>> model.staged(np.array([[90], [110]]), (20,), 1).round(1).ravel().tolist()
        [0.0, 1.0]
    """

    start: Array
    rounds: tuple[tuple[Tree, ...], ...]
    is_number: bool

    @classmethod
    def fitted(
        cls, bins: Array, target: Array, rounds: int, learning_rate: float, smallest_leaf: int
    ) -> FirstTrees:
        """Trees for a number `[n, 1]` or for the shares of levels `[n, K]`, from bins `[n, p]`."""
        is_number, mean = target.shape[1] == 1, target.mean(0)
        start = mean if is_number else np.log(mean + 1e-6)
        if target.shape[1] == 2:
            start, target = start[1:] - start[0], target[:, 1:]
        columns, scores = np.ascontiguousarray(bins.T, dtype=np.int64), np.tile(start, (len(bins), 1))
        made = []
        for _ in range(rounds):
            expected = scores if is_number else _chances(scores)[:, -target.shape[1] :]
            slope = target - expected
            bend = np.ones_like(slope) if is_number else expected * (1 - expected)
            trees = [_grown(columns, *both, smallest_leaf) for both in zip(slope.T, bend.T, strict=True)]
            trees = [replace(tree, values=learning_rate * tree.values) for tree in trees]
            scores = scores + np.stack([tree(columns) for tree in trees], axis=1)
            made.append(tuple(trees))
        return cls(start, tuple(made), is_number)

    def staged(self, x: Array, rounds: Sequence[int], size: int) -> Array:
        """Predictions `[b, stage, size]` after so many rounds."""
        bins, out = np.ascontiguousarray(x.T, dtype=np.int64), np.empty((len(x), len(rounds), size))
        scores = np.tile(self.start, (len(x), 1))
        for done, trees in enumerate(self.rounds, 1):
            scores += np.stack([tree(bins) for tree in trees], axis=1)
            if done in rounds:
                out[:, rounds.index(done)] = scores if self.is_number else _chances(scores)
        return out


def _grown(bins: Array, slope: Array, bend: Array, smallest_leaf: int) -> Tree:
    """One tree by slopes of the loss `[n]`; its leaves are steps of Newton's method."""
    leaf, columns, cuts = np.zeros(bins.shape[1], dtype=np.int64), [], []
    size = int(bins.max()) + 1
    for level in range(DEPTH):
        column, cut = _best_cuts(bins, leaf, (None, slope, bend), (2**level, size), smallest_leaf)
        leaf = _below(leaf, bins, column, cut)
        columns.append(column)
        cuts.append(cut)
    slopes, bends = (np.bincount(leaf, weight, 2**DEPTH) for weight in (slope, bend))
    return Tree(tuple(columns), tuple(cuts), slopes / (bends + PENALTY))


def _best_cuts(
    bins: Array, leaf: Array, weights: Sequence[Array | None], shape: tuple[int, int], smallest: int
) -> tuple[Array, Array]:
    """For each node the column and the bin after which a cut explains most of the slopes."""
    nodes, size = shape
    best, columns, cuts = np.zeros(nodes), np.zeros(nodes, dtype=np.int64), np.full(nodes, size)
    first, each = leaf * size, np.arange(nodes)
    for j, column in enumerate(bins):
        place = first + column
        sums = [np.bincount(place, weight, nodes * size) for weight in weights]
        left = np.cumsum(np.reshape(sums, (-1, *shape)), axis=2)
        right = left[..., -1:] - left
        explained = left[1] ** 2 / (left[2] + PENALTY) + right[1] ** 2 / (right[2] + PENALTY)
        explained[np.minimum(left[0], right[0]) < smallest] = 0
        at = explained.argmax(1)
        most = explained[each, at]
        better = most > best
        best[better], columns[better], cuts[better] = most[better], j, at[better]
    return columns, cuts


def _below(leaf: Array, bins: Array, columns: Array, cuts: Array) -> Array:
    """The node of the next level in which each step lies."""
    read = bins[columns[leaf], np.arange(bins.shape[1])]
    return np.asarray(2 * leaf + (read > cuts[leaf]))


def _chances(scores: Array) -> Array:
    """Of the levels `[n, K]`, from the score of each, or of the second of two."""
    first = np.zeros((len(scores), int(scores.shape[1] == 1)))
    return softmax(np.concatenate([first, scores], axis=1))
