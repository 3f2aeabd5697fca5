"""Permutation importance (Breiman, 2001): how much worse a model predicts when a column is shuffled."""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Self

import numpy as np

from terc.arrays import Floats, Integers
from terc.baselines import scored
from terc.baselines.scored import NULL_DRAWS, Made
from terc.baselines.target import ActionTarget, Forest, target_of
from terc.checks import one_of
from terc.errors import BadValueError
from terc.progress import Report
from terc.seeding import spawn
from terc.selection.result import Selection
from terc.trajectories.data import Trajectories

REPEATS = {"ridge": 1_000, "forest": 5}
METHODS = {"ridge": "permutation", "forest": "permutation_forest"}
HELD_OUT = 1 / 3


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
    scored.check("permutation_importance", alpha=alpha, repeats=repeats, **counts)
    own = {name: value for name, value in counts.items() if (name == "null_draws") == (model == "ridge")}
    config = {"model": model, "repeats": repeats, "alpha": alpha, "seed": seed, **own}
    made, rng = Made(METHODS[model], "", config), scored.own_stream(seed)

    def find(data: Trajectories, candidates: list[int], report: Report) -> Selection:
        target = target_of(data)
        if model == "ridge":
            values, null = _ridge_scores(data, candidates, repeats, null_draws, report, rng=rng)
        else:
            forest = Forest(trees, tree_rows)
            columns, episodes = data.states[:, candidates], _episodes(data)
            run = partial(forest_run, columns, target, episodes, forest, repeats)
            found = scored.mapped(run, spawn(rng, runs), n_jobs, report, "permutation_forest")
            values, null = scored.against_bits(found)
        score = "accuracy" if model == "forest" and target.is_class else "the share of variance (R2)"
        described = replace(made, unit=f"falls of {score} under shuffling")
        return scored.by_null_model(data, candidates, values, null, described, alpha)

    return scored.answered(data, made, progress, find)


def _ridge_scores(
    data: Trajectories,
    candidates: list[int],
    repeats: int,
    null_draws: int,
    report: Report,
    *,
    rng: np.random.Generator,
) -> tuple[Floats, list[Floats]]:
    """Falls of R2 `[variable, repeat]`, and of null columns, each of which joins a regression of its own."""
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
    return np.array(falls).T, null


def _episodes(data: Trajectories) -> Integers:
    episodes = data.episodes
    if data.n_episodes < 3:
        # One recorded run: stretches of it stand in for episodes.
        episodes = np.arange(len(data)) * 30 // len(data)
    if len(np.unique(episodes)) < 3:
        raise BadValueError(f"permutation_importance: wanted at least 3 steps, got {len(data)}.")
    return episodes


def forest_run(
    columns: Floats,
    target: ActionTarget,
    episodes: Integers,
    forest: Forest,
    repeats: int,
    rng: np.random.Generator,
) -> Floats:
    """Mean fall of the held-out score of one forest, for each variable and, last, for random bits."""
    from sklearn import inspection

    columns = np.column_stack([columns, rng.integers(0, 2, len(columns)).astype(np.float64)])
    kinds = np.unique(episodes)
    away = rng.choice(kinds, max(1, round(len(kinds) * HELD_OUT)), replace=False)
    test = np.isin(episodes, away)
    seen, wanted = target.rows(~test), target.rows(test).for_sklearn
    fitted = forest.model(seen, rng=rng).fit(columns[~test], seen.for_sklearn)
    draw = int(rng.integers(2**31))
    falls = inspection.permutation_importance(
        fitted, columns[test], wanted, n_repeats=repeats, random_state=draw
    )
    mean: Floats = falls.importances_mean
    return mean


PENALTY = 0.01
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Fitted:
    """A linear prediction, taken apart.

    Attributes:
        parts: `[n, d, q]`: what each variable adds to the prediction of each target column, centred.
        residual: `[n, q]`: target minus prediction.
        total: Sum of squares of the centred target.
    """

    parts: Floats
    residual: Floats
    total: float

    @cached_property
    def _reference(self) -> tuple[Floats, Floats, Floats]:
        """Parts, residual plus part, and the sums of their products, with variables and targets in a row."""
        flat = self.parts.reshape(len(self.parts), -1)
        restored = (self.residual[:, None] + self.parts).reshape(flat.shape)
        return flat, restored, np.einsum("nk,nk->k", restored, flat)

    def falls(self, permutation: Integers) -> Floats:
        """Fall of R2 for each variable when its rows are permuted and all else stays, `[d]`.

        With e the residual, c the variable's part and c' its permuted part, the squared error grows by
        sum (e + c - c')^2 - e^2 = 2 sum (e + c) (c - c') because c and c' have the same sum of squares.
        What is below rounding error is zero: a perfect fit would otherwise rank it.

        Example:
            >>> x = np.array([-1.0, 1.0, -1.0, 1.0])
            >>> fitted = ridge([x[:, None]], x[:, None], penalty=0)
            >>> fitted.falls(np.array([1, 0, 3, 2])).round(9).tolist()
            [4.0]
        """
        flat, restored, unmoved = self._reference
        grown = unmoved - np.einsum("nk,nk->k", restored, flat[permutation])
        falls: Floats = 2 * grown.reshape(self.parts.shape[1:]).sum(1) / self.total
        return np.where(np.abs(falls) < ROUNDING, 0.0, falls)

    def only(self, variable: int) -> Self:
        """The same with the part of one variable alone, to permute it alone."""
        return type(self)(self.parts[:, [variable]], self.residual, self.total)


def ridge(blocks: list[Floats], target: Floats, penalty: float = PENALTY) -> Fitted:
    """The ridge regression of `target` `[n, q]` on blocks of columns, one block per variable.

    The intercept is not penalised; the columns are used as they are, not scaled.
    """
    columns = np.hstack(blocks)
    columns = columns - columns.mean(0)
    centred = target - target.mean(0)
    gram = columns.T @ columns
    # Least squares, because copies make the matrix singular when the penalty is small against them.
    weights = np.linalg.lstsq(gram + penalty * np.eye(len(gram)), columns.T @ centred, rcond=None)[0]
    ends = np.cumsum([block.shape[1] for block in blocks])[:-1]
    pieces = zip(np.split(columns, ends, axis=1), np.split(weights, ends), strict=True)
    parts = np.stack([piece @ weight for piece, weight in pieces], axis=1)
    return Fitted(parts, centred - parts.sum(1), float((centred**2).sum()))


def block(column: Floats, *, nominal: bool) -> Floats:
    """A variable as columns of a linear model `[n, k]`: itself, or one indicator per level but the first.

    Example:
        >>> block(np.array([0.0, 1.0, 2.0]), nominal=True).tolist()
        [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    if not nominal:
        return column[:, None]
    return (column[:, None] == np.unique(column)[1:]).astype(np.float64)
