"""Algorithm 1 of the paper: offer each unit for removal in turn; what is needed given the rest stays.

The plain loop asks one question per unit and must wait for each answer. The same result comes in a few
rounds, because removing what tells nothing only raises the gain of the others: (1) ask about every unit
beside all others; what is needed then is needed always. (2) Among the rest "the first k can go together"
holds up to some k and not beyond, so a binary search finds the longest prefix that can go; the next one is
needed; and so on. Of many candidates a first such search, the weakest in front, leaves few to ask about.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from terc.entropy.base import RemovalTest
from terc.entropy.evidence import Evidence, Question, Unit

MOST_ROUNDS = 6
"""Rounds of removing and looking again; two are usual."""


@dataclass(frozen=True)
class Asked:
    """One question with its answer, for the record.

    Attributes:
        question: What was asked.
        evidence: What was found.
    """

    question: Question
    evidence: Evidence


@dataclass(frozen=True)
class Elimination:
    """What is left, and how it came to that.

    Attributes:
        kept: Units that stay.
        asked: Every question with its answer, in order.
    """

    kept: tuple[Unit, ...]
    asked: tuple[Asked, ...]


def as_printed(test: RemovalTest, order: Sequence[Unit], fixed: Sequence[Unit] = ()) -> Elimination:
    """Algorithm 1 as printed: one question per unit, in `order`, each after the answer to the last."""
    left, asked = list(order), []
    kept: list[Unit] = []
    for unit in order:
        left.remove(unit)
        question = Question((unit,), (*fixed, *kept, *left))
        (evidence,) = test.ask([question])
        asked.append(Asked(question, evidence))
        if evidence.needed:
            kept.append(unit)
    return Elimination((*fixed, *kept), tuple(asked))


def naive(test: RemovalTest, order: Sequence[Unit], fixed: Sequence[Unit] = ()) -> Elimination:
    """The paper's X_Phi: every unit that is needed beside all others. Two copies both go."""
    questions = one_at_a_time(order, fixed)
    answers = test.ask(questions)
    asked = tuple(Asked(question, answer) for question, answer in zip(questions, answers, strict=True))
    kept = tuple(unit for unit, answer in zip(order, answers, strict=True) if answer.needed)
    return Elimination((*fixed, *kept), asked)


def batched(
    test: RemovalTest, order: Sequence[Unit], fixed: Sequence[Unit] = (), *, by_gain: bool = False
) -> Elimination:
    """Algorithm 1 in few rounds, with the answer of the plain loop.

    Args:
        test: Answers questions.
        order: Units offered for removal, the first one first.
        fixed: Units that are never offered.
        by_gain: Offer the one with the smallest gain beside all others first, instead of by `order`.
    """
    first = naive(test, order, fixed)
    gain = {one.question.removed[0]: one.evidence.gain for one in first.asked}
    waiting = [unit for unit in order if unit not in set(first.kept)]
    if by_gain:
        waiting.sort(key=lambda unit: gain[unit])
    rest = prefix_search(test, waiting, first.kept)
    return Elimination(rest.kept, (*first.asked, *rest.asked))


def grow_and_shrink(
    test: RemovalTest,
    candidates: Sequence[Unit],
    offered: Sequence[Unit],
    fixed: Sequence[Unit],
    *,
    by_gain: bool,
) -> Elimination:
    """Algorithm 1 on the candidates; then add what is missing beside the kept, until nothing changes.

    Of many candidates the weakest go together first, as far as they can, unless an order is given.
    With exact answers the first round is the last: what is needed beside more is needed beside fewer, and
    nothing that went is missing. Estimates get better when fewer variables are read, so what was kept by
    luck goes in the next round, and what was hidden behind noise shows.
    """
    asked: list[Asked] = []
    left, seen = tuple(candidates), set[frozenset[Unit]]()
    if by_gain and (ranking := test.weakest_first(left, fixed)):
        count, asked = _longest_removable_prefix(test, ranking, fixed)
        left = tuple(unit for unit in left if unit not in ranking[:count])
    for _ in range(MOST_ROUNDS):
        # A strong echo would stand in for what it repeats, and hide it.
        test.echoes(left, fixed)
        found = batched(test, left, fixed, by_gain=by_gain)
        asked += found.asked
        more = test.missing(found.kept, offered)
        kept = (*found.kept, *more)
        if not more and len(found.kept) == len(left) + len(fixed):
            # Looking for what is missing may have taught more about the kept: ask once more.
            kept = naive(test, left, fixed).kept if test.learns else kept
            if len(kept) == len(found.kept):
                return Elimination(found.kept, tuple(asked))
        elif frozenset(kept) in seen:
            break
        seen.add(frozenset(kept))
        left = tuple(unit for unit in offered if unit in kept)
    # The rounds come to no end: of those that stayed, some may only have been needed beside what went.
    last = batched(test, [unit for unit in offered if unit in found.kept], fixed, by_gain=by_gain)
    return Elimination(last.kept, (*asked, *last.asked))


def prefix_search(test: RemovalTest, order: Sequence[Unit], fixed: Sequence[Unit] = ()) -> Elimination:
    """Algorithm 1 by binary search alone: few questions where few units are needed.

    Args:
        test: Answers questions.
        order: Units offered for removal, the first one first.
        fixed: Units that are never offered.
    """
    kept, waiting = list(fixed), list(order)
    asked: list[Asked] = []
    while waiting:
        prefix, tried = _longest_removable_prefix(test, waiting, kept)
        asked += tried
        kept += waiting[prefix : prefix + 1]
        waiting = waiting[prefix + 1 :]
    return Elimination(tuple(kept), tuple(asked))


def one_at_a_time(units: Sequence[Unit], fixed: Sequence[Unit] = ()) -> list[Question]:
    """For each unit: can it go, when all others stay?"""
    return [Question((unit,), (*fixed, *(other for other in units if other != unit))) for unit in units]


def _longest_removable_prefix(
    test: RemovalTest, waiting: Sequence[Unit], kept: Sequence[Unit]
) -> tuple[int, list[Asked]]:
    """How many of `waiting` can go together from the front; all at once is tried first, it often can."""
    low, high, asked = 0, len(waiting), []
    middle = high
    while low < high:
        question = Question(tuple(waiting[:middle]), (*kept, *waiting[middle:]))
        (evidence,) = test.ask([question])
        asked.append(Asked(question, evidence))
        if evidence.needed:
            high = middle - 1
        else:
            low = middle
        middle = (low + high + 1) // 2
    return low, asked
