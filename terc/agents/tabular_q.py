"""Tabular Q-learning (Watkins) on many games at once, which all write into one table.

    Q(s, a) <- Q(s, a) + alpha (r + gamma max_b Q(s', b) - Q(s, a))      max = 0 after a terminated episode

Moves are random with a probability that falls linearly from 1 to 0 over the training, otherwise greedy. How
often it finds the best play against Tit-For-N-Tats: `benchmarks/agents.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from gymnasium import Space, spaces

from terc.agents.policy import PolicySpec, write_policy
from terc.agents.spaces import as_states, spec_of
from terc.agents.stepping import EnvLike, Stepper, StepResult, make_stepper
from terc.agents.training import Session, check_at_least_one
from terc.arrays import Array
from terc.errors import BadTypeError, BadValueError
from terc.seeding import generator

ID = "terc/TitForNTats-v0"
LARGEST_TABLE = 50_000_000


@dataclass(frozen=True)
class TabularQConfig:
    """Every hyper-parameter of tabular Q-learning.

    Attributes:
        steps: Environment steps, over all games together.
        n_envs: Games played side by side into one table.
        alpha: Learning rate.
        gamma: Discount.
        goal: Stop when the mean return of the last 100 episodes reaches this; None plays all `steps`.

    Example:
        >>> PRESETS[ID, "paper"]
        TabularQConfig(steps=40000, n_envs=1, alpha=0.9, gamma=0.99, goal=None)
    """

    steps: int = 200_000
    n_envs: int = 32
    alpha: float = 0.9
    gamma: float = 0.99
    goal: float | None = None

    def __post_init__(self) -> None:
        check_at_least_one("TabularQConfig", steps=self.steps, n_envs=self.n_envs)
        for name, share in (("alpha", self.alpha), ("gamma", self.gamma)):
            if not 0 < share <= 1:
                raise BadValueError(f"TabularQConfig: {name} must lie in (0, 1], got {share}.")

    def learner(self, spec: PolicySpec, stepper: Stepper, *, rng: np.random.Generator) -> TabularQLearner:
        """What learns with these settings."""
        return TabularQLearner(self, spec, stepper)

    def epsilon(self, steps: int) -> float:
        """The chance of a random move after this many steps."""
        return max(0.0, 1.0 - steps / self.steps)


# As printed: one game, 40,000 steps. The fast one finds the best play up to N = 9.
PRESETS = {(ID, "paper"): TabularQConfig(steps=40_000, n_envs=1), (ID, "fast"): TabularQConfig()}


@dataclass(frozen=True, eq=False)
class TabularPolicy:
    """The learnt table as a policy: the best action, or with the chance `epsilon` any.

    Attributes:
        spec: What it was made for.
        levels: Number of values of each variable.
        first: The lowest value of each variable.
        values: Q `[states, actions]`; the first variable changes slowest.
        epsilon: Chance of a random action when sampling; `dataclasses.replace(policy, epsilon=0.1)` explores.
        first_action: The action that column 0 of `values` stands for.

    Example:
        >>> spec, table = PolicySpec(None, 1, n_actions=2), np.array([[0.0, 1.0], [5.0, 2.0]])
        >>> policy = TabularPolicy(spec, levels=(2,), first=(0,), values=table)
        >>> policy.act(np.array([[0], [1]])), policy.probabilities(np.array([[0]]))
        (array([1, 0]), array([[0., 1.]]))
    """

    spec: PolicySpec
    levels: tuple[int, ...]
    first: tuple[int, ...]
    values: Array
    epsilon: float = 0.0
    first_action: int = 0

    def act(self, states: Array, *, rng: np.random.Generator | None = None, greedy: bool = True) -> Array:
        """The best actions `[n]`; with `greedy=False` draws from `probabilities`, which needs `rng`."""
        states, single = as_states(states)
        if single:
            return self.act(states, rng=rng, greedy=greedy)[0]
        best: Array = self.values[self._rows(states)].argmax(axis=1)
        if not greedy and self.epsilon > 0:
            if rng is None:
                raise BadTypeError("policy: sampling (greedy=False) needs rng, a numpy Generator.")
            best = explored(best, self.epsilon, self.values.shape[1], rng=rng)
        return best + self.first_action

    def probabilities(self, states: Array) -> Array:
        """`[n, K]`: 1 for the best action, or with `epsilon` a little less and the rest for all alike."""
        k = self.values.shape[1]
        best = self.values[self._rows(states)].argmax(axis=1)
        mixed: Array = (1 - self.epsilon) * np.eye(k)[best] + self.epsilon / k
        return mixed

    def save(self, path: str | Path) -> None:
        """Write the states that were visited, and the settings, as an npz that `load_policy` reads."""
        visited = np.flatnonzero(self.values.any(axis=1))
        settings: dict[str, Any] = {"levels": list(self.levels), "first": list(self.first)}
        settings |= {"epsilon": self.epsilon, "first_action": self.first_action}
        arrays = {"visited": visited, "values": self.values[visited]}
        write_policy(path, "tabular_q", self.spec, settings, arrays)

    @classmethod
    def restore(cls, spec: PolicySpec, settings: Mapping[str, Any], arrays: Mapping[str, Array]) -> Self:
        """The policy of a file's spec, settings and arrays."""
        levels, first = tuple(settings["levels"]), tuple(settings["first"])
        values = np.zeros((int(np.prod(levels)), arrays["values"].shape[1]))
        values[arrays["visited"]] = arrays["values"]
        return cls(spec, levels, first, values, settings["epsilon"], settings["first_action"])

    def _rows(self, states: Array) -> Array:
        given = np.asarray(states)
        if given.ndim != 2 or given.shape[1] != len(self.levels):
            raise BadValueError(
                f"policy: wanted states [n, {len(self.levels)}], got an array of shape {given.shape}."
            )
        try:
            return np.ravel_multi_index((given.astype(np.int64) - np.array(self.first)).T, self.levels)
        except ValueError as error:
            raise BadValueError("policy: a state has a value that the table does not know.") from error


