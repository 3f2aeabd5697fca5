"""`play`: what a policy returns on fresh episodes, beside random actions on the same seeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terc.agents.policy import Policy
from terc.agents.stepping import EnvLike
from terc.errors import BadValueError
from terc.returns.arena import Act, Arena, random_actions, seeds
from terc.returns.intervals import Range, mean_interval
from terc.seeding import generator

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Returns:
    """Returns of one policy.

    Attributes:
        mean: Over the episodes.
        interval: 95 % of the mean: a bootstrap over episodes, widened for few of them.
        values: One per episode `[episodes]`, in the order of their seeds.
        random: The same for random actions on the same seeds; None where they were not played.

    Example:
        >>> returns = Returns.of(np.array([9.0, 11.0]), rng=np.random.default_rng(0))
        >>> returns.mean, len(returns)
        (10.0, 2)
    """

    mean: float
    interval: Range
    values: Array
    random: Returns | None = None

    @classmethod
    def of(cls, values: Array, random: Array | None = None, *, rng: np.random.Generator) -> Returns:
        """The summary of these returns, and of those of random actions."""
        kept = np.array(values, np.float64)
        kept.flags.writeable = False
        beside = None if random is None else cls.of(random, rng=rng)
        return cls(float(kept.mean()), mean_interval(kept, rng=rng), kept, beside)

    def __len__(self) -> int:
        """Number of episodes."""
        return len(self.values)

    @property
    def beats_random(self) -> bool | None:
        """Whether the 95 % interval of the difference to random actions lies above zero; None if unknown."""
        if self.random is None:
            return None
        difference = self.values - self.random.values
        return mean_interval(difference, rng=np.random.default_rng(0)).low > 0

    @property
    def brief(self) -> str:
        """The mean and its interval."""
        return f"{self.mean:.4g} {self.interval}"

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types."""
        random = None if self.random is None else self.random.to_dict()
        ends = [end if np.isfinite(end) else None for end in self.interval]
        return {"mean": self.mean, "interval": ends, "values": self.values.tolist(), "random": random}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Returns:
        """What `to_dict` described."""
        random = None if record["random"] is None else cls.from_dict(record["random"])
        low, high = record["interval"]
        ends = Range(-np.inf if low is None else low, np.inf if high is None else high)
        values = np.array(record["values"], np.float64)
        values.flags.writeable = False
        return cls(record["mean"], ends, values, random)

    def __str__(self) -> str:
        """One line."""
        beside = "" if self.random is None else f"; random actions {self.random.mean:.4g}"
        return f"{self.brief} over {len(self)} episodes{beside}"


def play(
    env: EnvLike,
    policy: Any,
    episodes: int = 100,
    seed: int = 0,
    *,
    greedy: bool = True,
    random: bool = True,
) -> Returns:
    """Returns of `policy` on fresh, seeded episodes.

    Args:
        env: A Gymnasium id, an environment, a vector environment, a function that makes one.
        policy: One of ours, a Stable-Baselines3 model, a function states `[n, d]` -> actions, or a policy
            file.
        episodes: How many; each begins from a seed of its own.
        seed: Same seed, same returns.
        greedy: Take the likeliest action (as deployed) instead of drawing one.
        random: Whether random actions are played beside it, from the same seeds.

    Raises:
        BadValueError: The policy does not fit the environment, or `episodes` is below 1.

    Example:
        >>> returns = play("CartPole-v1", lambda states: (states[:, 2] > 0).astype(int), episodes=20)
        >>> returns.mean > returns.random.mean, len(returns.values)
        (True, 20)
    """
    check_count("play", "episodes", episodes)
    rng = generator(seed)
    chosen = seeds(int(rng.integers(2**31)), int(episodes))
    with Arena(env, int(episodes)) as arena:
        values = arena.play(as_act(arena.policy(policy), greedy, rng=rng), chosen)[0]
        beside = random_returns(arena, chosen, rng=rng) if random else None
    return Returns.of(values, beside, rng=rng)


def as_act(policy: Policy, greedy: bool, *, rng: np.random.Generator) -> Act:
    """The policy as a function for `Arena.play`; `rng` is advanced where actions are drawn."""
    return lambda states, turn: policy.act(states, rng=rng, greedy=greedy)


def random_returns(arena: Arena, seeds: Array, *, rng: np.random.Generator) -> Array:
    """Returns of random actions `[len(seeds)]`."""

    def act(states: Array, turn: Any) -> Array:
        return random_actions(arena.action_space, len(states), rng=rng)

    values: Array = arena.play(act, seeds)[0]
    return values


def check_count(where: str, name: str, value: int, least: int = 1) -> None:
    """Raise unless `value` is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise BadValueError(f"{where}: {name} must be a whole number of at least {least}, got {value!r}.")
