"""Columns that are one-to-one functions of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.counting import FEW_LEVELS

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories


def copies_in(data: Trajectories) -> list[tuple[int, ...]]:
    """Columns in classes: two columns are in one class if each determines the other.

    Of labels and of numbers with few values any renaming is a copy, of other numbers what keeps or reverses
    their order.

    Example:
        >>> from terc.trajectories.data import Trajectories
        >>> x, y = np.arange(400) % 3, np.arange(400) / 7.0
        >>> copies_in(Trajectories(np.stack([x, x % 2, 7 - x, y, 1 - y**3], axis=1), x))
        [(0, 2), (1,), (3, 4)]
    """
    classes: dict[bytes, list[int]] = {}
    for number, column in enumerate(data.states.T):
        _, first, codes = np.unique(column, return_index=True, return_inverse=True)
        codes = codes.reshape(-1)
        if len(first) <= FEW_LEVELS or data.names[number] in data.nominal:
            codes = np.argsort(np.argsort(first))[codes]
        elif (2 * codes > len(first) - 1)[2 * codes != len(first) - 1][0]:
            codes = len(first) - 1 - codes
        classes.setdefault(codes.tobytes(), []).append(number)
    return [tuple(members) for members in classes.values()]
