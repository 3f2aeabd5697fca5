"""From an elimination to a `Selection`: one line per variable, each with its interval, its p-value and its reason."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.base import View
from terc.selection.evidence import Evidence, Level, Question, Unit
from terc.selection.result import Interval, Step, Verdict
from terc.selection.screen import unit_p_value
from terc.selection.sequential import Asked, one_at_a_time

if TYPE_CHECKING:
    from terc.entropy.residuals import Scores
    from terc.selection.bench import Bench
    from terc.selection.evidence import RemovalTest

SURE = 0.01


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
    alone = bench.residuals.scores(())
    beside = bench.residuals.scores(given, bench.judgements.residuals(View(given)))
    for unit in bench.request.offered:
        if unit not in kept:
            evidence = _scored(beside, unit, level, len(bench.data))
            reason = "redundant" if _tells_alone(alone, unit, level) else "irrelevant"
            rows |= {j: _line(bench, j, evidence, level, kept=False, reason=reason) for j in unit}
    for j in bench.request.constant:
        rows[j] = Verdict(bench.data.names[j], 0.0, 0.0, 0.0, 0.0, 1.0, False, "constant", instrument="counts")
    return tuple(rows[j] for j in sorted(rows))


def _tells_alone(scores: Scores, unit: Unit, level: Level) -> bool:
    return unit_p_value(scores, unit) * level.tests < SURE


def _scored(scores: Scores, unit: Unit, level: Level, n: int) -> Evidence:
    gain, p_value = float(scores.gain[list(unit)].max()), unit_p_value(scores, unit)
    return Evidence(gain, float(np.sqrt(2 * gain / n)), p_value, level.passes(gain, p_value), "residuals")


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


def steps_of(bench: Bench, asked: tuple[Asked, ...], level: Level) -> tuple[Step, ...]:
    """The questions asked, with names."""
    return tuple(
        Step(
            tried=tuple(bench.data.names[j] for j in one.question.removed_columns),
            given=len(one.question.other_columns),
            gain=one.evidence.gain,
            p_value=min(1.0, one.evidence.p_value * level.tests),
            removed=not one.evidence.needed,
            because=one.evidence.instrument,
        )
        for one in asked
    )


def with_given(rows: tuple[Verdict, ...], given: dict[str, tuple[str, ...]]) -> tuple[Verdict, ...]:
    """The rows with the names that stand in for each redundant variable filled in."""
    return tuple(replace(row, given=given[row.name]) if row.name in given else row for row in rows)
