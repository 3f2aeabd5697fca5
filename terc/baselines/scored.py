"""From scores over runs to a `Selection`: the null model's cut, and what every baseline shares."""

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat
from typing import Any, Self

import numpy as np
from scipy import stats

from terc.arrays import Floats
from terc.checks import between_0_and_1, whole_number
from terc.entropy.null_rule import PAPER_WIDTH, null_upper_end, standard_error, welch
from terc.errors import BadTypeError, TercWarning
from terc.parallel.backend import Backend
from terc.progress import Report, reporting
from terc.seeding import generator, spawn
from terc.selection.result import Note, Selection, Verdict
from terc.trajectories.data import Trajectories

NULL_DRAWS = 5


@dataclass(frozen=True, eq=False)
class RepeatedScores:
    """Scores of the variables and of the null model, over the runs.

    Attributes:
        values: `[variable, run]`.
        null: One array of runs per column of random bits that was drawn.
    """

    values: Floats
    null: Sequence[Floats]

    @classmethod
    def of_runs(cls, runs: Sequence[Floats]) -> Self:
        """Of runs with a column of random bits each, whose score comes last."""
        scores = np.array(runs).T
        return cls(scores[:-1], [np.array([score]) for score in scores[-1]])


@dataclass(frozen=True, eq=False)
class Cut:
    """What the null model says about each variable; arrays are `[variable]`.

    Attributes:
        null_high: What a column of random bits reaches.
        p_values: One-sided Welch test of the runs against the null model's, times the number of variables.
    """

    mean: Floats
    low: Floats
    high: Floats
    null_high: float
    p_values: Floats

    @property
    def kept(self) -> list[bool]:
        """Whose lower end lies above the null model's upper end."""
        return [bool(low > self.null_high) for low in self.low]


def cut(scores: RepeatedScores, alpha: float | None = None) -> Cut:
    """Keep a variable if mean - w sd / sqrt(runs) lies above the null model's mean + w sd / sqrt(runs).

    w is 2, the paper's rule, which has no correction for the number of variables; with `alpha` it is the
    normal quantile of alpha / variables. One column of random bits is the paper's null model; one draw is
    fragile, so with several the spread between them counts if it is the larger.

    Example:
        >>> runs = np.array([[0.30, 0.31, 0.29], [0.01, -0.01, 0.00]])
        >>> cut(RepeatedScores(runs, [np.array([0.0, 0.01, -0.01])])).kept
        [True, False]
    """
    width = PAPER_WIDTH if alpha is None else float(stats.norm.isf(alpha / len(scores.values)))
    mean, error = scores.values.mean(1), standard_error(scores.values)
    return Cut(
        mean,
        mean - width * error,
        mean + width * error,
        null_upper_end(scores.null, width),
        np.array([welch(runs, np.concatenate(scores.null)) for runs in scores.values]),
    )


NAN = float("nan")


@dataclass(frozen=True)
class Made:
    """How a baseline's answer came about."""

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
    data, candidates = changing_columns(made.method, data)
    if candidates:
        with reporting(progress) as report:
            selection = find(data, candidates, report)
    else:
        selection = nothing_to_find(data, made)
    return replace(selection, timings={made.method: time.perf_counter() - started})


def mapped(
    spread: Backend, function: Callable[..., Any], tasks: Sequence[Any], given: Any, report: Report, what: str
) -> list[Any]:
    """`function(task, given)` of all tasks by the workers, reported as `what`."""
    report(0, len(tasks), what)
    return spread.map(function, tasks, shared=given, progress=lambda done, total: report(done, total, what))


def by_null_model(
    data: Trajectories, scores: RepeatedScores, made: Made, *, alpha: float | None, candidates: list[int]
) -> Selection:
    """The selection that the null model makes of `scores`, whose rows belong to the columns `candidates`."""
    found = cut(scores, alpha)
    rows = {j: _row(data.names[j], found, k, made.method) for k, j in enumerate(candidates)}
    rule = "two standard errors" if alpha is None else f"error rate {alpha} over all variables"
    notes = (
        f"gains are {made.unit}, not nats; kept if they clear the null model by {rule}.",
        *(note for note in made.notes if note),
    )
    return selection_of(data, rows, made, notes)


