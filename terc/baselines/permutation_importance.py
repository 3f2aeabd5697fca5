"""Permutation importance (Breiman, 2001): how much worse a model predicts when a column is shuffled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from terc.arrays import Floats, Integers
from terc.baselines.forest import Forest
from terc.baselines.linear import block, ridge
from terc.baselines.null_model import NULL_DRAWS, RepeatedScores
from terc.baselines.scored import Made, answered, by_null_model, check, mapped, own_stream
from terc.baselines.target import ActionTarget, target_of
from terc.checks import one_of
from terc.errors import BadValueError
from terc.parallel.choose import choose_backend
from terc.progress import Report
from terc.seeding import spawn
from terc.selection.result import Selection
from terc.trajectories.data import Trajectories

if TYPE_CHECKING:
    from terc.parallel.backend import Backend

REPEATS = {"ridge": 1_000, "forest": 5}
METHODS = {"ridge": "permutation", "forest": "permutation_forest"}
HELD_OUT = 1 / 3


@dataclass(frozen=True, eq=False)
class ForestInputs:
    """What every run with a forest reads: columns `[n, d]`, action, episodes, and how to score."""

    columns: Floats
    target: ActionTarget
    episodes: Integers
    forest: Forest
    repeats: int


def permutation_importance(  # noqa: PLR0913  (the public contract; all but one have a default)
    data: Trajectories,
    model: str = "ridge",
    repeats: int | None = None,
    runs: int = 10,
    n_jobs: int = 1,
    seed: int = 0,
    progress: bool | Report = False,
    *,
    alpha: float | None = None,
    null_draws: int = NULL_DRAWS,
    trees: int = 100,
    tree_rows: int | None = 1_000,
    backend: str | Backend | None = None,
) -> Selection:
    """The variables whose shuffling costs a model more than shuffling columns of random bits does.

    "ridge" is the paper's: linear regression with penalty 0.01, scored by R2 on its own data, blind to what
    is not linear. "forest" is what people use today: each of `runs` forests is fitted to two thirds of the
    episodes, with a fresh column of random bits, and scored on the rest; copies share the credit.

    Args:
        repeats: Shuffles; 1000 for ridge, 5 a run for forests when None.
        runs: Forests; ridge has none.
        alpha: None for the paper's rule of two standard errors, or an error rate over all variables.
        null_draws: Columns of random bits that the ridge regression is tried with; the paper has 1.
        tree_rows: Rows a tree is grown on; None for as many as there are.

    Example:
        >>> x = np.random.default_rng(0).standard_normal((600, 3))
        >>> data = Trajectories(x, x[:, 0] + x[:, 1], names=["a", "b", "noise"], episodes=range(600))
        >>> permutation_importance(data).kept
        ('a', 'b')
    """
    one_of(list(REPEATS))("permutation_importance", "model", model)
    repeats = REPEATS[model] if repeats is None else repeats
    counts = {"null_draws": null_draws, "runs": runs, "trees": trees, "tree_rows": tree_rows}
    check("permutation_importance", alpha=alpha, repeats=repeats, **counts)
    own = {name: value for name, value in counts.items() if (name == "null_draws") == (model == "ridge")}
    config = {"model": model, "repeats": repeats, "alpha": alpha, "seed": seed, **own}
    made, rng, spread = Made(METHODS[model], "", config), own_stream(seed), choose_backend(backend, n_jobs)

    def find(data: Trajectories, candidates: list[int], report: Report) -> Selection:
        if model == "ridge":
            scores = _ridge_scores(data, candidates, repeats, null_draws, report, rng=rng)
        else:
            given = _inputs(data, candidates, Forest(trees, tree_rows), repeats)
            found = mapped(spread, forest_run, spawn(rng, runs), given, report, "permutation_forest")
            scores = RepeatedScores.of_runs(found)
        described = replace(made, unit=_unit(model, data))
        return by_null_model(data, scores, described, alpha=alpha, candidates=candidates)

    return answered(data, made, progress, find)


def _unit(model: str, data: Trajectories) -> str:
    by_class = model == "forest" and target_of(data).is_class
    return f"falls of {'accuracy' if by_class else 'the share of variance (R2)'} under shuffling"


def _ridge_scores(
    data: Trajectories,
    candidates: list[int],
    repeats: int,
    null_draws: int,
    report: Report,
    *,
    rng: np.random.Generator,
) -> RepeatedScores:
    """Falls of R2 `[variable, repeat]`; each null column joins a regression of its own."""
    target = target_of(data).as_numbers()
    blocks = [block(data.states[:, j], nominal=data.names[j] in data.nominal) for j in candidates]
    total = repeats * (1 + null_draws)
    fitted = ridge(blocks, target)
    falls = []
    for done in range(repeats):
        falls.append(fitted.falls(rng.permutation(len(data))))
        report(done, total, "permutation")
    null = []
    for draw in range(null_draws):
        bits = rng.integers(0, 2, (len(data), 1)).astype(np.float64)
        beside = ridge([*blocks, bits], target).only(len(blocks))
        null.append(np.array([beside.falls(rng.permutation(len(data)))[0] for _ in range(repeats)]))
        report(repeats * (2 + draw), total, "permutation")
    return RepeatedScores(np.array(falls).T, null)


def _inputs(data: Trajectories, candidates: list[int], forest: Forest, repeats: int) -> ForestInputs:
    episodes = data.episodes
    if data.n_episodes < 3:
        # One recorded run: stretches of it stand in for episodes.
        episodes = np.arange(len(data)) * 30 // len(data)
    if len(np.unique(episodes)) < 3:
        raise BadValueError(f"permutation_importance: wanted at least 3 steps, got {len(data)}.")
    return ForestInputs(data.states[:, candidates], target_of(data), episodes, forest, repeats)


def forest_run(rng: np.random.Generator, given: ForestInputs) -> Floats:
    """Mean fall of the held-out score of one forest, for each variable and, last, for random bits."""
    bits = rng.integers(0, 2, len(given.columns)).astype(np.float64)
    columns = np.column_stack([given.columns, bits])
    kinds = np.unique(given.episodes)
    away = rng.choice(kinds, max(1, round(len(kinds) * HELD_OUT)), replace=False)
    test = np.isin(given.episodes, away)
    seen = given.target.rows(~test)
    fitted = given.forest.model(seen, rng=rng).fit(columns[~test], seen.for_sklearn)
    shown, wanted = columns[test], given.target.rows(test).for_sklearn
    base = fitted.score(shown, wanted)
    falls = np.zeros((given.repeats, columns.shape[1]))
    for repeat in range(given.repeats):
        for j in range(columns.shape[1]):
            shuffled = shown.copy()
            shuffled[:, j] = shown[rng.permutation(len(shown)), j]
            falls[repeat, j] = base - fitted.score(shuffled, wanted)
    mean: Floats = falls.mean(0)
    return mean
