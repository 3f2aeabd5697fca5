"""`method="minimal"`: Algorithm 1 first, then the search for a smaller (or cheaper) set that is as good."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.counting import CountedEntropies
from terc.selection.counted_test import groups_of_steps
from terc.selection.evidence import Question, RemovalTest, Unit
from terc.selection.hitting_set import Members
from terc.selection.irreducible import Clock
from terc.selection.minimal import MinimalSet, Units, minimal_by_search, smallest_sufficient
from terc.selection.sequential import Elimination
from terc.selection.sufficiency import CountedSufficiency

if TYPE_CHECKING:
    from terc.selection.bench import Bench

TIME_LIMIT = 60.0
"""CPU seconds of this process; by the wall clock where worker processes train the networks."""
TINY_COST = 1e-9
"""Between two sets of the same cost the smaller one wins."""


def smallest(
    bench: Bench,
    test: RemovalTest,
    candidates: Sequence[Unit],
    found: Elimination,
    costs: Mapping[str, float] | None,
    *,
    in_workers: bool = False,
) -> tuple[Elimination, str]:
    """The smallest sufficient set among the candidates, never larger than what Algorithm 1 found.

    A search that ends at its time limit, and only such a one, depends on the speed of the machine.

    Args:
        bench: The data laid out.
        test: Answers questions where cells cannot be counted.
        candidates: Units that may be in the answer.
        found: What Algorithm 1 kept.
        costs: What each variable costs; None means one each.
        in_workers: Whether worker processes do part of the work.
    """
    prices = None if costs is None else _prices(bench, costs)
    if bench.instrument == "counts":
        best = _by_counting(bench, found, prices)
    else:
        # What workers do is not in the CPU time of this process.
        clock = Clock(TIME_LIMIT, time.monotonic if in_workers else time.process_time)
        best = _by_search(bench, test, candidates, found, prices, clock)
    units = (*bench.request.fixed, *candidates)
    kept = tuple(unit for unit in units if set(unit) <= best.members)
    sure = "proven smallest" if best.proven else "the smallest found in the time, not proven so"
    return Elimination(kept, found.asked), f"minimal: {sure} ({best.n_tests} sets tested)."


def _prices(bench: Bench, costs: Mapping[str, float]) -> list[float]:
    """Price of each column; a constant in a group is paid for by the first of the others."""
    prices = [float(costs.get(name, 0.0)) + TINY_COST for name in bench.data.names]
    for constant, unit in bench.request.stays_with.items():
        prices[unit[0]] += prices[constant]
    return prices


def _by_counting(bench: Bench, found: Elimination, prices: list[float] | None) -> MinimalSet:
    data = bench.data
    enough = CountedSufficiency(
        CountedEntropies(data.states, np.asarray(data.actions)),
        alpha=bench.alpha,
        min_effect=bench.min_effect,
        groups=groups_of_steps(data.episodes) if data.n_episodes < len(data) else None,
    )
    return smallest_sufficient(
        enough,
        prices,
        groups=[unit for unit in bench.request.units if len(unit) > 1],
        keep=_columns(bench.request.fixed),
        start=[_columns(found.kept)],
        time_limit=TIME_LIMIT,
    )


def _by_search(
    bench: Bench,
    test: RemovalTest,
    candidates: Sequence[Unit],
    found: Elimination,
    prices: list[float] | None,
    clock: Clock,
) -> MinimalSet:
    every = (*bench.request.fixed, *candidates)
    price = [1.0 if prices is None else sum(prices[j] for j in unit) for unit in every]

    def removable(remaining: Members, group: Members) -> bool:
        gone = tuple(unit for unit in every if set(unit) <= group)
        stay = tuple(unit for unit in every if set(unit) <= remaining - group)
        return not test.ask([Question(gone, stay)])[0].needed

    return minimal_by_search(
        removable,
        [[j for unit in order for j in unit] for order in (candidates, tuple(reversed(candidates)))],
        units=Units(tuple(frozenset(unit) for unit in every), tuple(price)),
        needed=_columns(bench.request.fixed),
        start=[_columns(found.kept)],
        clock=clock,
    )


def _columns(units: Sequence[Unit]) -> Members:
    return frozenset(j for unit in units for j in unit)
