"""`terc/SecretKey-v0`: guess a secret that three among many keys share (after Shamir's secret sharing).

A parabola through (1, y1), (2, y2), (3, y3) meets the axis x = 0 at 3 y1 - 3 y2 + y3: the secret.
"""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from terc.arrays import Array, Info
from terc.checks import whole_number
from terc.errors import BadValueError

LIMIT = 40
N_ACTIONS = 2 * LIMIT + 1
HIGHEST_KEY = 10
WEIGHTS = np.array([3, -3, 1], dtype=np.float32)


def secret_of(keys: Array, positions: Array) -> Array:
    """The secret of each row of `keys`: 3 y1 - 3 y2 + y3 of the keys at `positions`.

    Example:
        >>> secret_of(np.array([[7.0, 1.0, 2.0, 5.0]]), np.array([1, 2, 3]))
        array([2.])
    """
    secret: Array = keys[..., positions] @ WEIGHTS.astype(keys.dtype)
    return secret


def secret_positions(keys: int, game: int) -> Array:
    """Where y1, y2 and y3 lie among `keys` columns in a given `game`: fixed, seeded and in random order."""
    for name, value, least in (("keys", keys, 3), ("game", game, 0)):
        whole_number("SecretKey", name, value, least)
    return np.random.default_rng(int(game)).choice(int(keys), 3, replace=False)


def _space(keys: int) -> spaces.Box:
    return spaces.Box(0, HIGHEST_KEY, (keys,), dtype=np.float32)


class SecretKey(gym.Env[Array, Any]):
    """One guess per episode: action k says that the secret is k - 40, the reward is minus the error.

    Keys are whole numbers 0..10, new in each episode and drawn by the seed of `reset`. Which three of them
    form the secret is decided by `game` alone, so that an agent trained in a game meets the same one later.

    Args:
        keys: Number of keys in the state.
        game: Seed of the three secret positions.

    Attributes:
        positions: Columns of y1, y2, y3.

    Example:
        >>> env = SecretKey(keys=5, game=1)
        >>> keys, info = env.reset(seed=0)
        >>> _, reward, terminated, _, _ = env.step(info["secret"] + 40)
        >>> reward, terminated
        (0.0, True)
    """

    metadata: Info = {"render_modes": []}

    def __init__(self, keys: int = 25, game: int = 0, render_mode: str | None = None) -> None:
        self.positions = secret_positions(keys, game)
        self.variable_names = tuple(f"key_{k}" for k in range(keys))
        self.observation_space = _space(keys)
        self.action_space = spaces.Discrete(N_ACTIONS)
        self.render_mode = render_mode
        self._keys = np.zeros(keys, dtype=np.float32)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Array, Info]:
        """Fresh keys; `info["secret"]` is the secret they hold."""
        super().reset(seed=seed)
        self._keys = self.np_random.integers(0, HIGHEST_KEY + 1, len(self._keys)).astype(np.float32)
        return self._keys.copy(), self._info()

    def step(self, action: int) -> tuple[Array, float, bool, bool, Info]:
        """Evaluate the guess `action` - 40 and end the episode; the keys stay as they are."""
        if not self.action_space.contains(action):
            raise BadValueError(
                f"SecretKey: action must be a whole number 0..{N_ACTIONS - 1}, got {action!r}."
            )
        info = self._info()
        return self._keys.copy(), float(-abs(int(action) - LIMIT - info["secret"])), True, False, info

    def _info(self) -> Info:
        return {"secret": int(secret_of(self._keys, self.positions))}


class SecretKeyVector(VectorEnv[Array, Array, Array]):
    """`num_envs` games of `SecretKey` at once, with the same secret positions: millions of guesses a second.

    Every step ends an episode, so the observations returned are those of the next one already (same-step
    reset) and `info["secret"]` is theirs. The keys just guessed on are in `info["final_obs"]`, an array
    `[num_envs, keys]`.
    """

    metadata: Info = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self, num_envs: int = 1, keys: int = 25, game: int = 0, render_mode: str | None = None
    ) -> None:
        self.num_envs = num_envs
        self.positions = secret_positions(keys, game)
        self.variable_names = tuple(f"key_{k}" for k in range(keys))
        self.single_observation_space = _space(keys)
        self.single_action_space = spaces.Discrete(N_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.render_mode = render_mode
        self._draw()

    def _draw(self) -> None:
        # Three times faster than drawing integers; a 24-bit fraction times 11 never rounds up to 11.
        keys = self.np_random.random((self.num_envs, len(self.variable_names)), dtype=np.float32)
        keys *= HIGHEST_KEY + 1
        self._keys = np.floor(keys, out=keys)
        self._secret = secret_of(self._keys, self.positions).astype(np.int64)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Array, Info]:
        """Fresh keys in all games."""
        super().reset(seed=seed)
        self._draw()
        return self._keys.copy(), {"secret": self._secret.copy()}

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, Info]:
        """Evaluate one guess per game and start the next ones."""
        rewards = (-np.abs(np.asarray(actions) - LIMIT - self._secret)).astype(np.float64)
        finished, ended = self._keys, np.ones(self.num_envs, dtype=bool)
        self._draw()
        info = {"secret": self._secret.copy(), "final_obs": finished, "_final_obs": ended.copy()}
        return self._keys.copy(), rewards, ended, np.zeros(self.num_envs, dtype=bool), info
