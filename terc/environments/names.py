"""Names of an environment's variables; Gymnasium's spaces have none for the columns of a Box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv
from gymnasium.wrappers import FlattenObservation, TimeAwareObservation

from terc.environments.known_names import KNOWN_NAMES
from terc.environments.spaces import AnyEnv, check_environment, flat_space, observation_space
from terc.errors import BadValueError


def variable_names(env: AnyEnv, names: Sequence[str] | None = None) -> tuple[str, ...]:
    """The names of an environment's variables, in column order.

    Found, from the outermost wrapper inwards, in: an attribute `variable_names` of the environment or
    wrapper (ours have one, yours may), the list of common Gymnasium environments, the keys of a flattened
    dictionary. Wrappers that leave the shape alone are looked through. Otherwise `x_0`, `x_1`, ...

    Args:
        env: A single or vector environment with flat observations.
        names: The caller's own names; checked for number and repetition and returned.

    Example:
        >>> variable_names(gym.make("CartPole-v1"))
        ('cart_position', 'cart_velocity', 'pole_angle', 'pole_velocity')
    """
    check_environment("variable_names", env)
    count = _count(env)
    if names is not None:
        return _checked(names, count)
    found = _found(env)
    return found if found is not None and len(found) == count else tuple(f"x_{k}" for k in range(count))


def _count(env: AnyEnv) -> int:
    if isinstance(observation_space(env), spaces.Discrete):
        return 1
    return flat_space("variable_names", env).shape[0]


def _checked(names: Sequence[str], count: int) -> tuple[str, ...]:
    given = tuple(names) if not isinstance(names, str) else (names,)
    if len(given) != count:
        raise BadValueError(f"names: wanted {count}, one per variable of the environment, got {len(given)}.")
    repeated = sorted({name for name in given if given.count(name) > 1})
    if repeated:
        raise BadValueError(f"names: each may occur once, but {repeated} occur more often.")
    return given


def _found(env: AnyEnv) -> tuple[str, ...] | None:
    own = getattr(env, "variable_names", None)
    if own is not None:
        return tuple(own)
    inner = getattr(env, "env", None)
    if isinstance(inner, gym.Env | VectorEnv):
        return _through(env, inner)
    copies: Any = getattr(env, "envs", None)
    if copies:
        return _found(copies[0])
    return _known(env)


def _through(wrapper: AnyEnv, inner: AnyEnv) -> tuple[str, ...] | None:
    """Names behind a wrapper of which we know, or see, what it does to the columns."""
    if isinstance(wrapper, FlattenObservation):
        return _flattened(inner.observation_space)
    if isinstance(wrapper, TimeAwareObservation):
        behind = _found(inner)
        return None if behind is None else (*behind, "time")
    if observation_space(wrapper).shape == observation_space(inner).shape:
        return _found(inner)
    return None


def _flattened(space: spaces.Space[Any]) -> tuple[str, ...] | None:
    """`key` or `key_0`, `key_1`, ... for a dictionary of numbers and small arrays."""
    if not isinstance(space, spaces.Dict):
        return None
    names: list[str] = []
    for key, part in space.spaces.items():
        size = int(np.prod(spaces.flatten_space(part).shape or (1,)))
        names += [str(key)] if size == 1 else [f"{key}_{k}" for k in range(size)]
    return tuple(names)


def _known(env: AnyEnv) -> tuple[str, ...] | None:
    if isinstance(observation_space(env), spaces.Discrete):
        return ("state",)
    if env.spec is None:
        return None
    count = flat_space("variable_names", env).shape[0]
    # One environment's versions differ in length at times; the list then holds one entry per length.
    return next((names for names in KNOWN_NAMES.get(env.spec.name, ()) if len(names) == count), None)
