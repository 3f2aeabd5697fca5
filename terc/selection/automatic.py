"""The default way to candidates: screen cheaply, let networks look for what screening cannot see.

1. Where the whole state can be counted, every unit is a candidate.
2. Otherwise residual covariance grows a candidate set, one unit or one pair at a time (`selection.screen`).
3. Networks are asked whether everything else can go together. If not, a synergy of three or more hides
   there, and the networks search for it by halves.

Algorithm 1 then runs on the candidates alone (`selection.decide`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from terc.entropy.base import View
from terc.selection.bench import Bench
from terc.selection.evidence import Question, RemovalTest, Unit
from terc.selection.progress import Report
from terc.selection.screen import Screen, Screened
from terc.selection.sequential import Asked, prefix_search

SCREEN_ALPHA = 0.05


@dataclass(frozen=True)
class Candidates:
    """What the elimination has to look at.

    Attributes:
        units: In the order in which they are offered for removal.
        asked: Questions asked on the way.
        note: What was found and how, in a sentence.
    """

    units: tuple[Unit, ...]
    asked: tuple[Asked, ...]
    note: str


def candidates(bench: Bench, report: Report, *, all_related: bool) -> Candidates:
    """Units that may be needed; what is left out has been shown to be dispensable together.

    Args:
        bench: The data laid out.
        report: Told what is being done.
        all_related: Offer all that is related to the action, the redundant too, so that the caller's order
            decides which of two copies stays. Otherwise only what told more than the units before it.
    """
    if bench.instrument == "counts":
        return Candidates(bench.request.offered, (), "every variable was a candidate.")
    report(1, 5, "screening")
    screened = _screen(bench)
    if all_related:
        first = tuple(unit for unit in bench.request.offered if unit in screened.related)
    else:
        # The last to come in tells least, so it is offered first.
        first = tuple(reversed(screened.grown))
    report(2, 5, "looking for hidden synergies")
    return _with_hidden(bench, first)


def _screen(bench: Bench) -> Screened:
    screen = Screen(
        bench.residuals,
        bench.request.offered,
        bench.request.fixed,
        alpha=max(SCREEN_ALPHA, bench.alpha),
        discoveries=bench.discoveries,
    )
    return screen.grow(lambda given: bench.judgements.residuals(View(given)))


def _with_hidden(bench: Bench, first: tuple[Unit, ...]) -> Candidates:
    """The candidates and the units beside them that the networks cannot do without."""
    known = (*bench.request.fixed, *first)
    others = tuple(unit for unit in bench.request.offered if unit not in first)
    grown = f"residual covariance found {len(first)} of {len(bench.request.offered)} worth a closer look"
    if not others:
        return Candidates(first, (), f"{grown}.")
    test: RemovalTest = bench.loss_test(bench.level(columns_of(known), bench.columns), strict=True)
    question = Question(others, known)
    (evidence,) = test.ask([question])
    asked = (Asked(question, evidence),)
    if not evidence.needed:
        return Candidates(first, asked, f"{grown}; networks lost nothing without the other {len(others)}.")
    search = prefix_search(test, others, known)
    found = tuple(unit for unit in search.kept if unit not in known)
    note = f"{grown}; networks needed {len(found)} more that act only together."
    return Candidates((*found, *first), (*asked, *search.asked), note)


def columns_of(units: Sequence[Unit]) -> tuple[int, ...]:
    """The columns of several units, in order."""
    return tuple(sorted(column for unit in units for column in unit))
