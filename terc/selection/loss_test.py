"""Removal tests by prediction: is the action harder to predict without these variables?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.base import Array, Predictor, View
from terc.selection.evidence import Evidence, Level, Question
from terc.selection.significance import paired_evidence

if TYPE_CHECKING:
    from terc.entropy.splits import Splits


@dataclass(frozen=True, eq=False)
class Judgements:
    """Every view is judged once and remembered.

    Attributes:
        predictor: Does the work.
    """

    predictor: Predictor
    _losses: dict[View, Array] = field(default_factory=dict, repr=False)
    _residuals: dict[View, Array] = field(default_factory=dict, repr=False)

    def prepare(self, views: Iterable[View]) -> None:
        """Judge what has not been judged yet, all in one call."""
        missing = [view for view in dict.fromkeys(views) if view not in self._losses]
        if not missing:
            return
        judged = self.predictor.judge(missing)
        self._losses.update(zip(missing, judged.losses, strict=True))
        self._residuals.update(zip(missing, judged.residuals, strict=True))

    def losses(self, view: View) -> Array:
        """Held-out losses `[n]`."""
        self.prepare([view])
        return self._losses[view]

    def residuals(self, view: View) -> Array:
        """Held-out residuals of the action `[n, q]`."""
        self.prepare([view])
        return self._residuals[view]

    def mean(self, view: View) -> float:
        """Mean loss, nats."""
        return float(self.losses(view).mean(dtype=np.float64))


@dataclass(frozen=True, eq=False)
class LossTest:
    """Phi as the difference of two held-out losses: with the removed variables shuffled, and as they are.

    Attributes:
        judgements: Predictions, remembered.
        splits: Folds and clusters.
        level: What counts as sure and material.
        instrument: Word for the table: "networks" or "counts".
        strict: A loss must show with the removed variables shuffled and with them dropped. Shuffled copies
            of kept variables are new noise to a network, which then does worse though nothing was lost.
    """

    judgements: Judgements
    splits: Splits
    level: Level
    instrument: str
    strict: bool = False

    def ask(self, questions: Sequence[Question]) -> list[Evidence]:
        """One piece of evidence per question; all networks of one call are trained together."""
        pairs = [views_of(question) for question in questions]
        self.judgements.prepare(view for pair in pairs for view in pair)
        shuffled = [self._evidence(*pair) for pair in pairs]
        if not self.strict:
            return shuffled
        doubtful = [
            View(reduced.seen) for (_, reduced), found in zip(pairs, shuffled, strict=True) if found.needed
        ]
        self.judgements.prepare(doubtful)
        return [
            min(found, self._evidence(full, View(reduced.seen)), key=lambda one: (one.needed, one.gain))
            if found.needed
            else found
            for (full, reduced), found in zip(pairs, shuffled, strict=True)
        ]

    def _evidence(self, full: View, reduced: View) -> Evidence:
        difference = self.judgements.losses(reduced) - self.judgements.losses(full)
        return paired_evidence(difference, self.splits, self.level, self.instrument)


def views_of(question: Question) -> tuple[View, View]:
    """What is read before and after the removal."""
    everything = (*question.other_columns, *question.removed_columns)
    return View(tuple(sorted(everything))), View.without(everything, question.removed_columns)
