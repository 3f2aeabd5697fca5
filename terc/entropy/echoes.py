"""Echoes: variables that help only as long as the rule of the others is not learnt.

The last action, a teammate's action, any noisy copy of what a policy computes: it holds nothing that the
variables which the policy reads do not, and yet a model that has not learnt the policy gains by it. Learning
tells the two apart. What is needed gains more, the more is learnt about the others; an echo gains less.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from terc.entropy.evidence import Evidence, Level, Question, paired_evidence
from terc.predictors.views import Views

SURE = 0.05
"""Chance below which a gain falls while models learn, and not by luck."""
MOST_TRIED = 5
"""Variables of which it is asked whether their gain falls: an echo is among the weakest."""
TO_COME = 1 / (math.sqrt(2) - 1)
"""Losses fall as one over the root of the steps: so many times the last doubling's part is still to come."""


def may_echo(views: Views, questions: Sequence[Question], answers: Sequence[Evidence]) -> list[Question]:
    """What is needed and gains less than more steps may still teach about the others, the weakest first.

    What is left to learn is asked once, beside the weakest: it is about as much beside each of the others.
    """
    needed = [one for one in zip(questions, answers, strict=True) if one[1].needed]
    needed.sort(key=lambda one: one[1].gain)
    if not needed:
        return []
    half, full = views.while_learning(needed[0][0].other_columns)
    return [question for question, found in needed if found.gain < TO_COME * (half.mean - full.mean)]


def once_learnt(views: Views, level: Level, question: Question) -> Evidence | None:
    """What is lost without the removed once all is learnt; None unless it is nothing, and falls for sure.

    Both bounds are by the same predictors: only the steps that they learnt from differ.
    """
    whole = tuple(sorted((*question.other_columns, *question.removed_columns)))
    less, more = (views.while_learning(view) for view in (question.other_columns, whole))
    before, now = (less[k].losses - more[k].losses for k in (0, 1))
    fall = paired_evidence(before - now, views.splits, level, "learning")
    found = paired_evidence(now - TO_COME * (before - now), views.splits, level, "learning")
    return replace(found, needed=False) if fall.p_value < SURE and found.gain < level.floor else None


def known_echo(faded: Mapping[Question, Evidence], question: Question) -> Evidence | None:
    """What was found of an echo of these others, or of some of them; None if it is not known to be one."""
    for known, found in faded.items():
        if known.removed == question.removed and set(known.others) <= set(question.others):
            return found
    return None
