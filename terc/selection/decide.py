"""From a request to a `Selection`, in the stages that every method shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.base import View
from terc.selection.automatic import Candidates, candidates, columns_of
from terc.selection.calibration import self_check
from terc.selection.explain import IRRELEVANT
from terc.selection.reasons import with_reasons
from terc.selection.result import Selection
from terc.selection.rule_verdicts import answers_alone, rule_rows
from terc.selection.second_chance import LOW_SHARE, second_chance
from terc.selection.sequential import Elimination, naive, one_at_a_time, second_look, sequential
from terc.selection.smallest import smallest
from terc.selection.verdicts import constant_rows, retained, steps_of, verdicts

if TYPE_CHECKING:
    from terc.selection.bench import Bench
    from terc.selection.evidence import Level, RemovalTest
    from terc.selection.progress import Report
    from terc.selection.request import Request
    from terc.trajectories.data import Trajectories

BESIDE_OTHERS = (
    "each variable was asked about beside others, not by itself: one called irrelevant adds nothing to them, "
    "and may still tell something without them."
)


@dataclass(frozen=True)
class Wish:
    """How to decide.

    Attributes:
        method: "naive", "sequential" or "minimal".
        combined: Screen first and let residual covariance join the prediction; else the estimator decides
            alone.
        costs: What each variable costs, for "minimal".
        in_workers: Whether worker processes do part of the work.
    """

    method: str
    combined: bool
    costs: Mapping[str, float] | None = None
    in_workers: bool = False


def decide(bench: Bench, wish: Wish, report: Report, *, rng: np.random.Generator) -> Selection:
    """Candidates, elimination, then every variable judged against the kept set."""
    report(0, 5, "preparing")
    found, test, level = _eliminated(bench, wish, report)
    kept, notes = found.elimination.kept, list(found.notes)
    columns = columns_of(kept)
    report(4, 5, "judging every variable")
    rows = with_reasons(bench, kept, verdicts(bench, kept, test, level), level)
    residual = bench.judgements.residuals(View(columns))
    notes.append(self_check(bench.residuals, columns, residual, alpha=bench.alpha, rng=rng).sentence)
    share = retained(bench, kept, level)
    if share.value < LOW_SHARE:
        notes.append(
            f"the kept variables seem to hold only {100 * share.value:.0f} % of the information: something "
            "may be needed that these steps cannot show for sure; record more."
        )
    report(5, 5, "done")
    return Selection(
        rows,
        steps=steps_of(bench.data, found.elimination.asked, level.tests),
        retained=share,
        information=bench.information(columns, bench.columns),
        action_entropy=bench.action_entropy,
        n_steps=len(bench.data),
        n_episodes=bench.data.n_episodes,
        method=wish.method,
        notes=tuple(notes),
    )


@dataclass(frozen=True)
class _Found:
    elimination: Elimination
    notes: tuple[str, ...]


def _eliminated(bench: Bench, wish: Wish, report: Report) -> tuple[_Found, RemovalTest, Level]:
    if wish.combined:
        all_related = wish.method != "sequential" or bench.request.ordered
        offered = candidates(bench, report, all_related=all_related)
    else:
        offered = Candidates(bench.request.offered, (), "")
    level = bench.level(columns_of((*bench.request.fixed, *offered.units)), bench.columns)
    report(3, 5, "eliminating")
    test = _test(bench, wish, level)
    if bench.discoveries:
        first = test.ask(one_at_a_time(offered.units, bench.request.fixed))
        level = level.for_discoveries([evidence.p_value for evidence in first])
        test = _test(bench, wish, level)
    method = naive if wish.method == "naive" else sequential
    result = method(test, offered.units, bench.request.fixed)
    notes: tuple[str, ...] = (offered.note,)
    if wish.method == "sequential":
        result = second_look(test, result, offered.units, bench.request.fixed)
        result, note = second_chance(bench, test, result, offered.units, floor=level.floor)
        notes = (*notes, note)
    if wish.method == "minimal":
        result, note = smallest(bench, test, offered.units, result, wish.costs, in_workers=wish.in_workers)
        notes = (*notes, note)
    return _Found(Elimination(result.kept, (*offered.asked, *result.asked)), notes), test, level


def _test(bench: Bench, wish: Wish, level: Level) -> RemovalTest:
    return bench.combined_test(level) if wish.combined else bench.loss_test(level)


def decide_by_rule(
    data: Trajectories, request: Request, test: RemovalTest, method: str, report: Report, *, tests: int = 1
) -> Selection:
    """The same for estimators that come with a rule of their own instead of held-out losses (the paper's).

    Args:
        data: The steps.
        request: Units to decide on.
        test: The rule.
        method: "naive" or "sequential".
        report: Told what is being done.
        tests: Number that p-values are corrected for; 1 for a rule that corrects for none.
    """
    report(0, 1, "estimating")
    found = (naive if method == "naive" else sequential)(test, request.offered, request.fixed)
    answers = answers_alone(test, found, request.units)
    report(1, 1, "done")
    rows = rule_rows(data, found, answers, fixed=request.fixed, tests=tests)
    rows |= constant_rows(data, request, found.kept)
    return Selection(
        tuple(rows[j] for j in sorted(rows)),
        steps=steps_of(data, found.asked, tests),
        n_steps=len(data),
        n_episodes=data.n_episodes,
        method=method,
        notes=(BESIDE_OTHERS,) if any(row.reason == IRRELEVANT for row in rows.values()) else (),
    )
