"""Ultra Marginal Feature Importance (Janssen and others, 2023): what a variable adds to cleaned others."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from terc.baselines.forest import Forest
from terc.baselines.null_model import NULL_DRAWS, RepeatedScores, checked_alpha
from terc.baselines.scored import Made, by_null_model, changing_columns, nothing_to_tell, own_stream, positive
from terc.baselines.steps import at_most
from terc.baselines.target import Target, target_of
from terc.baselines.transport import is_discrete, regressed_out, transported
from terc.errors import unknown_name
from terc.parallel.choose import choose_backend
from terc.progress import Report, reporting
from terc.seeding import spawn
from terc.selection.result import Selection
from terc.trajectories.columns import FloatArray
from terc.trajectories.data import Trajectories

if TYPE_CHECKING:
    from terc.parallel.backend import Backend

REMOVALS = ("transport", "linear")


@dataclass(frozen=True, eq=False)
class UmfiInputs:
    """What every task of one call reads.

    Attributes:
        columns: The variables that change, `[n, d]`.
        nominal: Which of them hold labels.
        nulls: Columns of random bits, `[n, draws]`.
        target: The action.
        removal: One of `REMOVALS`.
        forest: Settings of the forests.
    """

    columns: FloatArray
    nominal: tuple[bool, ...]
    nulls: FloatArray
    target: Target
    removal: str
    forest: Forest


@dataclass(frozen=True, eq=False)
class UmfiTask:
    """One score: of column `variable`, or, beyond the last, of a null column."""

    variable: int
    rng: np.random.Generator


def umfi(  # noqa: PLR0913  (the public contract; all but one have a default)
    data: Trajectories,
    removal: str = "transport",
    trees: int = 100,
    runs: int = 10,
    n_jobs: int = 1,
    seed: int = 0,
    progress: bool | Report = False,
    *,
    alpha: float | None = None,
    null_draws: int = NULL_DRAWS,
    max_steps: int | None = None,
    tree_rows: int | None = 1_000,
    backend: str | Backend | None = None,
) -> Selection:
    """The variables whose ultra marginal importance clears the null model.

    For each variable the dependence of all the others on it is removed from them; its score is the rise of a
    random forest's out-of-bag R2 when it joins the cleaned others, floored at 0. Copies of a variable so do
    not take its credit away, and what is irrelevant scores zero. A set of copies is kept whole or not at all:
    the score finds what is informative, not the smallest set.

    Two forests a variable and run are what it costs. Trees are therefore grown on bootstrap samples of
    `tree_rows` rows and scored on all others: with 50 columns and 10,000 steps a quarter of an hour on one
    core instead of hours. `tree_rows=None` is the textbook forest.

    Args:
        data: Recorded steps.
        removal: "transport" (optimal transport, any dependence) or "linear" (residuals of a regression).
        trees: Trees a forest; the paper has 100, and 50 for Cart Pole and Lunar Lander.
        runs: Independent runs, whose spread decides.
        n_jobs: Worker processes; -1 for one per core. The answer does not depend on it.
        seed: Same seed, same answer.
        progress: True for a bar on a terminal, or a function `(done, total, what)`.
        alpha: None for the paper's rule of two standard errors, or an error rate over all variables.
        null_draws: Columns of random bits among which the runs take turns; the paper has 1.
        max_steps: At most so many steps, whole episodes evenly drawn; None for all.
        tree_rows: Rows a tree is grown on; None for as many as there are.
        backend: "serial", "processes", "ray", or an object with `map`; None decides by `n_jobs`.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> x = rng.standard_normal((600, 3))
        >>> data = Trajectories(x, x[:, 0] + x[:, 1], names=["a", "b", "noise"], episodes=range(600))
        >>> umfi(data, trees=20, runs=5).kept
        ('a', 'b')
    """
    started = time.perf_counter()
    if removal not in REMOVALS:
        raise unknown_name("umfi", "removal", removal, REMOVALS)
    positive("umfi", trees=trees, runs=runs, null_draws=null_draws)
    positive(
        "umfi", **{k: v for k, v in (("max_steps", max_steps), ("tree_rows", tree_rows)) if v is not None}
    )
    if alpha is not None:
        checked_alpha(alpha)
    data, candidates = changing_columns("umfi", data)
    rng = own_stream(seed)
    forest = Forest(trees, tree_rows, tried=max(1, math.isqrt(len(candidates))))
    used, note = at_most(data, max_steps)
    method = "umfi" if removal == "transport" else "umfi_linear"
    config = {
        "removal": removal, "trees": trees, "runs": runs, "null_draws": null_draws, "alpha": alpha,
        "max_steps": max_steps, "tree_rows": tree_rows, "seed": seed,
    }  # fmt: skip
    unit = "accuracy" if target_of(used).is_class else "shares of variance (R2)"
    sampled = f"each tree was grown on {tree_rows} rows." if _is_sampled(tree_rows, used) else ""
    made = Made(method, f"rises of out-of-bag {unit}", config, (note, sampled, _linear_note(removal, used)))
    spread = choose_backend(backend, n_jobs)
    if not candidates:
        return nothing_to_tell(data, made)
    given = _inputs(used, candidates, removal, forest, min(null_draws, runs), rng=rng)
    with reporting(progress) as report:
        scores = _scores(given, runs, spread, report, rng=rng)
    selection = by_null_model(data, scores, made, alpha=alpha, candidates=candidates)
    return replace(selection, timings={"umfi": time.perf_counter() - started})


def _linear_note(removal: str, used: Trajectories) -> str:
    """A residual of few levels is a level plus a trace of the protected column, which a tree reads off."""
    few = [name for name, column in zip(used.names, used.states.T, strict=True) if is_discrete(column)]
    if removal != "linear" or not few:
        return ""
    return f"linear removal hides nothing in columns of few levels ({len(few)} of {len(used.names)})."


def _is_sampled(tree_rows: int | None, used: Trajectories) -> bool:
    return tree_rows is not None and tree_rows < len(used)


def _inputs(
    data: Trajectories,
    candidates: list[int],
    removal: str,
    forest: Forest,
    draws: int,
    *,
    rng: np.random.Generator,
) -> UmfiInputs:
    return UmfiInputs(
        data.states[:, candidates],
        tuple(data.names[j] in data.nominal for j in candidates),
        rng.integers(0, 2, (len(data), draws)).astype(np.float64),
        target_of(data),
        removal,
        forest,
    )


def _scores(
    given: UmfiInputs, runs: int, spread: Backend, report: Report, *, rng: np.random.Generator
) -> RepeatedScores:
    """Every score of every run; run r scores the null column r modulo their number."""
    d, draws = given.columns.shape[1], given.nulls.shape[1]
    order = [*((j, r) for j in range(d) for r in range(runs)), *((d + r % draws, r) for r in range(runs))]
    tasks = [UmfiTask(j, stream) for (j, _), stream in zip(order, spawn(rng, len(order)), strict=True)]
    report(0, len(tasks), "umfi")
    found = spread.map(score, tasks, shared=given, progress=lambda done, total: report(done, total, "umfi"))
    values = np.array(found[: d * runs]).reshape(d, runs)
    return RepeatedScores(values, _by_draw(found[d * runs :], draws))


def _by_draw(found: Sequence[float], draws: int) -> list[FloatArray]:
    return [np.array(found[k::draws]) for k in range(draws)]


def score(task: UmfiTask, given: UmfiInputs) -> float:
    """The ultra marginal importance of one column in one run."""
    d = given.columns.shape[1]
    if task.variable < d:
        own, is_nominal = given.columns[:, task.variable], given.nominal[task.variable]
        others = np.delete(given.columns, task.variable, axis=1)
    else:
        own, is_nominal, others = given.nulls[:, task.variable - d], False, given.columns
    if given.removal == "transport":
        cleaned = transported(others, own, rng=task.rng)
    else:
        cleaned = regressed_out(others, own, nominal=is_nominal)
    # Both forests draw the same rows for their trees: the luck of the draw cancels in the difference.
    draw = int(task.rng.integers(2**62))
    joined, alone = (
        given.forest.skill(columns, given.target, rng=np.random.default_rng(draw))
        for columns in (np.column_stack([cleaned, own]), cleaned)
    )
    return max(0.0, joined - alone)
