"""`Flattened`: an environment whose observations and actions are flat rows, whatever they were."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers import FrameStackObservation

from terc.arrays import Array, Info
from terc.errors import BadTypeError
from terc.flattening.layout import Layout, is_flat
from terc.flattening.old_gym import modern

MASK_NAME = "action_allowed"


class Flattened(gym.Wrapper[Array, Any, Any, Any], RecordConstructorArgs):
    """Dictionaries, tuples and stacked frames as one row; several or mixed actions as one row.

    A choice inside a dictionary is one column that holds its number. An action of choices only becomes a
    MultiDiscrete, any other a Box whose choices are rounded to the nearest one. Single environments; for a
    vector environment it makes a `FlattenedVector`.

    Args:
        env: Any whose spaces consist of numbers and choices.
        masks: Whether the actions that `env.action_masks()` allows are shown as further columns,
            `action_allowed.0` and so on: a masked agent reads them.

    Example:
        >>> class Car(gym.Env):
        ...     observation_space = spaces.Dict(camera=spaces.Box(-1, 1, (2,)), gear=spaces.Discrete(5))
        ...     action_space = spaces.MultiBinary(2)
        >>> env = Flattened(Car())
        >>> env.layout.names, env.action_space
        (('camera.0', 'camera.1', 'gear'), MultiDiscrete([2 2]))
    """

    def __new__(cls, env: Any = None, *args: Any, **options: Any) -> Any:  # noqa: D102
        if isinstance(env, VectorEnv):
            return FlattenedVector(env, *args, **options)
        return super().__new__(cls)

    def __init__(self, env: Any, masks: bool = False) -> None:
        RecordConstructorArgs.__init__(self, masks=masks)
        gym.Wrapper.__init__(self, env)
        self.layout = Layout.of(env.observation_space, shaped=is_frame_stack(env))
        self.action_layout = None if is_playable(env.action_space) else action_layout(env.action_space)
        self._masks = _mask_function(env) if masks else None
        if not is_flat(env.observation_space) or masks:
            self.observation_space = _with_masks(self.layout.box, env.action_space if masks else None)
        if self.action_layout is not None:
            self.action_space = flat_actions(self.action_layout)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Array, Info]:
        """Reset the environment."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._shown(observation), info

    def step(self, action: Any) -> tuple[Array, Any, bool, bool, Info]:
        """Step the environment with an action of the form that it wants."""
        wanted = action if self.action_layout is None else self.action_layout.back_one(action)
        observation, reward, terminated, truncated, info = self.env.step(wanted)
        return self._shown(observation), reward, terminated, truncated, info

    def _shown(self, observation: Any) -> Any:
        if self._masks is not None:
            allowed = np.asarray(self._masks(), self.layout.dtype).reshape(-1)
            return np.append(self.layout.row(observation), allowed)
        return observation if is_flat(self.layout.space) else self.layout.row(observation)


class FlattenedVector(VectorWrapper):  # no parameters: it is generic from Gymnasium 1.3 on only
    """`Flattened` for a vector environment.

    Example:
        >>> env = FlattenedVector(gym.make_vec("CartPole-v1", 3))
        >>> env.reset(seed=0)[0].shape
        (3, 4)
    """

    def __init__(self, env: VectorEnv[Any, Any, Any], masks: bool = False) -> None:
        super().__init__(env)
        space, actions = env.single_observation_space, env.single_action_space
        self.layout = Layout.of(space, shaped=is_frame_stack(env))
        self.action_layout = None if is_playable(actions) else action_layout(actions)
        self._masks = masks
        shown = space if is_flat(space) and not masks else self.layout.box
        self.single_observation_space = _with_masks(shown, actions if masks else None)
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)
        if self.action_layout is not None:
            self.single_action_space = flat_actions(self.action_layout)
            self.action_space = batch_space(self.single_action_space, env.num_envs)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Array, Info]:
        """Reset the environments."""
        observations, info = self.env.reset(seed=seed, options=options)
        return self._shown(observations), info

    def step(self, actions: Any) -> tuple[Array, Any, Any, Any, Info]:
        """Step the environments with actions of the form that they want."""
        wanted = actions if self.action_layout is None else self.action_layout.back(actions)
        observations, rewards, terminated, truncated, info = self.env.step(wanted)
        if info.get("final_obs") is not None:
            info = info | {"final_obs": self._final(info["final_obs"])}
        return self._shown(observations), rewards, terminated, truncated, info

    def _shown(self, observations: Any) -> Array:
        if is_flat(self.layout.space) and not self._masks:
            return np.asarray(observations)
        rows = self.layout.rows(observations)
        if not self._masks:
            return rows
        return np.concatenate([rows, np.stack(_vector_masks(self.env)).astype(rows.dtype)], axis=1)

    def _final(self, final: Any) -> Array:
        """Last observations, one entry per copy; the actions that they allowed are no longer known."""
        shown = np.empty(len(final), dtype=object)
        width = self.single_observation_space.shape or (1,)
        for k, observation in enumerate(final):
            if observation is not None:
                row = self.layout.row(observation)
                shown[k] = np.append(row, np.ones(width[0] - len(row), row.dtype)) if self._masks else row
        return shown


