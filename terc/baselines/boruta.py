"""Boruta (extra `terc[boruta]`): what a forest needs more than shuffled copies of the variables."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace

import numpy as np

from terc.baselines.forest import Forest
from terc.baselines.methods import require_extra
from terc.baselines.scored import Made, by_decision, changing_columns, nothing_to_tell, own_stream, positive
from terc.baselines.target import target_of
from terc.selection.progress import Report, reporting
from terc.selection.result import Selection
from terc.trajectories.data import Trajectories


def boruta(
    data: Trajectories,
    iterations: int = 50,
    trees: int = 100,
    n_jobs: int = 1,
    seed: int = 0,
    progress: bool | Report = False,
) -> Selection:
    """The variables that Boruta confirms: all that are relevant, copies included, not the smallest set.

    In each iteration a forest is fitted to the variables and a shuffled copy of each; a variable is confirmed
    when its importance beats the best shuffled copy more often than chance allows.

    Args:
        data: Recorded steps.
        iterations: At most so many; what is still undecided then is removed.
        trees: Trees a forest, each grown on 1000 rows.
        n_jobs: Threads of the forests.
        seed: Same seed, same answer.
        progress: True for a bar on a terminal, or a function `(done, total, what)`.

    Raises:
        MissingExtraError: The package `boruta` is not installed.
    """
    started = time.perf_counter()
    require_extra("boruta", "boruta")
    positive("boruta", iterations=iterations, trees=trees)
    data, offered = changing_columns("boruta", data)
    config = {"iterations": iterations, "trees": trees, "seed": seed}
    made = Made("boruta", "mean importances in the forests", config)
    if not offered:
        return nothing_to_tell(data, made)
    from boruta import BorutaPy

    rng, target = own_stream(seed), target_of(data)
    forest = Forest(trees).model(target, rng=rng).set_params(n_jobs=n_jobs)
    judge = BorutaPy(forest, n_estimators=trees, max_iter=iterations, random_state=int(rng.integers(2**31)))
    values = target.values if target.values.shape[1:] != (1,) else target.values[:, 0]
    with reporting(progress) as report, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report(0, 1, "boruta")
        judge.fit(data.states[:, offered], values)
        report(1, 1, "boruta")
        means = np.nanmean(np.asarray(judge.importance_history_, dtype=np.float64), axis=0)
    kept = {j: bool(yes) for j, yes in zip(offered, judge.support_, strict=True)}
    undecided = int(np.sum(judge.support_weak_))
    note = f"{undecided} undecided after {iterations} iterations, removed." if undecided else ""
    gains = dict(zip(offered, map(float, means), strict=True))
    selection = by_decision(data, kept, gains, replace(made, notes=(note,)))
    return replace(selection, timings={"boruta": time.perf_counter() - started})
