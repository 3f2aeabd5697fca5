"""What wrappers of vector environments share: the last observations of ended episodes are changed, too."""

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from terc.arrays import Array


class ShownVector(VectorWrapper):  # no parameters: it is generic from Gymnasium 1.3 on only
    """A vector environment of which `_shown` is seen, in the `space` of one copy."""

    def __init__(self, env: VectorEnv[Any, Any, Any], space: spaces.Space[Any]) -> None:
        super().__init__(env)
        self.single_observation_space = space
        self.observation_space = batch_space(space, env.num_envs)

    def _shown(self, observations: Array) -> Array:
        raise NotImplementedError

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Reset the environments."""
        observations, info = self.env.reset(seed=seed, options=options)
        return self._shown(observations), info

    def step(self, actions: Any) -> tuple[Array, Any, Any, Any, dict[str, Any]]:
        """Step the environments."""
        observations, rewards, terminated, truncated, info = self.env.step(actions)
        shown = self._shown(observations)
        return shown, rewards, terminated, truncated, with_final_observations(info, self._shown)


def with_final_observations(info: dict[str, Any], change: Callable[[Array], Array]) -> dict[str, Any]:
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
