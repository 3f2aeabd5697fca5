"""Variables as numbers a network can read, the same whatever the scale or the shift of a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from terc.trajectories.columns import FloatArray, IntArray

if TYPE_CHECKING:
    from terc.entropy.base import Array
    from terc.trajectories.data import Trajectories

FEW_LEVELS = 5
MOST_LEVELS = 24
FARTHEST_SQUARE = 5.0
OUTLIER = 6.0


@dataclass(frozen=True)
class Inputs:
    """Every variable as one or several standardised columns, side by side.

    Attributes:
        values: float32 `[n, p]`.
        owner: int64 `[p]`, the variable that each column belongs to.

    Example:
        >>> from terc.trajectories.data import Trajectories
        >>> x = np.arange(12.0)
        >>> data = Trajectories(np.stack([x, 1e6 + 1e-3 * x], 1), x % 2, names=["x", "y"])
        >>> inputs = network_inputs(data)
        >>> inputs.owner.tolist(), bool(np.allclose(*inputs.values.T, atol=1e-5))
        ([0, 1], True)
    """

    values: Array
    owner: IntArray

    def columns_of(self, variables: tuple[int, ...] | frozenset[int]) -> IntArray:
        """The columns that belong to any of `variables`."""
        return np.flatnonzero(np.isin(self.owner, list(variables)))


def network_inputs(data: Trajectories) -> Inputs:
    """Inputs for networks: z-scores for numbers, one column per level for labels and few levels.

    Standardised in double precision. Columns with outliers beyond six standard deviations enter as normal
    scores of their ranks, so that a cube or an exponential of a variable is as easy to read as the variable.
    """
    return _side_by_side([_read(data, j) for j in range(len(data.names))])


def probe_inputs(data: Trajectories) -> Inputs:
    """Functions of each variable to correlate with the action: x, x^2 and sin 2x, or the levels."""
    return _side_by_side([_probes(_read(data, j)) for j in range(len(data.names))])


def _side_by_side(blocks: list[FloatArray]) -> Inputs:
    owner = np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks])
    return Inputs(np.concatenate(blocks, axis=1, dtype=np.float32), owner)


def _read(data: Trajectories, j: int) -> FloatArray:
    column = data.states[:, j]
    levels, codes = np.unique(column, return_inverse=True)
    if len(levels) > 2 and (data.names[j] in data.nominal or len(levels) <= FEW_LEVELS):
        return one_hot(codes)
    return standard_scores(column)[:, None]


def one_hot(codes: IntArray) -> FloatArray:
    """One standardised column per level, the commonest first, at most 24; rarer levels share none."""
    counts = np.bincount(codes)
    common = np.argsort(-counts, kind="stable")[:MOST_LEVELS]
    return _standard((codes[:, None] == common).astype(np.float64))


def standard_scores(column: FloatArray) -> FloatArray:
    """z-scores, or normal scores of the ranks where a value lies beyond six standard deviations.

    Example:
        >>> x = np.linspace(-1, 1, 1001)
        >>> bool(np.allclose(standard_scores(x), standard_scores(1e6 - 1e-3 * x) * -1, atol=1e-4))
        True
    """
    scores = _standard(column)
    if np.abs(scores).max() > OUTLIER and len(np.unique(column)) > 2:
        ranks = stats.rankdata(column)
        scores = _standard(stats.norm.ppf((ranks - 0.5) / len(column)))
    return scores


def _standard(values: FloatArray) -> FloatArray:
    """Zero mean and unit variance per column; a constant column becomes zeros."""
    # The first value goes first: a column such as 1e6 + 1e-6 x keeps all the digits it has.
    shifted = values - values[:1]
    largest = np.abs(shifted).max(axis=0)
    shifted = shifted / np.where(largest > 0, largest, 1.0)
    centred = shifted - shifted.mean(axis=0)
    spread = centred.std(axis=0)
    return centred / np.where(spread > 0, spread, 1.0)


def _probes(block: FloatArray) -> FloatArray:
    x = block[:, 0]
    if block.shape[1] > 1 or len(np.unique(x)) <= 2:
        return block
    # A square that a few extreme values carry has a t-value that cannot be trusted: beyond 2.2 it is flat.
    square = np.minimum(x**2, FARTHEST_SQUARE)
    return np.stack([x, *(_beside_line(f, x) for f in (square, np.sin(2 * x)))], axis=1)


def _beside_line(f: FloatArray, x: FloatArray) -> FloatArray:
    """What a straight line in x does not explain of f, standardised."""
    f = f - f.mean()
    return _standard(f - float(f @ x) / max(float(x @ x), 1e-300) * x)
