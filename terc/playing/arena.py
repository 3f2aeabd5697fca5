"""`Arena`: whole episodes, many side by side, each from a seed of its own, so that policies can be paired.

Episode i of every policy, and of every variant of one, begins from the same seed: their difference shows
the policy and not the luck of the start.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from terc.agents.function_policy import fitted
from terc.agents.policy import Policy, as_policy
from terc.agents.spaces import as_rows, fit_actions, spec_of
from terc.agents.statistics import statistics_kept
from terc.agents.stepping import EnvLike, SerialStepper, make_stepper
from terc.arrays import Array
from terc.checks import whole_number
from terc.environments.names import nominal_variables, variable_names
from terc.errors import BadValueError, warn
from terc.flattening.layout import Layout
from terc.flattening.old_gym import begun, is_environment, stepped, without_gaps
from terc.progress import silent
from terc.threads import one_thread

# Enough that the calls of a policy are few, and few enough that making them costs less than playing.
MOST_COPIES = 50
# An environment without a time limit may never end; what was earned until then counts.
LONGEST_EPISODE = 10_000
# Years of play, and still within memory.
MOST_EPISODES = 100_000_000
# A choice of two is the same as a number; beyond the other many labels a network learns little of each.
FEWEST_LABELS, MOST_LABELS = 2, 5_000


@dataclass(frozen=True)
class Turn:
    """Who is to act: one row per copy that is playing."""

    variant: Array
    episode: Array
    step: Array

    @classmethod
    def at_once(cls, variant: int, n: int) -> Self:
        """The first step of `n` episodes of one variant."""
        return cls(np.full(n, variant), np.arange(n), np.zeros(n, np.int64))


Act = Callable[[Array, Turn], Array]
Ended = Callable[[int], None]
"""Called with the number of episodes that have ended, of all variants together."""


class Arena(AbstractContextManager["Arena"]):
    """Copies of one environment in which whole episodes are played.

    Args:
        env: A Gymnasium id, an environment (one copy), a vector environment, a function that makes one.
        episodes: About how many will be played of each variant.
        names: Of the variables; by default what `terc.environments.variable_names` knows.

    Example:
        >>> with Arena("CartPole-v1", 3) as arena:
        ...     arena.play(lambda states, turn: np.zeros(len(states), int), seeds(0, 3))
        array([[9., 9., 9.]])
    """

    def __init__(self, env: EnvLike, episodes: int, names: Any = None) -> None:
        ready = is_environment(env)
        rounds = -(-episodes // MOST_COPIES)
        self.env, self._copies, self._names = env, 1 if ready else -(-episodes // rounds), names
        self._open()
        self.steps, self._seed_tried = 0, False

    def _open(self, masks: bool = False) -> None:
        self._stepper = made = make_stepper(self.env, self._copies, masks=masks)
        self.action_space, self.observation_space = made.action_space, made.observation_space
        self.spec = spec_of(made.environment, self.observation_space, self.action_space)
        self._name()

    def _name(self) -> None:
        self.names = variable_names(self._stepper.sample, self._names)
        self._nominal = frozenset(nominal_variables(self._stepper.sample, self.names))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stepper.close()

    def policy(self, policy: Any) -> Policy:
        """`policy` as one of ours, after a check that it fits this environment."""
        acting = as_policy(policy, self.env)
        if getattr(acting, "reads_masks", False) and acting.spec and acting.spec.mismatch(self.spec):
            self._stepper.close()
            self._open(masks=True)
        return fitted(acting, self.spec, self.action_space, self._stepper.sample)

    def named_by(self, data: object) -> None:
        """Call the variables as a recording does, where no names were given and these are new names for them.

        Names that both know must stand at the same places; a recording with other columns changes nothing.
        """
        theirs = getattr(data, "names", ())
        pairs = list(zip(self.names, theirs, strict=False))
        renamed = all(a == b or (a not in theirs and b not in self.names) for a, b in pairs)
        if self._names is None and len(theirs) == len(self.names) and renamed:
            self._names = theirs
            self._name()

    def labels(self, columns: Sequence[int]) -> Array | None:
        """Place within `columns` and value `[2, k]` of every label of those that are choices; None for none.

        Of two values it makes no difference whether they are labels or numbers.

        Example:
            >>> with Arena("FrozenLake-v1", 1) as arena:
            ...     arena.labels([0])[:, :4]
            array([[0., 0., 0., 0.],
                   [0., 1., 2., 3.]])
        """
        box = Layout.of(self.observation_space, shaped=True).box
        found = [
            (place, value)
            for place, column in enumerate(columns)
            if self.names[column] in self._nominal and box.high[column] - box.low[column] >= FEWEST_LABELS
            for value in np.arange(box.low[column], box.high[column] + 1)
        ]
        return np.array(found, np.float64).T if 0 < len(found) <= MOST_LABELS else None

    def play(self, act: Act, seeds: Array, variants: int = 1, ended: Ended = silent) -> Array:
        """Returns `[variants, len(seeds)]` of episodes that begin from `seeds`.

        Args:
            act: Actions for states `[n, d]` and the `Turn` of each row.
            seeds: Consecutive numbers, one per episode.
        """
        with one_thread(), statistics_kept(self._stepper):
            if isinstance(self._stepper, SerialStepper):
                totals, cut = self._one_by_one(self._stepper.envs, act, seeds, variants, ended)
            else:
                totals, cut = self._together(act, seeds, variants, ended)
        if wrong := int((~np.isfinite(totals)).sum()):
            raise BadValueError(
                f"env: the return of {wrong} of {totals.size} episodes is no finite number: a reward was NaN "
                "or infinite. Correct the rewards of the environment."
            )
        if cut:
            warn(
                f"play: {cut} episodes had not ended after {LONGEST_EPISODE} steps and were cut there. Give "
                "the environment a time limit (gymnasium.wrappers.TimeLimit) to choose another length."
            )
        return totals

    def _one_by_one(
        self, envs: list[gym.Env[Any, Any]], act: Act, seeds: Array, variants: int, ended: Ended
    ) -> tuple[Array, int]:
        """Plain environments: a copy whose episode ended takes the next one that waits."""
        self._try_seed(envs[0], int(seeds[0]))
        waiting = iter([(variant, episode) for variant in range(variants) for episode in range(len(seeds))])
        totals, cut, count = np.zeros((variants, len(seeds))), 0, 0
        playing = [_Lane(env) for env in envs]
        playing = [lane for lane in playing if lane.begin(waiting, seeds)]
        while playing:
            states = as_rows(np.stack([np.asarray(lane.state) for lane in playing]))
            table = np.array([(lane.variant, lane.episode, lane.step) for lane in playing], np.int64)
            answer = np.asarray(act(without_gaps(states), Turn(*table.T)))
            actions = fit_actions(answer, len(playing), self.action_space)
            self.steps += len(playing)
            done_lanes = []
            for lane, action in zip(playing, self._playable(actions), strict=True):
                reward, done = lane.move(action)
                totals[lane.variant, lane.episode] += reward
                if done or lane.step >= LONGEST_EPISODE:
                    cut += not done
                    done_lanes.append(lane)
            for lane in done_lanes:
                count += 1
                ended(count)
                if not lane.begin(waiting, seeds):
                    playing.remove(lane)
        return totals, cut

    def _try_seed(self, env: gym.Env[Any, Any], seed: int) -> None:
        """Whether a seed fixes how an episode begins shows where it begins twice from the same one.

        Not where a wrapper normalises by statistics that change with every beginning.
        """
        if self._seed_tried:
            return
        self._seed_tried = True
        if env.has_wrapper_attr("obs_rms"):
            return
        first, again = (np.asarray(begun(env, seed)[0]) for _ in range(2))
        if not np.array_equal(first, again, equal_nan=first.dtype.kind == "f"):
            warn(
                "env: two episodes from the same seed begin differently: nothing here can be repeated, and "
                "episodes are not paired. Draw from self.np_random after super().reset(seed=seed)."
            )

    def _playable(self, actions: Array) -> Any:
        if isinstance(self.action_space, spaces.Discrete):
            return actions.tolist()
        return actions.astype(self.action_space.dtype, copy=False)

    def _together(self, act: Act, seeds: Array, variants: int, ended: Ended) -> tuple[Array, int]:
        """A vector environment: all copies begin together, and of each only the first episode counts."""
        totals, cut, copies = np.zeros((variants, len(seeds))), 0, self._stepper.n
        for variant in range(variants):
            for first in range(0, len(seeds), copies):
                counted = min(copies, len(seeds) - first)
                self._stepper.reset(int(seeds[first]))
                running = np.arange(copies) < counted
                whole, step = np.zeros(copies), 0
                while running.any() and step < LONGEST_EPISODE:
                    rows = np.flatnonzero(running)
                    same = np.ones(len(rows), np.int64)
                    turn = Turn(variant * same, first + rows, step * same)
                    answer = np.asarray(act(without_gaps(self._stepper.states[rows]), turn))
                    chosen = fit_actions(answer, len(rows), self.action_space)
                    actions = np.repeat(chosen[:1], copies, axis=0)  # copies that are done may do anything
                    actions[rows] = chosen
                    result = self._stepper.step(actions)
                    whole += np.where(running, result.rewards, 0.0)
                    running &= ~result.done
                    self.steps += len(rows)
                    step += 1
                cut += int(running.sum())
                totals[variant, first : first + counted] = whole[:counted]
                ended(variant * len(seeds) + first + counted)
        return totals, cut


def seeds(first: int, episodes: int) -> Array:
    """Consecutive seeds, one per episode."""
    whole_number("play", "episodes", episodes, most=MOST_EPISODES)
    return first + np.arange(episodes, dtype=np.int64)


def random_actions(space: gym.Space[Any], n: int, *, rng: np.random.Generator) -> Array:
    """`n` actions drawn evenly from `space`; where a bound is infinite, from a standard normal.

    Example:
        >>> random_actions(spaces.Discrete(2), 4, rng=np.random.default_rng(0))
        array([1, 1, 1, 0])
    """
    if isinstance(space, spaces.Discrete):
        return rng.integers(int(space.n), size=n) + int(space.start)
    if isinstance(space, spaces.MultiDiscrete):
        return rng.integers(space.nvec, size=(n, *space.shape)) + space.start
    if not isinstance(space, spaces.Box):
        raise BadValueError(f"random_actions: cannot draw from {space}.")
    bounded = np.isfinite(space.low) & np.isfinite(space.high)
    low, high = np.where(bounded, space.low, 0.0), np.where(bounded, space.high, 1.0)
    drawn = low + (high - low) * rng.random((n, *space.shape))
    return np.where(bounded, drawn, rng.standard_normal(drawn.shape)).astype(space.dtype)


class _Lane:
    """One plain environment and the episode that is played in it."""

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        self.env, self.state = env, None
        self.variant = self.episode = self.step = 0

    def begin(self, waiting: Iterator[tuple[int, int]], seeds: Array) -> bool:
        """Begin the next episode that waits; False when there is none."""
        task = next(waiting, None)
        if task is None:
            return False
        self.variant, self.episode = task
        self.step, self.state = 0, begun(self.env, int(seeds[self.episode]))[0]
        return True

    def move(self, action: Any) -> tuple[float, bool]:
        self.state, reward, terminated, truncated, _ = stepped(self.env, action)
        self.step += 1
        return reward, terminated or truncated
