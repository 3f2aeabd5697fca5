"""`method="minimal"`: Algorithm 1 first, then the search for a smaller (or cheaper) set that is as good."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.countable import is_countable
from terc.entropy.counting import CountedEntropies
from terc.entropy.evidence import Question, RemovalTest, Unit
from terc.selection.algorithm_1 import Elimination
from terc.selection.counted_test import groups_of_steps
from terc.selection.hitting_set import Members
from terc.selection.irreducible import Clock
from terc.selection.minimal import MinimalSet, Units, minimal_by_search, smallest_sufficient
from terc.selection.result import Note
from terc.selection.sufficiency import CountedSufficiency

if TYPE_CHECKING:
    from terc.selection.request import Request
    from terc.selection.settings import Settings
    from terc.trajectories.data import Trajectories

TIME_LIMIT = 60.0
"""CPU seconds of this process; by the wall clock where worker processes train the networks."""
TINY_COST = 1e-9
"""Between two sets of the same cost the smaller one wins."""


def smallest(  # noqa: PLR0913  (what Algorithm 1 had, and what it found)
    data: Trajectories,
    request: Request,
    test: RemovalTest,
    candidates: Sequence[Unit],
    found: Elimination,
    wanted: Settings,
    *,
    in_workers: bool = False,
) -> tuple[Elimination, Note]:
    """The smallest sufficient set among the candidates, never larger than what Algorithm 1 found.

    A search that ends at its time limit, and only such a one, depends on the speed of the machine.

    Args:
        data: The steps.
        request: Units to decide on.
        test: Answers questions where cells cannot be counted.
        candidates: Units that may be in the answer.
        found: What Algorithm 1 kept.
        wanted: Costs of the variables, alpha and floor.
        in_workers: Whether worker processes do part of the work.
    """
    prices = None if wanted.costs is None else _prices(data, request, wanted.costs)
    if is_countable(data):
        units: Sequence[Unit] = request.units
        best = _by_counting(data, request, found, prices, wanted)
    else:
        # What workers do is not in the CPU time of this process.
        clock = Clock(TIME_LIMIT, time.monotonic if in_workers else time.process_time)
        units = tuple(dict.fromkeys((*request.fixed, *candidates, *found.kept)))
        best = _by_search(request, test, units, found, prices, clock)
    kept = tuple(unit for unit in units if set(unit) <= best.members)
    sure = "proven smallest" if best.proven else "the smallest found in the time, not proven so"
    note = Note("fact", "minimal", f"minimal: {sure} ({best.n_tests} sets tested).")
    return Elimination(kept, found.asked), note


def _prices(data: Trajectories, request: Request, costs: Mapping[str, float]) -> list[float]:
    """Price of each column; a constant in a group is paid for by the first of the others."""
    prices = [float(costs.get(name, 0.0)) + TINY_COST for name in data.names]
    for constant, unit in request.stays_with.items():
        prices[unit[0]] += prices[constant]
    return prices


def _by_counting(
    data: Trajectories, request: Request, found: Elimination, prices: list[float] | None, wanted: Settings
) -> MinimalSet:
    enough = CountedSufficiency(
        CountedEntropies(data.states, np.asarray(data.actions)),
        alpha=wanted.alpha,
        min_effect=wanted.floor,
        groups=groups_of_steps(data.episodes) if data.n_episodes < len(data) else None,
    )
    return smallest_sufficient(
        enough,
        prices,
        groups=[unit for unit in request.units if len(unit) > 1],
        keep=_columns(request.fixed),
        start=[_columns(found.kept)],
        time_limit=TIME_LIMIT,
    )


def _by_search(
    request: Request,
    test: RemovalTest,
    units: Sequence[Unit],
    found: Elimination,
    prices: list[float] | None,
    clock: Clock,
) -> MinimalSet:
    price = [1.0 if prices is None else sum(prices[j] for j in unit) for unit in units]
    offered = [unit for unit in units if unit not in request.fixed]

    def removable(remaining: Members, group: Members) -> bool:
        gone = tuple(unit for unit in units if set(unit) <= group)
        stay = tuple(unit for unit in units if set(unit) <= remaining - group)
        return not test.ask([Question(gone, stay)])[0].needed

    return minimal_by_search(
        removable,
        [[j for unit in order for j in unit] for order in (offered, offered[::-1])],
        units=Units(tuple(frozenset(unit) for unit in units), tuple(price)),
        needed=_columns(request.fixed),
        start=[_columns(found.kept)],
        clock=clock,
    )


def _columns(units: Sequence[Unit]) -> Members:
    return frozenset(j for unit in units for j in unit)
