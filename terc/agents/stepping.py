"""Many copies of one environment stepped together, whatever form the caller gave it in.

Gymnasium's vector environments restart in three different ways. A `Stepper` hides that: it always shows
the true successor of each state, also at the end of an episode, and marks the rows in which a copy only
restarted.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from terc.agents.spaces import as_rows
from terc.arrays import Array
from terc.errors import BadTypeError, BadValueError, UnknownNameError, closest_names
from terc.flattening.flattened import flattened
from terc.flattening.old_gym import answered, begun, is_environment, stepped, unmade
from terc.flattening.vec_env import FromVecEnv, is_vec_env, spec_of_copies

# a VecEnv of Stable-Baselines3 too, which cannot be named here: that package need not be installed
EnvLike = str | gym.Env[Any, Any] | VectorEnv[Any, Any, Any] | Callable[..., Any] | Any
TO_MAKE = " The number of copies is called num_envs. The environment comes first, the policy second."
UNKNOWN_ID = (gym.error.NameNotFound, gym.error.NamespaceNotFound, gym.error.UnregisteredEnv)


@dataclass(frozen=True)
class StepResult:
    """One step of all copies.

    Attributes:
        next_states: What each action led to `[n, d]`, the last state of an episode included.
        rewards: `[n]`.
        terminated: The episode ended by its own rules `[n]`: nothing is worth anything after it.
        truncated: The episode was cut by a time limit `[n]`.
        played: False where a copy ignored the action because it was restarting `[n]`.
    """

    next_states: Array
    rewards: Array
    terminated: Array
    truncated: Array
    played: Array

    @property
    def done(self) -> Array:
        """Where an episode ended, either way."""
        return self.terminated | self.truncated


class SerialStepper:
    """Plain environments stepped one after another, without the copying of `SyncVectorEnv`.

    Example:
        >>> stepper = SerialStepper([gym.make("CartPole-v1") for _ in range(2)])
        >>> stepper.reset(0).shape, stepper.step(np.array([0, 1])).rewards
        ((2, 4), array([1., 1.]))
    """

    def __init__(self, envs: Sequence[gym.Env[Any, Any]], *, own: bool = True, masks: bool = False) -> None:
        self.envs = [flattened(env, masks=masks) for env in envs]
        self.n, self._own, first = len(envs), own, self.envs[0]
        self.sample: gym.Env[Any, Any] | VectorEnv[Any, Any, Any] = first
        self.observation_space, self.action_space = first.observation_space, first.action_space
        self.environment = first.spec.id if first.spec else None
        self._discrete = isinstance(self.action_space, gym.spaces.Discrete)
        self._played = np.ones(self.n, bool)
        self.states = np.zeros((self.n, 0))

    def reset(self, seed: int) -> Array:
        """Copy i starts from `seed + i`."""
        first = [begun(env, seed + i)[0] for i, env in enumerate(self.envs)]
        self.states = as_rows(np.stack([np.asarray(observation) for observation in first]))
        return self.states

    def step(self, actions: Array) -> StepResult:
        """Play one action per copy; a finished one restarts at once, so every row is played."""
        states, rewards = np.empty_like(self.states), np.zeros(self.n)
        terminated, truncated = np.zeros(self.n, bool), np.zeros(self.n, bool)
        played = actions.tolist() if self._discrete else actions.astype(self.action_space.dtype, copy=False)
        for i, (env, action) in enumerate(zip(self.envs, played, strict=True)):
            states[i], rewards[i], terminated[i], truncated[i], _ = stepped(env, action)
        self.states = states.copy()
        for ended in np.flatnonzero(terminated | truncated):
            self.states[ended] = begun(self.envs[ended])[0]
        return StepResult(states, rewards, terminated, truncated, self._played)

    def close(self) -> None:
        """Close the environments if this stepper made them."""
        if self._own:
            for env in self.envs:
                env.close()


class VectorStepper:
    """Any Gymnasium vector environment, in each of its three ways to restart.

    Example:
        >>> stepper = VectorStepper(gym.make_vec("CartPole-v1", 3))
        >>> stepper.reset(0).shape, stepper.step(np.array([0, 1, 1])).played
        ((3, 4), array([ True,  True,  True]))
    """

    def __init__(self, env: VectorEnv[Any, Any, Any], *, own: bool = True, masks: bool = False) -> None:
        self.env = env = flattened(env, masks=masks)
        self.n, self._own = env.num_envs, own
        self.sample: gym.Env[Any, Any] | VectorEnv[Any, Any, Any] = env
        self.observation_space, self.action_space = env.single_observation_space, env.single_action_space
        spec = env.spec or spec_of_copies(env.unwrapped)
        self.environment = spec.id if spec else None
        self._mode = AutoresetMode((env.metadata or {}).get("autoreset_mode", AutoresetMode.NEXT_STEP))
        self._dtype = self.action_space.dtype
        self._restarting = np.zeros(self.n, bool)
        self.states = np.zeros((self.n, 0))

    @property
    def plays_while_restarting(self) -> bool:
        """Whether restarting a copy takes a step, in which the others play."""
        return self._mode is AutoresetMode.NEXT_STEP

    def check_that_sb3_can_train(self) -> None:
        """Refuse copies that spend steps on restarts: Stable-Baselines3 would learn from these."""
        if self.plays_while_restarting:
            raise BadTypeError(
                "env: Stable-Baselines3 cannot train in a vector environment that spends a step on each "
                "restart; make it with autoreset_mode=AutoresetMode.SAME_STEP, or pass a function that makes "
                "one environment."
            )

    def reset(self, seed: int) -> Array:
        """All copies start; their seeds are derived from `seed` by the environment."""
        observations, _ = answered(self.env, "reset", seed=seed)
        self.states, self._restarting = as_rows(observations), np.zeros(self.n, bool)
        return self.states

    def step(self, actions: Array) -> StepResult:
        """Play one action per copy."""
        wanted = actions.astype(self._dtype, copy=False)
        observations, rewards, terminated, truncated, info = answered(self.env, "step", wanted)
        states, done, played = as_rows(observations), terminated | truncated, ~self._restarting
        following = states
        if self.plays_while_restarting:
            self._restarting = done
        elif done.any() and self._mode is AutoresetMode.SAME_STEP:
            states = _with_final(states, done, info.get("final_obs"))
        elif done.any():
            following = as_rows(answered(self.env, "reset", options={"reset_mask": done})[0])
        self.states = following
        return StepResult(states, np.asarray(rewards), terminated, truncated, played)

    def close(self) -> None:
        """Close the environment if this stepper made it."""
        if self._own:
            self.env.close()


Stepper = SerialStepper | VectorStepper
"""`n` copies of one environment: `states` are the ones to act on next, actions are flat as `action_space`;
`sample`, one of the copies or all of them as one, knows the names of the variables."""


def _with_final(states: Array, done: Array, final: Any) -> Array:
    """`states` with the rows of ended episodes replaced by their last states, where these are given."""
    if final is None:
        return states
    if isinstance(final, np.ndarray) and final.dtype != object:
        return as_rows(final) if done.all() else np.where(done[:, None], as_rows(final), states)
    states = states.copy()
    for i in np.flatnonzero(done):
        states[i] = final[i]
    return states


def make_stepper(env: EnvLike, n_envs: int, *, masks: bool = False) -> Stepper:
    """`n_envs` copies of an environment given by id, by a function that makes it, or ready made.

    Args:
        env: A Gymnasium id; a function without arguments that makes one environment; a function of
            `num_envs` (or `n_envs`) that makes a vector environment; a vector environment, of Gymnasium or of
            Stable-Baselines3 (its own number of copies counts); or one environment, which is stepped as it
            is and so allows only one copy.
        n_envs: How many copies.
        masks: Whether the actions that the environment allows are shown as further columns of the state.
    """
    if isinstance(env, str):
        return _from_id(env, n_envs, masks)
    env = FromVecEnv(env) if is_vec_env(env) else env
    if isinstance(env, VectorEnv):
        return VectorStepper(env, own=False, masks=masks)
    if is_environment(env):
        if n_envs > 1:
            raise BadValueError(
                f"env: {n_envs} copies were asked for, but one ready-made environment cannot be copied "
                "safely. Pass its id, or a function that makes it, such as lambda: "
                "Doped(gymnasium.make('CartPole-v1'), n=3)."
            )
        return SerialStepper([cast("gym.Env[Any, Any]", env)], own=False, masks=masks)
    if callable(env):
        return _from_function(env, n_envs, masks)
    raise BadTypeError(
        "env: wanted a Gymnasium id, an environment, a vector environment or a function that makes one, got "
        f"{type(env).__name__}."
    )


def _from_id(name: str, n_envs: int, masks: bool) -> Stepper:
    try:
        spec = gym.spec(name)
    except gym.error.Error as error:
        if isinstance(error, UNKNOWN_ID):
            raise _unknown_id(name) from error
        raise BadValueError(f"env: {name!r} is not a usable Gymnasium id: {error}") from error
    try:
        if n_envs > 1 and spec.vector_entry_point is not None:
            copies = gym.make_vec(name, n_envs, vectorization_mode="vector_entry_point")
            return VectorStepper(copies, masks=masks)
        return SerialStepper([gym.make(name, disable_env_checker=True) for _ in range(n_envs)], masks=masks)
    except Exception as error:
        raise unmade(name, error) from error


def _unknown_id(name: str) -> UnknownNameError:
    module, colon, function = name.partition(":")
    own = f"from {module} import {function}" if colon and function.isidentifier() else "lambda: MyEnv()"
    near = closest_names(name, gym.registry)
    return UnknownNameError(
        f"env: no environment named {name!r}.{near} One of your own is given as the function that makes it "
        f"({own}), or registered with Gymnasium first; gymnasium.pprint_registry() lists the ids."
    )


def _from_function(function: Callable[..., Any], n_envs: int, masks: bool) -> Stepper:
    make, guessed = _with_count(function, n_envs)
    try:
        made = make()
    except Exception as error:
        raise unmade("the environment", error) from error
    made = FromVecEnv(made) if is_vec_env(made) else made
    if guessed and not isinstance(made, VectorEnv):
        raise _needs(function, [guessed])
    if isinstance(made, VectorEnv):
        return VectorStepper(made, masks=masks)
    if not is_environment(made):
        raise BadTypeError(
            f"env: the function must make a Gymnasium environment, it made {type(made).__name__}."
        )
    return SerialStepper([made] + [make() for _ in range(n_envs - 1)], masks=masks)


def _with_count(function: Callable[..., Any], n_envs: int) -> tuple[Callable[[], Any], str | None]:
    """`function` with the number of copies, and the name of a parameter that may or may not mean it.

    The count goes to `num_envs`, to `n_envs` where that is needed, or to the one thing that a function needs.
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # of a built-in one nothing is known
        return function, None
    rest = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [one.name for one in parameters if one.default is one.empty and one.kind not in rest]
    counts = {"num_envs", *{"n_envs"}.intersection(needed)}
    count = next((one.name for one in parameters if one.name in counts), None)
    lacking = [one for one in needed if one != count]
    if count is None and len(lacking) == 1 and not isinstance(function, type):
        return partial(function, n_envs), lacking[0]
    if lacking:
        raise _needs(function, lacking)
    return partial(function, **{count: n_envs}) if count else function, None


def _needs(function: Callable[..., Any], lacking: Sequence[str]) -> BadTypeError:
    name = getattr(function, "__name__", type(function).__name__)
    options = ", ".join(f"{one}=..." for one in lacking)
    advice = "" if isinstance(function, type) else TO_MAKE
    return BadTypeError(
        f"env: {name} needs {', '.join(lacking)}; give lambda: "
        f"{name if name.isidentifier() else 'make'}({options}).{advice}"
    )
