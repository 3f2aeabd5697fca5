"""From an elimination by an estimator's own rule to a line per variable: what was asked about it alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from terc.entropy.evidence import Evidence, RemovalTest, Unit
from terc.selection.algorithm_1 import Elimination, one_at_a_time
from terc.selection.explain import IRRELEVANT, REDUNDANT
from terc.selection.result import Verdict

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories


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


def stand_ins(found: Elimination) -> dict[Unit, tuple[Unit, ...]]:
    """Removed units that are known to tell something beside fewer others, each with the kept ones it doubles.

    If a set cannot go, but could if one of its units stayed, that unit tells what would be lost. Known are
    the questions that were asked: what stays in one that lost nothing is enough, and so is anything larger.

    Example:
        Two copies: either can go beside the other, both together cannot.
        >>> from terc.entropy.evidence import Question
        >>> from terc.selection.algorithm_1 import Asked
        >>> a, b = (0,), (1,)
        >>> no, yes = (Evidence(gain, 0.0, 0.0, gain > 0, "exact") for gain in (0.0, 0.7))
        >>> asked = Asked(Question((b,), (a,)), no), Asked(Question((a, b), ()), yes)
        >>> stand_ins(Elimination((b,), asked))
        {(0,): ((1,),)}
    """
    kept, doubled = frozenset(found.kept), dict[Unit, tuple[Unit, ...]]()
    enough = [frozenset(one.question.others) for one in found.asked if not one.evidence.needed]
    for question in (one.question for one in found.asked if one.evidence.needed):
        lacking = (known.difference(question.others) for known in enough)
        telling = {unit for lack in lacking if len(lack) == 1 for unit in lack}
        for unit in telling.intersection(question.removed) - kept:
            doubled.setdefault(unit, tuple(other for other in question.removed if other in kept))
    return doubled


def rule_rows(
    data: Trajectories,
    found: Elimination,
    answers: Mapping[Unit, Evidence],
    *,
    fixed: Sequence[Unit] = (),
    tests: float = 1,
) -> dict[int, Verdict]:
    """One line per column of the units in `answers`.

    Args:
        data: The steps.
        found: What the elimination came to.
        answers: For each unit what was found out about it alone.
        fixed: Units that the caller asked for.
        tests: Number that p-values are corrected for.
    """
    doubled, stays, rows = stand_ins(found), frozenset(found.kept), {}
    for unit, answer in answers.items():
        kept, (low, high) = unit in stays, answer.interval
        removed = REDUNDANT if unit in doubled else IRRELEVANT
        for j in unit:
            rows[j] = Verdict(
                data.names[j],
                answer.gain,
                low,
                high,
                answer.null_high,
                min(1.0, answer.p_value * tests),
                kept,
                "asked for" if unit in fixed else "needed" if kept else removed,
                given=tuple(data.names[k] for other in doubled.get(unit, ()) for k in other),
                instrument=answer.instrument,
                repeats=answer.repeats,
            )
    return dict(sorted(rows.items()))
