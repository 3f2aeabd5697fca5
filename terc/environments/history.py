"""`HistoryOf`: an environment whose state also holds what it showed in the last steps."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import AutoresetMode, VectorEnv

from terc.arrays import Array, Booleans, Info
from terc.checks import called_rightly, whole_number
from terc.environments.names import variable_names
from terc.environments.spaces import AnyEnv, ShownVector, flat_env, flat_space
from terc.errors import BadValueError
from terc.trajectories.episodes import lagged_name


class HistoryOf(gym.Wrapper[Array, Any, Any, Any], RecordConstructorArgs):
    """Each variable now, one step ago, ..., `length` steps ago, in the order of `Trajectories.with_history`.

    Takes single and vector environments; for the latter it makes a `HistoryOfVector`. What lies before the
    start of an episode is filled with its first observation (`with_history` drops such steps instead).

    Args:
        env: With observations that are numbers; dictionaries become columns.
        length: How many past steps (1).
        n_stack: The same as frame stacks count it, with the present one: `length` + 1. Give one of the two.

    Example:
        >>> env = HistoryOf(gym.make("MountainCar-v0"), length=2)
        >>> env.variable_names
        ('position', 'position[t-1]', 'position[t-2]', 'velocity', 'velocity[t-1]', 'velocity[t-2]')
        >>> HistoryOf(gym.make("MountainCar-v0"), n_stack=2).variable_names
        ('position', 'position[t-1]', 'velocity', 'velocity[t-1]')
    """

    def __new__(cls, env: Any = None, *args: Any, **options: Any) -> Any:  # noqa: D102
        if isinstance(env, VectorEnv):
            return HistoryOfVector(env, *args, **options)
        return super().__new__(cls)

    @called_rightly
    def __init__(self, env: Any, length: int | None = None, *, n_stack: int | None = None) -> None:
        length = past_steps(length, n_stack)
        env = flat_env("HistoryOf", env)
        space = lagged_space(env, length)
        self.variable_names = _lagged_names(env, length)
        RecordConstructorArgs.__init__(self, length=length)
        gym.Wrapper.__init__(self, env)
        self.observation_space = space
        self._past = np.zeros((flat_space("HistoryOf", env).shape[0], length + 1))

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Array, Info]:
        """Reset the environment; the past is its first observation."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._past = np.repeat(np.asarray(observation)[:, None], self._past.shape[1], axis=1)
        return self._shown(), info

    def step(self, action: Any) -> tuple[Array, Any, bool, bool, Info]:
        """Step the environment and move the past on."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._past = np.concatenate([np.asarray(observation)[:, None], self._past[:, :-1]], axis=1)
        return self._shown(), reward, terminated, truncated, info

    def _shown(self) -> Array:
        return self._past.reshape(-1).astype(self.observation_space.dtype)


class HistoryOfVector(ShownVector):
    """`HistoryOf` for a vector environment that restarts ended episodes by itself."""

    @called_rightly
    def __init__(
        self, env: VectorEnv[Any, Any, Any], length: int | None = None, *, n_stack: int | None = None
    ) -> None:
        length = past_steps(length, n_stack)
        env = flat_env("HistoryOf", env)
        super().__init__(env, lagged_space(env, length))
        self.variable_names = _lagged_names(env, length)
        self._mode = AutoresetMode(env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP))
        self._past = np.zeros((env.num_envs, flat_space("HistoryOf", env).shape[0], length + 1))
        self._ended = np.zeros(env.num_envs, dtype=bool)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Array, Info]:
        """Reset the environments, or those that the option `reset_mask` names."""
        observations, info = self.env.reset(seed=seed, options=options)
        fresh = np.asarray((options or {}).get("reset_mask", np.ones(self.num_envs)), dtype=bool)
        self._begin(np.asarray(observations), fresh)
        self._ended = np.zeros(self.num_envs, dtype=bool)
        return self._flat(self._past), info

    def step(self, actions: Any) -> tuple[Array, Any, Any, Any, Info]:
        """Step the environments; where a new episode begins, so does its past."""
        observations, rewards, terminated, truncated, info = self.env.step(actions)
        before, done = self._past, terminated | truncated
        self._past = np.concatenate([np.asarray(observations)[:, :, None], before[:, :, :-1]], axis=2)
        if self._mode is AutoresetMode.NEXT_STEP:
            self._begin(np.asarray(observations), self._ended)
        elif self._mode is AutoresetMode.SAME_STEP:
            info = self._with_past(info, before)
            self._begin(np.asarray(observations), done)
        self._ended = done
        return self._flat(self._past), rewards, terminated, truncated, info

    def _begin(self, observations: Array, where: Booleans) -> None:
        self._past[where] = observations[where][:, :, None]

    def _with_past(self, info: Info, before: Array) -> Info:
        """The last observations of ended episodes, each with its own past."""
        final = info.get("final_obs")
        if final is None:
            return info
        whole = np.empty(self.num_envs, dtype=object)
        for k, last in enumerate(final):
            if last is not None:
                whole[k] = self._flat(np.concatenate([np.asarray(last)[:, None], before[k, :, :-1]], axis=1))
        return info | {"final_obs": whole}

    def _flat(self, past: Array) -> Array:
        return past.reshape(*past.shape[:-2], -1).astype(self.single_observation_space.dtype)


def past_steps(length: int | None, n_stack: int | None) -> int:
    """How many steps back, in whichever of the two ways it was given."""
    if n_stack is None:
        return whole_number("HistoryOf", "length", 1 if length is None else length, least=1)
    if length is not None:
        raise BadValueError(f"HistoryOf: give length or n_stack, not both (got {length} and {n_stack}).")
    return whole_number("HistoryOf", "n_stack", n_stack, least=2) - 1


def lagged_space(env: AnyEnv, length: int) -> spaces.Box:
    """The flat Box of `env` with each bound repeated for the present and `length` past steps."""
    space = flat_space("HistoryOf", env)
    low, high = (np.repeat(end, length + 1) for end in (space.low, space.high))
    return spaces.Box(low, high, dtype=space.dtype.type)


def _lagged_names(env: AnyEnv, length: int) -> tuple[str, ...]:
    return tuple(lagged_name(name, lag) for name in variable_names(env) for lag in range(length + 1))