def explored(best: Array, epsilon: float, n_actions: int, *, rng: np.random.Generator) -> Array:
    """`best`, with the chance `epsilon` replaced by any action."""
    draws = rng.random((2, len(best)))
    return np.where(draws[0] < epsilon, (draws[1] * n_actions).astype(np.int64), best)


def train_apart(
    config: TabularQConfig, env: EnvLike, *, learners: int, seed: int, read: Sequence[int] | None = None
) -> list[TabularPolicy]:
    """Several independent learners, stepped together: one game and one table each.

    A training on a single game (`n_envs=1`) is nearly all overhead; five of them cost hardly more than one.

    Args:
        config: Of each learner; its `n_envs` must be 1.
        env: See `stepping.make_stepper`.
        learners: How many.
        seed: Same seed and number of learners, same policies.
        read: How many variables, from the first on, the table of each learner has; None for all.

    Example:
        >>> import gymnasium as gym, terc
        >>> env = lambda num_envs: gym.make_vec("terc/TitForNTats-v0", num_envs, n=2, history=2)
        >>> both = train_apart(TabularQConfig(2_000, n_envs=1), env, learners=2, seed=0, read=[1, 2])
        >>> [policy.values.shape for policy in both]
        [(4, 2), (16, 2)]
    """
    if config.n_envs != 1:
        raise BadValueError(f"train_apart: each learner plays one game, got n_envs={config.n_envs}.")
    rng = generator(seed)
    stepper = make_stepper(env, learners)
    spec = spec_of(stepper.environment, stepper.observation_space, stepper.action_space)
    every = [spec.n_variables] * learners
    learner = TabularQLearner(config, spec, stepper, read=every if read is None else read)
    stepper.reset(int(rng.integers(2**31)))
    for step in range(config.steps):
        rows = learner.rows(stepper.states)
        actions = learner.choose(rows, step, rng=rng)
        learner.learn(rows, actions, stepper.step(actions + learner.first_action))
    stepper.close()
    return [learner.policy(table) for table in range(learners)]


