"""`method="minimal"`: Algorithm 1 first, then the search for a smaller (or cheaper) set that is as good."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from terc.entropy.base import RemovalTest
from terc.entropy.evidence import Unit
from terc.selection.algorithm_1 import Elimination
from terc.selection.clock import Clock
from terc.selection.irreducible import Explorer
from terc.selection.result import Note
from terc.selection.sufficiency import Sufficiency

if TYPE_CHECKING:
    from terc.selection.request import Request
    from terc.trajectories.data import Trajectories

TIME_LIMIT = 60.0
"""CPU seconds of this process; by the wall clock where worker processes train the networks."""
TINY_COST = 1e-9
"""Between two sets of the same cost the smaller one wins."""


def smallest(
    request: Request,
    test: RemovalTest,
    candidates: Sequence[Unit],
    found: Elimination,
    *,
    prices: Sequence[float] | None = None,
    in_workers: bool = False,
) -> tuple[Elimination, Note]:
    """The cheapest sufficient set among the candidates, never dearer than what Algorithm 1 found.

    A search that ends at its time limit, and only such a one, depends on the speed of the machine.

    Args:
        request: Units to decide on.
        test: Answers the questions.
        candidates: Units that may be in the answer.
        found: What Algorithm 1 kept.
        prices: Of each column, above zero; None means one per unit.
        in_workers: Whether worker processes do part of the work: it is not in the CPU time of this process.
    """
    units = tuple(dict.fromkeys((*request.fixed, *candidates, *found.kept)))
    explorer = Explorer(
        Sufficiency(test, units),
        len(units),
        costs=None if prices is None else [sum(prices[j] for j in unit) for unit in units],
        keep=range(len(request.fixed)),
        clock=Clock(TIME_LIMIT, time.monotonic if in_workers else time.process_time),
    )
    best, proven = explorer.cheapest(frozenset(units.index(unit) for unit in found.kept))
    sure = "proven smallest" if proven else "the smallest found in the time, not proven so"
    note = Note("fact", "minimal", f"minimal: {sure} ({explorer.n_tests} sets tested).")
    return Elimination(tuple(units[k] for k in sorted(best)), found.asked), note


def prices_of(data: Trajectories, request: Request, costs: Mapping[str, float]) -> list[float]:
    """Price of each column; a constant in a group is paid for by the first of the others."""
    prices = [float(costs.get(name, 0.0)) + TINY_COST for name in data.names]
    for constant, unit in request.stays_with.items():
        prices[unit[0]] += prices[constant]
    return prices
