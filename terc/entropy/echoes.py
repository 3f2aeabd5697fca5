"""Echoes: variables that help only as long as the rule of the others is not learnt.

The last action, a teammate's action, any noisy copy of what a policy computes: it holds nothing that the
variables which the policy reads do not, and yet a model that has not learnt the policy gains by it. Two facts
tell the two apart. All that an echo says of the action passes through the others, so that it gains no more
than they say of it: I(A; echo | some of them) <= I(echo; all of them). And what is needed gains more, the
more is learnt about the others; an echo gains less.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from terc.entropy.covariance import chance_of_t
from terc.entropy.evidence import Evidence, Level, Question, Unit, columns_of, paired_evidence

if TYPE_CHECKING:
    from terc.entropy.residuals import ResidualInstrument
    from terc.predictors.views import Views

SURE = 0.01
"""Chance below which a gain falls to nothing, and not by luck: a twentieth shared by `MOST_TRIED`."""
MOST_TRIED = 5
"""Variables that are looked at: those that gain least of what the others say of them."""
SEEN = 0.5
"""Share of what others say of a variable that a regression sees at least."""
TO_COME = 1 / (math.sqrt(2) - 1)
"""Losses fall as one over the root of the steps: so many times the last doubling's part is still to come."""

Asked = tuple[Question, Evidence]


@dataclass(eq=False)
class Echoes:
    """Search for echoes by models that learn from half of the clusters and from all.

    Attributes:
        views: Held-out losses of the mixture.
        residuals: Covariance of residuals.
        found: What was found of echoes, by the question that showed it.
        said: Nats that the others say of what would go.
        cleared: Questions that were looked at: what would go is no echo of these others, nor of fewer, beside
            which it gains more and of which less is said.
    """

    views: Views
    residuals: ResidualInstrument
    found: dict[Question, Evidence] = field(default_factory=dict)
    said: dict[Question, float] = field(default_factory=dict)
    cleared: dict[Unit, Question] = field(default_factory=dict)

    @property
    def units(self) -> tuple[Unit, ...]:
        """All echoes so far."""
        return tuple(question.removed[0] for question in self.found)

    def known(self, question: Question) -> Evidence | None:
        """What was found of an echo of these others, or of some of them; None if it is not known to be."""
        for known, found in self.found.items():
            if known.removed == question.removed and set(known.others) <= set(question.others):
                return found
        return None

    def search(
        self,
        ask: Callable[[Sequence[Question]], list[Evidence]],
        level: Level,
        units: Sequence[Unit],
        fixed: Sequence[Unit],
    ) -> tuple[Unit, ...]:
        """Find echoes among the units, one by one, each beside what is left; then those that may be some."""
        left = list(units)
        while True:
            questions = [Question((unit,), (*fixed, *(o for o in left if o != unit))) for unit in left]
            may = self._may_be(list(zip(questions, ask(questions), strict=True)))
            for question, found in may:
                if learnt := self._once_learnt(question, found, level):
                    self.found[question] = learnt
                    left.remove(question.removed[0])
                    break
            else:
                return tuple(question.removed[0] for question, _ in may)

    def _may_be(self, asked: Sequence[Asked]) -> list[Asked]:
        """What is needed and gains less than the others say of it, and than more steps may teach."""
        needed = [(q, found) for q, found in asked if found.needed and not self._is_cleared(q)]
        related = [(q, found) for q, found in needed if found.gain * SEEN < self._said(q)]
        related.sort(key=lambda one: one[1].gain / self._said(one[0]))
        may = []
        for question, found in related[:MOST_TRIED]:
            half, full = self.views.while_learning(question.other_columns)
            if found.gain < TO_COME * (half.mean - full.mean):
                may.append((question, found))
            else:
                self.cleared[question.removed[0]] = question
        return may

    def _is_cleared(self, question: Question) -> bool:
        before = self.cleared.get(question.removed[0])
        return before is not None and set(question.others) <= set(before.others)

    def _said(self, question: Question) -> float:
        if question not in self.said:
            gone, left = question.removed_columns, question.other_columns
            self.said[question] = self.residuals.said_of(gone, left)
        return self.said[question]

    def _once_learnt(self, question: Question, found: Evidence, level: Level) -> Evidence | None:
        """What is lost without the removed once all is learnt; None unless that is surely nothing.

        By models that learnt from half of the steps and from all. The gains of needed variables that go
        together fall a little, too, while a policy is learnt; that of an echo falls to nothing.
        """
        left, gone = question.other_columns, question.removed_columns
        less, more = (self.views.while_learning(view) for view in (left, columns_of([left, gone])))
        first, last = (without.losses - beside.losses for without, beside in zip(less, more, strict=True))
        fall, learnt = (
            paired_evidence(difference, self.views.splits, level, "learning")
            for difference in (first - last, last - TO_COME * (first - last))
        )
        below = (level.floor - learnt.gain) / max(learnt.error, 1e-300)
        if max(fall.p_value, float(chance_of_t(below, self.views.splits.n_clusters - 1))) >= SURE:
            return None
        if found.instrument == "residuals":
            scores = [self.residuals.scores(left, one.residual, among=gone) for one in less]
            before, now = (float(one.gain[list(gone)].max()) for one in scores)
            if now - TO_COME * (before - now) >= level.floor:
                return None
        return replace(learnt, gain=0.0, error=0.0, needed=False)
