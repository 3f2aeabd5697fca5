"""From an elimination to the lines of a `Selection`: interval, p-value and reason of every variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.base import View
from terc.selection.evidence import Evidence, Level, Question, Unit
from terc.selection.residual_test import gain_error
from terc.selection.result import Interval, Step, Verdict
from terc.selection.screen import unit_p_value
from terc.selection.sequential import Asked, one_at_a_time

if TYPE_CHECKING:
    from terc.entropy.residuals import Scores
    from terc.selection.bench import Bench
    from terc.selection.evidence import RemovalTest
    from terc.selection.request import Request
    from terc.trajectories.data import Trajectories


def verdicts(bench: Bench, kept: tuple[Unit, ...], test: RemovalTest, level: Level) -> tuple[Verdict, ...]:
    """Every variable against the kept set: what the kept lose without it, what the removed would add to it.

    Args:
        bench: The data laid out.
        kept: Units that stay.
        test: Answers for the kept ones.
        level: Corrects p-values and sets the floor.
    """
    given = tuple(sorted(column for unit in kept for column in unit))
    rows: dict[int, Verdict] = {}
    answers = test.ask(one_at_a_time(kept)) if kept else []
    for unit, evidence in zip(kept, answers, strict=True):
        reason = "asked for" if unit in bench.request.fixed else "needed"
        rows |= {j: _line(bench, j, evidence, level, kept=True, reason=reason) for j in unit}
    beside = bench.residuals.scores(given, bench.judgements.residuals(View(given)))
    for unit in bench.request.offered:
        if unit not in kept:
            evidence = _scored(beside, unit, level, len(bench.data))
            rows |= {j: _line(bench, j, evidence, level, kept=False, reason="irrelevant") for j in unit}
    rows |= constant_rows(bench.data, bench.request, kept)
    return tuple(rows[j] for j in sorted(rows))


def constant_rows(data: Trajectories, request: Request, kept: Sequence[Unit]) -> dict[int, Verdict]:
    """The lines of the columns that never change: one stays if asked for, or with the group it is in."""
    staying = {j for j in request.constant if request.stays_with.get(j) in kept}
    return {j: idle_row(data.names[j], request, grouped=j in staying) for j in request.constant}


def idle_row(name: str, request: Request, reason: str = "constant", *, grouped: bool = False) -> Verdict:
    """The line of a column that can tell nothing; it stays if the caller asked for it or for its group."""
    kept = grouped or name in request.asked_for
    return Verdict(name, 0.0, 0.0, 0.0, 0.0, 1.0, kept, "asked for" if kept else reason, instrument="counts")


def _scored(scores: Scores, unit: Unit, level: Level, n: int) -> Evidence:
    gain, p_value = float(scores.gain[list(unit)].max()), unit_p_value(scores, unit)
    error = gain_error(gain, n, float(scores.z[list(unit)].max()))
    return Evidence(gain, error, p_value, level.passes(gain, p_value), "residuals")


def _line(bench: Bench, j: int, evidence: Evidence, level: Level, *, kept: bool, reason: str) -> Verdict:
    low, high = evidence.interval
    undecided = reason != "asked for" and low < level.floor < high
    distance = abs(evidence.gain - level.floor)
    needed = int(np.ceil(len(bench.data) * (1.96 * evidence.error / max(distance, 1e-9)) ** 2))
    return Verdict(
        name=bench.data.names[j],
        gain=evidence.gain,
        low=low,
        high=high,
        null_high=max(level.floor, 0.0 if np.isnan(evidence.null_high) else evidence.null_high),
        p_value=min(1.0, evidence.p_value * level.tests),
        kept=kept,
        reason=reason,
        instrument=evidence.instrument,
        undecided=undecided,
        steps_needed=min(needed, 10**12) if undecided else None,
        repeats=evidence.repeats,
    )


def retained(bench: Bench, kept: tuple[Unit, ...], level: Level) -> Interval:
    """Share of I(A; X) that the kept units hold: one minus what is lost when all others are shuffled."""
    others = tuple(unit for unit in bench.request.units if unit not in kept)
    columns = tuple(column for unit in kept for column in unit)
    total = bench.information(columns, bench.columns)
    if not others:
        return Interval(1.0, 1.0, 1.0)
    if total <= 0:
        return Interval(float("nan"), float("nan"), float("nan"))
    (lost,) = bench.loss_test(level).ask([Question(others, kept)])
    low, high = lost.interval
    return Interval(*(float(np.clip(1 - nats / total, 0, 1)) for nats in (lost.gain, high, low)))


def steps_of(data: Trajectories, asked: Sequence[Asked], tests: float) -> tuple[Step, ...]:
    """The questions asked, with names and with p-values corrected for `tests` or for the question's own."""
    return tuple(
        Step(
            tried=tuple(data.names[j] for j in one.question.removed_columns),
            given=len(one.question.other_columns),
            gain=one.evidence.gain,
            p_value=min(1.0, one.evidence.p_value * (tests if one.tests is None else one.tests)),
            removed=not one.evidence.needed,
            because=one.evidence.instrument,
        )
        for one in asked
    )
