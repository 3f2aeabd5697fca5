"""What a baseline predicts: the action as a number, or as one of several classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from terc.arrays import Booleans, Floats, Integers
from terc.trajectories.data import Trajectories

Rows = Integers | Booleans

MOST_CLASSES = 16
"""Up to so many different actions are classes, as in our own networks; more are values on a scale."""


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
    def of_numbers(cls, columns: Floats) -> ActionTarget:
        """Numbers `[n, q]` of any scale."""
        return cls(standardised(columns), is_class=False)

    @property
    def for_sklearn(self) -> Floats | Integers:
        """As scikit-learn wants it: a single number or class is `[n]`, several numbers are `[n, q]`."""
        return self.values[:, 0] if self.values.shape[1:] == (1,) else self.values

    def rows(self, chosen: Rows) -> ActionTarget:
        """The target of some steps only."""
        return ActionTarget(self.values[chosen], self.is_class)

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