def by_decision(  # noqa: PLR0913  (what a verdict holds)
    data: Trajectories,
    candidates: Sequence[int],
    kept: Iterable[bool],
    gains: Iterable[float],
    made: Made,
    *,
    p_values: Iterable[float] = repeat(NAN),
    null_high: float = NAN,
) -> Selection:
    """The selection of a method that decides by itself: a gain and a verdict per candidate, no interval."""
    row = partial(Verdict, low=NAN, high=NAN, null_high=null_high, instrument=made.method)
    rows = {
        j: row(data.names[j], float(gain), p_value=p, kept=bool(stays), reason=_reason(stays))
        for j, stays, gain, p in zip(candidates, kept, gains, p_values, strict=False)
    }
    notes = (f"gains are {made.unit}, not nats.", *(note for note in made.notes if note))
    return selection_of(data, rows, made, notes)


def selection_of(
    data: Trajectories, rows: Mapping[int, Verdict], made: Made, notes: tuple[str, ...]
) -> Selection:
    """A selection of these rows; columns without one never change."""
    constant = {
        j: Verdict(name, 0.0, 0.0, 0.0, 0.0, 1.0, kept=False, reason="constant")
        for j, name in enumerate(data.names)
        if j not in rows
    }
    every = {**rows, **constant}
    return Selection(
        tuple(every[j] for j in sorted(every)),
        n_steps=len(data),
        n_episodes=data.n_episodes,
        method=made.method,
        estimator=made.method,
        config=dict(made.config),
        notes=tuple(Note("fact", "baseline", note) for note in notes),
    )


def changing_columns(method: str, data: object) -> tuple[Trajectories, list[int]]:
    """The data, if they are Trajectories with a changing action, and the columns that change.

    An action that never changes leaves no candidate, with a warning.
    """
    if not isinstance(data, Trajectories):
        raise BadTypeError(
            f"{method}: data must be Trajectories, got {type(data).__name__}. Use terc.Trajectories(...)."
        )
    if len(np.unique(data.actions, axis=0)) == 1:
        warnings.warn(
            f"{method}: the action never changes: no variable can carry information about it.",
            TercWarning,
            stacklevel=3,
        )
        return data, []
    return data, [j for j, column in enumerate(data.states.T) if np.ptp(column) > 0]


def nothing_to_find(data: Trajectories, made: Made) -> Selection:
    """The answer where there is no candidate: none is kept."""
    rows = {
        j: Verdict(name, 0.0, 0.0, 0.0, 0.0, 1.0, kept=False, reason="irrelevant")
        for j, name in enumerate(data.names)
        if np.ptp(data.states[:, j]) > 0
    }
    note = "nothing can be found: the action or every variable is constant."
    return selection_of(data, rows, made, (note,))


def own_stream(seed: int) -> np.random.Generator:
    """The random stream of a baseline, apart from `default_rng(seed)`.

    Data that were drawn with the same seed would otherwise hold the very bits of the null model.
    """
    return spawn(generator(seed), 1)[0]


def check(where: str, *, alpha: object = None, **counts: object) -> None:
    """Refuse an `alpha` that is no error rate and counts that are no whole numbers from 1 on, if given."""
    if alpha is not None:
        between_0_and_1(where, "alpha", alpha)
    for name, count in counts.items():
        if count is not None:
            whole_number(where, name, count, least=1)


def _row(name: str, found: Cut, k: int, method: str) -> Verdict:
    stays, p_value = found.kept[k], min(1.0, float(found.p_values[k]) * len(found.mean))
    ends = float(found.mean[k]), float(found.low[k]), float(found.high[k])
    return Verdict(name, *ends, found.null_high, p_value, stays, _reason(stays), instrument=method)


def _reason(stays: bool) -> str:
    return "needed" if stays else "irrelevant"
