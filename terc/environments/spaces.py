"""Observation spaces that are one flat row of numbers, and what wrappers of vector environments share."""

from collections.abc import Callable
from typing import Any, TypeAlias

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from terc.arrays import Array, Info
from terc.errors import BadTypeError
from terc.flattening.flattened import flattened
from terc.flattening.layout import Layout, is_flat

AnyEnv: TypeAlias = gym.Env[Any, Any] | VectorEnv[Any, Any, Any]
Flat = (spaces.Box, spaces.MultiDiscrete, spaces.MultiBinary)


def observation_space(env: AnyEnv) -> spaces.Space[Any]:
    """The space of one copy's observations, for single and vector environments alike."""
    return env.single_observation_space if isinstance(env, VectorEnv) else env.observation_space


def check_environment(where: str, env: object) -> None:
    """Refuse anything but a Gymnasium environment, such as an id."""
    if not isinstance(env, gym.Env | VectorEnv):
        raise BadTypeError(
            f"{where}: wanted a Gymnasium environment or vector environment, got {type(env).__name__}. "
            "Make one from its id with gymnasium.make or gymnasium.make_vec."
        )


def flat_env(where: str, env: Any) -> Any:
    """`env` with flat observations: dictionaries, tuples and stacked frames become columns."""
    check_environment(where, env)
    return env if is_flat(observation_space(env)) else flattened(env)


def flat_space(where: str, env: AnyEnv) -> spaces.Box:
    """The observation space as a flat Box of numbers; codes and bits become floats."""
    space = observation_space(env)
    if isinstance(space, spaces.Box) and len(space.shape) == 1 and np.issubdtype(space.dtype, np.floating):
        return space
    if not isinstance(space, Flat) or len(space.shape) != 1:
        raise BadTypeError(
            f"{where}: observations are a {type(space).__name__} space, which is not a row of numbers. Wrap "
            "the environment in gymnasium.wrappers.FlattenObservation first."
        )
    box = Layout.of(space, where=where).box
    return spaces.Box(box.low.astype(np.float32), box.high.astype(np.float32), dtype=np.float32)


class ShownVector(VectorWrapper):  # no parameters: it is generic from Gymnasium 1.3 on only
    """A vector environment whose observations pass through `_shown`; `space` is that of one copy."""

    def __init__(self, env: VectorEnv[Any, Any, Any], space: spaces.Space[Any]) -> None:
        super().__init__(env)
        self.single_observation_space = space
        self.observation_space = batch_space(space, env.num_envs)

    def _shown(self, observations: Array) -> Array:
        raise NotImplementedError

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Array, Info]:
        """Reset the environments."""
        observations, info = self.env.reset(seed=seed, options=options)
        return self._shown(observations), info

    def step(self, actions: Any) -> tuple[Array, Any, Any, Any, Info]:
        """Step the environments."""
        observations, rewards, terminated, truncated, info = self.env.step(actions)
        shown = self._shown(observations)
        return shown, rewards, terminated, truncated, with_final_observations(info, self._shown)


def with_final_observations(info: Info, change: Callable[[Array], Array]) -> Info:
    """`info` with `change` applied to the observations in `final_obs`, if it has them.

    Gymnasium stores them as an object array, one entry per copy (None where no episode ended); our own
    environments as a plain `[num_envs, d]` array.
    """
    final = info.get("final_obs")
    if final is None:
        return info
    if isinstance(final, np.ndarray) and final.dtype != object:
        return info | {"final_obs": change(final)}
    changed = np.empty(len(final), dtype=object)
    for k, observation in enumerate(final):
        changed[k] = None if observation is None else change(np.asarray(observation))
    return info | {"final_obs": changed}
