"""Environments of old `gym` in the form of Gymnasium, and errors of anybody's environment as one line."""

import inspect
import traceback
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv

from terc.arrays import Info
from terc.errors import BadTypeError, BadValueError, MissingExtraError, TercError, place_of

OUTCOME = "(observation, reward, terminated, truncated, info)"
FILL_GAPS = (
    "Wrap the environment in a gymnasium.ObservationWrapper that fills it and, where the policy should know, "
    "shows a column that says so."
)
EXTRAS = {"box2d": "gym", "mujoco": "mujoco"}
"""What an environment misses -> the extra that brings it."""
PARTS = {"reset": "(observation, info)", "step": OUTCOME}


def is_environment(thing: Any) -> bool:
    """Whether `thing` can be played in: a Gymnasium environment, or an object with the same parts."""
    if isinstance(thing, gym.Env | VectorEnv):
        return True
    parts = ("reset", "step", "observation_space", "action_space")
    return not isinstance(thing, type) and all(hasattr(thing, part) for part in parts)


def modern(env: Any) -> Any:
    """`env` itself, or where it is as old `gym` had it, in the form of Gymnasium."""
    if isinstance(env, VectorEnv):
        return env
    for part in ("observation_space", "action_space"):
        if not hasattr(env, part):
            raise BadTypeError(f"env: {type(env).__name__} has no {part}; give it one of gymnasium.spaces.")
    parameters = inspect.signature(env.reset).parameters.values()
    takes_seed = any(one.name == "seed" or one.kind is one.VAR_KEYWORD for one in parameters)
    return env if isinstance(env, gym.Env) and takes_seed else FromOldGym(env)


class FromOldGym(gym.Env[Any, Any]):
    """An environment whose `reset` takes no seed, and whose `step` may return `done` instead of two ends.

    Args:
        env: With `reset`, `step`, `observation_space` and `action_space`; with `seed` it is seeded.

    Example:
        >>> class Old:
        ...     observation_space, action_space = spaces.Discrete(3), spaces.Discrete(2)
        ...     def reset(self):
        ...         return 0
        ...     def step(self, action):
        ...         return 1, 0.5, True, {"TimeLimit.truncated": True}
        >>> env = FromOldGym(Old())
        >>> env.reset(seed=0), env.step(1)
        ((0, {}), (1, 0.5, False, True, {'TimeLimit.truncated': True}))
    """

    def __init__(self, env: Any) -> None:
        self.env = env
        self.observation_space, self.action_space = _space(env.observation_space), _space(env.action_space)
        self.spec = getattr(env, "spec", None) if isinstance(env, gym.Env) else None

    @property
    def variable_names(self) -> Any:
        """Of the environment itself, if it has any."""
        return getattr(self.env, "variable_names", None)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        """Begin an episode."""
        super().reset(seed=seed)
        if seed is not None and hasattr(self.env, "seed"):
            self.env.seed(seed)
        if seed is not None and isinstance(self.env, gym.Env):
            self.env.np_random = self.np_random
        found = self.env.reset()
        if isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], dict):
            return found
        return found, {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, Info]:
        """Play one action."""
        found = self.env.step(action)
        if len(found) != 4:
            return tuple(found)
        observation, reward, done, info = found
        cut = bool(info.get("TimeLimit.truncated", False))
        return observation, reward, bool(done) and not cut, cut, info

    def close(self) -> None:
        """Close the environment, if it can be."""
        if hasattr(self.env, "close"):
            self.env.close()


def _space(space: Any) -> spaces.Space[Any]:
    """A space of Gymnasium with the numbers of one of old `gym`."""
    kind = type(space).__name__
    if isinstance(space, spaces.Space):
        return space
    if kind == "Box":
        return spaces.Box(space.low, space.high, dtype=space.dtype)
    if kind == "Discrete":
        return spaces.Discrete(int(space.n))
    if kind == "MultiDiscrete":
        return spaces.MultiDiscrete(space.nvec)
    if kind == "MultiBinary":
        return spaces.MultiBinary(space.n)
    if kind == "Dict":
        return spaces.Dict({key: _space(part) for key, part in space.spaces.items()})
    raise BadTypeError(f"env: cannot use the space {space}; describe it by one of gymnasium.spaces.")


def _is_wrapper(file: str) -> bool:
    parts = Path(file).parts
    return Path(__file__).parents[1] in Path(file).parents or "gymnasium" in parts and "envs" not in parts


def _is_arithmetic(file: str) -> bool:
    """Whether it is numpy, or what lies between it and who called."""
    return "numpy" in Path(file).parts or Path(file).name == "functools.py"


