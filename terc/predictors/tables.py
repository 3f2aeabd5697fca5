"""What tables say, as numbers that a network can read beside others.

A column of many values that come back (an id, a place, the time in an episode) has a mean action at each of
them, and so have two such columns together. Counting alone cannot join that with numbers; a network can, if
it reads these means.
"""

from itertools import combinations

import numpy as np

from terc.arrays import Array
from terc.predictors.base import Problem, Subset
from terc.predictors.counts import cells
from terc.predictors.encoding import FEW_LEVELS, MOST_LEVELS, Inputs, standardised

SMOOTHING = 1.0
"""Steps of mean action that every cell is given."""
MOST_COUNTED = 16
"""Columns whose tables are made, and all pairs of them; of more, those of many values that tell most."""
MOST_PAIRS = 4
"""Pairs whose tables are read: those that tell most beyond the two tables of one."""


def tables(problem: Problem) -> Inputs:
    """The mean action at each value of a column of many, and of pairs that tell more than the two alone.

    Of every step by the folds in which it is not. The table of a pair belongs to the column of more values.
    """
    codes, part = problem.laid.encoding.codes, problem.part
    levels = {j: int(codes[:, j].max()) + 1 for j in problem.view if codes[0, j] >= 0}
    if len(levels) > MOST_COUNTED:
        levels = {j: count for j, count in levels.items() if count > MOST_LEVELS}
    said: dict[Subset, Array] = {(j,): _means(problem, (j,)) for j in levels}
    left = {j: _left(problem, found) for (j,), found in said.items()}
    near = sorted(levels, key=lambda j: left[j])[:MOST_COUNTED]
    gain: dict[Subset, float] = {}
    for pair in combinations(sorted(near), 2):
        if max(levels[j] for j in pair) > FEW_LEVELS and cells(codes, pair) is not None:
            said[pair] = _means(problem, pair)
            gain[pair] = min(left[j] for j in pair) - _left(problem, said[pair])
    pairs = sorted((pair for pair in gain if gain[pair] > 0), key=lambda pair: -gain[pair])[:MOST_PAIRS]
    read: list[Subset] = [*((j,) for j in near if levels[j] > MOST_LEVELS), *pairs]
    blocks = [np.zeros((len(codes), 0), dtype=np.float32), *(standardised(said[some]) for some in read)]
    owner = [max(some, key=lambda j: levels[j]) for some in read]
    width = part.columns.shape[1]
    return Inputs(np.concatenate(blocks, axis=1, dtype=np.float32), np.repeat(owner, width).astype(np.int64))


def _means(problem: Problem, columns: Subset) -> Array:
    """The mean action `[n, q]` at the values that these columns have, zero where they hardly come back."""
    cell, action = cells(problem.laid.encoding.codes, columns), problem.part.columns
    out = np.zeros(action.shape)
    if cell is None:
        return out
    size = int(cell.max()) + 1
    for fold in range(problem.laid.n_folds):
        seen, rows = problem.train_rows(fold), problem.test_rows(fold)
        counts = np.bincount(cell[seen], minlength=size) + SMOOTHING
        for k, column in enumerate(action.T):
            sums = np.bincount(cell[seen], column[seen], size) + SMOOTHING * column[seen].mean()
            out[rows, k] = (sums / counts)[cell[rows]]
    return out


def _left(problem: Problem, means: Array) -> float:
    """Variance of the action that the means leave."""
    rows = problem.part.rows
    return float(np.square(problem.part.columns[rows] - means[rows]).sum(1).mean())
