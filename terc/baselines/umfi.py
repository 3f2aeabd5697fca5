"""Ultra Marginal Feature Importance (Janssen and others, 2023): what a variable adds to cleaned others."""

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from terc.arrays import Floats
from terc.baselines import scored
from terc.baselines.scored import NULL_DRAWS, Made
from terc.baselines.target import ActionTarget, Forest, at_most, target_of
from terc.baselines.transport import is_discrete, regressed_out, transported
from terc.checks import one_of
from terc.progress import Report
from terc.seeding import spawn
from terc.selection.result import Selection
from terc.trajectories.data import Trajectories

METHODS = {"transport": "umfi", "linear": "umfi_linear"}
"""Way to remove the dependence of the others -> name among the methods."""


@dataclass(frozen=True, eq=False)
class UmfiInputs:
    """What every task of one call reads."""

    columns: Floats
    nominal: tuple[bool, ...]
    nulls: Floats
    target: ActionTarget
    removal: str
    forest: Forest


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
) -> Selection:
    """The variables whose ultra marginal importance clears the null model.

    For each variable the dependence of all the others on it is removed from them; its score is the rise of a
    random forest's out-of-bag R2 when it joins the cleaned others, floored at 0. Copies of a variable so do
    not take its credit away, and what is irrelevant scores zero. A set of copies is kept whole or not at all:
    the score finds what is informative, not the smallest set.

    Two forests a variable and run are what it costs. Trees are therefore grown on samples of `tree_rows`
    rows: with 50 columns and 10,000 steps a quarter of an hour; `tree_rows=None` is the textbook forest.

    Args:
        removal: "transport" (optimal transport, any dependence) or "linear" (residuals of a regression).
        trees: Trees a forest; the paper has 100, and 50 for Cart Pole and Lunar Lander.
        alpha: None for the paper's rule of two standard errors, or an error rate over all variables.
        null_draws: Columns of random bits among which the runs take turns; the paper has 1.
        max_steps: At most this many steps, in whole episodes evenly spaced; None for all.

    Example:
        >>> x = np.random.default_rng(0).standard_normal((600, 3))
        >>> data = Trajectories(x, x[:, 0] + x[:, 1], names=["a", "b", "noise"], episodes=range(600))
        >>> umfi(data, trees=20, runs=5).kept
        ('a', 'b')
    """
    one_of(list(METHODS))("umfi", "removal", removal)
    counts: dict[str, int | None] = {"trees": trees, "runs": runs, "null_draws": null_draws}
    counts |= {"max_steps": max_steps, "tree_rows": tree_rows}
    scored.check("umfi", alpha=alpha, **counts)
    made = Made(METHODS[removal], "", {"removal": removal, **counts, "alpha": alpha, "seed": seed})
    rng = scored.own_stream(seed)

    def find(data: Trajectories, candidates: list[int], report: Report) -> Selection:
        used, fewer = at_most(data, max_steps)
        sampled = tree_rows is not None and tree_rows < len(used)
        target, grown = target_of(used), f"each tree was grown on {tree_rows} rows." if sampled else ""
        nominal = tuple(used.names[j] in used.nominal for j in candidates)
        bits = rng.integers(0, 2, (len(used), min(null_draws, runs))).astype(np.float64)
        forest = Forest(trees, tree_rows, tried=max(1, math.isqrt(len(candidates))))
        given = UmfiInputs(used.states[:, candidates], nominal, bits, target, removal, forest)
        values, nulls = _scores(given, runs, n_jobs, report, rng=rng)
        unit = f"rises of out-of-bag {'accuracy' if target.is_class else 'shares of variance (R2)'}"
        described = replace(made, unit=unit, notes=(fewer, grown, _linear_note(removal, used)))
        return scored.by_null_model(data, candidates, values, nulls, described, alpha)

    return scored.answered(data, made, progress, find)


def _linear_note(removal: str, used: Trajectories) -> str:
    """A residual of few levels is a level plus a trace of the protected column, which a tree reads off."""
    few = [name for name, column in zip(used.names, used.states.T, strict=True) if is_discrete(column)]
    if removal != "linear" or not few:
        return ""
    return f"linear removal hides nothing in columns of few levels ({len(few)} of {len(used.names)})."


def _scores(
    given: UmfiInputs, runs: int, n_jobs: int, report: Report, *, rng: np.random.Generator
) -> tuple[Floats, list[Floats]]:
    """Every score of every run, and the null model's; run r scores the null column r modulo their number."""
    d, draws = given.columns.shape[1], given.nulls.shape[1]
    order = [*((j, r) for j in range(d) for r in range(runs)), *((d + r % draws, r) for r in range(runs))]
    tasks = [(j, stream) for (j, _), stream in zip(order, spawn(rng, len(order)), strict=True)]
    found = scored.mapped(partial(score, given), tasks, n_jobs, report, "umfi")
    values, nulls = np.array(found[: d * runs]).reshape(d, runs), found[d * runs :]
    return values, [np.array(nulls[k::draws]) for k in range(draws)]


def score(given: UmfiInputs, task: tuple[int, np.random.Generator]) -> float:
    """The ultra marginal importance of a column in one run; beyond the last, of a column of random bits."""
    variable, rng = task
    d = given.columns.shape[1]
    if variable < d:
        own, is_nominal = given.columns[:, variable], given.nominal[variable]
        others = np.delete(given.columns, variable, axis=1)
    else:
        own, is_nominal, others = given.nulls[:, variable - d], False, given.columns
    if given.removal == "transport":
        cleaned = transported(others, own, rng=rng)
    else:
        cleaned = regressed_out(others, own, nominal=is_nominal)
    # Both forests draw the same rows for their trees: the luck of the draw cancels in the difference.
    draw = int(rng.integers(2**62))
    joined, alone = (
        given.forest.skill(columns, given.target, rng=np.random.default_rng(draw))
        for columns in (np.column_stack([cleaned, own]), cleaned)
    )
    return max(0.0, joined - alone)