class TabularQLearner:
    """The table and its update; with `read` every game has its own table, of that many variables."""

    nominal = True

    def __init__(
        self, config: TabularQConfig, spec: PolicySpec, stepper: Stepper, *, read: Sequence[int] | None = None
    ) -> None:
        if spec.n_actions is None:
            raise BadTypeError(
                f"tabular_q: wanted discrete actions, got {spec.actions_in_words()}; train with ppo."
            )
        self.config, self.spec = config, spec
        self.first_action = int(getattr(stepper.action_space, "start", 0))
        self.levels, self.first = _levels(stepper.observation_space)
        # The row of a state is its codes @ these: the first variable changes slowest.
        self._strides = np.append(np.cumprod(self.levels[:0:-1])[::-1], 1).astype(np.int64)
        self._first = np.array(self.first)
        self._read = [len(self.levels)] if read is None else list(read)
        # So states that differ in later variables lie side by side.
        self._alike = np.array([int(np.prod(self.levels[count:])) for count in self._read])
        ends = np.cumsum(int(np.prod(self.levels)) // self._alike)
        self._begins = np.append(0, ends[:-1])
        self.values = np.zeros((ends[-1], spec.n_actions))
        self.parts = {"table": self}

    def update(self, session: Session, *, rng: np.random.Generator) -> None:
        """Play one step of all games and learn from it."""
        rows = self.rows(session.stepper.states)
        actions = self.choose(rows, session.returns.steps, rng=rng)
        self.learn(rows, actions, session.play(actions + self.first_action))

    def rows(self, states: Array) -> Array:
        """The table's row of each state."""
        rows: Array = (states - self._first) @ self._strides // self._alike + self._begins
        return rows

    def choose(self, rows: Array, steps: int, *, rng: np.random.Generator) -> Array:
        """The best action of each state, or at random with the chance that `steps` leaves."""
        best = self.values[rows].argmax(axis=1)
        return explored(best, self.config.epsilon(steps), self.values.shape[1], rng=rng)

    def learn(self, rows: Array, actions: Array, step: StepResult) -> None:
        """Move Q of what was played towards the reward and the best that follows."""
        follow = self.values[self.rows(step.next_states)].max(axis=1)
        goal = step.rewards + self.config.gamma * np.where(step.terminated, 0.0, follow)
        if not step.played.all():
            rows, actions, goal = rows[step.played], actions[step.played], goal[step.played]
        before = self.values[rows, actions]
        # Two games in the same state with the same action: the last one counts.
        self.values[rows, actions] = before + self.config.alpha * (goal - before)

    def policy(self, table: int = 0) -> TabularPolicy:
        """What has been learnt so far."""
        count, begin = self._read[table], self._begins[table]
        levels, first = self.levels[:count], self.first[:count]
        values = self.values[begin : begin + int(np.prod(levels))]
        spec = replace(self.spec, n_variables=count)
        return TabularPolicy(spec, levels, first, values, first_action=self.first_action)

    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Numbers and arrays for a checkpoint."""
        visited = np.flatnonzero(self.values.any(axis=1))
        return {}, {"visited": visited, "values": self.values[visited]}

    def restore(self, numbers: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Continue from what `state` gave."""
        self.values[arrays["visited"]] = arrays["values"]


def _levels(space: Space[Any]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Per variable the number of values and the lowest one."""
    levels: tuple[int, ...]
    first: tuple[int, ...]
    if isinstance(space, spaces.Discrete):
        levels, first = (int(space.n),), (int(space.start),)
    elif isinstance(space, spaces.MultiDiscrete) and len(space.shape) == 1:
        levels, first = tuple(map(int, space.nvec)), tuple(map(int, space.start))
    else:
        raise BadTypeError(
            f"tabular_q: wanted Discrete or MultiDiscrete observations, for a table of states; got {space}. "
            "Train with actor_critic or ppo, or bin the variables with a gymnasium.ObservationWrapper."
        )
    cells = float(np.prod([float(n) for n in levels]))
    if cells > LARGEST_TABLE:
        raise BadValueError(
            f"tabular_q: {len(levels)} variables make a table of {cells:.0e} states; at most "
            f"{LARGEST_TABLE:.0e} fit. Show the agent fewer variables (SelectVariables)."
        )
    return levels, first