def flattened(env: Any, *, masks: bool = False) -> Any:
    """`env` itself where it is flat already, else wrapped; one of old `gym` becomes one of Gymnasium.

    Example:
        >>> env = gym.make("CartPole-v1")
        >>> flattened(env) is env
        True
    """
    env = modern(env)
    masks = masks and not _shows_masks(env)
    vector = isinstance(env, VectorEnv)
    observations = env.single_observation_space if vector else env.observation_space
    actions = env.single_action_space if vector else env.action_space
    if is_flat(observations) and is_playable(actions) and not masks:
        Layout.of(observations)  # refused where it is too large
        return env
    return FlattenedVector(env, masks) if vector else Flattened(env, masks)


def is_playable(space: gym.Space[Any]) -> bool:
    """Whether policies give actions of `space` as they are."""
    if isinstance(space, spaces.Discrete):
        return True
    return isinstance(space, spaces.Box | spaces.MultiDiscrete) and len(space.shape) == 1


def action_layout(space: gym.Space[Any]) -> Layout:
    """Columns of an action of several or mixed parts."""
    try:
        return Layout.of(space, shaped=True)
    except BadTypeError as error:
        raise BadTypeError(
            f"env: actions of the space {space} are not supported, only Discrete, MultiDiscrete, MultiBinary "
            "and Box spaces, and Dict or Tuple of these. Wrap the environment in a gymnasium.ActionWrapper "
            "that offers one of these."
        ) from error


def flat_actions(layout: Layout) -> spaces.MultiDiscrete | spaces.Box:
    """The space of a flat action: choices where all parts are, else numbers."""
    if not all(part.is_discrete for part in layout.parts):
        return layout.box
    low, high = (np.asarray(end, np.int64) for end in (layout.box.low, layout.box.high))
    return spaces.MultiDiscrete(high - low + 1, start=low)


def is_frame_stack(env: Any) -> bool:
    """Whether the frames of `env` are stacked along a first axis, by Gymnasium's wrapper."""
    while env is not None:
        if isinstance(env, FrameStackObservation):
            return True
        env = env.envs[0] if getattr(env, "envs", None) else getattr(env, "env", None)
    return False


def _shows_masks(env: Any) -> bool:
    while env is not None:
        if isinstance(env, Flattened | FlattenedVector) and env._masks:
            return True
        env = getattr(env, "env", None)
    return False


def has_masks(env: Any) -> bool:
    """Whether `env` says which actions are allowed."""
    if isinstance(env, VectorEnv):
        return _vector_masks(env) is not None
    return isinstance(env, gym.Env) and env.has_wrapper_attr("action_masks")


def _mask_function(env: gym.Env[Any, Any]) -> Any:
    if not has_masks(env):
        raise BadTypeError(
            "env: the agent wants to know which actions are allowed, but the environment has no method "
            "action_masks(); pass the environment that it was trained in, or wrap it in "
            "sb3_contrib.common.wrappers.ActionMasker."
        )
    return env.get_wrapper_attr("action_masks")


def _vector_masks(env: Any) -> Any:
    try:
        return env.call("action_masks")
    except (AttributeError, NotImplementedError) as error:
        raise BadTypeError(
            "env: the agent wants to know which actions are allowed, but the vector environment has no "
            "action_masks(); pass one environment, or a function that makes it."
        ) from error


def _with_masks(space: Any, actions: gym.Space[Any] | None) -> Any:
    if actions is None:
        return space
    count = mask_size(actions)
    low, high = np.append(space.low, np.zeros(count)), np.append(space.high, np.ones(count))
    return spaces.Box(low.astype(space.dtype), high.astype(space.dtype), dtype=space.dtype)


def mask_size(space: gym.Space[Any]) -> int:
    """How many numbers say which actions of `space` are allowed: one for each value of each choice."""
    if isinstance(space, spaces.Discrete):
        return int(space.n)
    if isinstance(space, spaces.MultiDiscrete):
        return int(space.nvec.sum())
    if isinstance(space, spaces.MultiBinary):
        return 2 * int(np.prod(space.shape))
    raise BadTypeError(f"env: which actions are allowed cannot be shown for {space}.")
