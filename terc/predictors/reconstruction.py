"""Columns rebuilt from others: what a set of variables says about one that is not among them.

H(A given O) is at most the loss of any predictor that reads O, also of one that first rebuilds another
column R from O. A rounded copy, a third position or a noisy sight of something in O can help a predictor
that cannot follow the action from O alone, and yet holds nothing that O does not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from terc.predictors.base import Array, Laid, Subset
from terc.predictors.encoding import Inputs

REBUILT = 0.3
"""Share of a column's variance that the others must explain for rebuilding to be worth a try."""
SMALLEST_LEAF = 5
RIDGE = 1e-6


def rebuilt(laid: Laid, columns: Subset, given: Subset) -> Laid | None:
    """The data with `columns` replaced by what `given` says of them; None if that is little.

    Each fold is rebuilt by regressions on the other folds.
    """
    old, x = laid.encoding, _inputs(laid, given)
    if not given:
        return None
    numbers = _predicted(laid, x, old.numbers.only(columns).values)
    if numbers is None:
        return None
    binned = _predicted(laid, x, old.binned.only(columns).values)
    labels = _predicted(laid, x, old.labels.only(columns).values)
    if binned is None or labels is None:
        return None
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


def _inputs(laid: Laid, given: Subset) -> Array:
    numbers = laid.encoding.numbers.only(given).values
    return np.concatenate([numbers, laid.encoding.binned.only(given).values], axis=1, dtype=np.float64)


def _with(inputs: Inputs, columns: Subset, values: Array) -> Inputs:
    changed = inputs.values.copy()
    changed[:, inputs.columns_of(columns)] = values
    return Inputs(changed, inputs.owner)


def _predicted(laid: Laid, x: Array, targets: Array) -> Array | None:
    """Held-out predictions of each column by a line or a tree, whichever is better; None if all are poor."""
    from sklearn.tree import DecisionTreeRegressor

    line, tree = np.zeros_like(targets), np.zeros_like(targets)
    basis = np.concatenate([np.ones((len(x), 1)), x], axis=1)
    for fold in range(laid.n_folds):
        train, test = laid.folds != fold, laid.folds == fold
        gram = basis[train].T @ basis[train] + RIDGE * train.sum() * np.eye(basis.shape[1])
        line[test] = basis[test] @ np.linalg.solve(gram, basis[train].T @ targets[train])
        # One tree with exact thresholds: a rounded or a cut column is rebuilt to the last step.
        model = DecisionTreeRegressor(min_samples_leaf=SMALLEST_LEAF, random_state=0)
        tree[test] = model.fit(x[train], targets[train]).predict(x[test]).reshape(-1, targets.shape[1])
    by_line, by_tree = (np.square(targets - guess).mean(0) for guess in (line, tree))
    if (np.minimum(by_line, by_tree) > (1 - REBUILT) * np.maximum(targets.var(0), 1e-12)).all():
        return None
    return np.where(by_line <= by_tree, line, tree)
