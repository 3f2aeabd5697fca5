"""Spaces that an agent can meet: flat numbers in; a discrete choice, several, or numbers out.

What environments show and take in other forms is flattened before (`terc.flattening`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import Space, spaces
from numpy.typing import NDArray

from terc.agents.policy import PolicySpec
from terc.errors import BadTypeError, BadValueError

Array = NDArray[Any]


def as_rows(observations: Any) -> Array:
    """Observations of n copies as `[n, d]`; a Discrete observation is one column."""
    rows = np.asarray(observations)
    return rows if rows.ndim == 2 else rows.reshape(len(rows), -1)


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


def check_actions(actions: Array, n: int, space: Space[Any]) -> None:
    """Raise unless `actions` are `n` actions of `space`."""
    if isinstance(space, spaces.Discrete):
        _check_discrete(actions, n, space)
    elif isinstance(space, spaces.MultiDiscrete):
        _check_choices(actions, n, space)
    elif isinstance(space, spaces.Box):
        wanted = (n, *space.shape)
        if actions.shape != wanted or not np.issubdtype(actions.dtype, np.number):
            raise BadValueError(
                f"policy: it returned {actions.dtype} actions of shape {actions.shape}, but the "
                f"environment wants numbers of shape {wanted} ({space})."
            )
        if not np.isfinite(actions).all():
            raise BadValueError("policy: it returned an action that is not a finite number.")


def _check_discrete(actions: Array, n: int, space: spaces.Discrete) -> None:
    first, last = int(space.start), int(space.start + space.n - 1)
    if actions.shape != (n,) or not np.issubdtype(actions.dtype, np.integer):
        raise BadValueError(
            f"policy: it returned {actions.dtype} actions of shape {actions.shape}, but the environment "
            f"wants {n} whole numbers from {first} to {last} ({space})."
        )
    if actions.min() < first or actions.max() > last:
        wrong = actions[(actions < first) | (actions > last)][0]
        raise BadValueError(
            f"policy: it returned the action {wrong}, but the environment has {first} to {last} ({space})."
        )


def _check_choices(actions: Array, n: int, space: spaces.MultiDiscrete) -> None:
    wanted = (n, *space.shape)
    if actions.shape != wanted or not np.issubdtype(actions.dtype, np.integer):
        raise BadValueError(
            f"policy: it returned {actions.dtype} actions of shape {actions.shape}, but the environment "
            f"wants whole numbers of shape {wanted} ({space})."
        )
    if (actions < space.start).any() or (actions >= space.start + space.nvec).any():
        raise BadValueError(f"policy: it returned an action outside of {space}.")
