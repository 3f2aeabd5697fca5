"""SHAP ranking of a random forest (extra `terc[shap]`), with the null model as cut."""

from functools import partial

import numpy as np

from terc.arrays import Floats
from terc.baselines import scored
from terc.baselines.methods import require_extra
from terc.baselines.scored import Made
from terc.baselines.target import ActionTarget, Forest, target_of
from terc.progress import Report
from terc.seeding import spawn
from terc.selection.result import Selection
from terc.trajectories.data import Trajectories


def shap_ranking(  # noqa: PLR0913  (one argument per setting; all but one have a default)
    data: Trajectories,
    runs: int = 5,
    n_jobs: int = 1,
    seed: int = 0,
    progress: bool | Report = False,
    *,
    alpha: float | None = None,
    trees: int = 100,
    explained: int = 100,
) -> Selection:
    """The variables whose mean absolute SHAP value clears that of random bits in the same forests.

    Args:
        runs: Forests, each with a column of random bits of its own.
        alpha: None for the paper's rule of two standard errors, or an error rate over all variables.
        trees: Trees a forest, each grown on 1000 rows.
        explained: Steps, drawn afresh in each run, whose predictions are explained.
    """
    require_extra("shap", "shap")
    counts = {"runs": runs, "trees": trees, "explained": explained}
    scored.check("shap", alpha=alpha, **counts)
    made = Made("shap", "mean absolute SHAP values", {**counts, "alpha": alpha, "seed": seed})
    rng = scored.own_stream(seed)

    def find(data: Trajectories, candidates: list[int], report: Report) -> Selection:
        columns, target = data.states[:, candidates], target_of(data)
        run = partial(shap_run, columns, target, Forest(trees), explained)
        values, null = scored.against_bits(scored.mapped(run, spawn(rng, runs), n_jobs, report, "shap"))
        return scored.by_null_model(data, candidates, values, null, made, alpha)

    return scored.answered(data, made, progress, find)


def shap_run(
    columns: Floats, target: ActionTarget, forest: Forest, explained: int, rng: np.random.Generator
) -> Floats:
    """Mean absolute SHAP value of each variable and, last, of random bits."""
    import shap

    columns = np.column_stack([columns, rng.integers(0, 2, len(columns)).astype(np.float64)])
    fitted = forest.model(target, rng=rng).fit(columns, target.for_sklearn)
    rows = rng.choice(len(columns), min(explained, len(columns)), replace=False)
    found = np.abs(np.asarray(shap.TreeExplainer(fitted).shap_values(columns[rows])))
    # [row, variable], or [row, variable, output] for classes and several action dimensions.
    mean: Floats = found.reshape(len(rows), columns.shape[1], -1).sum(2).mean(0)
    return mean
