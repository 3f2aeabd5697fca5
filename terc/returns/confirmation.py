"""`Confirmation`: does a set of variables hold the return? Asked of agents that had no part in its choice."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np
from scipy.special import ndtri, stdtrit

from terc.arrays import Array
from terc.returns.distilled import Distilled
from terc.returns.play import ALPHA

# Agents distilled onto one set turn out differently; three show by how much, and keep the promise in at least
# 97 % of the frontiers that benchmarks/promise.py draws.
AGENTS = 3
# Beyond so many times the episodes of a point more of them cost more than they decide.
MOST_EPISODES = 10


@dataclass(frozen=True, eq=False)
class Confirmation:
    """Agents distilled afresh onto one set, each beside its teacher on episodes of its own.

    The smallest of many sets that seem good is one that was lucky: in its agent, and in the episodes. So its
    own agent and episodes say too much of it, and these say what it is worth.

    Attributes:
        differences: Mean return of each agent minus its teacher's in the same episodes.
        error: Standard error of their mean, over agents and episodes.
        episodes: Of each agent.
        level: Probability at which `low` is above the truth; the sets that are tried share 5 %.
        agents: Empty where the frontier was read from JSON.

    Example:
        >>> lost = np.random.default_rng(0).normal(-2.0, 30.0, (3, 400))
        >>> found = Confirmation.of(("x", "y"), lost, level=0.025)
        >>> [round(value, 1) for value in (found.difference, found.error, found.low)]
        [-3.0, 0.8, -4.6]
    """

    shown: ClassVar[tuple[str, ...]] = ("difference", "low")

    variables: tuple[str, ...]
    differences: tuple[float, ...]
    error: float
    episodes: int
    level: float
    agents: tuple[Distilled, ...] = field(default=(), metadata={"saved": False})

    @classmethod
    def of(
        cls, variables: Sequence[str], differences: Array, level: float, agents: Sequence[Distilled] = ()
    ) -> Self:
        """From differences `[agents, episodes]`.

        The error is that of all episodes, or that of the agents' means where they differ by more than their
        episodes explain.
        """
        count, episodes = differences.shape
        means = differences.mean(axis=1)
        between = means.var(ddof=1) / count
        within = differences.var(axis=1, ddof=1).mean() / differences.size
        error = float(np.sqrt(max(between, within)))
        return cls(tuple(variables), tuple(means.tolist()), error, episodes, level, tuple(agents))

    @property
    def difference(self) -> float:
        """What an agent on these variables returns more than its teacher, in the mean."""
        return float(np.mean(self.differences))

    @property
    def low(self) -> float:
        """What it returns more at least."""
        freedom = len(self.differences) * (self.episodes - 1)
        return self.difference - float(stdtrit(freedom, 1 - self.level)) * self.error


def level_of(number: int) -> float:
    """The error rate of the set that is tried as the `number`-th, from 0 on: all of them together have 5 %.

    Example:
        >>> [level_of(number) for number in range(3)]
        [0.025, 0.0125, 0.00625]
    """
    return float(ALPHA / 2 ** (number + 1))


def episodes_needed(differences: Array, room: float, level: float) -> int:
    """Episodes of each agent with which `low` is likely to lie half of `room` below the mean.

    At least as many as there are `differences`, those of the agent that made the set a candidate.

    Example:
        >>> lost = np.random.default_rng(0).normal(0.0, 60.0, 100)
        >>> episodes_needed(lost, 11.0, 0.025), episodes_needed(lost, 110.0, 0.025)
        (142, 100)
    """
    wanted = (2 * ndtri(1 - level) * differences.std() / max(room, 1e-12)) ** 2 / AGENTS
    return int(np.ceil(np.clip(wanted, len(differences), MOST_EPISODES * len(differences))))
