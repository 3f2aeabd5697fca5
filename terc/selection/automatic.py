"""The default way to a selection: screen cheaply, let networks look for what screening cannot see, then eliminate.

1. Where the whole state can be counted, every unit is a candidate and cells are counted.
2. Otherwise residual covariance grows a candidate set, one unit or one pair at a time (`selection.screen`).
3. Networks are asked whether everything else can go together. If not, a synergy of three or more hides there, and
   the networks search for it by halves.
4. Algorithm 1 runs on the candidates, each question judged by prediction and by residual covariance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from terc.entropy.base import View
from terc.selection.bench import Bench
from terc.selection.evidence import Question, RemovalTest, Unit
from terc.selection.screen import Screen, Screened
from terc.selection.sequential import Asked, Elimination, naive, prefix_search, sequential

SCREEN_ALPHA = 0.05
METHODS = {"naive": naive, "sequential": sequential}


@dataclass(frozen=True)
class Decided:
    """The outcome with what led to it.

    Attributes:
        elimination: Units kept and every question asked.
        notes: Sentences on what was used and why.
    """

    elimination: Elimination
    notes: tuple[str, ...]


def decide(bench: Bench, method: str) -> Decided:
    """Candidates first, then the method on the candidates alone."""
    if bench.instrument == "counts":
        candidates, notes = list(bench.request.offered), ("the whole state is countable: cells were counted.",)
        asked: tuple[Asked, ...] = ()
    else:
        screened = _screen(bench)
        candidates = _offered(bench, screened, method)
        hidden, asked, notes = _hidden(bench, candidates)
        candidates = [*hidden, *candidates]
    columns = _columns((*bench.request.fixed, *candidates))
    test = bench.combined_test(bench.level(columns, bench.columns))
    found = METHODS[method](test, candidates, bench.request.fixed)
    return Decided(Elimination(found.kept, (*asked, *found.asked)), notes)


def _screen(bench: Bench) -> Screened:
    screen = Screen(bench.residuals, bench.request.offered, bench.request.fixed, SCREEN_ALPHA)
    return screen.grow(lambda given: bench.judgements.residuals(View(given)))


def _offered(bench: Bench, screened: Screened, method: str) -> list[Unit]:
    """Candidates in the order in which they are offered for removal.

    With an order or costs from the caller, and for the naive set, all that is related to the action is offered, so
    that the caller's order decides which of two copies stays. Otherwise the last to come in is offered first.
    """
    if method == "naive" or bench.request.ordered:
        return [unit for unit in bench.request.offered if unit in screened.related]
    return list(reversed(screened.grown))


def _hidden(
    bench: Bench, candidates: Sequence[Unit]
) -> tuple[list[Unit], tuple[Asked, ...], tuple[str, ...]]:
    """Units outside the candidates that the networks cannot do without: synergies that screening cannot see."""
    known = (*bench.request.fixed, *candidates)
    others = tuple(unit for unit in bench.request.offered if unit not in candidates)
    grown = f"residual covariance found {len(candidates)} candidates among {len(bench.request.offered)} variables"
    if not others:
        return [], (), (f"{grown}; none was left to test together.",)
    test: RemovalTest = bench.loss_test(bench.level(_columns(known), bench.columns))
    question = Question(others, known)
    (evidence,) = test.ask([question])
    asked = (Asked(question, evidence),)
    if not evidence.needed:
        return [], asked, (f"{grown}; networks lost nothing without the other {len(others)}.",)
    search = prefix_search(test, others, known)
    found = [unit for unit in search.kept if unit not in known]
    note = f"{grown}; networks needed {len(found)} more that act only together."
    return found, (*asked, *search.asked), (note,)


def _columns(units: Sequence[Unit]) -> tuple[int, ...]:
    return tuple(sorted(column for unit in units for column in unit))


def decide_by_loss(bench: Bench, method: str) -> Decided:
    """The method on all units with the chosen estimator alone, as the paper does; a random order unless one is given."""
    test = bench.loss_test(bench.level(bench.columns))
    return Decided(METHODS[method](test, bench.request.offered, bench.request.fixed), ())
