"""Boruta (extra `terc[boruta]`): variables that a forest uses more than shuffled copies of them."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from terc.baselines.methods import require_extra
from terc.baselines.scored import Made, answered, by_decision, check, own_stream
from terc.baselines.target import Forest, target_of
from terc.progress import Report
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
    when its importance beats the best shuffled copy more often than chance allows. Of an action of several
    numbers each is asked about by itself: what one of them confirms is kept.

    Args:
        iterations: At most; what is still undecided after these is removed.
        trees: Trees a forest, each grown on 1000 rows.
    """
    require_extra("boruta", "boruta")
    check("boruta", iterations=iterations, trees=trees)
    config = {"iterations": iterations, "trees": trees, "seed": seed}
    made, rng = Made("boruta", "mean importances in the forests", config), own_stream(seed)

    def find(data: Trajectories, candidates: list[int], report: Report) -> Selection:
        from boruta import BorutaPy

        target, fits = target_of(data), list[Any]()
        # The package takes one target at a time.
        parts = [target.values] if target.is_class else list(target.values.T)
        for part in parts:
            report(len(fits), len(parts), "boruta")
            forest = Forest(trees).model(target, rng=rng).set_params(n_jobs=n_jobs)
            draw = int(rng.integers(2**31))
            fit = BorutaPy(forest, n_estimators=trees, max_iter=iterations, random_state=draw)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fits.append(fit.fit(data.states[:, candidates], part))
        support = np.any([fit.support_ for fit in fits], axis=0)
        undecided = int((np.any([fit.support_weak_ for fit in fits], axis=0) & ~support).sum())
        note = f"{undecided} undecided after {iterations} iterations, removed." if undecided else ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            # Over the iterations in which a variable was still in play.
            means = np.mean(
                [np.nanmean(np.asarray(f.importance_history_, float), axis=0) for f in fits], axis=0
            )
        return by_decision(data, candidates, support, means, replace(made, notes=(note,)))

    return answered(data, made, progress, find)
