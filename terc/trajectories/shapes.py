"""Arrays that are no table of steps: what they look like beside the actions, and what makes a table."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from terc.errors import BadValueError


def are_tables(given: Any) -> bool:
    """Whether it is several tables, in a list or stacked."""
    if isinstance(given, np.ndarray):
        return given.ndim >= 3 and len(given) > 0
    tables = [getattr(one, "ndim", 0) >= 2 for one in given] if type(given) is list else []  # tensors, too
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
    if not isinstance(given, list):
        raise BadValueError(
            f"{where}: wanted one table [steps, {column}...], got the shape {(n, *one)}. "
            f"{_unstacked(where, n, one)}"
        )
    also = ", numpy.concatenate(actions)" if where == "states" and n_actions(actions) == n else ""
    taken, counted = where, "states"
    if also and all(len(one) == len(acts) + 1 for one, acts in zip(given, actions, strict=True)):
        taken, counted = "[one[:-1] for one in states]", "actions"  # the last state of each has no action
    raise BadValueError(
        f"{where}: wanted one table [steps, {column}...], got {n} of them. Of one per episode: "
        f"numpy.concatenate({taken}){also}, and episodes=numpy.repeat(numpy.arange({n}), "
        f"[len(one) for one in {counted}])."
    )


def _unstacked(where: str, n: int, one: tuple[int, ...]) -> str:
    """How `n` stacked tables become one: which of two axes is time, their shape does not say."""
    other = "actions" if where == "states" else "states"
    if one[0] == 1:
        return f"Of a single copy of an environment: numpy.squeeze({where}, 1), and {other} alike."
    flat = f"numpy.reshape({where}, (-1, {one[1]}))"
    return (
        f"Of {n} episodes of {one[0]} steps: {flat}, {other} alike, and episodes=numpy.repeat("
        f"numpy.arange({n}), {one[0]}). Of {n} steps of {one[0]} copies of an environment: "
        "numpy.swapaxes(..., 0, 1) of all before that, and a new episode after each end and with each copy."
    )


def _one_action_each(n: int, one: tuple[int, ...], actions: Any) -> bool:
    """Whether there are as many actions as arrays, and not one more axis of them, for the steps of each.

    The last state of an episode may have no action.
    """
    shape = _shape(actions)
    return len(shape) in (1, 2) and shape[0] == n and shape[1:] not in (one[:1], (one[0] - 1,))


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
