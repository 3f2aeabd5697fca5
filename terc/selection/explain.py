"""Why each variable stays or goes, from I(A; subset) of a bounded number of subsets.

A removed variable is *redundant* if it tells something about the action, alone or in the place of kept ones,
that the kept variables it is `given` already tell; it is *irrelevant* if it tells nothing in any company
tried. A kept variable acts *alone* if it tells something by itself, *together* if it tells only in company
(synergy).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from terc.selection.visible_names import listed, visible

Unit = frozenset[int]
InformationOfMany = Callable[[Sequence[frozenset[int]]], npt.ArrayLike]
"""I(A; subset) in nats for many subsets in one call."""

ALONE, TOGETHER = "alone", "together"
REDUNDANT, IRRELEVANT = "redundant", "irrelevant"


@dataclass(frozen=True)
class RemovedReason:
    """Why one variable (or group) went.

    Attributes:
        columns: Its column numbers.
        reason: "redundant" or "irrelevant".
        given: Columns of the kept variables that already tell what it tells; empty if irrelevant.
        shared: Nats about the action that it tells, alone or in the place of `given`, and `given` tells too.
        alone: I(A; variable).

    Example:
        >>> print(RemovedReason(frozenset({3}), "redundant", frozenset({0}), 0.69, 0.0).describe("abcd"))
        d: redundant given a (0.690 nats shared)
    """

    columns: Unit
    reason: str
    given: frozenset[int] = frozenset()
    shared: float = 0.0
    alone: float = 0.0

    def describe(self, names: Sequence[str]) -> str:
        """One line with names."""
        own = ", ".join(visible(names[c]) for c in sorted(self.columns))
        if self.reason == IRRELEVANT:
            return f"{own}: irrelevant"
        given = listed([names[c] for c in sorted(self.given)], 8)
        return f"{own}: redundant given {given} ({self.shared:.3f} nats shared)"


@dataclass(frozen=True)
class KeptReason:
    """How one kept variable (or group) acts.

    Attributes:
        columns: Its column numbers.
        acts: "alone" or "together".
        alone: I(A; variable), its gain alone.
        in_context: Nats lost without it beside the other kept ones, its gain in context.

    Example:
        >>> KeptReason(frozenset({0}), "together", 0.0, 0.69).synergy
        0.69
    """

    columns: Unit
    acts: str
    alone: float
    in_context: float

    @property
    def synergy(self) -> float:
        """Gain in context less gain alone: above zero where company makes it tell more, below where less."""
        return self.in_context - self.alone


@dataclass(frozen=True)
class Explanation:
    """The reasons of a whole selection.

    Attributes:
        removed: One per removed variable, in the order asked.
        kept: One per kept variable, in the order asked.
        n_subsets: Subsets whose information was measured.
        complete: Whether the budget sufficed for every question.
    """

    removed: tuple[RemovedReason, ...]
    kept: tuple[KeptReason, ...]
    n_subsets: int
    complete: bool

    def describe(self, names: Sequence[str]) -> str:
        """One line per variable, with names."""
        lines = [
            f"{', '.join(visible(names[c]) for c in sorted(k.columns))}: kept, acts {k.acts} "
            f"({k.alone:.3f} nats alone, {k.in_context:.3f} in context)"
            for k in self.kept
        ]
        return "\n".join(lines + [r.describe(names) for r in self.removed])


def explain(
    information: InformationOfMany,
    kept: Sequence[Iterable[int]],
    removed: Sequence[Iterable[int]],
    *,
    tolerance: float,
    budget: int | None = None,
) -> Explanation:
    """Reasons for a selection, in a few batches of subsets.

    Args:
        information: I(A; subset) for many subsets at once, such as `CountedEntropies.informations`.
        kept: Columns of each kept variable or group.
        removed: Columns of each removed one.
        tolerance: Nats below which a difference of two informations is noise.
        budget: Subsets that may be measured; None means 4 per variable plus 16. What does not fit is left
            out: the search for the smallest `given` then names all kept variables.

    Example:
        The action is x0 xor x1, x2 copies x0, x3 is noise.
        >>> from terc.entropy.counting import CountedEntropies
        >>> x0, x1, x3 = np.unravel_index(np.arange(8000) % 8, (2, 2, 2))
        >>> counted = CountedEntropies(np.stack([x0, x1, x0, x3], axis=1), x0 ^ x1)
        >>> print(explain(counted.informations, [[0], [1]], [[2], [3]], tolerance=0.01).describe("abcd"))
        a: kept, acts together (0.000 nats alone, 0.693 in context)
        b: kept, acts together (0.000 nats alone, 0.693 in context)
        c: redundant given a (0.693 nats shared)
        d: irrelevant
    """
    kept_units, removed_units = [frozenset(u) for u in kept], [frozenset(u) for u in removed]
    limit = 4 * (len(kept_units) + len(removed_units)) + 16 if budget is None else budget
    return _Inquiry(_Ledger(information, limit), kept_units, removed_units, tolerance).run()


@dataclass
class _Ledger:
    """Remembers what was measured and stops at the budget."""

    information: InformationOfMany
    limit: int
    known: dict[frozenset[int], float] = field(default_factory=lambda: {frozenset(): 0.0})
    exhausted: bool = False

    def ask(self, subsets: Iterable[frozenset[int]]) -> bool:
        """Measure what is not known yet; False if it does not fit the budget."""
        new = [s for s in dict.fromkeys(subsets) if s not in self.known]
        if len(self.known) - 1 + len(new) > self.limit:
            self.exhausted = True
            return False
        if new:
            self.known.update(
                zip(new, np.asarray(self.information(new), dtype=np.float64).tolist(), strict=True)
            )
        return True

    def gain(self, unit: frozenset[int], given: frozenset[int]) -> float:
        """I(A; unit | given), of subsets that were asked for."""
        return self.known[unit | given] - self.known[given]


@dataclass
class _Inquiry:
    """The questions, round by round, all variables of a round in one batch."""

    ledger: _Ledger
    kept: list[Unit]
    removed: list[Unit]
    tolerance: float

    def run(self) -> Explanation:
        self.whole: frozenset[int] = frozenset().union(*self.kept)
        self.rest = {unit: self.whole - unit for unit in self.kept}
        ledger = self.ledger
        # The first round is the least that can be said, so it is paid for in any case.
        first = [self.whole, *self.rest.values(), *self.kept, *self.removed]
        ledger.limit = max(ledger.limit, len(set(first)))
        ledger.ask(first)
        stand_ins = self._stand_ins()
        company = self._company([u for u in self.removed if u not in stand_ins and self._inert(u)])
        removed = tuple(self._reason(u, stand_ins.get(u, []), company.get(u, 0.0)) for u in self.removed)
        kept = tuple(self._acts(unit) for unit in self.kept)
        return Explanation(removed, kept, len(ledger.known) - 1, not ledger.exhausted)

    def _acts(self, unit: Unit) -> KeptReason:
        alone = self.ledger.gain(unit, frozenset())
        context = self.ledger.gain(unit, self.rest[unit])
        acts = TOGETHER if alone <= self.tolerance < context else ALONE
        return KeptReason(unit, acts, max(0.0, alone), max(0.0, context))

    def _stand_ins(self) -> dict[Unit, list[Unit]]:
        """For each removed unit the kept ones in whose place it tells something beside the others."""
        all_removed = frozenset().union(*self.removed)
        found: dict[Unit, list[Unit]] = {}
        if not self.ledger.ask(self.rest[k] | all_removed for k in self.kept):
            return found
        # If all removed ones together cannot replace a kept one, none of them can.
        replaced = [k for k in self.kept if self.ledger.gain(all_removed, self.rest[k]) > self.tolerance]
        for k in replaced:
            if self.ledger.ask(self.rest[k] | unit for unit in self.removed):
                for unit in self.removed:
                    if self.ledger.gain(unit, self.rest[k]) > self.tolerance:
                        found.setdefault(unit, []).append(k)
        return found

    def _inert(self, unit: Unit) -> bool:
        return self.ledger.gain(unit, frozenset()) <= self.tolerance

    def _company(self, inert: list[Unit]) -> dict[Unit, float]:
        """What units that tell nothing alone tell beside a single kept one, where that is anything."""
        together = frozenset().union(*inert)
        found: dict[Unit, float] = {}
        if not inert or not self.ledger.ask(k | together for k in self.kept):
            return found
        for k in self.kept:
            if self.ledger.gain(together, k) > self.tolerance and self.ledger.ask(k | unit for unit in inert):
                gains = {unit: self.ledger.gain(unit, k) for unit in inert}
                found |= {u: max(g, found.get(u, 0.0)) for u, g in gains.items() if g > self.tolerance}
        return found

    def _reason(self, unit: Unit, stands_for: list[Unit], beside_one: float) -> RemovedReason:
        alone = self.ledger.gain(unit, frozenset())
        if alone <= self.tolerance and not stands_for and not beside_one:
            return RemovedReason(unit, IRRELEVANT, alone=max(0.0, alone))
        given = self._given(unit, stands_for, inert=alone <= self.tolerance)
        in_place = max([self.ledger.gain(unit, self.rest[k]) for k in stands_for] + [beside_one])
        return RemovedReason(unit, REDUNDANT, given, max(alone, in_place), max(0.0, alone))

    def _given(self, unit: Unit, stands_for: list[Unit], *, inert: bool) -> frozenset[int]:
        """The smallest kept set found beside which the unit adds nothing, with all it can stand in for."""
        if inert and not stands_for:
            # Beside most small sets it tells nothing for want of company, not because they hold it.
            return self.whole
        given = frozenset().union(*stands_for)
        if stands_for and self._adds_nothing(unit, given):
            return given
        others = [k for k in self.kept if k not in stands_for]
        others.sort(key=lambda k: -self.ledger.known[k])
        for k in others:
            if self._adds_nothing(unit, given | k):
                return given | k
        for k in others:
            given |= k
            if given == self.whole or self._adds_nothing(unit, given):
                return given
        return self.whole

    def _adds_nothing(self, unit: Unit, given: frozenset[int]) -> bool:
        asked = self.ledger.ask([given, given | unit])
        return asked and self.ledger.gain(unit, given) <= self.tolerance
