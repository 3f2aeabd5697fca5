"""Why each variable stays or goes, at the cost of a few regressions: `explain` where cells can be counted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from terc.entropy.counting import CountedEntropies
from terc.selection.evidence import Level, Unit
from terc.selection.explain import ALONE, IRRELEVANT, REDUNDANT, TOGETHER, explain
from terc.selection.result import Verdict
from terc.selection.screen import unit_p_value

if TYPE_CHECKING:
    from terc.selection.bench import Bench

SURE = 0.05


def with_reasons(
    bench: Bench, kept: tuple[Unit, ...], rows: tuple[Verdict, ...], level: Level
) -> tuple[Verdict, ...]:
    """The rows with reason, `given`, `alone` and `acts` filled in."""
    removed = tuple(unit for unit in bench.request.offered if unit not in kept)
    if bench.instrument == "counts":
        changes = _by_counting(bench, kept, removed, level)
    else:
        changes = _by_regression(bench, kept, removed, level)
    by_name = {bench.data.names[j]: change for unit, change in changes.items() for j in unit}
    return tuple(replace(row, **by_name.get(row.name, {})) for row in rows)


def _by_counting(
    bench: Bench, kept: tuple[Unit, ...], removed: tuple[Unit, ...], level: Level
) -> dict[Unit, dict[str, Any]]:
    counted = CountedEntropies(bench.data.states, np.asarray(bench.data.actions))
    # Plug-in information of noise is about (cells / 2 n); twice the floor covers it where counting is fair.
    tolerance = max(2 * level.floor, 10 / len(bench.data))
    found = explain(counted.informations, kept, removed, tolerance=tolerance)
    names = bench.data.names
    changes: dict[Unit, dict[str, Any]] = {}
    for unit, why in zip(removed, found.removed, strict=True):
        given = tuple(names[j] for j in sorted(why.given))
        changes[unit] = {
            "reason": why.reason,
            "given": given,
            "alone": why.alone,
            "shared": why.shared if given else None,
        }
    for unit, how in zip(kept, found.kept, strict=True):
        if unit in bench.request.fixed:
            continue
        changes[unit] = {"alone": how.alone, "acts": how.acts}
    return changes


def _by_regression(
    bench: Bench, kept: tuple[Unit, ...], removed: tuple[Unit, ...], level: Level
) -> dict[Unit, dict[str, Any]]:
    """A removed unit is redundant if it tells something alone, given the kept unit that explains it."""
    alone = bench.residuals.scores(())
    tells = {unit: unit_p_value(alone, unit) * level.tests < SURE for unit in (*kept, *removed)}
    changes: dict[Unit, dict[str, Any]] = {
        unit: {"alone": float(alone.gain[list(unit)].max()), "acts": ALONE if tells[unit] else TOGETHER}
        for unit in kept
        if unit not in bench.request.fixed
    }
    stand_ins = _stand_ins(bench, kept, removed, tells, level)
    everything = tuple(j for unit in kept for j in unit)
    for unit in removed:
        redundant = tells[unit] or unit in stand_ins
        given = stand_ins.get(unit, everything) if redundant else ()
        told = float(alone.gain[list(unit)].max())
        changes[unit] = {
            "reason": REDUNDANT if redundant else IRRELEVANT,
            "given": tuple(bench.data.names[j] for j in sorted(given)),
            "alone": told,
            "shared": told if redundant else None,
        }
    return changes


def _stand_ins(
    bench: Bench, kept: tuple[Unit, ...], removed: tuple[Unit, ...], tells: dict[Unit, bool], level: Level
) -> dict[Unit, Unit]:
    """For each removed unit a single kept unit that leaves nothing of it, where there is one."""
    found: dict[Unit, Unit] = {}
    among = tuple(j for unit in removed for j in unit)
    for candidate in kept if among else ():
        beside = bench.residuals.scores(candidate, among=among)
        for unit in removed:
            copied = bool(beside.determined[list(unit)].all())
            explained = tells[unit] and unit_p_value(beside, unit) * level.tests >= SURE
            if unit not in found and (copied or explained):
                found[unit] = candidate
    return found
