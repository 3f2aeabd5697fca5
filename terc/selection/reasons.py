"""Why each variable stays or goes, at the cost of a few regressions.

A removed unit is *redundant* if it copies a kept one, carries something about the action alone, or carries
something in the place of a kept one; it is *irrelevant* if it does not, and *negligible* if it shows a gain
beside the kept ones that is beyond luck and below the floor. A kept unit acts *alone* if it surely carries
something by itself that is not below the floor, *together* if nothing is seen of it but in company.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from terc.entropy.base import RemovalTest
from terc.entropy.evidence import Evidence, Level, Unit
from terc.selection.algorithm_1 import Elimination
from terc.selection.copies import copies_in
from terc.selection.result import SURE, Verdict

if TYPE_CHECKING:
    from terc.selection.request import Request
    from terc.trajectories.data import Trajectories

RELATED = 0.001
"""Level at which a removed unit is called redundant: of an independent one that is worse than to miss one."""
REDUNDANT, IRRELEVANT, NEGLIGIBLE = "redundant", "irrelevant", "negligible"
ALONE, TOGETHER = "alone", "together"

Changes = dict[Unit, dict[str, Any]]
Carried = dict[Unit, Evidence]


def with_reasons(
    data: Trajectories, request: Request, found: Elimination, test: RemovalTest, rows: Sequence[Verdict]
) -> tuple[Verdict, ...]:
    """The rows with reason, `given`, `alone`, `shared` and `acts` filled in."""
    kept, removed = found.kept, tuple(unit for unit in request.offered if unit not in found.kept)
    gains = {row.name: row.gain for row in rows if row.kept and row.p_value < SURE}
    context = {unit: max((gains.get(data.names[j], 0.0) for j in unit), default=0.0) for unit in kept}
    doubled = _copies(data, [unit for unit in kept if context[unit] > 0], removed)
    copies = {data.names[j] for unit in doubled for j in unit}
    first = test.carried([()], (*kept, *removed))
    if first is None:
        doubled = stand_ins(found) | doubled
        changes: Changes = {unit: {"reason": REDUNDANT, "given": given} for unit, given in doubled.items()}
    else:
        (alone,) = first
        changes = _by_evidence(_Looks.of(test, context, removed, alone, doubled), removed)
        changes |= _acts(test, context, alone)
    offered = {unit: change for unit, change in changes.items() if unit not in request.fixed}
    by_name = {data.names[j]: _named(data, change) for unit, change in offered.items() for j in unit}
    made = (replace(row, **by_name.get(row.name, {})) for row in rows)
    return tuple(row if row.name in copies else _weighed(row) for row in made)


def _named(data: Trajectories, change: dict[str, Any]) -> dict[str, Any]:
    columns = sorted(j for unit in change.get("given", ()) for j in unit)
    return change | {"given": tuple(data.names[j] for j in columns)}


def _weighed(row: Verdict) -> Verdict:
    """What shows a gain beyond luck and still went is negligible; a copy cannot add anything."""
    if row.kept or not row.beyond_luck or row.reason not in (IRRELEVANT, REDUNDANT):
        return row
    return replace(row, reason=NEGLIGIBLE, given=(), shared=None)


def _acts(test: RemovalTest, kept: dict[Unit, float], alone: Carried) -> Changes:
    """What each kept unit carries alone; of a single one that is what is lost without it, if that is sure."""
    if len(kept) == 1 and (gain := max(kept.values())) > 0:
        acts = ALONE if gain >= test.level.floor else ""
        return {unit: {"alone": gain, "acts": acts} for unit in kept}
    return {unit: {"alone": alone[unit].gain, "acts": _company(alone[unit], test.level)} for unit in kept}


def _company(alone: Evidence, level: Level) -> str:
    """Whether something material is carried alone; open where what is surely carried is less."""
    if alone.p_value * level.tests >= SURE:
        return TOGETHER
    return ALONE if alone.gain >= level.floor else ""


@dataclass(frozen=True)
class _Looks:
    """What removed units carry alone, in the place of each kept unit, and beside each of them.

    Attributes:
        tests: Number that each p-value is corrected for.
        kept: The kept units, each with what is lost without it.
        alone: Of every unit.
        places: For each kept unit what the removed ones carry beside all other kept ones.
        beside: For each kept unit what some removed ones carry beside it alone: those that carry something
            and do not stand in for exactly one.
        doubled: Removed units that copy a kept one.
    """

    tests: float
    kept: dict[Unit, float]
    alone: Carried
    places: dict[Unit, Carried]
    beside: dict[Unit, Carried]
    doubled: dict[Unit, tuple[Unit, ...]]

    @classmethod
    def of(
        cls,
        test: RemovalTest,
        kept: dict[Unit, float],
        removed: Sequence[Unit],
        alone: Carried,
        doubled: dict[Unit, tuple[Unit, ...]],
    ) -> _Looks:
        others = [tuple(other for other in kept if other != unit) for unit in kept]
        places = dict(zip(kept, test.carried(others, removed) or (), strict=True))
        looks = cls(test.level.tests * (1 + len(kept)), kept, alone, places, {}, doubled)
        unclear = [unit for unit in removed if looks.sure(alone[unit]) and len(looks.stands_for(unit)) != 1]
        if not unclear:
            return looks
        beside = test.carried([(unit,) for unit in kept], unclear) or ()
        return replace(looks, beside=dict(zip(kept, beside, strict=True)))

    def sure(self, evidence: Evidence) -> bool:
        return evidence.p_value * self.tests < RELATED

    def stands_for(self, unit: Unit) -> tuple[Unit, ...]:
        return self.doubled.get(unit) or tuple(k for k in self.kept if self.sure(self.places[k][unit]))

    def given(self, unit: Unit, stands_for: tuple[Unit, ...]) -> tuple[Unit, ...]:
        """A single kept unit that leaves nothing of it, else those it stands in for, else all."""
        if len(stands_for) == 1:
            return stands_for
        if self.sure(self.alone[unit]):
            left = {k: self.beside[k][unit] for k in stands_for or self.kept}
            explained = [k for k, evidence in left.items() if not self.sure(evidence)]
            if explained:
                return (max(explained, key=lambda k: left[k].p_value),)
        return stands_for or tuple(self.kept)

    def shared(self, unit: Unit, stands_for: tuple[Unit, ...]) -> float:
        """The most that it carries alone, in the place of others, or like the one it copies."""
        places = [self.places[k][unit].gain for k in stands_for or self.kept]
        return max([self.alone[unit].gain, *places, *(self.kept[k] for k in self.doubled.get(unit, ()))])


def _by_evidence(looks: _Looks, removed: Sequence[Unit]) -> Changes:
    changes: Changes = {}
    for unit in removed:
        alone, stands_for = looks.alone[unit], looks.stands_for(unit) if looks.kept else ()
        changes[unit] = {"alone": alone.gain}
        if looks.sure(alone) or stands_for:
            changes[unit] |= {
                "reason": REDUNDANT,
                "given": looks.given(unit, stands_for),
                "shared": looks.shared(unit, stands_for),
            }
    return changes


def _copies(
    data: Trajectories, kept: Sequence[Unit], removed: Sequence[Unit]
) -> dict[Unit, tuple[Unit, ...]]:
    """For each removed unit, all of whose columns copy columns of one kept unit: that unit."""
    like = {j: members for members in copies_in(data) for j in members} if kept and removed else {}
    found: dict[Unit, tuple[Unit, ...]] = {}
    for unit in removed:
        same = [k for k in kept if all(set(like[j]) & set(k) for j in unit)]
        if same:
            found[unit] = (same[0],)
    return found


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
