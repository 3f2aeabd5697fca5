"""`select`: which variables do the actions depend on?"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from terc.checks import named_rightly
from terc.entropy.base import RemovalTest
from terc.entropy.choose import choose_estimator, counted_if_possible
from terc.entropy.evidence import ALPHA, Question, Terms, Unit
from terc.errors import BadTypeError, unknown_name, warn
from terc.parallel.choose import spread_over
from terc.predictors.base import Spread
from terc.progress import Report, reporting
from terc.selection.algorithm_1 import Asked, grow_and_shrink, naive, one_at_a_time
from terc.selection.arrangement import arranged, in_order_of
from terc.selection.copies import copies_left_out, without_copies
from terc.selection.doubts import LOW_SHARE, doubts, repeated, settled
from terc.selection.looks import looks
from terc.selection.minimal import prices_of, smallest
from terc.selection.reasons import with_reasons
from terc.selection.request import Request, read_request
from terc.selection.result import Note, Selection
from terc.selection.settings import Settings, Subject
from terc.selection.several import other_question
from terc.selection.targets import Target
from terc.selection.verdicts import idle_row, retained, steps_of, verdicts
from terc.threads import one_thread
from terc.trajectories.data import Trajectories

if TYPE_CHECKING:
    from terc.entropy.base import Estimator
    from terc.parallel.backend import Backend


STAGES = 4
"""Reading the variables, candidates, elimination, a line on every variable."""


@named_rightly
def select(  # noqa: PLR0913  (the public contract)
    data: Trajectories,
    estimator: str | Estimator = "auto",
    method: str = "sequential",
    alpha: float = ALPHA,
    min_effect: float | None = None,
    order: Sequence[str] | str | None = None,
    costs: Mapping[str, float] | None = None,
    groups: Iterable[Sequence[str]] | None = None,
    keep: Iterable[str] = (),
    n_jobs: int = 1,
    backend: str | Backend | None = None,
    seed: int = 0,
    progress: bool | Report = False,
    error_rate: str = "family",
    steps: int | str | None = None,
    target: str = "actions",
    of: Iterable[str] | str | None = None,
    policies: str = "any",
) -> Selection:
    """The variables that the actions depend on, with a stated error rate.

    Phi(X_i) = H(A | X without X_i) - H(A | X) is tested for each variable in turn, as Algorithm 1 of the
    paper does: what can go given the rest goes, and the next is tested without it.

    Args:
        data: Recorded steps.
        estimator: "auto" ("predictive": a mixture of predictors), "plugin", "mine", "knn", or your own.
        method: "sequential" (Algorithm 1), "naive" (what is needed beside all others: two copies both go), or
            "minimal" (the smallest sufficient set; a note says if a CPU minute was not enough to prove it).
        alpha: Chance of keeping any variable that carries nothing; "mine" has a rule of its own.
        min_effect: Share of I(A; X) below which a loss is immaterial; None: 0.005, for "mine" and "knn" 0.
        order: Names in the order in which they are offered for removal, or "random"; None offers what is
            missed least first (other estimators than "auto": the first column first).
        costs: What each variable costs to sense; the most expensive is offered for removal first.
        groups: Lists of names that stand or fall together, those that never change included.
        keep: Names that are never removed.
        n_jobs: Worker processes; -1 for one per core. They change no answer but a "minimal" one cut short.
        backend: "serial", "processes", "ray", or an object with `map`; None decides by `n_jobs`.
        seed: Same seed, same answer.
        progress: True for a bar on a terminal, or a function `(done, total, what)`.
        error_rate: What `alpha` bounds: "family", the chance that any is kept wrongly, or "discovery", the
            share of wrong ones among the kept.
        steps: Most steps to look at, as whole episodes; "all" looks at all at once. None begins a long
            recording with a sample and adds to it while a variable is close to the floor.
        target: What is predicted: "actions", "reward", "next" (values one step later) or "end" (of the
            episode). For the last three the action is one of the variables.
        of: For "next": the names whose next values are meant; None for all.
        policies: Of several recordings (`Trajectories.concat`) keep what "any" or what "all" need.

    Example:
        The action is the XOR of two bits; the third bit is a copy of the first, the fourth is noise.
        >>> rng = np.random.default_rng(0)
        >>> a, b, noise = rng.integers(0, 2, (3, 2000))
        >>> data = Trajectories(np.stack([a, b, a, noise], 1), a ^ b, names=["a", "b", "copy", "noise"],
        ...                     episodes=np.arange(2000))
        >>> select(data, order=["noise", "copy", "a", "b"]).kept
        ('a', 'b')
    """
    return _answered(**locals())


def _answered(data: Trajectories, *, target: str, of: Any, policies: str, **options: Any) -> Selection:
    """The answer to what was asked: other targets and several policies ask the same of other data."""
    if not isinstance(data, Trajectories):
        raise BadTypeError(
            f"select: data must be Trajectories, got {type(data).__name__}. Use terc.Trajectories(...), "
            "terc.Trajectories.from_frame(frame, action=...) or terc.load(file, action=...)."
        )
    if target != "actions" or of is not None or data.source is not None or policies != "any":
        return other_question(select, data, options, Target(target, of), policies)
    return _about_actions(data, **options)


def _about_actions(
    data: Trajectories,
    *,
    steps: int | str | None,
    n_jobs: int,
    backend: str | Backend | None,
    progress: bool | Report,
    **options: Any,
) -> Selection:
    """The answer for one policy, with what it was asked and how long it took."""
    started, estimator = time.perf_counter(), options["estimator"]
    wanted = Settings.of(**options)
    Subject(steps=steps)
    for option, name in wanted.named():
        if name not in data.names:
            raise unknown_name(f"select: {option}", "variable", name, data.names)
    chosen = choose_estimator(
        counted_if_possible(estimator, data) if wanted.method == "minimal" else estimator
    )
    if wanted.min_effect is None:
        wanted = replace(wanted, min_effect=chosen.default_min_effect)
    with reporting(progress) as report, one_thread(), spread_over(backend, n_jobs, chosen.loading) as spread:
        steady = arranged(data) if chosen.any_order else data
        found = _selected(steady, wanted, chosen, report, steps=steps, spread=spread)
        selection = in_order_of(data, found)
    return replace(
        selection,
        config=wanted.to_dict(),
        estimator=wanted.estimator,
        timings={"select": time.perf_counter() - started},
        notes=tuple(sorted((*selection.notes, *data.notes), key=lambda note: note.kind != "doubt")),
    )


class _Stage:
    """Reports which of the stages a selection is in, and within one of them how many sets were evaluated."""

    def __init__(self, report: Report) -> None:
        self.report, self.number, self.what = report, 0, ""

    def __call__(self, number: int, what: str) -> None:
        """Begin a stage."""
        self.number, self.what = number, what
        self.report(number, STAGES, what)

    def tick(self, sets: int) -> None:
        """So far this many sets of variables were evaluated."""
        self.report(self.number, STAGES, f"{self.what}, {sets} set{'s' * (sets != 1)} evaluated")


def _selected(
    data: Trajectories,
    wanted: Settings,
    chosen: Estimator,
    report: Report,
    *,
    steps: int | str | None,
    spread: Spread | None,
) -> Selection:
    """The answer on as many steps as it takes: a sample first, and more while something is undecided."""
    rng, stage = np.random.default_rng(wanted.seed), _Stage(report)
    request = read_request(data, wanted, rng=rng)
    terms = Terms(
        wanted.alpha, wanted.floor, len(request.units), wanted.error_rate, wanted.method, spread, stage.tick
    )
    chosen.check(terms)
    acted = data.actions if data.probabilities is None else data.probabilities
    if len(np.unique(acted, axis=0)) == 1 or not request.units:
        return _nothing_to_tell(data, request, wanted)
    once = without_copies(data)
    for look in looks(once, steps=steps if wanted.floor > 0 else "all", rng=rng):
        stage(0, "reading the variables")
        test = chosen.removal_test(look.data, replace(terms, alpha=wanted.alpha * look.share), rng=rng)
        selection = _decided(look.data, request, wanted, test, stage, in_workers=spread is not None)
        if _is_decided(selection, wanted.floor):
            break
    notes = list(selection.notes)
    notes += copies_left_out(once, data)
    if len(look.data) < len(once):
        notes.append(_steps_used(look.data, once))
    return replace(selection, notes=tuple(notes))


def _decided(
    data: Trajectories,
    request: Request,
    wanted: Settings,
    test: RemovalTest,
    stage: _Stage,
    *,
    in_workers: bool,
) -> Selection:
    """Candidates, elimination, then a line on every variable."""
    stage(1, "looking for candidates")
    ordered = request.ordered or wanted.method != "sequential"
    candidates = test.candidates(request.offered, request.fixed, related=ordered)
    if wanted.error_rate == "discovery":
        first = test.ask(one_at_a_time(candidates, request.fixed))
        test.for_discoveries([evidence.p_value for evidence in first])
    screened = _screened(test, request.offered, (*request.fixed, *candidates))
    stage(2, "eliminating")
    notes: list[Note] = []
    if wanted.method == "naive":
        test.echoes(candidates, request.fixed)
        found = naive(test, candidates, request.fixed)
    else:
        found = grow_and_shrink(test, candidates, request.offered, request.fixed, by_gain=not request.ordered)
    if wanted.method == "minimal":
        prices = None if wanted.costs is None else prices_of(data, request, wanted.costs)
        found, note = smallest(request, test, candidates, found, prices=prices, in_workers=in_workers)
        notes.append(note)
    stage(3, "a line on every variable")
    lines = verdicts(data, request, found, test, beside_all=wanted.method == "naive")
    held = test.held(found.kept)
    rows = settled(with_reasons(data, request, found, test, lines), held)
    offered = [unit for unit in found.kept if unit not in request.fixed]
    echoes = test.echoes(offered, request.fixed)
    surely, perhaps = ([data.names[j] for unit in units for j in unit] for units in astuple(echoes))
    late = [row.name for row in rows if row.kept and row.name in surely]
    notes = [
        *doubts(rows, held, [*late, *perhaps]),
        *repeated(rows, surely),
        *(Note(*note) for note in test.notes()),
        *notes,
    ]
    stage(4, "done")
    return Selection(
        rows,
        steps=steps_of(data, (*screened, *found.asked), test.level.tests),
        retained=retained(held, everything=len(found.kept) == len(request.units)),
        information=float("nan") if held is None else held.information,
        action_entropy=float("nan") if held is None else held.action_entropy,
        n_steps=len(data),
        n_episodes=data.n_episodes,
        method=wanted.method,
        notes=tuple(notes),
    )


def _is_decided(selection: Selection, floor: float) -> bool:
    """Whether nothing is left to more steps: none is undecided, and the kept lose nothing that matters."""
    share = selection.retained
    loses = bool(selection.kept) and (1 - share.value >= floor or share.low < LOW_SHARE)
    return not loses and not any(row.undecided for row in selection.verdicts)


def _screened(test: RemovalTest, offered: Sequence[Unit], stay: tuple[Unit, ...]) -> tuple[Asked, ...]:
    """The first test of the elimination: what is lost without all that screening set aside."""
    aside = tuple(unit for unit in offered if unit not in stay)
    held = test.held(stay) if aside else None
    if held is None:
        return ()
    return (Asked(Question(aside, stay), replace(held.lost, needed=False, instrument="screening")),)


def _steps_used(used: Trajectories, data: Trajectories) -> Note:
    text = f"decided on {len(used)} of {len(data)} steps ({used.n_episodes} of {data.n_episodes} episodes)."
    return Note("fact", "steps", text)


def _nothing_to_tell(data: Trajectories, request: Request, wanted: Settings) -> Selection:
    """The answer where there is nothing to predict, or nothing to predict it from."""
    what = "the action never changes" if data.probabilities is None else "the probabilities never change"
    if not request.units:
        what = "every variable is constant"
    note = f"{what}: no variable can carry information about the action."
    warn(f"select: {note}")
    rows = [
        idle_row(name, request, "constant" if j in request.constant else "irrelevant")
        for j, name in enumerate(data.names)
    ]
    return Selection(
        tuple(rows),
        information=0.0,
        action_entropy=0.0,
        n_steps=len(data),
        n_episodes=data.n_episodes,
        method=wanted.method,
        notes=(Note("doubt", "nothing-to-learn", note),),
    )
