"""Columns in an order that depends on their values alone: an answer does not depend on where they stand.

Networks draw a weight per input and sums are rounded in their order: with columns in another order the last
digits differ, and with them what lies exactly at a threshold.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from terc.selection.result import Selection

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

COMPARED = 1000
"""Steps whose ranks tell two columns apart; copies are told apart by their names."""
WIDEST = 1000
"""Beyond so many columns a second copy of the states costs more than the last digits are worth."""


def arranged(data: Trajectories) -> Trajectories:
    """The same steps with the variables in the order of their ranks in some steps, whatever their scale.

    Example:
        >>> from terc.trajectories.data import Trajectories
        >>> x, y = np.random.default_rng(0).normal(size=(2, 500))
        >>> one = Trajectories(np.stack([x, y], 1), x, names=["x", "y"])
        >>> other = Trajectories(np.stack([9 * y, x], 1), x, names=["y", "x"])
        >>> arranged(one).names == arranged(other).names
        True
    """
    if len(data.names) > WIDEST:
        return data
    some = data.states[:: -(-len(data) // COMPARED)]
    ranks = {
        name: np.unique(column, return_inverse=True)[1]
        for name, column in zip(data.names, some.T, strict=True)
    }
    return data.only(sorted(data.names, key=lambda name: (ranks[name].tobytes(), name)))


def in_order_of(data: Trajectories, selection: Selection) -> Selection:
    """The selection with its lines, and the names in them, in the order of the columns of `data`."""
    place = {name: number for number, name in enumerate(data.names)}
    rows = (replace(row, given=tuple(sorted(row.given, key=place.__getitem__))) for row in selection.verdicts)
    return replace(selection, verdicts=tuple(sorted(rows, key=lambda row: place[row.name])))
