"""From scores to a `Selection`: the null model's cut, and what every baseline shares."""

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np
from scipy import stats

from terc.arrays import Floats
from terc.checks import between_0_and_1, whole_number
from terc.entropy.null_rule import PAPER_WIDTH, null_upper_end, standard_error, welch
from terc.errors import BadTypeError, TercWarning
from terc.parallel.choose import choose_backend
from terc.progress import Report, reporting
from terc.seeding import generator, spawn
from terc.selection.result import Note, Selection, Verdict
from terc.trajectories.data import Trajectories

NULL_DRAWS = 5
NAN = float("nan")


@dataclass(frozen=True)
class Made:
    """How a baseline was asked: its method, unit of gain, settings and notes."""

    method: str
    unit: str
    config: Mapping[str, Any]
    notes: tuple[str, ...] = ()


Find = Callable[[Trajectories, list[int], Report], Selection]


def answered(data: object, made: Made, progress: bool | Report, find: Find) -> Selection:
    """The selection that `find` makes of the data and of the columns that change, and how long it took.

    Where the action or every column never changes nothing is kept, without asking it.
    """
    started = time.perf_counter()
    if not isinstance(data, Trajectories):
        raise BadTypeError(
            f"{made.method}: data must be Trajectories, got {type(data).__name__}. Use "
            "terc.Trajectories(...)."
        )
    candidates = [j for j, column in enumerate(data.states.T) if np.ptp(column) > 0]
    silent = len(np.unique(data.actions, axis=0)) == 1
    if silent:
        warnings.warn(
            f"{made.method}: the action never changes: no variable can carry information about it.",
            TercWarning,
            stacklevel=3,
        )
    if silent or not candidates:
        note = "nothing can be found: the action or every variable is constant."
        selection = selection_of(
            data, {j: _unneeded(data, j, "irrelevant") for j in candidates}, made, (note,)
        )
    else:
        with reporting(progress) as report:
            selection = find(data, candidates, report)
    return replace(selection, timings={made.method: time.perf_counter() - started})


def mapped(
    function: Callable[[Any], Any], tasks: Sequence[Any], n_jobs: int, report: Report, what: str
) -> list[Any]:
    """`function(task)` of all tasks by `n_jobs` workers, reported as `what`."""
    report(0, len(tasks), what)
    workers = choose_backend(None, n_jobs)
    return workers.map(function, tasks, progress=lambda done, total: report(done, total, what))


def by_null_model(
    data: Trajectories,
    candidates: Sequence[int],
    values: Floats,
    null: Sequence[Floats],
    made: Made,
    alpha: float | None,
) -> Selection:
    """Keep a variable if mean - w sd / sqrt(runs) lies above the null model's mean + w sd / sqrt(runs).

    w is 2, the paper's rule, which has no correction for the number of variables; with `alpha` it is the
    normal quantile of alpha / variables. One column of random bits is the paper's null model; one draw is
    fragile, so with several the spread between them counts if it is the larger. p-values are those of a
    one-sided Welch test of the runs against the null model's, times the number of variables.

    Args:
        values: Scores of the candidates `[candidate, run]`.
        null: One array of runs per column of random bits that was drawn.
    """
    width = PAPER_WIDTH if alpha is None else float(stats.norm.isf(alpha / len(values)))
    mean, half = values.mean(1), width * standard_error(values)
    line, drawn = null_upper_end(null, width), np.concatenate(null)
    rule = "two standard errors" if alpha is None else f"error rate {alpha} over all variables"
    return by_decision(
        data,
        candidates,
        mean - half > line,
        mean,
        made,
        ends=zip((mean - half).tolist(), (mean + half).tolist(), strict=True),
        p_values=[min(1.0, float(welch(runs, drawn)) * len(values)) for runs in values],
        null_high=line,
        rule=f"; kept if they clear the null model by {rule}",
    )


def against_bits(scores: Sequence[Floats]) -> tuple[Floats, list[Floats]]:
    """Scores `[variable, run]` and the null model's, of runs that each end with a column of random bits."""
    table = np.array(scores).T
    return table[:-1], [np.array([score]) for score in table[-1]]


def by_decision(  # noqa: PLR0913  (what a verdict holds)
    data: Trajectories,
    candidates: Sequence[int],
    kept: Iterable[bool],
    gains: Iterable[float],
    made: Made,
    *,
    ends: Iterable[tuple[float, float]] = repeat((NAN, NAN)),
    p_values: Iterable[float] = repeat(NAN),
    null_high: float = NAN,
    rule: str = "",
) -> Selection:
    """The selection of a method: a gain and a verdict per candidate, and what else it knows of each."""
    row = partial(Verdict, null_high=null_high, instrument=made.method)
    rows = {
        j: row(data.names[j], float(gain), low, high, p_value=p, kept=bool(stays),
               reason="needed" if stays else "irrelevant")
        for j, stays, gain, (low, high), p in zip(candidates, kept, gains, ends, p_values, strict=False)
    }  # fmt: skip
    notes = (f"gains are {made.unit}, not nats{rule}.", *(note for note in made.notes if note))
    return selection_of(data, rows, made, notes)


def selection_of(
    data: Trajectories, rows: Mapping[int, Verdict], made: Made, notes: tuple[str, ...]
) -> Selection:
    """A selection of these rows; columns without one never change."""
    return Selection(
        tuple(rows.get(j, _unneeded(data, j, "constant")) for j in range(len(data.names))),
        n_steps=len(data),
        n_episodes=data.n_episodes,
        method=made.method,
        estimator=made.method,
        config=dict(made.config),
        notes=tuple(Note("fact", "baseline", note) for note in notes),
    )


def _unneeded(data: Trajectories, column: int, reason: str) -> Verdict:
    return Verdict(data.names[column], 0.0, 0.0, 0.0, 0.0, 1.0, kept=False, reason=reason)


def own_stream(seed: int) -> np.random.Generator:
    """The random stream of a baseline, apart from `default_rng(seed)`.

    Data that were drawn with the same seed would otherwise hold the very bits of the null model.
    """
    return spawn(generator(seed), 1)[0]


def check(where: str, *, alpha: object = None, **counts: object) -> None:
    """Refuse an `alpha` outside 0 to 1 and counts that are not whole numbers of at least 1, where given."""
    if alpha is not None:
        between_0_and_1(where, "alpha", alpha)
    for name, count in counts.items():
        if count is not None:
            whole_number(where, name, count, least=1)
