"""Columns rebuilt from others: what a set of variables says about one that is not among them.

H(A given O) is at most the loss of any predictor that reads O, also of one that first rebuilds another
column R from O. A rounded copy, a third position or a noisy sight of something in O can help a predictor
that cannot follow the action from O alone, and yet holds nothing that O does not.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from terc.arrays import Array
from terc.predictors.base import Laid, Subset
from terc.predictors.counts import cells
from terc.predictors.encoding import MOST_BINS, Encoding, Inputs, undrawn
from terc.predictors.exact_tree import tree_guess

REBUILT = 0.3
"""Share of a column's variance that the others must explain for rebuilding to be worth a try."""
ALL_BUT = 0.95
"""The same where what the column gains is far from nothing: what is rebuilt in part stands in for little."""
PILOT = 2000
"""Steps of a first try; most columns cannot be rebuilt, and this shows it."""
SMALLEST_LEAF = 5
RIDGE = 1e-6
WELL_COUNTED = 30
"""Steps per combination of values from which counting learns nearly all that the combination says."""
MOST_IN_EQUATION = 12
"""Columns whose products can all stand in an equation."""
FAR = 1e3
"""Where a root lies that does not exist."""


def rebuilt(laid: Laid, columns: Subset, given: Subset, share: float = REBUILT) -> Laid | None:
    """The data with `columns` replaced by what `given` says of them; None if that is not the share wanted.

    Each fold is rebuilt by regressions on the other folds. Nothing is rebuilt from what is counted often:
    there a rebuilt column hardly helps anybody.
    """
    encoding, cell = laid.encoding, cells(laid.encoding.codes, given)
    if cell is not None and len(cell) >= WELL_COUNTED * (int(cell.max()) + 1):
        return None
    x = _side_by_side(laid, [_value(encoding, j) for j in given])
    truths = [_guessed(encoding, j) for j in columns]
    y = _side_by_side(laid, truths)
    if not given or not _worth_trying(laid, x, y, share):
        return None
    guess, error = _predicted(x, y, laid.folds)
    if not _explained(error, y, share):
        return None
    sizes = np.cumsum([truth.shape[1] for truth in truths])
    for j, truth, said in zip(columns, truths, np.split(guess, sizes, axis=1), strict=False):
        encoding = _encoded(encoding, j, truth, said)
    return replace(laid, encoding=encoding)


def _side_by_side(laid: Laid, blocks: Sequence[Array]) -> Array:
    return np.concatenate([np.zeros((len(laid.folds), 0)), *blocks], axis=1, dtype=np.float64)


def _value(encoding: Encoding, j: int) -> Array:
    """A variable as one column `[n, 1]`: the number itself, or the number of its level."""
    if (encoding.values.owner == j).any():
        return undrawn(encoding.values.only((j,)).values)
    own = encoding.numbers.only((j,)).values
    return own if own.shape[1] == 1 else encoding.binned.only((j,)).values


def _guessed(encoding: Encoding, j: int) -> Array:
    """What is guessed of a variable `[n, c]`: its score and its value, or its levels and their number."""
    score, value = encoding.numbers.only((j,)).values, _value(encoding, j)
    return score if score.shape == value.shape and (score == value).all() else np.hstack([score, value])


def _encoded(old: Encoding, j: int, truth: Array, said: Array) -> Encoding:
    """The encoding with one variable as it was guessed."""
    codes, nominal = old.codes.copy(), old.nominal.copy()
    codes[:, j], nominal[j] = -1, False
    if old.numbers.columns_of((j,)).size > 1:
        numbers, binned = said[:, :-1], said[:, -1:]
        labels, values = old.labels.only((j,)).values, old.values.only((j,)).values
    else:
        # Score, value, bin and levels of a number follow from each other; its value may be guessed better.
        by_value = _translated(said[:, -1], truth[:, -1], truth[:, :1])
        numbers, _ = _better(truth[:, :1], said[:, :1], by_value, np.arange(len(truth)))
        labels, values, binned = (
            _translated(numbers[:, 0], truth[:, 0], inputs.only((j,)).values)
            for inputs in (old.labels, old.values, old.binned)
        )
    return Encoding(
        _with(old.numbers, (j,), numbers),
        _with(old.labels, (j,), labels),
        _with(old.values, (j,), values),
        _with(old.binned, (j,), np.round(binned)),
        codes,
        nominal,
    )


def _translated(guess: Array, value: Array, columns: Array) -> Array:
    """What columns `[n, c]` that follow from a value `[n]` are where it is as guessed `[n]`."""
    order, out = np.argsort(value, kind="stable"), np.empty(columns.shape)
    for k, column in enumerate(columns.T):
        out[:, k] = np.interp(guess, value[order], column[order])
    return out


