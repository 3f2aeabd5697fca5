"""`Doped`: an environment with columns of pure noise, which a selection must remove again."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv

from terc.arrays import Array, Info
from terc.checks import called_rightly, whole_number
from terc.environments.names import variable_names
from terc.environments.spaces import AnyEnv, ShownVector, flat_env, flat_space
from terc.errors import BadValueError
from terc.flattening.layout import MOST_COLUMNS


class Doped(gym.ObservationWrapper[Array, Any, Any], RecordConstructorArgs):
    """Appends `n` columns of uniform noise, drawn afresh in every step, to the observations of `env`.

    `Doped(env, n=3)` takes single and vector environments; for the latter it makes a `DopedVector`. The noise
    is seeded by `reset(seed=...)` and independent of the environment's own randomness. Its columns are named
    `noise_0`, `noise_1`, ... (doping twice continues the count).

    Args:
        env: With observations that are numbers; dictionaries become columns.

    Example:
        >>> env = Doped(gym.make("CartPole-v1"), n=2)
        >>> env.reset(seed=0)[0].shape, env.variable_names[-2:]
        ((6,), ('noise_0', 'noise_1'))
    """

    def __new__(cls, env: Any = None, *args: Any, **options: Any) -> Any:  # noqa: D102
        if isinstance(env, VectorEnv):
            return DopedVector(env, *args, **options)
        return super().__new__(cls)

    @called_rightly
    def __init__(self, env: Any, n: int = 3, low: float = -5.0, high: float = 5.0) -> None:
        env = flat_env("Doped", env)
        self._noise = _Noise(env, n, low, high)
        RecordConstructorArgs.__init__(self, n=n, low=low, high=high)
        gym.ObservationWrapper.__init__(self, env)
        self.observation_space = self._noise.space
        self.variable_names = self._noise.names

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Array, Info]:
        """Reset the environment and, when `seed` is given, the noise."""
        self._noise.seed(seed)
        return super().reset(seed=seed, options=options)

    def observation(self, observation: Array) -> Array:
        """With fresh noise."""
        return self._noise.append(observation)


class DopedVector(ShownVector):
    """`Doped` for a vector environment: each copy has noise of its own."""

    @called_rightly
    def __init__(
        self, env: VectorEnv[Any, Any, Any], n: int = 3, low: float = -5.0, high: float = 5.0
    ) -> None:
        env = flat_env("Doped", env)
        self._noise = _Noise(env, n, low, high)
        super().__init__(env, self._noise.space)
        self.variable_names = self._noise.names

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Array, Info]:
        """Reset the environments and, when `seed` is given, the noise."""
        self._noise.seed(seed)
        return super().reset(seed=seed, options=options)

    def _shown(self, observations: Array) -> Array:
        return self._noise.append(observations)


class _Noise:
    """The columns that both wrappers append."""

    def __init__(self, env: AnyEnv, n: int, low: float, high: float) -> None:
        inner = flat_space("Doped", env)
        whole_number("Doped", "n", n, least=1, most=MOST_COLUMNS)
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise BadValueError(f"Doped: low must be below high and both finite, got low={low}, high={high}.")
        names = variable_names(env)
        first = sum(name.startswith("noise_") for name in names)
        self.n, self.low, self.high, self.dtype = n, low, high, inner.dtype
        self.names = (*names, *(f"noise_{first + k}" for k in range(n)))
        self.space = spaces.Box(
            np.append(inner.low, np.full(n, low)).astype(inner.dtype),
            np.append(inner.high, np.full(n, high)).astype(inner.dtype),
            dtype=inner.dtype.type,
        )
        self._rng = np.random.default_rng()

    def seed(self, seed: int | None) -> None:
        # The number of columns separates noise upon noise and the environment's own stream.
        if seed is not None:
            self._rng = np.random.default_rng([seed, len(self.names)])

    def append(self, observations: Array) -> Array:
        """Observations `[..., d]` with fresh noise `[..., d + n]`."""
        whole = np.empty((*observations.shape[:-1], len(self.names)), dtype=self.dtype)
        whole[..., : -self.n] = observations
        whole[..., -self.n :] = self._rng.uniform(self.low, self.high, (*observations.shape[:-1], self.n))
        return whole