def failed(env: Any, call: str, error: Exception) -> TercError:
    """What somebody else's environment raised, or returned in another form, as one line."""
    if isinstance(error, TercError):
        return error
    inner = getattr(env, "unwrapped", env)
    name = type(getattr(inner, "venv", inner)).__name__
    said = str(error).partition("\n")[0].rstrip(".")
    frames = traceback.extract_tb(error.__traceback__)
    last = next((one for one in reversed(frames) if not _is_arithmetic(one.filename)), frames[-1])
    in_a_process = last.name == "_raise_if_errors"  # of AsyncVectorEnv, which raises it anew
    if _is_wrapper(last.filename) and not in_a_process:  # what came back did not fit
        seen = f", the observation of shape {env.observation_space.shape}"
        old = " Four are of old gym: terc.environments.FromOldGym(env)." if "got 4" in said else ""
        return BadTypeError(f"env: {name}.{call} should return {PARTS[call]}{seen} ({said}).{old}")
    place = "one of its processes" if in_a_process else place_of(error)
    return BadValueError(f"env: {name}.{call} raised {type(error).__name__} ({said}) in {place}.")


def unmade(name: str, error: Exception) -> TercError:
    """What was raised where somebody else's environment is made, as one line."""
    if isinstance(error, TercError):
        return error
    said = str(error).partition("\n")[0].rstrip(".")
    if isinstance(error, gym.error.DependencyNotInstalled):
        extra = next((extra for word, extra in EXTRAS.items() if word in said.lower()), None)
        way_out = "see `terc doctor`" if extra is None else f"run: pip install 'terc[{extra}]'"
        package = said.partition(",")[0]
        return MissingExtraError(f"env: {name} needs a package that is missing ({package}); {way_out}")
    return BadValueError(f"env: making {name} raised {type(error).__name__} ({said}) in {place_of(error)}.")


def answered(env: Any, call: str, *arguments: Any, **more: Any) -> Any:
    """What a method of an environment answers; what it raises is one line."""
    try:
        return getattr(env, call)(*arguments, **more)
    except Exception as error:
        raise failed(env, call, error) from error


def begun(env: gym.Env[Any, Any], seed: int | None = None, **more: Any) -> tuple[Any, Info]:
    """The first observation of an episode and what is said of it; what goes wrong is one line."""
    try:
        observation, info = env.reset(seed=seed, **more)
        if not isinstance(info, dict):
            raise TypeError(f"got {type(info).__name__} for info")
        _check_size(env, observation)
    except Exception as error:
        raise failed(env, "reset", error) from error
    return observation, info


def stepped(env: gym.Env[Any, Any], action: Any) -> tuple[Any, float, bool, bool, Info]:
    """What one action led to; what goes wrong is one line."""
    try:
        answer: tuple[Any, Any, bool, bool, Info] = env.step(action)
        observation, reward, terminated, truncated, info = answer
        _check_size(env, observation)
        if np.size(reward) != 1 or isinstance(reward, str | None):
            raise TypeError(f"got the reward {reward!r}, which is not a number")
        return observation, float(np.reshape(reward, ())), bool(terminated), bool(truncated), info
    except Exception as error:
        raise failed(env, "step", error) from error


def _check_size(env: gym.Env[Any, Any], observation: Any) -> None:
    wanted = env.observation_space.shape
    if getattr(observation, "shape", None) != wanted and np.size(observation) != np.prod(wanted or ()):
        raise ValueError(f"got an observation of shape {np.shape(observation)}")


def without_gaps(states: Any, what: str = "env: an observation") -> Any:
    """The observation `[d]` or observations `[n, d]`, if no number is NaN, on which no policy can act."""
    seen = np.asarray(states)
    if seen.dtype.kind == "f" and np.isnan(seen.sum()) and np.isnan(seen).any():  # a sum is cheap
        rows = seen.reshape(-1, seen.shape[-1] if seen.ndim else 1)
        column = int(np.flatnonzero(np.isnan(rows).any(axis=0))[0])
        raise BadValueError(f"{what} holds NaN, in column {column} of {rows.shape[1]}. {FILL_GAPS}")
    return states


class Guarded(gym.Wrapper[Any, Any, Any, Any]):
    """A flat environment for somebody else's training, in which what it does wrong is one line too."""

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        """Begin an episode."""
        observation, info = begun(self.env, seed, options=options)
        return without_gaps(observation), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, Info]:
        """Play one action."""
        observation, *rest = stepped(self.env, action)
        return without_gaps(observation), *rest
