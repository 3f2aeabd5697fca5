"""Removal tests by prediction and residual covariance: the one sees synergies, the other weak links."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scipy import stats

from terc.selection.evidence import Evidence, Level, Question
from terc.selection.loss_test import Judgements, LossTest, views_of

if TYPE_CHECKING:
    from terc.entropy.residuals import ResidualInstrument

INSTRUMENTS = 2
"""Two instruments look at each question: each gets half of the error rate."""


@dataclass(frozen=True, eq=False)
class CombinedTest:
    """Needed if either instrument is sure: the difference of losses, or the covariance of residuals.

    Or if the covariance is sure that something is lost, and the losses say that it is material.

    Attributes:
        by_loss: The test by prediction; its level is the level of both.
        residuals: The residual instrument on the same data and split.
    """

    by_loss: LossTest
    residuals: ResidualInstrument

    @property
    def level(self) -> Level:
        """What counts as sure and material."""
        return self.by_loss.level

    def ask(self, questions: Sequence[Question]) -> list[Evidence]:
        """One piece of evidence per question, from whichever instrument is surer."""
        by_loss = self.by_loss.ask(questions)
        return [self._joined(question, loss) for question, loss in zip(questions, by_loss, strict=True)]

    def _joined(self, question: Question, loss: Evidence) -> Evidence:
        p_loss = min(1.0, INSTRUMENTS * loss.p_value)
        covariance = residual_evidence(self.residuals, self.by_loss.judgements, question, self.level)
        if self.level.passes(loss.gain, p_loss):
            return replace(loss, p_value=p_loss, needed=True)
        if covariance.needed:
            return covariance
        # Covariance sees a part of what is lost: if it is sure that there is any, losses may say how much.
        if self.level.passes(loss.gain - loss.error, covariance.p_value):
            return replace(loss, p_value=covariance.p_value, needed=True)
        return replace(loss, p_value=min(p_loss, covariance.p_value), needed=False)


def residual_evidence(
    instrument: ResidualInstrument, judgements: Judgements, question: Question, level: Level
) -> Evidence:
    """What the covariance of residuals, alone and with pairs, says about one removal."""
    _, reduced = views_of(question)
    given, removed = question.other_columns, question.removed_columns
    action = judgements.residuals(reduced)
    scores = instrument.scores(given, action, among=removed)
    members = list(removed)
    best = min(members, key=lambda column: scores.p_value[column])
    p_single, gain = float(scores.p_value[best]) * len(members), float(scores.gain[members].max())
    p_pair, pair_gain = instrument.pair_evidence(given, removed, action)
    p_value, t = min(1.0, INSTRUMENTS * 2 * min(p_single, p_pair)), float(scores.z[best])
    if p_pair < p_single:
        gain, t = pair_gain, float(stats.norm.isf(p_pair / 2))
    return Evidence(
        gain,
        gain_error(gain, len(action), t),
        p_value,
        level.passes(gain, p_value),
        "residuals",
        3.84 / len(action),
    )


def gain_error(gain: float, n: int, t: float) -> float:
    """Standard error of a gain that a covariance accounts for.

    The gain goes with the square of the covariance, whose own error, clustered by episode, is a `t`-th of it.
    It is never smaller than for independent steps, where n times the gain is half a squared normal score.

    Example:
        >>> round(gain_error(0.4, 2000, t=3.2), 3), round(gain_error(0.0, 2000, t=0.1), 5)
        (0.25, 0.00035)
    """
    independent = math.sqrt(2 * max(gain, 0.0) / n + 0.5 / n**2)
    return max(independent, 2 * max(gain, 0.0) / max(t, 1.0))
