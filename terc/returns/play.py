"""`play`: what a policy returns on fresh episodes, beside random actions, and how sure their mean is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import ndtri, stdtrit

from terc.agents.policy import Policy
from terc.agents.stepping import EnvLike
from terc.arrays import Array
from terc.checks import called_rightly, whole_number
from terc.errors import BadValueError
from terc.playing.arena import Act, Arena, Turn, random_actions, seeds
from terc.plurals import some
from terc.records import Record
from terc.seeding import generator

# 2.5 % of the draws are 50, so that the ends of an interval move by a few percent of its width at most.
DRAWS = 2000
ALPHA = 0.05
# The range of so many values holds their median in at least 95 % of all cases; that of fewer does not.
ENOUGH = 6


class Range(NamedTuple):
    """The two ends of an interval.

    Example:
        >>> print(Range(1.0, 2.5))
        [1, 2.5]
    """

    low: float
    high: float

    @classmethod
    def from_plain(cls, ends: Sequence[float | None]) -> Self:
        """The range in a file, where an end at infinity is None."""
        low, high = ends
        return cls(-np.inf if low is None else low, np.inf if high is None else high)

    def __str__(self) -> str:
        return f"[{self.low:.4g}, {self.high:.4g}]"


def mean_interval(values: Array, tests: int = 1) -> Range:
    """The 95 % interval of the mean of `values`, one per episode.

    The ends of the bootstrap interval, which need not lie symmetrically about the mean, are moved outwards
    by the factor t / z * sqrt(n / (n - 1)): Student's quantile at 0.05 / `tests` over the normal one at
    0.05, and the variance that drawing n values again does not show. The draws are always the same, so that
    the same values have the same interval wherever it is shown.

    Args:
        values: `[n]`, at least one. Of a single value nothing is known: the interval is infinite.

    Example:
        >>> low, high = mean_interval(np.random.default_rng(0).normal(5.0, 1.0, 100))
        >>> 4.7 < low < 5.0 < high < 5.4
        True
        >>> mean_interval(np.full(8, 3.0))
        Range(low=3.0, high=3.0)
    """
    values = np.asarray(values, np.float64)
    if values.ndim != 1 or not len(values):
        raise BadValueError(f"mean_interval: wanted one value per episode, got shape {values.shape}.")
    count, middle = len(values), float(values.mean())
    if count == 1:
        return Range(-np.inf, np.inf)
    rng = np.random.default_rng(count)
    draws = values[rng.integers(count, size=(DRAWS, count), dtype=np.int32)].mean(axis=1)
    low, high = np.quantile(draws, [ALPHA / 2, 1 - ALPHA / 2])
    student = stdtrit(count - 1, 1 - ALPHA / (2 * tests))
    factor = student / ndtri(1 - ALPHA / 2) * np.sqrt(count / (count - 1))
    # a constant is known exactly; its bootstrap may miss it by a rounding
    if values.min() == values.max():
        return Range(middle, middle)
    return Range(float(middle - factor * (middle - low)), float(middle + factor * (high - middle)))


# This share of what a policy has gained over random actions counts as next to nothing.
LITTLE = 0.05
# Of a return that is more than so many times this gain, random actions have the larger part too.
MUCH = 2.0


@dataclass(frozen=True, eq=False)
class Returns(Record):
    """Returns of one policy.

    Attributes:
        interval: 95 % of the mean: a bootstrap over episodes, widened for few of them, but from six episodes
            on no wider than their range.
        values: One per episode `[episodes]`, in the order of their seeds.
        random: The same for random actions on the same seeds; None where they were not played.
        blind: The same for this policy when it is shown states of other moments; None where not played.
    """

    mean: float
    interval: Range
    values: Array
    random: Returns | None = None
    blind: Returns | None = None

    @classmethod
    def of(cls, values: Array, random: Array | None = None, blind: Array | None = None) -> Returns:
        """The summary of these returns, and of those beside them."""
        kept = np.array(values, np.float64)
        kept.flags.writeable = False
        beside = None if random is None else cls.of(random)
        unseeing = None if blind is None else cls.of(blind)
        interval = mean_interval(kept)
        if len(kept) >= ENOUGH and kept.min() < kept.max():
            interval = Range(*np.clip(interval, kept.min(), kept.max()).tolist())
        return cls(float(kept.mean()), interval, kept, beside, unseeing)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def beats_random(self) -> bool | None:
        """Whether the 95 % interval of the difference to random actions lies above zero; None if unknown."""
        return None if self.random is None else self._surpasses(self.random)

    @property
    def loses_to_random(self) -> bool | None:
        """Whether that interval lies below zero; None if unknown."""
        return None if self.random is None else self.random._surpasses(self)

    @property
    def beside_random(self) -> str:
        """Whether it is better than random actions, in words; empty if unknown.

        Example:
            >>> Returns.of(np.arange(9.0), np.arange(9.0) + 1).beside_random
            'worse than random actions'
        """
        if self.random is None:
            return ""
        found = "better" if self.beats_random else "worse" if self.loses_to_random else "no better"
        return f"{found} than random actions"

    @property
    def needs_its_state(self) -> bool | None:
        """Whether the policy loses return when it is shown other moments' states; None if unknown.

        What it loses must be certain, and more than 5 % of what it has gained over random actions.
        """
        if self.blind is None:
            return None
        gained = 0.0 if self.random is None else self.mean - self.random.mean
        return self._surpasses(self.blind) and self.mean - self.blind.mean > LITTLE * gained

    @property
    def has_learned(self) -> bool:
        """False where one of the two above is."""
        return self.beats_random is not False and self.needs_its_state is not False

    @property
    def worth(self) -> tuple[float, str]:
        """What a loss is a share of, and its name: the return, or the gain over random actions.

        The gain, where the return is next to nothing beside it (as where 0 is the best that there is) or more
        than twice as large (as where every step earns something, whatever the policy does). Where it is not
        certain that there is a gain, the return.
        """
        size = abs(self.mean)
        gained = 0.0 if self.random is None else self.mean - self.random.mean
        if not self.beats_random or LITTLE * gained <= size <= MUCH * gained:
            return size, "the return"
        return gained, "the gain over random actions"

    def tolerated(self, tolerance: float) -> float:
        """What another policy may lose against this one: a share of its `worth`.

        Example:
            >>> random = Returns(-20.0, Range(-21.0, -19.0), np.full(9, -20.0))
            >>> best = Returns(0.0, Range(0.0, 0.0), np.zeros(9), random)
            >>> best.tolerated(0.05), Returns(500.0, Range(500.0, 500.0), np.full(9, 500.0)).tolerated(0.05)
            (1.0, 25.0)
        """
        return tolerance * self.worth[0]

    def _surpasses(self, other: Returns) -> bool:
        return mean_interval(self.values - other.values).low > 0

    @property
    def brief(self) -> str:
        """The mean and its interval."""
        return f"{self.mean:.4g} {self.interval}"

    def __str__(self) -> str:
        beside = "" if self.random is None else f"; random actions {self.random.mean:.4g}"
        return f"{self.brief} over {some(len(self), 'episode')}{beside}"


@called_rightly
def play(  # noqa: PLR0913  (the public contract; all but four are keywords)
    env: EnvLike,
    policy: Any,
    episodes: int = 100,
    seed: int = 0,
    *,
    greedy: bool = True,
    random: bool = True,
    blind: bool = False,
    names: Sequence[str] | None = None,
) -> Returns:
    """Returns of `policy` on fresh, seeded episodes.

    Args:
        env: A Gymnasium id, an environment, a vector environment, a function that makes one.
        policy: One of ours, a Stable-Baselines3 model, a function states `[n, d]` -> actions, or a policy
            file.
        episodes: How many; each begins from a seed of its own.
        greedy: Take the likeliest action (as deployed) instead of drawing one.
        random: Whether random actions are played beside it, from the same seeds.
        blind: Whether it is played once more, shown states of other moments of these episodes: a policy that
            loses nothing by that makes no use of what it reads.
        names: Of the variables; they change nothing here, and must fit the environment.

    Example:
        >>> returns = play("CartPole-v1", lambda states: (states[:, 2] > 0).astype(int), episodes=20)
        >>> returns.mean > returns.random.mean, len(returns.values)
        (True, 20)
    """
    whole_number("play", "episodes", episodes, least=1)
    rng = generator(seed)
    chosen = seeds(int(rng.integers(2**31)), int(episodes))
    with Arena(env, int(episodes), names) as arena:
        watched: list[Array] = []
        act = as_act(arena.policy(policy), greedy, rng=rng, watched=watched if blind else None)
        values = arena.play(act, chosen)[0]
        beside = random_returns(arena, chosen) if random else None
        unseeing = _blind_returns(arena, act, np.concatenate(watched), chosen, rng=rng) if blind else None
    return Returns.of(values, beside, unseeing)


def as_act(
    policy: Policy, greedy: bool, *, rng: np.random.Generator, watched: list[Array] | None = None
) -> Act:
    """The policy as a function for `Arena.play`; `rng` is advanced where actions are drawn."""

    def act(states: Array, turn: Turn) -> Array:
        if watched is not None:
            watched.append(states.copy())
        return policy.act(states, rng=rng, greedy=greedy)

    return act


def _blind_returns(
    arena: Arena, act: Act, recording: Array, seeds: Array, *, rng: np.random.Generator
) -> Array:
    from terc.returns.replacement import moments

    shown = moments(recording, int(rng.integers(2**63)))
    values: Array = arena.play(lambda states, turn: act(shown(states, turn), turn), seeds)[0]
    return values


def random_returns(arena: Arena, seeds: Array) -> Array:
    """Returns of random actions `[len(seeds)]`: the same wherever these seeds are played."""
    rng = generator(int(seeds[0])).spawn(1)[0]  # an environment draws from the stream of its seed itself

    def act(states: Array, turn: Any) -> Array:
        return random_actions(arena.action_space, len(states), rng=rng)

    values: Array = arena.play(act, seeds)[0]
    return values
