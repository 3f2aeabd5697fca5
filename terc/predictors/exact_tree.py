"""One regression tree with exact thresholds, in plain numpy: all nodes of a level are cut at once."""

from collections.abc import Sequence

import numpy as np

from terc.arrays import Array

PURE = 1e-9
"""Variance below which the values in a node are all the same."""


def tree_guess(x: Array, y: Array, seen: Array, *, smallest_leaf: int) -> Array:
    """Guesses of y `[b, c]` where `seen` `[b, p]` is read, by a tree grown on `x` `[n, p]` and `y` `[n, c]`.

    Each cut explains as much of the variance of all columns of y as one cut can, until leaves are small or
    pure.

    Example:
        >>> x = np.linspace(0, 1, 101)[:, None]
        >>> tree_guess(x, np.floor(4 * x), np.array([[0.24], [0.26], [0.9]]), smallest_leaf=5).T.round(6)
        array([[0., 1., 3.]])
    """
    guess, left = np.empty((len(seen), y.shape[1])), np.arange(len(seen))
    at, node = np.zeros(len(seen), dtype=np.int64), np.zeros(len(x), dtype=np.int64)
    # For each column the steps in nodes that may still be cut, by node, then by value.
    orders = [np.argsort(column, kind="stable") for column in x.T]
    mean, centred = np.zeros((y.shape[1], 1)), np.array(y.T, dtype=np.float64, order="C")
    while True:
        rows = orders[0]
        sizes = np.bincount(node[rows])
        within = np.add.reduceat(centred[:, rows], np.cumsum(sizes) - sizes, axis=1) / sizes
        mean = mean + within
        centred[:, rows] -= np.repeat(within, sizes, axis=1)
        column, threshold, cut = _best_cuts(x, centred, orders, sizes, smallest_leaf)
        ends = ~cut[at]
        guess[left[ends]] = mean.T[at[ends]]
        if not cut.any():
            return guess
        left, at = left[~ends], at[~ends]
        child = 2 * (np.cumsum(cut) - 1)
        at = child[at] + (seen[left, column[at]] > threshold[at])
        orders = [order[cut[node[order]]] for order in orders]
        rows = orders[0]
        before = node[rows]
        node[rows] = child[before] + (x[rows, column[before]] > threshold[before])
        mean = np.repeat(mean[:, cut], 2, axis=1)
        key = np.uint16 if mean.shape[1] < 2**16 else np.int64
        orders = [order[np.argsort(node[order].astype(key), kind="stable")] for order in orders]


def _best_cuts(
    x: Array, centred: Array, orders: Sequence[Array], sizes: Array, smallest: int
) -> tuple[Array, Array, Array]:
    """For each node the column and the threshold of its best cut, and whether there is one.

    Args:
        x: What is cut `[n, p]`.
        centred: What is explained `[c, n]`, with mean zero in every node.
        orders: For each column of x the steps, by node and value.
        sizes: Steps in each node.
        smallest: Fewest steps on either side of a cut.
    """
    starts, node = np.cumsum(sizes) - sizes, np.repeat(np.arange(len(sizes)), sizes)
    n_left = np.arange(1, len(node) + 1) - starts[node]
    n_right = sizes[node] - n_left
    allowed = np.minimum(n_left, n_right) >= smallest
    weight = np.where(allowed, 1 / n_left + 1 / np.maximum(n_right, 1), 0.0)
    spread = np.add.reduceat(np.square(centred[:, orders[0]]).sum(0), starts)
    best, thresholds = np.zeros(len(sizes)), np.zeros(len(sizes))
    columns = np.zeros(len(sizes), dtype=np.int64)
    for j, order in enumerate(orders):
        # The sums of all nodes before are zero, so that a running sum is that of the left side.
        explained = np.square(np.cumsum(centred[:, order], axis=1)).sum(0) * weight
        value = x[order, j]
        explained[:-1][value[1:] <= value[:-1]] = 0
        most = np.maximum.reduceat(explained, starts)
        better = most > best
        first = np.flatnonzero(explained == most[node])
        first = first[np.searchsorted(first, starts)][better]
        best[better], columns[better] = most[better], j
        middle = (value[first] + value[first + 1]) / 2
        thresholds[better] = np.where(middle < value[first + 1], middle, value[first])
    return columns, thresholds, (best > 0) & (spread > PURE * sizes)
