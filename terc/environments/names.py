"""Names of an environment's variables; Gymnasium's spaces have none for the columns of a Box."""

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv
from gymnasium.wrappers import FlattenObservation, FrameStackObservation, TimeAwareObservation

from terc.environments.spaces import AnyEnv, check_environment, observation_space
from terc.errors import BadValueError
from terc.flattening.flattened import MASK_NAME, Flattened, FlattenedVector, is_frame_stack
from terc.flattening.layout import Layout, names_by_key
from terc.flattening.vec_env import FromVecEnv, is_vec_env, spec_of_copies, stacked_names
from terc.known_names import Names, known_names


def variable_names(env: AnyEnv, names: Sequence[str] | None = None) -> Names:
    """The names of an environment's variables, in column order.

    Found, from the outermost wrapper inwards, in: an attribute `variable_names` of the environment or
    wrapper (ours have one, yours may; for a dictionary of observations it maps keys to names), the list of
    common Gymnasium environments, the keys of a dictionary (`camera.x`). Wrappers that leave the
    observations alone are looked through; where frames are stacked, names carry their lag
    (`position[t-2]`). Otherwise `x_0`, `x_1`, ...

    Args:
        env: A single or vector environment, of Gymnasium or Stable-Baselines3, that shows numbers.
        names: The caller's own names; checked for number and repetition and returned.

    Example:
        >>> variable_names(gym.make("CartPole-v1"))
        ('cart_position', 'cart_velocity', 'pole_angle', 'pole_velocity')
    """
    env = FromVecEnv(env) if is_vec_env(env) else env
    check_environment("variable_names", env)
    layout = _layout(env)
    if names is not None:
        return _checked(names, layout.size)
    found = _found(env)
    if found is not None and len(found) != layout.size and _own(env) is not None:
        raise BadValueError(
            f"variable_names: the environment has {layout.size} variables, not {len(found)}; correct them, "
            "or give names=."
        )
    return _fitting(found, layout)


def nominal_variables(env: AnyEnv, names: Names) -> Names:
    """Those of `names` whose numbers are choices without an order, as of Discrete observations."""
    layout = _layout(env)
    own = _fitting(_found(env), layout)
    behind: AnyEnv = env
    while not any(layout.nominal):
        inner = getattr(behind, "env", None)
        if not isinstance(inner, gym.Env | VectorEnv):
            return ()
        behind, layout = inner, _layout(inner)
    inside = _fitting(_found(behind), layout)
    known = {name for name, choice in zip(inside, layout.nominal, strict=True) if choice}
    return tuple(new for new, old in zip(names, own, strict=True) if old in known)


def _fitting(found: Names | None, layout: Layout) -> Names:
    return found if found is not None and len(found) == layout.size else layout.names


def _layout(env: AnyEnv) -> Layout:
    return Layout.of(observation_space(env), where="variable_names", shaped=is_frame_stack(env))


def _checked(names: Sequence[str], count: int) -> Names:
    given = tuple(names) if not isinstance(names, str) else (names,)
    if len(given) != count:
        raise BadValueError(f"names: wanted {count}, one per variable of the environment, got {len(given)}.")
    if repeated := sorted({name for name in given if given.count(name) > 1}):
        raise BadValueError(f"names: each may occur once, but {repeated} occur more often.")
    return given


def _found(env: AnyEnv) -> Names | None:
    own = _own(env)
    if isinstance(own, Mapping):
        return names_by_key(_layout(env), own)
    if own is not None:
        return tuple(own)
    inner = getattr(env, "env", None)
    if isinstance(inner, gym.Env | VectorEnv):
        return _through(env, inner)
    if isinstance(env, FromVecEnv):
        base = Layout.of(env.base_space)
        return env.stacked(_fitting(_found(env.envs[0]) if env.envs else _known(env.spec, base), base))
    copies: Any = getattr(env, "envs", None)
    return _found(copies[0]) if copies else _known(env.spec or spec_of_copies(env), _layout(env))


def _own(env: AnyEnv) -> Any:
    """The attribute, unless it is a method of somebody else's."""
    own = getattr(env, "variable_names", None)
    return None if callable(own) else own


def _through(wrapper: AnyEnv, inner: AnyEnv) -> Names | None:
    """Names behind a wrapper of which we know, or see, what it does to the columns."""
    if isinstance(wrapper, FlattenObservation):
        return _flattened(inner.observation_space)
    behind = _found(inner)
    if isinstance(wrapper, Flattened | FlattenedVector):
        known = behind or _layout(inner).names
        return (*known, *(f"{MASK_NAME}.{k}" for k in range(_layout(wrapper).size - len(known))))
    if isinstance(wrapper, FrameStackObservation):
        return stacked_names(_layout(inner), behind or _layout(inner).names, wrapper.stack_size)
    if isinstance(wrapper, TimeAwareObservation):
        return None if behind is None else (*behind, "time")
    one, other = observation_space(wrapper), observation_space(inner)
    same = one == other if one.shape is None or other.shape is None else one.shape == other.shape
    return behind if same else None


def _flattened(space: spaces.Space[Any]) -> Names | None:
    """`key` or `key_0`, `key_1`, ... for a dictionary of numbers and small arrays."""
    if not isinstance(space, spaces.Dict):
        return None
    names: list[str] = []
    for key, part in space.spaces.items():
        size = int(np.prod(spaces.flatten_space(part).shape or (1,)))
        names += [str(key)] if size == 1 else [f"{key}_{k}" for k in range(size)]
    return tuple(names)


def _known(spec: Any, layout: Layout) -> Names | None:
    if isinstance(layout.space, spaces.Discrete):
        return ("state",)
    return None if spec is None else known_names(spec.name, layout.size)
