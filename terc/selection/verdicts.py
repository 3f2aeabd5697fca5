"""From an elimination to the lines of a `Selection`: interval, p-value and reason of every variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.evidence import Evidence, Held, Unit
from terc.selection.algorithm_1 import Asked, Elimination, one_at_a_time
from terc.selection.result import Interval, Step, Verdict
from terc.selection.rule_verdicts import answers_alone, rule_rows

if TYPE_CHECKING:
    from terc.entropy.evidence import RemovalTest
    from terc.selection.request import Request
    from terc.trajectories.data import Trajectories


def verdicts(
    data: Trajectories, request: Request, found: Elimination, test: RemovalTest
) -> tuple[Verdict, ...]:
    """Every variable against the kept set: what kept ones lose without it, what removed ones would add."""
    kept = found.kept
    removed = [unit for unit in request.offered if unit not in kept]
    added = test.beside(kept, removed)
    if added is None:
        alone = answers_alone(test, found, request.units)
        rows = rule_rows(data, found, alone, fixed=request.fixed, tests=test.tests)
    else:
        lost = dict(zip(kept, test.ask(one_at_a_time(kept)), strict=True)) if kept else {}
        rows = {
            j: _line(data, j, evidence, test, kept=unit in kept, reason=_reason(unit, kept, request.fixed))
            for unit, evidence in (lost | added).items()
            for j in unit
        }
    rows |= constant_rows(data, request, kept)
    return tuple(rows[j] for j in sorted(rows))


def _reason(unit: Unit, kept: Sequence[Unit], fixed: Sequence[Unit]) -> str:
    return "asked for" if unit in fixed else "needed" if unit in kept else "irrelevant"


def constant_rows(data: Trajectories, request: Request, kept: Sequence[Unit]) -> dict[int, Verdict]:
    """The lines of the columns that never change: one stays if asked for, or with the group it is in."""
    staying = {j for j in request.constant if request.stays_with.get(j) in kept}
    return {j: idle_row(data.names[j], request, grouped=j in staying) for j in request.constant}


def idle_row(name: str, request: Request, reason: str = "constant", *, grouped: bool = False) -> Verdict:
    """The line of a column that can tell nothing; it stays if the caller asked for it or for its group."""
    kept = grouped or name in request.asked_for
    return Verdict(name, 0.0, 0.0, 0.0, 0.0, 1.0, kept, "asked for" if kept else reason, instrument="counts")


def _line(
    data: Trajectories, j: int, evidence: Evidence, test: RemovalTest, *, kept: bool, reason: str
) -> Verdict:
    low, high = evidence.interval
    undecided = test.floor > 0 and reason != "asked for" and low < test.floor < high
    distance = abs(evidence.gain - test.floor)
    needed = int(np.ceil(len(data) * (1.96 * evidence.error / max(distance, 1e-9)) ** 2))
    return Verdict(
        name=data.names[j],
        gain=evidence.gain,
        low=low,
        high=high,
        null_high=max(test.floor, 0.0 if np.isnan(evidence.null_high) else evidence.null_high),
        p_value=min(1.0, evidence.p_value * test.tests),
        kept=kept,
        reason=reason,
        instrument=evidence.instrument,
        undecided=undecided,
        steps_needed=min(needed, 10**12) if undecided else None,
        repeats=evidence.repeats,
    )


def retained(held: Held | None, *, everything: bool) -> Interval:
    """Share of I(A; X) that the kept units hold: one minus what is lost without all others."""
    if everything:
        return Interval(1.0, 1.0, 1.0)
    if held is None or held.information <= 0:
        return Interval(float("nan"), float("nan"), float("nan"))
    low, high = held.lost.interval
    ends = (held.lost.gain, high, low)
    return Interval(*(float(np.clip(1 - nats / held.information, 0, 1)) for nats in ends))


def steps_of(data: Trajectories, asked: Sequence[Asked], tests: float) -> tuple[Step, ...]:
    """The questions asked, with names and with p-values corrected for `tests`."""
    return tuple(
        Step(
            tried=tuple(data.names[j] for j in one.question.removed_columns),
            given=len(one.question.other_columns),
            gain=one.evidence.gain,
            p_value=min(1.0, one.evidence.p_value * tests),
            removed=not one.evidence.needed,
            because=one.evidence.instrument,
        )
        for one in asked
    )
