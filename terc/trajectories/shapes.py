"""Arrays that are no table of steps: what they look like beside the actions, and what makes a table."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from terc.errors import BadValueError


def are_tables(given: Any) -> bool:
    """Whether it is several tables, in a list or stacked."""
    if isinstance(given, np.ndarray):
        return given.ndim >= 3 and len(given) > 0
    tables = [isinstance(one, np.ndarray) and one.ndim >= 2 for one in given] if type(given) is list else []
    return bool(tables) and all(tables)


def refuse_tables(where: str, given: Any, column: str, actions: Any) -> None:
    """Raise an error for several tables: one per step, as of images, or one per episode.

    Args:
        column: How columns of such a table are called.
        actions: There is one for each step, which shows what the tables are of.
    """
    n, one = len(given), np.shape(given[0])
    if where == "states" and _one_action_each(n, one, actions):
        raise BadValueError(
            f"states: wanted a row of numbers for each step, got an array of shape {one} for each of the {n} "
            "actions; give features of it (of an image those that the policy's network makes), or all its "
            f"numbers, numpy.reshape(states, ({n}, -1))."
        )
    if len(one) > 2:
        raise BadValueError(
            f"{where}: wanted one table [steps, {column}...], got {n} arrays of shape {one}; give one row of "
            "numbers per step, episodes one after the other, with episodes= that says whose each step is."
        )
    also = ", numpy.concatenate(actions)" if where == "states" and n_actions(actions) == n else ""
    raise BadValueError(
        f"{where}: wanted one table [steps, {column}...], got {n} of them. Of one per episode: "
        f"numpy.concatenate({where}){also}, and episodes=numpy.repeat(numpy.arange({n}), "
        "[len(one) for one in states])."
    )


def _one_action_each(n: int, one: tuple[int, ...], actions: Any) -> bool:
    """Whether there are as many actions as arrays, and not one more axis of them, for the steps of each."""
    shape = _shape(actions)
    return len(shape) in (1, 2) and shape[0] == n and shape[1:] != one[:1]


def _shape(actions: Any) -> tuple[int, ...]:
    try:
        return np.shape(actions)
    except ValueError:  # episodes of different lengths
        return ()


def refuse_transposed_states(shape: tuple[int, ...], actions: Any) -> None:
    """Raise an error for states with as many columns as there are actions, unless those are transposed."""
    n = n_actions(actions)
    if n is None or shape[0] > n and _shape(actions) == (n, shape[0]):
        return
    refuse_transposed("states", shape, n)


def refuse_transposed(where: str, shape: tuple[int, ...], n: int) -> None:
    """Raise an error for a table that has as many columns as there are steps, and other rows."""
    if len(shape) == 2 and shape[1] == n != shape[0]:
        raise BadValueError(
            f"{where}: wanted a row for each of the {n} steps, got the shape {shape}; transpose it: "
            f"numpy.transpose({where})."
        )


def n_actions(actions: Any) -> int | None:
    """How many actions were given, in a list or as columns by name; None where they are neither."""
    try:
        return len(next(iter(actions.values())) if isinstance(actions, Mapping) else actions)
    except (TypeError, StopIteration):
        return None
