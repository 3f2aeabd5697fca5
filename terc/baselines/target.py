"""What a baseline predicts, the action as a number or as one of several classes, and the forest that does."""

import warnings
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from terc.arrays import Booleans, Floats, Integers
from terc.trajectories.data import Trajectories

Rows = Integers | Booleans

FEWEST_EPISODES = 20
MOST_CLASSES = 16
"""Up to this many different actions are classes, as in our own networks; more are values on a scale."""


@dataclass(frozen=True, eq=False)
class ActionTarget:
    """The action as a model's target.

    Attributes:
        values: `[n, q]` numbers of mean zero and standard deviation one, or `[n]` class codes 0..K-1.
        is_class: Which of the two.
    """

    values: Floats | Integers
    is_class: bool

    @classmethod
    def of_numbers(cls, columns: Floats) -> Self:
        """Numbers `[n, q]` of any scale."""
        return cls(standardised(columns), is_class=False)

    @property
    def for_sklearn(self) -> Floats | Integers:
        """As scikit-learn wants it: a single number or class is `[n]`, several numbers are `[n, q]`."""
        return self.values[:, 0] if self.values.shape[1:] == (1,) else self.values

    def rows(self, chosen: Rows) -> Self:
        """The target of some steps only."""
        return type(self)(self.values[chosen], self.is_class)

    def as_numbers(self) -> Floats:
        """`[n, q]`: the numbers, or one centred indicator per class."""
        if not self.is_class:
            return np.asarray(self.values, dtype=np.float64)
        indicators = (self.values[:, None] == np.unique(self.values)).astype(np.float64)
        centred: Floats = indicators - indicators.mean(0)
        return centred


def target_of(data: Trajectories) -> ActionTarget:
    """The target that the actions make.

    Continuous actions, two actions, and more than `MOST_CLASSES` different whole numbers (the guesses of the
    Secret Key Game) are numbers: the paper regresses on them. Labels and 3 to `MOST_CLASSES` actions are
    classes, because the distance between their codes means nothing.

    Example:
        >>> target_of(Trajectories([[0], [1], [2]], ["left", "right", "stay"])).is_class
        True
        >>> target_of(Trajectories([[0], [1], [2]], [0, 1, 1])).is_class
        False
    """
    if data.action_kind == "discrete":
        codes = np.unique(data.actions, return_inverse=True)[1].reshape(-1)
        levels = int(codes.max()) + 1
        if levels > 2 and (levels <= MOST_CLASSES or data.action_labels is not None):
            return ActionTarget(codes.astype(np.int64), is_class=True)
    return ActionTarget.of_numbers(np.asarray(data.actions, dtype=np.float64).reshape(len(data), -1))


def standardised(columns: Floats) -> Floats:
    """Columns of mean zero and standard deviation one; constant ones are zero."""
    spread = columns.std(0)
    return (columns - columns.mean(0)) / np.where(spread > 0, spread, 1.0)


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


def at_most(data: Trajectories, max_steps: int | None) -> tuple[Trajectories, str]:
    """About `max_steps` of the steps, and a note that says so; all of them, without a note, if they are few.

    Episodes are taken at even distances. Where fewer than 20 would remain (few, long episodes), single steps
    are taken at even distances instead: the methods that need this treat steps as independent anyway.
    """
    if max_steps is None or len(data) <= max_steps:
        return data, ""
    count = max(1, data.n_episodes * max_steps // len(data))
    if count >= FEWEST_EPISODES:
        chosen = np.isin(data.episodes, np.arange(count) * data.n_episodes // count)
        what = "whole episodes"
    else:
        chosen = np.zeros(len(data), dtype=bool)
        chosen[np.arange(max_steps) * len(data) // max_steps] = True
        what = "single steps"
    note = f"{chosen.sum()} of {len(data)} steps were used: {what} at even distances."
    return data.rows(chosen), note
