"""SHAP ranking of a random forest (extra `terc[shap]`), with the null model as cut."""

from dataclasses import dataclass

import numpy as np

from terc.arrays import Floats
from terc.baselines.methods import require_extra
from terc.baselines.scored import Made, RepeatedScores, answered, by_null_model, check, mapped, own_stream
from terc.baselines.target import ActionTarget, Forest, target_of
from terc.parallel.backend import Backend
from terc.parallel.choose import choose_backend
from terc.progress import Report
from terc.seeding import spawn
from terc.selection.result import Selection
from terc.trajectories.data import Trajectories


@dataclass(frozen=True, eq=False)
class ShapInputs:
    """What every run reads."""

    columns: Floats
    target: ActionTarget
    forest: Forest
    explained: int


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
    backend: str | Backend | None = None,
) -> Selection:
    """The variables whose mean absolute SHAP value clears that of random bits in the same forests.

    Args:
        runs: Forests, each with a column of random bits of its own.
        alpha: None for the paper's rule of two standard errors, or an error rate over all variables.
        trees: Trees a forest, each grown on 1000 rows.
        explained: Steps, drawn anew in each run, whose predictions are explained.
    """
    require_extra("shap", "shap")
    counts = {"runs": runs, "trees": trees, "explained": explained}
    check("shap", alpha=alpha, **counts)
    made = Made("shap", "mean absolute SHAP values", {**counts, "alpha": alpha, "seed": seed})
    rng, spread = own_stream(seed), choose_backend(backend, n_jobs)

    def find(data: Trajectories, candidates: list[int], report: Report) -> Selection:
        given = ShapInputs(data.states[:, candidates], target_of(data), Forest(trees), explained)
        found = mapped(spread, shap_run, spawn(rng, runs), given, report, "shap")
        scores = RepeatedScores.of_runs(found)
        return by_null_model(data, scores, made, alpha=alpha, candidates=candidates)

    return answered(data, made, progress, find)


def shap_run(rng: np.random.Generator, given: ShapInputs) -> Floats:
    """Mean absolute SHAP value of each variable and, last, of random bits."""
    import shap

    bits = rng.integers(0, 2, len(given.columns)).astype(np.float64)
    columns = np.column_stack([given.columns, bits])
    fitted = given.forest.model(given.target, rng=rng).fit(columns, given.target.for_sklearn)
    rows = rng.choice(len(columns), min(given.explained, len(columns)), replace=False)
    explained = np.abs(np.asarray(shap.TreeExplainer(fitted).shap_values(columns[rows])))
    # [row, variable], or [row, variable, output] for classes and several action dimensions.
    mean: Floats = explained.reshape(len(rows), columns.shape[1], -1).sum(2).mean(0)
    return mean
