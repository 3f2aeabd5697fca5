"""`terc/TitForNTats-v0`: the iterated Prisoner's Dilemma against a player who forgives N - 1 defections."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from terc.arrays import Array, Info
from terc.checks import whole_number
from terc.errors import BadValueError

COOPERATE, DEFECT = 0, 1
PAYOFFS = np.array([[2.0, 0.0], [3.0, 1.0]])
"""The agent's reward by its own move (row) and the opponent's (column)."""
LONGEST_GAME = 1000


def best_answer(states: Array, n: int) -> Array:
    """The best moves against Tit-For-N-Tats: cooperate after N - 1 own defections in a row, else defect.

    Example:
        >>> best_answer(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]]), n=4)
        array([1, 0, 1])
    """
    own = np.asarray(states).astype(np.int64)[:, : n - 1] % 2
    return np.where((own == DEFECT).all(axis=1), COOPERATE, DEFECT)


def best_mean_reward(n: int) -> float:
    """Reward per step of N - 1 defections and one cooperation against an opponent who always cooperates.

    Example:
        >>> best_mean_reward(2), best_mean_reward(4)
        (2.5, 2.75)
    """
    return float(((n - 1) * PAYOFFS[DEFECT, COOPERATE] + PAYOFFS[COOPERATE, COOPERATE]) / n)


def _check(n: int, history: int) -> None:
    for name, value in (("n", n), ("history", history)):
        whole_number("TitForNTats", name, value, least=1)


class TitForNTats(gym.Env[Array, Any]):
    """Action 0 cooperates, 1 defects; the opponent defects when the agent defected in the `n` steps before.

    The state is the last `history` pairs of moves, the most recent first, each coded own + 2 x opponent's:
    0 both cooperate, 1 only the agent defects, 2 only the opponent does, 3 both defect. A game begins as if
    both had always cooperated. It has no end of its own: Gymnasium cuts it after 1,000 steps.

    Args:
        n: Defections in a row that the opponent takes before it answers.
        history: Pairs of moves in the state. The best answer needs `n - 1`.

    Example:
        Against Tit-For-Two-Tats the third defection in a row meets one of the opponent's.
        >>> env = TitForNTats(n=2, history=3)
        >>> _ = env.reset(seed=0)
        >>> [env.step(1)[1] for _ in range(4)]
        [3.0, 3.0, 1.0, 1.0]
        >>> env.step(0)[0], env.step(0)[0]
        (array([2, 3, 3]), array([0, 2, 3]))
    """

    metadata: Info = {"render_modes": []}

    def __init__(self, n: int = 4, history: int = 9, render_mode: str | None = None) -> None:
        _check(n, history)
        self.n = n
        self.variable_names = tuple(f"pair_{k}" for k in range(1, history + 1))
        self.observation_space = spaces.MultiDiscrete(np.full(history, 4))
        self.action_space = spaces.Discrete(2)
        self.render_mode = render_mode
        self._streak = 0
        self._pairs = np.zeros(history, dtype=np.int64)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Array, Info]:
        """Forget the past: both have always cooperated."""
        super().reset(seed=seed)
        self._streak = 0
        self._pairs = np.zeros_like(self._pairs)
        return self._pairs.copy(), {}

    def step(self, action: int) -> tuple[Array, float, bool, bool, Info]:
        """Both move at once."""
        if action not in (COOPERATE, DEFECT):
            raise BadValueError(f"TitForNTats: action must be 0 (cooperate) or 1 (defect), got {action!r}.")
        opponent = DEFECT if self._streak >= self.n else COOPERATE
        self._streak = self._streak + 1 if action == DEFECT else 0
        self._pairs = np.concatenate(([int(action) + 2 * opponent], self._pairs[:-1]))
        return self._pairs.copy(), float(PAYOFFS[action, opponent]), False, False, {}


class TitForNTatsVector(VectorEnv[Array, Array, Array]):
    """`num_envs` games of `TitForNTats` at once, millions of moves per second.

    A game that is cut after `max_episode_steps` restarts in the same step; its last state is then in
    `info["final_obs"]`.

    Example:
        >>> env = TitForNTatsVector(num_envs=2, n=2, history=2)
        >>> _ = env.reset(seed=0)
        >>> [env.step(np.array([1, 0]))[1].tolist() for _ in range(3)]
        [[3.0, 2.0], [3.0, 2.0], [1.0, 2.0]]
    """

    metadata: Info = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        n: int = 4,
        history: int = 9,
        max_episode_steps: int | None = LONGEST_GAME,
        render_mode: str | None = None,
    ) -> None:
        _check(n, history)
        self.num_envs, self.n, self.max_episode_steps = num_envs, n, max_episode_steps
        self.variable_names = tuple(f"pair_{k}" for k in range(1, history + 1))
        self.single_observation_space = spaces.MultiDiscrete(np.full(history, 4))
        self.single_action_space = spaces.Discrete(2)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.render_mode = render_mode
        self._begin()

    def _begin(self) -> None:
        """All games are cut at the same step, because none ends before."""
        self._steps = 0
        self._streak = np.zeros(self.num_envs, dtype=np.int64)
        self._pairs = np.zeros((self.num_envs, len(self.variable_names)), dtype=np.int64)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Array, Info]:
        """Forget the past of all games."""
        super().reset(seed=seed)
        self._begin()
        return self._pairs.copy(), {}

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, Info]:
        """One move in each game."""
        own = np.asarray(actions).astype(np.int64)
        opponent = (self._streak >= self.n).astype(np.int64)
        self._streak = (self._streak + 1) * own
        pairs = np.empty_like(self._pairs)
        pairs[:, 0] = own + 2 * opponent
        pairs[:, 1:] = self._pairs[:, :-1]
        self._pairs = pairs
        self._steps += 1
        truncated = np.full(self.num_envs, self._steps == self.max_episode_steps)
        info: Info = {}
        if truncated.any():
            info = {"final_obs": pairs, "_final_obs": truncated.copy()}
            self._begin()
        return self._pairs.copy(), PAYOFFS[own, opponent], np.zeros(self.num_envs, bool), truncated, info
