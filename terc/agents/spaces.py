"""Spaces that an agent can meet: flat numbers in; a discrete choice, several, or numbers out.

What environments show and take in other forms is flattened before (`terc.flattening`).
"""

from typing import Any

import numpy as np
from gymnasium import Space, spaces

from terc.agents.policy import PolicySpec
from terc.arrays import Array
from terc.errors import BadTypeError, BadValueError

TO_FLATTEN = "What terc.environments.Flattened(env) shows is one row of numbers, whatever env shows."


def as_rows(observations: Any) -> Array:
    """Observations of n copies as `[n, d]`; a Discrete observation is one column."""
    rows = np.asarray(observations)
    return rows if rows.ndim == 2 else rows.reshape(len(rows), -1)


def as_array(given: Any) -> Array:
    """An array, also of a tensor that tracks gradients."""
    return np.asarray(given.detach().cpu() if hasattr(given, "detach") else given)


def as_states(given: Any) -> tuple[Array, bool]:
    """States `[n, d]`, and whether it was a single one: `[d]`, or a number where that is all it shows.

    Example:
        >>> as_states(5), as_states([[1, 0], [1, 1]])[1]
        ((array([[5]]), True), False)
    """
    try:
        states = as_array(given)
        if states.dtype == object and not any(one is None for one in states.flat):
            states = states.astype(np.float64)
    except (ValueError, TypeError):  # rows of unequal length, or no numbers
        states = np.empty(0, object)
    if states.dtype.kind not in "biuf":
        raise BadTypeError(
            f"policy: wanted states of numbers, [n, d] or one [d], got {type(given).__name__}. {TO_FLATTEN}"
        )
    return (states.reshape(1, -1), True) if states.ndim < 2 else (states, False)


def spec_of(environment: str | None, observation_space: Space[Any], action_space: Space[Any]) -> PolicySpec:
    """What a policy for these spaces must fit."""
    n_variables = int(np.prod(observation_space.shape or ()))
    if isinstance(action_space, spaces.Discrete):
        return PolicySpec(environment, n_variables, n_actions=int(action_space.n))
    if isinstance(action_space, spaces.Box) and len(action_space.shape) == 1:
        return PolicySpec(environment, n_variables, action_size=action_space.shape[0])
    if isinstance(action_space, spaces.MultiDiscrete) and action_space.nvec.ndim == 1:
        return PolicySpec(environment, n_variables, levels=tuple(int(n) for n in action_space.nvec))
    raise BadTypeError(
        f"env: actions of the space {action_space} are not supported here, only Discrete and flat "
        "MultiDiscrete and Box spaces. Wrap the environment in terc.environments.Flattened."
    )


class Misshapen(BadValueError):
    """Actions of another number, shape or kind than wanted; not merely out of range."""


def fit_actions(actions: Array, n: int, space: Space[Any]) -> Array:
    """`n` actions of `space`, from whatever holds the same values in another form.

    Whole numbers may come as floats or as true and false, and axes of length one may be there or not.

    Example:
        >>> fit_actions(np.array([[1.0], [0.0]]), 2, spaces.Discrete(2))
        array([1, 0])

    Raises:
        Misshapen: There are more or fewer numbers, or they are not whole numbers where choices are wanted.
        BadValueError: An action is out of range, or not a finite number.
    """
    wanted = (n, *(space.shape or ()))
    fitting = len(np.atleast_1d(actions)) == n and actions.size == np.prod(wanted)
    shaped = actions.reshape(wanted) if fitting else actions
    if fitting and shaped.dtype.kind == "f" and not np.isfinite(shaped).all():
        raise BadValueError("policy: it returned an action that is not a finite number, but NaN or infinite.")
    if isinstance(space, spaces.Box):
        if not fitting or shaped.dtype.kind not in "biuf":
            raise Misshapen(
                f"policy: it returned {actions.dtype} actions of shape {actions.shape}, but the "
                f"environment wants numbers of shape {wanted} ({space})."
            )
        return shaped.astype(space.dtype) if shaped.dtype.kind == "b" else shaped
    if shaped.dtype.kind == "b" or (shaped.dtype.kind == "f" and np.array_equal(shaped, np.rint(shaped))):
        shaped = shaped.astype(np.int64)
    if not fitting or shaped.dtype.kind not in "iu":
        scores = "; of scores or chances take argmax(1)" if actions.ndim == 2 and len(wanted) == 1 else ""
        raise Misshapen(
            f"policy: it returned {actions.dtype} actions of shape {actions.shape}, but the environment "
            f"wants whole numbers of shape {wanted} ({space}){scores}."
        )
    _check_range(shaped, space)
    return shaped


def highest(answers: Array, space: Space[Any]) -> Array:
    """The actions with the highest scores, where there is a score for each; else the answers themselves.

    Example:
        >>> highest(np.array([[0.1, 0.9]]), spaces.Discrete(2))
        array([1])
        >>> highest(np.array([[0.1, 0.9, 3.0, 2.0, 1.0]]), spaces.MultiDiscrete([2, 3]))
        array([[1, 0]])
    """
    if answers.ndim != 2 or answers.dtype.kind != "f":
        return answers
    if np.isnan(answers).any():  # argmax would take the first of them for the highest
        raise BadValueError("policy: a score that it returned is NaN.")
    if isinstance(space, spaces.Discrete) and answers.shape[1] == space.n:
        return answers.argmax(1) + space.start
    if isinstance(space, spaces.MultiDiscrete) and answers.shape[1] == space.nvec.sum() > space.nvec.size:
        parts = np.split(answers, np.cumsum(space.nvec)[:-1], axis=1)
        return np.stack([part.argmax(1) for part in parts], 1) + space.start
    return answers


def _check_range(actions: Array, space: Any) -> None:
    first = np.broadcast_to(space.start, actions.shape)
    count = space.n if isinstance(space, spaces.Discrete) else space.nvec
    last = first + np.broadcast_to(count, actions.shape) - 1
    outside = (actions < first) | (actions > last)
    if outside.any():
        place = np.argmax(outside)
        raise BadValueError(
            f"policy: it returned the action {actions.flat[place]}, but the environment has "
            f"{first.flat[place]} to {last.flat[place]} ({space})."
        )
