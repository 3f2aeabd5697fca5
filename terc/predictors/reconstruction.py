"""Columns rebuilt from others: what a set of variables says about one that is not among them.

H(A given O) is at most the loss of any predictor that reads O, also of one that first rebuilds another
column R from O. A rounded copy, a third position or a noisy sight of something in O can help a predictor
that cannot follow the action from O alone, and yet holds nothing that O does not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from terc.arrays import Array
from terc.predictors.base import Laid, Subset
from terc.predictors.encoding import Inputs

REBUILT = 0.3
"""Share of a column's variance that the others must explain for rebuilding to be worth a try."""
PILOT = 2000
"""Steps of a first try; most columns cannot be rebuilt, and this shows it."""
SMALLEST_LEAF = 5
RIDGE = 1e-6


def rebuilt(laid: Laid, columns: Subset, given: Subset) -> Laid | None:
    """The data with `columns` replaced by what `given` says of them; None if that is little.

    Each fold is rebuilt by regressions on the other folds.
    """
    old = laid.encoding
    kinds = (old.numbers, old.labels, old.binned)
    targets = [inputs.only(columns).values.astype(np.float64) for inputs in kinds]
    sizes = np.cumsum([block.shape[1] for block in targets])
    x, y = _one_column_each(laid, given), np.concatenate(targets, axis=1)
    if not given or not _worth_trying(laid, x, y[:, : sizes[0]]):
        return None
    guess, error = _predicted(x, y, laid.folds)
    if not _explained(error[: sizes[0]], y[:, : sizes[0]], REBUILT):
        return None
    numbers, labels, binned, _ = np.split(guess, sizes, axis=1)
    codes = old.codes.copy()
    codes[:, columns] = -1
    encoding = replace(
        old,
        numbers=_with(old.numbers, columns, numbers),
        labels=_with(old.labels, columns, labels),
        binned=_with(old.binned, columns, np.round(binned)),
        codes=codes,
        nominal=old.nominal & ~np.isin(np.arange(len(old.nominal)), columns),
    )
    return replace(laid, encoding=encoding)


def _one_column_each(laid: Laid, given: Subset) -> Array:
    """Every variable as one column in its order, to the last digit where it is a number."""
    numbers, binned = laid.encoding.numbers, laid.encoding.binned
    alone = np.bincount(numbers.owner, minlength=max(given, default=0) + 1) == 1
    blocks = [(numbers if alone[j] else binned).only((j,)).values for j in given]
    return np.concatenate([np.zeros((len(laid.folds), 0)), *blocks], axis=1, dtype=np.float64)


def _with(inputs: Inputs, columns: Subset, values: Array) -> Inputs:
    changed = inputs.values.copy()
    changed[:, inputs.columns_of(columns)] = values
    return Inputs(changed, inputs.owner)


def _worth_trying(laid: Laid, x: Array, y: Array) -> bool:
    """Whether models of some steps explain half of what is wanted on others."""
    first, others = np.flatnonzero(laid.folds == 0), np.flatnonzero(laid.folds != 0)
    train, test = (rows[:: max(1, len(rows) // PILOT)] for rows in (others, first))
    rows, folds = np.concatenate([test, train]), np.repeat([0, 1], [len(test), len(train)])
    _, error = _predicted(x[rows], y[rows], folds, only=0)
    return _explained(error, y, REBUILT / 2)


def _explained(error: Array, y: Array, share: float) -> bool:
    return bool((error <= (1 - share) * np.maximum(y.var(0), 1e-12)).any())


def _predicted(x: Array, y: Array, folds: Array, only: int | None = None) -> tuple[Array, Array]:
    """Held-out guesses of each column by a line or a tree, whichever is better, and their mean square error.

    Args:
        x: What is known `[n, p]`.
        y: What is to be guessed `[n, c]`.
        folds: In which each step is held out `[n]`.
        only: The one fold to do; None for all.
    """
    from sklearn.tree import DecisionTreeRegressor

    line, tree = np.zeros_like(y), np.zeros_like(y)
    scale = np.maximum(y.std(0), 1e-12)
    basis = np.concatenate([np.ones((len(x), 1)), x], axis=1)
    done = range(int(folds.max()) + 1) if only is None else [only]
    for fold in done:
        train, test = folds != fold, folds == fold
        gram = basis[train].T @ basis[train] + RIDGE * train.sum() * np.eye(basis.shape[1])
        line[test] = basis[test] @ np.linalg.solve(gram, basis[train].T @ y[train])
        # One tree with exact thresholds: a rounded or a cut column is rebuilt to the last step.
        model = DecisionTreeRegressor(min_samples_leaf=SMALLEST_LEAF, random_state=0)
        model.fit(x[train], y[train] / scale)
        tree[test] = model.predict(x[test]).reshape(-1, y.shape[1]) * scale
    seen = np.isin(folds, done)
    by_line, by_tree = (np.square((y - guess)[seen]).mean(0) for guess in (line, tree))
    return np.where(by_line <= by_tree, line, tree), np.minimum(by_line, by_tree)
