"""L-BFGS for smooth convex functions: a direction from the last few moves, and steps that must go down."""

from collections import deque
from collections.abc import Callable

import numpy as np

from terc.arrays import Array

MEMORY = 10
"""Moves that are remembered."""
HALVINGS = 8
"""Lengths of a step that are tried, each half of the one before; if none goes down, the search ends."""
LEAST_FALL = 1e-4
"""A step must bring this share of the fall that the slope promises, or it is halved (Armijo's rule)."""


def minimised(
    function: Callable[[Array], tuple[float, Array]], start: Array, *, iterations: int, converged: float
) -> Array:
    """Where a function is smallest.

    Args:
        function: From a point `[p]` to the value and the slope `[p]`.
        start: The first point.
        iterations: Most moves.
        converged: Relative fall of the value in a move at which the search ends.

    Example:
        >>> wanted = np.array([1.0, -2.0])
        >>> found = minimised(lambda x: (float(((x - wanted) ** 4).sum()), 4 * (x - wanted) ** 3),
        ...                   np.zeros(2), iterations=60, converged=1e-12)
        >>> found.round(1).tolist()
        [1.0, -2.0]
    """
    point, (value, slope) = start, function(start)
    moves: deque[tuple[Array, Array]] = deque(maxlen=MEMORY)
    for _ in range(iterations):
        direction = -_scaled(slope, moves)
        promised = float(slope @ direction)
        for halved in range(HALVINGS):
            after = point + direction * 0.5**halved
            value_after, slope_after = function(after)
            if value_after <= value + LEAST_FALL * promised * 0.5**halved:
                break
        else:
            return point
        if (after - point) @ (slope_after - slope) > 0:
            moves.append((after - point, slope_after - slope))
        fall = value - value_after
        point, value, slope = after, value_after, slope_after
        if fall <= converged * max(abs(value), 1.0):
            break
    return point


def _scaled(slope: Array, moves: deque[tuple[Array, Array]]) -> Array:
    """The slope times the inverse of the curvature that the moves showed (two loops over them)."""
    left, shares = np.array(slope), list[float]()
    for move, change in reversed(moves):
        shares.append(float(move @ left) / float(move @ change))
        left -= shares[-1] * change
    if moves:
        move, change = moves[-1]
        left *= float(move @ change) / float(change @ change)
    for (move, change), share in zip(moves, reversed(shares), strict=True):
        left += (share - float(change @ left) / float(move @ change)) * move
    return left
