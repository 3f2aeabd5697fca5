"""A vector environment of Gymnasium as a `VecEnv`, so that Stable-Baselines3 can train in it."""

from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from terc.agents.stepping import VectorStepper
from terc.arrays import Array
from terc.errors import BadTypeError


class ToVecEnv(VecEnv):  # type: ignore[misc, unused-ignore]
    """The copies of `stepper`, stepped together.

    Example:
        >>> import gymnasium as gym
        >>> make, same_step = lambda: gym.make("CartPole-v1"), gym.vector.AutoresetMode.SAME_STEP
        >>> env = ToVecEnv(VectorStepper(gym.vector.SyncVectorEnv([make] * 3, autoreset_mode=same_step)))
        >>> env.reset().shape, env.step(np.array([0, 1, 1]))[1]
        ((3, 4), array([1., 1., 1.], dtype=float32))
    """

    def __init__(self, stepper: VectorStepper) -> None:
        stepper.check_that_sb3_can_train()
        self.stepper, self._actions = stepper, np.zeros(0)
        super().__init__(stepper.n, stepper.observation_space, stepper.action_space)

    def reset(self) -> Array:
        """Start all copies, from the seed that was given last."""
        first = self._seeds[0]
        self._reset_seeds()
        return self.stepper.reset(int(np.random.default_rng().integers(2**31)) if first is None else first)

    def step_async(self, actions: Array) -> None:
        """Note the actions."""
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Play them; a finished copy restarts at once, its last state is in its information."""
        step = self.stepper.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for k in np.flatnonzero(step.done):
            cut = bool(step.truncated[k] and not step.terminated[k])
            infos[k] = {"terminal_observation": step.next_states[k], "TimeLimit.truncated": cut}
        return self.stepper.states, step.rewards.astype(np.float32), step.done, infos

    def close(self) -> None:
        """Release the environments."""
        self.stepper.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """What all copies have in common."""
        return [getattr(self.stepper.sample, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refused: the copies cannot be reached one by one."""
        raise BadTypeError(f"env: {attr_name!r} of one copy of a vector environment cannot be set.")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **options: Any) -> list[Any]:
        """What the method of each copy answers."""
        found = self.stepper.env.call(method_name, *args, **options)
        return [found[k] for k in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No wrapper of a copy can be seen from here."""
        return [False] * len(list(self._get_indices(indices)))
