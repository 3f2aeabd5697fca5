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
from terc.flattening.vec_env import FromVecEnv, is_vec_env, stacked_names

Names = tuple[str, ...]


def _angles_and_velocities(first: Sequence[str], joints: Sequence[str], root: Sequence[str]) -> Names:
    """MuJoCo's usual order: root positions, joint angles, root velocities, joint velocities."""
    return (*first, *(f"{one}_angle" for one in joints), *root, *(f"{one}_velocity" for one in joints))


def _parts(first: str, last: str) -> Names:
    """Every combination of a word of `first` and one of `last`."""
    return tuple(f"{one}_{other}" for one in first.split() for other in last.split())


_ROOT_2D = ("torso_height", "torso_angle")
_ROOT_2D_VELOCITY = ("forward_velocity", "vertical_velocity", "torso_angular_velocity")
_LEGS = _parts("right left", "thigh leg foot")
_CHEETAH = _parts("back front", "thigh shin foot")
_ANT_NAMES = _angles_and_velocities(
    ("torso_height", *_parts("torso_orientation", "w x y z")),
    _parts("front_left front_right back_left back_right", "hip ankle"),
    _parts("torso_velocity torso_angular_velocity", "x y z"),
)
_ARM = (
    *_parts("shoulder", "pan lift"),
    "upper_arm_roll",
    "elbow",
    "forearm_roll",
    *_parts("wrist", "flex roll"),
)
_LANDER = (
    *("x", "y", "x_velocity", "y_velocity", "angle", "angular_velocity"),
    *_parts("left_leg right_leg", "contact"),
)
_WALKER = (
    *["hull_angle", "hull_angular_velocity", "horizontal_velocity", "vertical_velocity"],
    *_parts("leg_1 leg_2", "hip_angle hip_velocity knee_angle knee_velocity contact"),
    *(f"lidar_{k}" for k in range(10)),
)

KNOWN_NAMES: dict[str, tuple[Names, ...]] = {
    "CartPole": (("cart_position", "cart_velocity", "pole_angle", "pole_velocity"),),
    "MountainCar": (("position", "velocity"),),
    "MountainCarContinuous": (("position", "velocity"),),
    "Acrobot": (
        ("cos_angle_1", "sin_angle_1", "cos_angle_2", "sin_angle_2", *_parts("angular_velocity", "1 2")),
    ),
    "Blackjack": (("player_sum", "dealer_card", "usable_ace"),),
    "Pendulum": (("cos_angle", "sin_angle", "angular_velocity"),),
    "LunarLander": (_LANDER,),
    "LunarLanderContinuous": (_LANDER,),
    "BipedalWalker": (_WALKER,),
    "BipedalWalkerHardcore": (_WALKER,),
    "InvertedPendulum": (("cart_position", "pole_angle", "cart_velocity", "pole_velocity"),),
    "InvertedDoublePendulum": tuple(
        (
            *("cart_position", *_parts("sin_angle cos_angle", "1 2")),
            *("cart_velocity", *_parts("angular_velocity", "1 2")),
            *constraint,
        )
        for constraint in (("constraint_force",), _parts("constraint_force", "0 1 2"))
    ),
    "Reacher": tuple(
        (
            *_parts("cos_angle sin_angle", "1 2"),
            *("target_x", "target_y", *_parts("angular_velocity", "1 2")),
            *_parts("fingertip_to_target", axes),
        )
        for axes in ("x y", "x y z")
    ),
    "Pusher": (_angles_and_velocities((), _ARM, ()) + _parts("fingertip object goal", "x y z"),),
    "Swimmer": (
        _angles_and_velocities(
            ("front_angle",), ("rotor_1", "rotor_2"), ("x_velocity", "y_velocity", "front_angular_velocity")
        ),
    ),
    "Hopper": (_angles_and_velocities(_ROOT_2D, ("thigh", "leg", "foot"), _ROOT_2D_VELOCITY),),
    "HalfCheetah": (_angles_and_velocities(_ROOT_2D, _CHEETAH, _ROOT_2D_VELOCITY),),
    "Walker2d": (_angles_and_velocities(_ROOT_2D, _LEGS, _ROOT_2D_VELOCITY),),
    "Ant": (_ANT_NAMES, (*_ANT_NAMES, *(f"contact_force_{k}" for k in range(78)))),
}
"""Environment -> the names of its columns, once for each number of columns that is known."""


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
    return _found(copies[0]) if copies else _known(env.spec, _layout(env))


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
    if spec is None:
        return None
    # One environment's versions differ in length at times; the list then holds one entry per length.
    return next((names for names in KNOWN_NAMES.get(spec.name, ()) if len(names) == layout.size), None)
