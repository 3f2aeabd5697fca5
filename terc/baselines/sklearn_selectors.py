"""scikit-learn's own selectors around a random forest: recursive elimination and greedy addition."""

from typing import Any

import numpy as np

from terc.arrays import Floats, Integers
from terc.baselines.scored import Made, answered, by_decision, check, own_stream
from terc.baselines.target import ActionTarget, Forest, target_of
from terc.errors import BadValueError
from terc.parallel.choose import checked_n_jobs
from terc.progress import Report
from terc.selection.result import Selection
from terc.trajectories.data import Trajectories

FOLDS = 3
LEAST_RISE = 0.005


def rfecv(
    data: Trajectories, trees: int = 50, n_jobs: int = 1, seed: int = 0, progress: bool | Report = False
) -> Selection:
    """Recursive elimination: the least important variable of a forest goes, until cross-validation says stop.

    The best of several sizes that predict equally well is a matter of luck: noise variables stay easily.
    """
    from sklearn.feature_selection import RFECV

    def search(columns: Floats, target: ActionTarget, groups: Integers, *, rng: np.random.Generator) -> Any:
        # Beyond 25 columns several go at a time: one by one would cost hundreds of forests.
        step = max(1, columns.shape[1] // 25)
        forest = Forest(trees).model(target, rng=rng)
        search = RFECV(forest, step=step, cv=_folds(), n_jobs=checked_n_jobs(n_jobs))
        return search.fit(columns, target.for_sklearn, groups=groups)

    return _selected("rfecv", data, search, {"trees": trees, "seed": seed}, progress)


def sequential_selection(
    data: Trajectories, trees: int = 30, n_jobs: int = 1, seed: int = 0, progress: bool | Report = False
) -> Selection:
    """Greedy addition: the variable that helps a cross-validated forest most joins, while it helps by 0.005.

    What helps only in company is never tried in company: XOR is not found. At least one variable is kept.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> x = rng.standard_normal((300, 3))
        >>> data = Trajectories(x, 3 * x[:, 0], names=["a", "noise", "more noise"])
        >>> sequential_selection(data, trees=5).kept
        ('a',)
    """
    from sklearn.feature_selection import SequentialFeatureSelector

    def search(columns: Floats, target: ActionTarget, groups: Integers, *, rng: np.random.Generator) -> Any:
        forest = Forest(trees).model(target, rng=rng)
        folds = list(_folds().split(columns, groups=groups))
        return SequentialFeatureSelector(
            forest, n_features_to_select="auto", tol=LEAST_RISE, cv=folds, n_jobs=checked_n_jobs(n_jobs)
        ).fit(columns, target.for_sklearn)

    return _selected("sequential", data, search, {"trees": trees, "seed": seed}, progress)


def _selected(
    method: str, data: Trajectories, search: Any, config: dict[str, Any], progress: bool | Report
) -> Selection:
    check(method, trees=config["trees"])
    made = Made(method, "1 for kept variables, less the sooner they were removed", config)
    rng = own_stream(config["seed"])

    def find(data: Trajectories, candidates: list[int], report: Report) -> Selection:
        columns, target = data.states[:, candidates], target_of(data)
        if len(candidates) == 1:
            # Nothing to search in; scikit-learn refuses a single column.
            return by_decision(data, candidates, [True], [1.0], made)
        report(0, 1, method)
        found = search(columns, target, _groups(method, data), rng=rng)
        support = found.get_support()
        return by_decision(data, candidates, support, 1 / getattr(found, "ranking_", 2.0 - support), made)

    return answered(data, made, progress, find)


def _folds() -> Any:
    from sklearn.model_selection import GroupKFold

    return GroupKFold(FOLDS)


def _groups(method: str, data: Trajectories) -> Integers:
    """Episodes, which stay whole; stretches of steps where there are fewer than the folds."""
    if len(data) < FOLDS:
        raise BadValueError(f"{method}: wanted at least {FOLDS} steps for {FOLDS} folds, got {len(data)}.")
    if data.n_episodes >= FOLDS:
        return data.episodes
    return np.arange(len(data), dtype=np.int64) * min(30, len(data)) // len(data)
