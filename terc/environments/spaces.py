"""Observation spaces that consist of variables: one flat row of numbers, and the way out for others."""

from typing import Any, TypeAlias

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv

from terc.errors import BadTypeError
from terc.flattening.flattened import flattened
from terc.flattening.layout import is_flat

AnyEnv: TypeAlias = gym.Env[Any, Any] | VectorEnv[Any, Any, Any]
Flat = (spaces.Box, spaces.MultiDiscrete, spaces.MultiBinary)


def observation_space(env: AnyEnv) -> spaces.Space[Any]:
    """The space of one copy's observations, for single and vector environments alike."""
    return env.single_observation_space if isinstance(env, VectorEnv) else env.observation_space


def check_environment(where: str, env: object) -> None:
    """Refuse what is no Gymnasium environment, such as an id."""
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
    check_environment(where, env)
    space = observation_space(env)
    if isinstance(space, spaces.Box) and len(space.shape) == 1:
        if np.issubdtype(space.dtype, np.floating):
            return space
        return spaces.Box(space.low.astype(np.float32), space.high.astype(np.float32), dtype=np.float32)
    if isinstance(space, spaces.MultiDiscrete) and len(space.shape) == 1:
        low = space.start.astype(np.float32)
        return spaces.Box(low, low + space.nvec.astype(np.float32) - 1, dtype=np.float32)
    if isinstance(space, spaces.MultiBinary) and len(space.shape) == 1:
        return spaces.Box(0.0, 1.0, space.shape, dtype=np.float32)
    raise BadTypeError(_not_flat(where, space))


def _not_flat(where: str, space: spaces.Space[Any]) -> str:
    supported = "Supported is one flat row of numbers (a Box, MultiDiscrete or MultiBinary of one dimension)."
    if isinstance(space, Flat):
        return (
            f"{where}: observations have shape {space.shape}, like an image. {supported} Wrap the "
            "environment in a gymnasium.ObservationWrapper that computes the variables you care about, or in "
            "gymnasium.wrappers.FlattenObservation if each entry is a variable."
        )
    return (
        f"{where}: observations are a {type(space).__name__} space. {supported} "
        "Wrap the environment in gymnasium.wrappers.FlattenObservation first."
    )
