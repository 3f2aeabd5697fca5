"""How redundant pairs of subsets are: the paper's R for all of them, by counting or by nearest neighbours."""

import heapq
from itertools import combinations
from typing import Any

import numpy as np

from terc.entropy.counting import CountedEntropies
from terc.paper.worlds import Source, at_most, read
from terc.records import plain
from terc.redundancy.condition_1 import check_condition_1
from terc.redundancy.redundancy_index import Local, MostRedundant, PairIndex, by_neighbours, splits
from terc.selection.hitting_set import mask_of, members_of
from terc.selection.result import Interval
from terc.selection.sufficiency import named
from terc.store import Store
from terc.trajectories.data import Trajectories

ALL_PAIRS = 11
"""Variables up to which every pair of subsets is looked at; of more, pairs of up to three variables."""
MANY = (4, 5)
"""Sizes of the two sets of decoys that show what counting makes of states that never come twice."""


def sizes(store: Store, key: str, *, source: Source, steps: int, seconds: float) -> dict[str, Any]:
    """Whether all irreducible sufficient sets have one size: what Theorem 2 needs."""
    return check_condition_1(at_most(read(store, source), steps), time_limit=seconds).to_dict()


def redundancy(store: Store, key: str, *, source: Source, steps: int, rows: int | None) -> dict[str, Any]:
    """The ten most redundant pairs of different size, by counting, or by neighbours among `rows` steps."""
    data = at_most(read(store, source), steps if rows is None else rows)
    # As the paper counts: without any correction of the bias.
    local = by_neighbours(data) if rows else CountedEntropies(data.states, data.actions).local_information
    n = len(data.names)
    largest = n if n <= ALL_PAIRS else 3
    values = {
        mask_of(subset): float(local(frozenset(subset)).mean())
        for size in range(1, largest + 1)
        for subset in combinations(range(n), size)
    }
    scored = (
        (round(values[one] + values[other] - values[joint], 9), -joint.bit_count(), (one, other))
        for joint in values
        for one, other in splits(joint)
    )
    pairs = tuple(_interval(data, local, pair) for _, _, pair in heapq.nlargest(10, scored))
    kind, searched = data.action_kind, f"pairs of up to {largest} of {n} variables, {len(data):,} steps"
    entropy = CountedEntropies(data.states, data.actions).h(()) if kind == "discrete" else float("nan")
    found = MostRedundant(pairs, float(np.nan_to_num(entropy)), largest == n, searched, kind)
    return {"found": plain(found), "many": _many(data) if rows is None and n > sum(MANY) else None}


def _interval(data: Trajectories, local: Local, pair: tuple[int, int]) -> PairIndex:
    one, other = (frozenset(members_of(mask)) for mask in pair)
    steps = local(one) + local(other) - local(one | other)
    value, half = float(steps.mean()), float(1.96 * steps.std(ddof=1) / np.sqrt(len(steps)))
    return PairIndex(named(data, one), named(data, other), Interval(value, value - half, value + half))


def _many(data: Trajectories) -> dict[str, float]:
    """R of four against five variables that have nothing to do with the action, and with shuffled actions."""
    size = [abs(np.corrcoef(column, data.actions)[0, 1]) for column in data.states.T]
    weak = [int(j) for j in np.argsort(np.nan_to_num(size))[: sum(MANY)]]
    one, other = tuple(weak[: MANY[0]]), tuple(weak[MANY[0] :])
    found = {}
    for name, actions in (
        ("as played", data.actions),
        ("shuffled", np.random.default_rng(0).permutation(data.actions)),
    ):
        count = CountedEntropies(data.states, actions)
        found[name] = count.information(one) + count.information(other) - count.information((*one, *other))
    return {name: float(value) for name, value in found.items()}
