"""Why each variable stays or goes, at the cost of a few regressions: `explain` where cells can be counted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from terc.entropy.counting import FEW_LEVELS, CountedEntropies, encode
from terc.entropy.covariance import unit_p_value
from terc.entropy.evidence import RemovalTest, Unit
from terc.selection.algorithm_1 import Elimination
from terc.selection.explain import ALONE, IRRELEVANT, REDUNDANT, TOGETHER, explain
from terc.selection.result import Verdict
from terc.selection.rule_verdicts import stand_ins

if TYPE_CHECKING:
    from terc.selection.request import Request
    from terc.trajectories.data import Trajectories

SURE = 0.05
NEGLIGIBLE = "negligible"
STEPS_PER_CELL = 20
"""Counting explains where each cell has so many steps."""

Changes = dict[Unit, dict[str, Any]]


def with_reasons(
    data: Trajectories, request: Request, found: Elimination, test: RemovalTest, rows: tuple[Verdict, ...]
) -> tuple[Verdict, ...]:
    """The rows with reason, `given`, `alone` and `acts` filled in."""
    kept, removed = found.kept, tuple(unit for unit in request.offered if unit not in found.kept)
    if test.beside(kept, ()) is None:
        return rows
    if _countable(data):
        changes = _by_counting(data, kept, removed, test.floor)
    elif test.scores(()) is not None:
        changes = _by_regression(data, test, kept, removed)
    else:
        changes = _by_elimination(data, found, removed)
    offered = {unit: change for unit, change in changes.items() if unit not in request.fixed}
    by_name = {data.names[j]: change for unit, change in offered.items() for j in unit}
    return tuple(_weighed(replace(row, **by_name.get(row.name, {}))) for row in rows)


def _weighed(row: Verdict) -> Verdict:
    """What surely adds something and still went is negligible, whatever else holds of it."""
    if row.kept or row.p_value >= SURE or row.reason not in (IRRELEVANT, REDUNDANT):
        return row
    return replace(row, reason=NEGLIGIBLE, given=(), shared=None)


def _countable(data: Trajectories) -> bool:
    if data.action_kind != "discrete" or max(len(np.unique(column)) for column in data.states.T) > FEW_LEVELS:
        return False
    return (int(encode(data.states).max()) + 1) * STEPS_PER_CELL <= len(data)


def _by_counting(
    data: Trajectories, kept: tuple[Unit, ...], removed: tuple[Unit, ...], floor: float
) -> Changes:
    counted = CountedEntropies(data.states, np.asarray(data.actions))
    # Plug-in information of noise is about (cells / 2 n); twice the floor covers it where counting is fair.
    why = explain(counted.informations, kept, removed, tolerance=max(2 * floor, 10 / len(data)))
    changes: Changes = {}
    for unit, reason in zip(removed, why.removed, strict=True):
        given = tuple(data.names[j] for j in sorted(reason.given))
        changes[unit] = {
            "reason": reason.reason,
            "given": given,
            "alone": reason.alone,
            "shared": reason.shared if given else None,
        }
    for unit, how in zip(kept, why.kept, strict=True):
        changes[unit] = {"alone": how.alone, "acts": how.acts}
    return changes


def _by_regression(
    data: Trajectories, test: RemovalTest, kept: tuple[Unit, ...], removed: tuple[Unit, ...]
) -> Changes:
    """A removed unit is redundant if it carries something alone, given the kept unit that explains it."""
    alone = test.scores(())
    gain = {unit: float(alone.gain[list(unit)].max()) for unit in (*kept, *removed)}
    tells = {unit: unit_p_value(alone.p_value, unit) * test.tests < SURE for unit in (*kept, *removed)}
    changes: Changes = {
        unit: {"alone": gain[unit], "acts": ALONE if tells[unit] else TOGETHER} for unit in kept
    }
    doubles = _stand_ins(test, kept, removed, tells)
    everything = tuple(j for unit in kept for j in unit)
    for unit in removed:
        redundant = bool(kept) and (tells[unit] or unit in doubles)
        given = doubles.get(unit, everything) if redundant else ()
        changes[unit] = {
            "reason": REDUNDANT if redundant else IRRELEVANT,
            "given": tuple(data.names[j] for j in sorted(given)),
            "alone": gain[unit],
            "shared": gain[unit] if redundant else None,
        }
    return changes


def _stand_ins(
    test: RemovalTest, kept: tuple[Unit, ...], removed: tuple[Unit, ...], tells: dict[Unit, bool]
) -> dict[Unit, Unit]:
    """For each removed unit a single kept unit that leaves nothing of it, where there is one."""
    found: dict[Unit, Unit] = {}
    among = tuple(j for unit in removed for j in unit)
    for candidate in kept if among else ():
        beside = test.scores(candidate, among)
        for unit in removed:
            copied = bool(beside.determined[list(unit)].all())
            explained = tells[unit] and unit_p_value(beside.p_value, unit) * test.tests >= SURE
            if unit not in found and (copied or explained):
                found[unit] = candidate
    return found


def _by_elimination(data: Trajectories, found: Elimination, removed: tuple[Unit, ...]) -> Changes:
    doubled = stand_ins(found)
    return {
        unit: {"reason": REDUNDANT, "given": tuple(data.names[k] for other in doubled[unit] for k in other)}
        for unit in removed
        if unit in doubled
    }
