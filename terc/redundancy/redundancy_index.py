"""R(P1; P2 -> A) = I(P1; A) + I(P2; A) - I(P1, P2; A): redundancy if positive, synergy if negative."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy import ksg
from terc.entropy.choose import is_countable
from terc.entropy.contingency import groups_of_steps
from terc.entropy.counting import CountedEntropies, Reals
from terc.selection.clock import Clock
from terc.selection.hitting_set import Members, mask_of, members_of
from terc.selection.result import Interval
from terc.selection.sufficiency import named
from terc.selection.visible_names import listed

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

Local = Callable[[Members], Reals]
"""What each step `[n]` adds to the information of a subset; the mean is I(A; subset)."""
COUNTED_SUBSETS = 4096
NEIGHBOUR_SUBSETS = 256
"""Subsets whose information is measured, at most; neighbours cost a hundred times more than counts."""
NEIGHBOUR_ROWS = 2000
"""Steps that nearest neighbours look at."""


@dataclass(frozen=True)
class PairIndex:
    """R of one pair of disjoint subsets of different size, in nats.

    Attributes:
        first: The smaller subset.
        second: The larger one.
        value: R(first; second -> A), positive for redundancy, negative for synergy, with its 95 % interval.

    Example:
        >>> print(PairIndex(("x3",), ("x1", "x2"), Interval(0.69, 0.68, 0.70)))
        R({x3}; {x1, x2} -> A) = 0.690 [0.680, 0.700]
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    value: Interval

    def __str__(self) -> str:
        """The pair and its value."""
        first, second = listed(self.first, 8), listed(self.second, 8)
        return f"R({{{first}}}; {{{second}}} -> A) = {self.value}"


@dataclass(frozen=True)
class MostRedundant:
    """The most redundant pairs, and what was searched for them.

    Attributes:
        pairs: By falling R; among equals the smaller subsets first.
        action_entropy: H(A) in nats; of the density, in the unit of the data, when the action is continuous.
        complete: Every disjoint pair of different sizes was looked at.
        searched: One sentence.
        action_kind: "discrete" or "continuous".
    """

    pairs: tuple[PairIndex, ...]
    action_entropy: float
    complete: bool
    searched: str
    action_kind: str = "discrete"

    @property
    def entropy_is_a_limit(self) -> bool:
        """Whether R can be compared with H(A): that of a density depends on the unit and is not a limit."""
        return self.action_kind == "discrete" and self.action_entropy > 0


def most_redundant(
    data: Trajectories, *, clock: Clock, top: int = 10, rng: np.random.Generator, largest: int | None = None
) -> MostRedundant:
    """The `top` pairs of disjoint subsets of different size with the largest R.

    By counting for discrete data, else by nearest neighbours on at most 2000 steps.

    Args:
        data: Recorded steps.
        clock: Time limit.
        top: How many pairs.
        rng: Draws the steps for nearest neighbours.
        largest: Variables in both subsets together, at most; None takes as many as can be afforded.
    """
    counted = bool(is_countable(data))
    rows = np.arange(len(data))
    if not counted and len(data) > NEIGHBOUR_ROWS:
        rows = np.sort(rng.choice(len(data), NEIGHBOUR_ROWS, replace=False))
    sample = data if len(rows) == len(data) else data.rows(rows)
    informations = _informations(sample, counted=counted)
    n = len(data.names)
    size = min(n, largest or _affordable(n, COUNTED_SUBSETS if counted else NEIGHBOUR_SUBSETS))
    values, reached = _measure(informations, n, size, clock)
    best = _best_pairs(values, top)
    # The episodes as they were: between the rows that were drawn they have holes, which cut the sample apart.
    groups = groups_of_steps(data.episodes[rows])
    pairs = tuple(_indexed(sample, informations, pair, groups) for pair in best)
    complete = reached == n
    what = "counting" if counted else f"nearest neighbours on {len(sample)} steps"
    left = (
        "" if complete else f"; pairs with more than {reached} of the {n} variables in them were not searched"
    )
    if data.action_kind == "discrete":
        entropy = CountedEntropies(data.states[:, :0], data.actions).action_entropy
    else:
        entropy = ksg.differential_entropy(data.actions)
    return MostRedundant(pairs, entropy, complete, f"R by {what}{left}.", data.action_kind)


def _informations(data: Trajectories, *, counted: bool) -> Local:
    """What each step `[n]` adds to I(A; subset): by counting, less its bias (Miller), or by neighbours."""
    if counted:
        entropies = CountedEntropies(data.states, data.actions)

        def by_counts(subset: Members) -> Reals:
            bias = entropies.information(subset) - entropies.corrected_information(subset)
            return entropies.local_information(subset) - bias

        return by_counts
    return by_neighbours(data)


def by_neighbours(data: Trajectories) -> Local:
    """What each step adds to I(A; subset), by nearest neighbours."""
    actions = ksg.comparable(data.actions, labels=data.action_kind == "discrete")
    states = ksg.comparable(data.states, labels=[data.column(name) for name in data.nominal])
    return cache(lambda subset: ksg.local_mutual_information(states[:, sorted(subset)], actions))


def _affordable(n: int, budget: int) -> int:
    """The largest size up to which there are at most `budget` subsets of n; 3 makes the first pairs."""
    total, size = 0, 0
    while size < n and total + math.comb(n, size + 1) <= budget:
        size += 1
        total += math.comb(n, size)
    return max(3, size)


def _measure(informations: Local, n: int, size: int, clock: Clock) -> tuple[dict[int, float], int]:
    """I(A; subset) by mask, sizes rising, and the largest size that was finished in time."""
    values: dict[int, float] = {}
    for k in range(1, size + 1):
        for members in combinations(range(n), k):
            if clock.over():
                return values, k - 1
            values[mask_of(members)] = float(informations(frozenset(members)).mean())
    return values, size


def _best_pairs(values: dict[int, float], top: int) -> list[tuple[int, int]]:
    """Masks of the most redundant pairs of different sizes; those without superfluous members first."""
    lean = {
        mask  # no member could leave without loss
        for mask, value in values.items()
        if not any(values.get(mask ^ (1 << m), 0.0) >= value - 1e-6 for m in members_of(mask))
    }
    scored = [
        (
            -round(values[one] + values[other] - values[one | other], 6),
            not (one in lean and other in lean),
            (one | other).bit_count(),
            one,
            other,
        )
        for joint in values
        for one, other in splits(joint)
    ]
    return [(one, other) for *_, one, other in heapq.nsmallest(top, scored)]


def splits(joint: int) -> Iterator[tuple[int, int]]:
    """All splits of a set, given as a mask, into a smaller and a larger part."""
    part = (joint - 1) & joint
    while part:
        other = joint ^ part
        if part.bit_count() < other.bit_count():
            yield part, other
        part = (part - 1) & joint


def _indexed(data: Trajectories, informations: Local, pair: tuple[int, int], groups: np.ndarray) -> PairIndex:
    """R of one pair with its interval, clustered by episode."""
    one, other = (frozenset(members_of(mask)) for mask in pair)
    per_step = informations(one) + informations(other) - informations(one | other)
    sums = np.bincount(groups, per_step - per_step.mean())
    error = float(np.sqrt(len(sums) / max(1, len(sums) - 1) * (sums @ sums)) / len(per_step))
    value = float(per_step.mean())
    interval = Interval(value, value - 1.96 * error, value + 1.96 * error)
    return PairIndex(named(data, one), named(data, other), interval)
