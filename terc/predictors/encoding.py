"""Variables as numbers a predictor can read, the same whatever the scale or the shift of a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from terc.arrays import Array

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories


FEW_LEVELS = 5
"""Up to so many levels a number is also a label for every predictor."""
MOST_LEVELS = 24
"""Up to so many whole numbers are labels too, for the linear model."""
STEPS_PER_LEVEL = 5
"""Values that come back so often, in the mean, can be counted."""
OUTLIER = 6.0
"""Standard deviations beyond which a column enters as normal scores of its ranks."""
ATOM_SHARE = 0.02
"""A value of a number that so many steps share is one of its own, and not one among others."""
MOST_AT_ATOMS = 0.8
"""Beyond this share of steps at such values a column is a choice among them."""
FEWEST_BETWEEN = 0.05
"""Share of the steps that are enough to see what columns have in common."""
FEWEST_PER_COLUMN = 10
"""Steps for each of these columns, so that what they have in common is no luck."""
LARGE = 1e300
MOST_BINS = 255
"""As many as histogram trees take."""
FARTHEST_SQUARE = 5.0
"""A square that a few extreme values carry has a t-value that cannot be trusted: beyond 2.2 it is flat."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """Every variable as one or several standardised columns, side by side.

    Attributes:
        values: `[n, p]`, float32 unless said otherwise.
        owner: int64 `[p]`, the variable that each column belongs to.
    """

    values: Array
    owner: Array

    def only(self, variables: tuple[int, ...]) -> Inputs:
        """The columns of some variables."""
        here = self.columns_of(variables)
        return Inputs(self.values[:, here], self.owner[here])

    def beside(self, other: Inputs) -> Inputs:
        """Both, side by side."""
        values = np.concatenate([self.values, other.values], axis=1)
        return Inputs(values, np.concatenate([self.owner, other.owner]))

    def columns_of(self, variables: tuple[int, ...]) -> Array:
        """The column numbers of some variables."""
        return np.flatnonzero(np.isin(self.owner, variables))


@dataclass(frozen=True, eq=False)
class Encoding:
    """The states as each family of predictors reads them.

    Attributes:
        numbers: z-scores of numbers; one column per level of labels and of what has few levels.
        labels: Beside these, one column per level of the other whole numbers of up to 24 levels.
        values: Beside these, the values themselves where `numbers` has their ranks: sums and differences of
            columns are those of values.
        binned: For trees, uint8, each variable cut at its quantiles, or its levels.
        codes: int16 or int32 `[n, d]`, level of each value; -1 in columns whose values hardly come back.
        nominal: bool `[d]`, columns of labels.
    """

    numbers: Inputs
    labels: Inputs
    values: Inputs
    binned: Inputs
    codes: Array
    nominal: Array

    @classmethod
    def of(cls, data: Trajectories) -> Encoding:
        """The encoding of the states of `data`."""
        nominal = np.array([name in data.nominal for name in data.names])
        numbers, labels, values = [], [], []
        binned = np.empty((len(data), len(nominal)), dtype=np.uint8)
        most_codes = len(data) // STEPS_PER_LEVEL
        codes = np.full(binned.shape, -1, dtype=np.int16 if most_codes < 2**15 else np.int32)
        none = np.zeros((len(data), 0), dtype=np.float32)
        for j, scattered in enumerate(data.states.T):
            column = np.ascontiguousarray(scattered)
            levels, code = np.unique(column, return_inverse=True)
            code = code.reshape(-1)
            labelled = len(levels) > 2 and (nominal[j] or len(levels) <= FEW_LEVELS)
            few = len(levels) <= MOST_LEVELS
            hot = one_hot(code) if len(levels) > 2 and (labelled or few) else none
            usual = ~_at_atoms(code)
            scores = none if labelled else standardised(column, usual)[:, None].astype(np.float32)
            far = len(levels) > 2 and np.abs(scores).max(initial=0) > OUTLIER
            numbers.append(hot if labelled else _normal_scores(code)[:, None] if far else scores)
            labels.append(none if labelled else hot)
            values.append(drawn_in(scores) if far else none)
            binned[:, j] = _bins(code)
            if len(levels) <= most_codes:
                codes[:, j] = code
        owner = np.arange(len(nominal))
        return cls(
            _side_by_side(numbers),
            _side_by_side(labels),
            _side_by_side(values),
            Inputs(binned, owner),
            codes,
            nominal,
        )

    def smooth(self, view: tuple[int, ...], widest: int) -> Inputs:
        """What models that add up columns read of some variables; no values where that would be too wide."""
        both = self.numbers.only(view).beside(self.values.only(view))
        return both if both.values.shape[1] <= widest else self.numbers.only(view)


def between_atoms(encoding: Encoding, view: tuple[int, ...]) -> Array:
    """Steps at which no number of the view sits at a value that many share; all steps if these are few.

    Such a value often stands for "none" (no lead vehicle, never seen), and what two columns have in common is
    not there then.
    """
    n = len(encoding.codes)
    outside = [_at_atoms(column) for column in encoding.binned.only(view).values.T]
    rows = np.flatnonzero(~np.any([np.zeros(n, dtype=bool), *outside], axis=0))
    return rows if len(rows) >= max(FEWEST_BETWEEN * n, FEWEST_PER_COLUMN * len(view)) else np.arange(n)


def _at_atoms(code: Array) -> Array:
    """Steps `[n]` at a value that many share, by the codes of the values; none where most steps are."""
    at = (np.bincount(code) > ATOM_SHARE * len(code))[code]
    return at if at.mean() < MOST_AT_ATOMS else np.zeros(len(code), dtype=bool)


def curved(inputs: Inputs) -> Array:
    """Which variables are numbers of more than two values `[d]`: their squares and waves tell more."""
    out = np.bincount(inputs.owner) == 1
    for column, j in zip(inputs.values.T, inputs.owner, strict=True):
        out[j] &= len(np.unique(column[:100])) > 2 or len(np.unique(column)) > 2
    return out


def probes_of(inputs: Inputs, curved: Array) -> Inputs:
    """Functions of each variable to correlate with the action: x, x^2 and sin 2x, or the levels.

    First the inputs themselves, then the squares, then the waves: each variable has columns in three places.

    Args:
        inputs: Some variables.
        curved: `[d]`, which variables get squares and waves.
    """
    here = curved[inputs.owner]
    x = inputs.values[:, here]
    square = _beside_line(np.minimum(np.square(x), FARTHEST_SQUARE), x)
    wave = _beside_line(np.sin(2 * x), x)
    owner = np.concatenate([inputs.owner, inputs.owner[here], inputs.owner[here]])
    return Inputs(np.concatenate([inputs.values, square, wave], axis=1), owner)


def _beside_line(f: Array, x: Array) -> Array:
    """What a straight line in x does not explain of f, standardised, column by column."""
    f = f - f.mean(0)
    along = np.einsum("ij,ij->j", f, x) / np.maximum(np.einsum("ij,ij->j", x, x), 1e-30)
    f -= along * x
    spread = f.std(0)
    f /= np.where(spread > 1e-9, spread, 1.0)
    return f


def _side_by_side(blocks: list[Array]) -> Inputs:
    owner = np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks])
    # Each column in one piece: some of them are then read in a twentieth of the time.
    return Inputs(np.concatenate([block.T for block in blocks], dtype=np.float32).T, owner)


def bins_of(column: Array) -> Array:
    """A column cut at its quantiles, or its levels."""
    return _bins(np.unique(column, return_inverse=True)[1].reshape(-1))


def _bins(codes: Array) -> Array:
    """Ranks of the levels, at most `MOST_BINS` of them with about as many steps in each."""
    if codes.max() < MOST_BINS:
        return codes
    before = np.concatenate([[0], np.cumsum(np.bincount(codes))[:-1]])
    return np.asarray((before * MOST_BINS // len(codes))[codes])


def one_hot(codes: Array) -> Array:
    """One standardised column per level, the commonest first, at most 24; rarer levels share none."""
    share = np.bincount(codes) / len(codes)
    common = np.argsort(-share, kind="stable")[:MOST_LEVELS]
    of_level = (np.arange(len(share))[:, None] == common) - share[common]
    spread = np.sqrt(share * (1 - share))[common]
    return np.asarray((of_level / np.where(spread > 0, spread, 1.0)).astype(np.float32)[codes])


def standard_scores(column: Array) -> Array:
    """z-scores, or normal scores of the ranks where a value lies beyond six standard deviations.

    Example:
        >>> x = np.linspace(-1, 1, 1001)
        >>> bool(np.allclose(standard_scores(x), standard_scores(1e6 - 1e-3 * x) * -1, atol=1e-4))
        True
    """
    scores, (levels, code) = standardised(column), np.unique(column, return_inverse=True)
    far = len(levels) > 2 and np.abs(scores).max() > OUTLIER
    return _normal_scores(code.reshape(-1)) if far else scores


def _normal_scores(code: Array) -> Array:
    """Of ranks, which the codes of the levels are."""
    from scipy import special

    return standardised(special.ndtri(middle_ranks(code)))


def middle_ranks(code: Array) -> Array:
    """Share of steps below each step's level, and half of those at it.

    Example:
        >>> middle_ranks(np.array([0, 1, 1, 2])).tolist()
        [0.125, 0.5, 0.5, 0.875]
    """
    counts = np.bincount(code)
    return np.asarray(((np.cumsum(counts) - counts / 2) / len(code))[code])


def drawn_in(scores: Array) -> Array:
    """z-scores that grow as a logarithm beyond six deviations."""
    size = np.maximum(np.abs(scores), OUTLIER)
    return np.asarray(np.clip(scores, -OUTLIER, OUTLIER) + np.sign(scores) * np.log(size / OUTLIER))


def undrawn(values: Array) -> Array:
    """The z-scores of which `drawn_in` made these.

    Example:
        >>> undrawn(drawn_in(np.array([-60.0, 5.0, 600.0]))).round(6).tolist()
        [-60.0, 5.0, 600.0]
    """
    beyond = np.maximum(np.abs(values) - OUTLIER, 0)
    return np.asarray(np.clip(values, -OUTLIER, OUTLIER) * np.exp(beyond))


def standardised(values: Array, usual: Array | None = None) -> Array:
    """Zero mean and unit variance per column; a constant column becomes zeros.

    Args:
        values: `[n, ...]`.
        usual: bool `[n]`, steps whose mean and variance are meant; None for all.
    """
    # A quarter, where a difference of two could be beyond what numbers hold.
    largest = np.abs(values).max(axis=0).astype(np.float64)
    values = np.where(largest > LARGE, values / 4, values)
    some = slice(None) if usual is None or usual.all() else usual
    # A usual value goes first: a column such as 1e6 + 1e-6 x keeps all the digits it has.
    shifted = values - values[some][:1]
    largest = np.abs(shifted[some]).max(axis=0)
    shifted = shifted / np.where(largest > 0, largest, 1.0)
    centred = shifted - shifted[some].mean(axis=0)
    spread = centred[some].std(axis=0)
    return np.asarray(centred / np.where(spread > 0, spread, 1.0))