def _with(inputs: Inputs, columns: Subset, values: Array) -> Inputs:
    changed = inputs.values.copy()
    changed[:, inputs.columns_of(columns)] = values
    return Inputs(changed, inputs.owner)


def _worth_trying(laid: Laid, x: Array, y: Array, share: float) -> bool:
    """Whether models of some steps explain half of what is wanted on others."""
    first, others = np.flatnonzero(laid.folds == 0), np.flatnonzero(laid.folds != 0)
    train, test = (rows[:: max(1, len(rows) // PILOT)] for rows in (others, first))
    rows, folds = np.concatenate([test, train]), np.repeat([0, 1], [len(test), len(train)])
    _, error = _predicted(x[rows], y[rows], folds, only=0)
    return _explained(error, y, share / 2)


def _explained(error: Array, y: Array, share: float) -> bool:
    return bool((error <= (1 - share) * np.maximum(y.var(0), 1e-12)).any())


def _predicted(x: Array, y: Array, folds: Array, only: int | None = None) -> tuple[Array, Array]:
    """Held-out guesses of each column by a line, a tree or an equation, and their mean square error.

    Args:
        x: What is known `[n, p]`.
        y: What is to be guessed `[n, c]`.
        folds: In which each step is held out `[n]`.
        only: The one fold to do; None for all.
    """
    line, tree = np.zeros_like(y), np.zeros_like(y)
    scale = np.maximum(y.std(0), 1e-12)
    basis = np.concatenate([np.ones((len(x), 1)), x], axis=1)
    done = range(int(folds.max()) + 1) if only is None else [only]
    for fold in done:
        train, test = folds != fold, folds == fold
        gram = basis[train].T @ basis[train] + RIDGE * train.sum() * np.eye(basis.shape[1])
        line[test] = basis[test] @ np.linalg.solve(gram, basis[train].T @ y[train])
        # One tree with exact thresholds: a rounded or a cut column is rebuilt to the last step.
        tree[test] = tree_guess(x[train], y[train] / scale, x[test], smallest_leaf=SMALLEST_LEAF) * scale
    seen = np.isin(folds, done)
    guess, error = _better(y, line, tree, seen)
    if only is None and x.shape[1] <= MOST_IN_EQUATION:
        guess, error = _better(y, guess, _by_equation(x, y, guess, folds), seen)
    return _better(y, guess, _possible(y, guess), seen)


def _better(y: Array, one: Array, other: Array, seen: Array) -> tuple[Array, Array]:
    """For each column the guess with the smaller mean square error, and that error."""
    errors = [np.square((y - guess)[seen]).mean(0) for guess in (one, other)]
    return np.where(errors[0] <= errors[1], one, other), np.minimum(*errors)


def _possible(y: Array, guess: Array) -> Array:
    """For each column of few values the one next to the guess: a flag is never half set."""
    found = guess.copy()
    for k, column in enumerate(y.T):
        values = np.unique(column)
        if len(values) <= MOST_BINS:
            found[:, k] = values[np.searchsorted((values[1:] + values[:-1]) / 2, guess[:, k])]
    return found


def _by_equation(x: Array, y: Array, guess: Array, folds: Array) -> Array:
    """Each column as a root of the quadratic equation in it and the columns of x that holds best.

    Lengths, unit vectors, products, ratios and energies solve one; a column of two values keeps its guess.
    Which root is always the same one, or the one next to `guess`, as the training steps have it.
    """
    found = guess.copy()
    first, second = np.triu_indices(x.shape[1])
    without = np.column_stack([np.ones(len(x)), x, x[:, first] * x[:, second]])
    numbers = [k for k, column in enumerate(y.T) if len(np.unique(column)) > 2]
    for fold, k in product(range(int(folds.max()) + 1), numbers):
        train = folds != fold
        with_y = np.column_stack([y[:, k] ** 2, y[:, k], x * y[:, k : k + 1]])
        weights = np.linalg.lstsq(without[train], with_y[train], rcond=1e-9)[0]
        left = with_y[train] - without[train] @ weights
        scale = np.maximum(left.std(0), 1e-9)
        equation = np.linalg.svd(left / scale, full_matrices=False)[2][-1] / scale
        a, b, c = equation[0], equation[1] + x @ equation[2:], -without @ weights @ equation
        with np.errstate(divide="ignore", invalid="ignore"):
            root = np.sqrt(np.maximum(b * b - 4 * a * c, 0))
            roots = np.stack([(root - b) / (2 * a), (-root - b) / (2 * a), -c / b])
        roots = np.where(np.isfinite(roots), roots, FAR).clip(-FAR, FAR)
        nearest = np.abs(roots - guess[:, k]).argmin(0)
        roots = np.concatenate([roots, np.take_along_axis(roots, nearest[None], 0)])
        which = np.square(roots - y[:, k])[:, train].mean(1).argmin()
        found[~train, k] = roots[which, ~train]
    return found
