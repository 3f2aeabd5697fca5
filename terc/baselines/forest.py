"""How well a random forest predicts the action out of bag."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from terc.arrays import Floats

if TYPE_CHECKING:
    from terc.baselines.target import ActionTarget


@dataclass(frozen=True)
class Forest:
    """Settings of the forests.

    Attributes:
        trees: Trees in each.
        tree_rows: Rows that a tree is grown on, drawn with replacement; None for as many as there are. This,
            not the number of rows it is scored on, is what a forest costs.
        tried: Columns that each split looks at; None for the square root of their number. Forests that are
            compared must agree on it: 5 of 25 columns against 4 of 24 is a visible difference.
    """

    trees: int = 100
    tree_rows: int | None = 1_000
    tried: int | None = None

    def model(self, target: ActionTarget, *, rng: np.random.Generator) -> Any:
        """The scikit-learn forest that fits the target, not yet fitted.

        Nodes of five rows or fewer stay whole.
        """
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        kind = RandomForestClassifier if target.is_class else RandomForestRegressor
        rows = None if self.tree_rows is None else min(self.tree_rows, len(target.values))
        return kind(
            n_estimators=self.trees,
            max_features=self.tried or "sqrt",
            min_samples_split=6,
            max_samples=rows,
            random_state=int(rng.integers(2**31)),
        )

    def skill(self, columns: Floats, target: ActionTarget, *, rng: np.random.Generator) -> float:
        """Out of bag: R2 floored at 0, for classes the accuracy floored at that of the commonest class."""
        if not columns.shape[1]:
            return _floor(target)
        tried = None if self.tried is None else min(self.tried, columns.shape[1])
        model = replace(self, tried=tried).model(target, rng=rng).set_params(oob_score=True)
        with warnings.catch_warnings():
            # With few trees some rows are in every bag; they count as predicted by zero.
            warnings.simplefilter("ignore", UserWarning)
            model.fit(columns, target.for_sklearn)
        return max(float(model.oob_score_), _floor(target))


def _floor(target: ActionTarget) -> float:
    if not target.is_class:
        return 0.0
    return float(np.bincount(np.asarray(target.values, dtype=np.int64)).max() / len(target.values))
