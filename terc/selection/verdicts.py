"""From an elimination to the lines of a `Selection`: interval, p-value and reason of every variable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from terc.entropy.base import Held
from terc.entropy.evidence import Evidence, Unit
from terc.selection.algorithm_1 import Asked, Elimination, one_at_a_time
from terc.selection.result import Interval, Step, Verdict

if TYPE_CHECKING:
    from terc.entropy.base import RemovalTest
    from terc.selection.request import Request
    from terc.trajectories.data import Trajectories

MOST_MORE = 100
"""Largest multiple of the recorded steps that is named as enough to decide."""
ALMOST_EVEN = 0.49
"""Chances above are taken for this one: no number of steps would make them small."""


def verdicts(
    data: Trajectories, request: Request, found: Elimination, test: RemovalTest, *, beside_all: bool = False
) -> tuple[Verdict, ...]:
    """Every variable against the kept set: what kept ones lose without it, what removed ones would add.

    With `beside_all` what each adds to all the others, as far as that was asked.
    """
    evidence = evidence_of(test, found, request.units)
    if beside_all:
        evidence |= {one.question.removed[0]: one.evidence for one in found.asked}
    rows = rows_of(data, evidence, found.kept, test, fixed=request.fixed)
    rows |= constant_rows(data, request, found.kept)
    return tuple(rows[j] for j in sorted(rows))


def evidence_of(test: RemovalTest, found: Elimination, units: Sequence[Unit]) -> dict[Unit, Evidence]:
    """What was found out about each unit by itself."""
    kept = found.kept
    added = test.beside(kept, [unit for unit in units if unit not in kept])
    if added is None:
        return answers_alone(test, found, units)
    return (dict(zip(kept, test.ask(one_at_a_time(kept)), strict=True)) if kept else {}) | added


def answers_alone(test: RemovalTest, found: Elimination, units: Sequence[Unit]) -> dict[Unit, Evidence]:
    """For each unit the answer to the last question about it alone, beside all that was there then.

    What a joint removal lost says nothing about one of its units: a noise variable that was tried together
    with a needed one would carry the other's gain. A unit that stays although it could have gone beside its
    copies, or because the caller wants it, is asked about again beside the kept ones.

    Args:
        test: Answers the questions that are left.
        found: What the elimination came to.
        units: Units to answer for.
    """
    alone = {q.removed[0]: one.evidence for one in found.asked if len((q := one.question).removed) == 1}
    kept = frozenset(found.kept)
    unclear = {unit for unit in units if unit in kept and not (unit in alone and alone[unit].needed)}
    if unclear:
        asked = [question for question in one_at_a_time(found.kept) if question.removed[0] in unclear]
        alone |= {q.removed[0]: answer for q, answer in zip(asked, test.ask(asked), strict=True)}
    return {unit: alone[unit] for unit in units}


def rows_of(
    data: Trajectories,
    answers: Mapping[Unit, Evidence],
    kept: Sequence[Unit],
    test: RemovalTest,
    *,
    fixed: Sequence[Unit] = (),
) -> dict[int, Verdict]:
    """One line per column of the units in `answers`; why those that go do is left open (`reasons`)."""
    return {
        j: _line(data, j, evidence, test, kept=unit in kept, reason=_reason(unit, kept, fixed))
        for unit, evidence in answers.items()
        for j in unit
    }


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
    alpha, tests, floor = test.level.alpha, test.level.tests, test.level.floor
    chance = min(1.0, evidence.p_value * tests)
    more = (1.96 * evidence.error / max(abs(evidence.gain - floor), 1e-9)) ** 2
    unsure = not kept and low >= floor and chance >= alpha
    if unsure:  # by its interval it matters, by its p-value it may be luck
        more = float(ndtri(alpha / tests) / ndtri(min(evidence.p_value, ALMOST_EVEN))) ** 2
    undecided = floor > 0 and reason != "asked for" and (unsure or low < floor < high)
    needed = _rounded_up(len(data) * more) if undecided and more <= MOST_MORE else None
    return Verdict(
        name=data.names[j],
        gain=evidence.gain,
        low=low,
        high=high,
        null_high=_null_line(evidence.null_high, floor),
        p_value=chance,
        kept=kept,
        reason=reason,
        instrument=evidence.decided_by,
        undecided=undecided,
        steps_needed=needed,
        repeats=evidence.repeats,
    )


def _rounded_up(steps: float) -> int:
    """To two digits, and upwards: what would decide is more than there are.

    Example:
        >>> _rounded_up(3040.0), _rounded_up(71_000.0)
        (3100, 71000)
    """
    unit = 10 ** max(0, math.floor(math.log10(steps)) - 1)
    return math.ceil(steps / unit) * unit


def _null_line(null_high: float, floor: float) -> float:
    """What chance reaches, or the floor where that is higher or chance is not known."""
    if np.isnan(null_high):
        return floor
    return max(floor, null_high) if floor > 0 else null_high


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
