"""Ridge regression of the action, and what permuting a column does to it, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from terc.arrays import Floats, Integers

PENALTY = 0.01
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Fitted:
    """A linear prediction, taken apart.

    Attributes:
        parts: `[n, d, q]`: what each variable adds to the prediction of each target column, centred.
        residual: `[n, q]`: target minus prediction.
        total: Sum of squares of the centred target.
    """

    parts: Floats
    residual: Floats
    total: float

    @cached_property
    def _reference(self) -> tuple[Floats, Floats, Floats]:
        """Parts, residual plus part, and the sums of their products, with variables and targets in a row."""
        flat = self.parts.reshape(len(self.parts), -1)
        restored = (self.residual[:, None] + self.parts).reshape(flat.shape)
        return flat, restored, np.einsum("nk,nk->k", restored, flat)

    def falls(self, permutation: Integers) -> Floats:
        """Fall of R2 for each variable when its rows are permuted and all else stays, `[d]`.

        With e the residual, c the variable's part and c' its permuted part, the squared error grows by
        sum (e + c - c')^2 - e^2 = 2 sum (e + c) (c - c') because c and c' have the same sum of squares.
        What is below rounding error is zero: a perfect fit would otherwise rank it.

        Example:
            >>> x = np.array([-1.0, 1.0, -1.0, 1.0])
            >>> fitted = ridge([x[:, None]], x[:, None], penalty=0)
            >>> fitted.falls(np.array([1, 0, 3, 2])).round(9).tolist()
            [4.0]
        """
        flat, restored, unmoved = self._reference
        grown = unmoved - np.einsum("nk,nk->k", restored, flat[permutation])
        falls: Floats = 2 * grown.reshape(self.parts.shape[1:]).sum(1) / self.total
        return np.where(np.abs(falls) < ROUNDING, 0.0, falls)

    def only(self, variable: int) -> Fitted:
        """The same with the part of one variable alone, to permute it alone."""
        return Fitted(self.parts[:, [variable]], self.residual, self.total)


def ridge(blocks: list[Floats], target: Floats, penalty: float = PENALTY) -> Fitted:
    """The ridge regression of `target` `[n, q]` on blocks of columns, one block per variable.

    The intercept is not penalised; the columns are used as they are, not scaled.
    """
    columns = np.hstack(blocks)
    columns = columns - columns.mean(0)
    centred = target - target.mean(0)
    gram = columns.T @ columns
    # Least squares, because copies make the matrix singular when the penalty is small against them.
    weights = np.linalg.lstsq(gram + penalty * np.eye(len(gram)), columns.T @ centred, rcond=None)[0]
    ends = np.cumsum([block.shape[1] for block in blocks])[:-1]
    pieces = zip(np.split(columns, ends, axis=1), np.split(weights, ends), strict=True)
    parts = np.stack([piece @ weight for piece, weight in pieces], axis=1)
    return Fitted(parts, centred - parts.sum(1), float((centred**2).sum()))


def block(column: Floats, *, nominal: bool) -> Floats:
    """A variable as columns of a linear model `[n, k]`: itself, or one indicator per level but the first.

    Example:
        >>> block(np.array([0.0, 1.0, 2.0]), nominal=True).tolist()
        [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    if not nominal:
        return column[:, None]
    return (column[:, None] == np.unique(column)[1:]).astype(np.float64)
