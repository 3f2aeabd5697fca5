"""Sequential knockoffs (SEEK; Ma and others, 2023): variables that beat their knockoffs, by majority vote."""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from terc.arrays import Booleans, Floats, Integers
from terc.baselines import scored
from terc.baselines.permutation_importance import block
from terc.baselines.scored import Made
from terc.baselines.target import ActionTarget, Forest, standardised, target_of
from terc.checks import between_0_and_1, one_of
from terc.errors import BadValueError
from terc.progress import Report
from terc.seeding import spawn
from terc.selection.result import Selection
from terc.trajectories.data import Trajectories

AIMS = ("action", "reward")
STATISTICS = ("lasso", "forest")
FEWEST_ROWS = 20
RIDGE = 1e-6


@dataclass(frozen=True, eq=False)
class KnockoffRound:
    """One round: which variables move the target?

    Attributes:
        blocks: Per variable its columns `[n, k]` (several for labels).
        group: The action of each row, within which knockoffs are drawn; all 0 when the action is the target.
    """

    blocks: list[Floats]
    target: ActionTarget
    group: Integers
    part: Integers
    statistic: str
    rate: float


def knockoffs(  # noqa: PLR0913  (the public contract; all but one have a default)
    data: Trajectories,
    aim: str = "action",
    statistic: str = "lasso",
    rate: float = 0.1,
    splits: int = 5,
    n_jobs: int = 1,
    seed: int = 0,
    progress: bool | Report = False,
) -> Selection:
    """The variables that beat their knockoffs in more than half of the thinned parts of the data.

    Part k holds every `splits`-th step from the k-th on, so that its steps are nearly independent. In each,
    second-order Gaussian knockoffs are drawn, a model is fitted to variables and knockoffs together, and what
    each variable weighs more than its knockoff is its statistic; the knockoff threshold cuts them. `gain` is
    the share of the parts that chose the variable.

    With `aim="reward"` this is the authors' own procedure, which asks what a *learner* needs: first the
    variables that move the reward, then those that move the next value of the chosen ones, until none joins;
    knockoffs are drawn within each action, and of a variable's statistics over the actions the one largest in
    size counts. With `aim="action"` it answers our question, what the *policy* reads.

    Args:
        statistic: "lasso" (sizes of coefficients) or "forest" (impurity importance).
        rate: Target rate of false discoveries.
        splits: Thinned parts that vote.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> x = rng.standard_normal((2000, 4))
        >>> data = Trajectories(x, x[:, 0] - x[:, 1], names=list("abcd"))
        >>> knockoffs(data).kept
        ('a', 'b')
    """
    one_of(AIMS)("knockoffs", "aim", aim)
    one_of(STATISTICS)("knockoffs", "statistic", statistic)
    scored.check("knockoffs", splits=splits)
    between_0_and_1("knockoffs", "rate", rate)
    config = {"aim": aim, "statistic": statistic, "rate": rate, "splits": splits, "seed": seed}
    made = Made("knockoffs", "shares of the parts of the data that chose the variable", config)
    rng = scored.own_stream(seed)

    def find(data: Trajectories, candidates: list[int], report: Report) -> Selection:
        given = replace(_inputs(data, candidates, aim, statistic, splits), rate=rate)

        def votes_in(asked: KnockoffRound) -> Floats:
            tasks = list(enumerate(spawn(rng, splits)))
            return np.mean(scored.mapped(partial(choices, asked), tasks, n_jobs, report, "knockoffs"), axis=0)

        votes, notes = _rounds(data, candidates, given, aim, votes_in)
        described = replace(made, notes=tuple(notes))
        return scored.by_decision(data, candidates, votes > 0.5, votes, described, null_high=0.5)

    return scored.answered(data, made, progress, find)


def _inputs(
    data: Trajectories, candidates: list[int], aim: str, statistic: str, splits: int
) -> KnockoffRound:
    group = np.zeros(len(data), dtype=np.int64)
    target = target_of(data)
    if aim == "reward":
        if data.rewards is None:
            raise BadValueError(
                "knockoffs: aim 'reward' needs data with rewards: Trajectories(..., rewards=...)."
            )
        if data.action_kind == "discrete":
            group = np.asarray(data.actions, dtype=np.int64)
        target = ActionTarget.of_numbers(np.asarray(data.rewards)[:, None])
    blocks = [block(data.states[:, j], nominal=data.names[j] in data.nominal) for j in candidates]
    part = np.arange(len(data)) % splits
    if len(data) // splits < FEWEST_ROWS:
        raise BadValueError(
            f"knockoffs: wanted at least {FEWEST_ROWS} steps in each of {splits} splits, got {len(data)} in "
            "all. Use fewer splits."
        )
    return KnockoffRound(blocks, target, group, part, statistic, rate=0.1)


def _rounds(
    data: Trajectories,
    candidates: list[int],
    given: KnockoffRound,
    aim: str,
    votes_in: Callable[[KnockoffRound], Floats],
) -> tuple[Floats, list[str]]:
    """The share of the parts that choose each variable, and in words what joined in which round."""
    votes, fewest = votes_in(given), FEWEST_ROWS * (int(given.part.max()) + 1)
    if aim == "action":
        return votes, []
    notes = [_round_note("the reward", [], _names(data, candidates, votes > 0.5))]
    follows = np.flatnonzero(np.diff(data.episodes) == 0)
    asked = np.zeros(len(candidates), dtype=bool)
    while (new := (votes > 0.5) & ~asked).any() and len(follows) >= fewest:
        asked |= new
        later = votes_in(_next_values(given, follows, new))
        joined = _names(data, candidates, (later > 0.5) & ~asked)
        notes.append(_round_note("the next", _names(data, candidates, new), joined))
        votes = np.maximum(votes, later)
    return votes, notes


def _next_values(given: KnockoffRound, rows: Integers, new: Booleans) -> KnockoffRound:
    """The round whose target is the value of the `new` variables one step later."""
    columns = [given.blocks[k][rows + 1] for k in np.flatnonzero(new)]
    return replace(
        given,
        blocks=[one[rows] for one in given.blocks],
        target=ActionTarget.of_numbers(np.hstack(columns)),
        group=given.group[rows],
        part=given.part[rows],
    )


def choices(given: KnockoffRound, task: tuple[int, np.random.Generator]) -> Floats:
    """Which variables one part of the data chooses, as 0 and 1."""
    (part, rng), best = task, np.zeros(len(given.blocks))
    mine = given.part == part
    for action in np.unique(given.group[mine]):
        rows = np.flatnonzero(mine & (given.group == action))
        if len(rows) >= FEWEST_ROWS:
            found = _statistics(given, rows, rng=rng)
            best = np.where(np.abs(found) > np.abs(best), found, best)
    return (best >= knockoff_threshold(best, given.rate)).astype(np.float64)


def _statistics(given: KnockoffRound, rows: Integers, *, rng: np.random.Generator) -> Floats:
    """What each variable weighs more than its knockoff."""
    columns = np.hstack([one[rows] for one in given.blocks])
    both = np.hstack([columns, second_order_knockoffs(columns, rng=rng)])
    both = standardised(both)
    weigh = _lasso_weights if given.statistic == "lasso" else _forest_weights
    weights = weigh(both, given.target.rows(rows), rng=rng)
    own, fake = np.split(weights, 2)
    ends = np.cumsum([one.shape[1] for one in given.blocks])[:-1]
    return np.array([part.sum() for part in np.split(own - fake, ends)])


def _lasso_weights(columns: Floats, target: ActionTarget, *, rng: np.random.Generator) -> Floats:
    """Sizes of the coefficients of a cross-validated lasso, summed over the target's columns."""
    from sklearn.linear_model import LassoCV

    del rng
    weights = np.zeros(columns.shape[1])
    for column in target.as_numbers().T:
        if np.ptp(column) > 0:
            with warnings.catch_warnings():
                # Along the path some penalties are too small to converge on; others are chosen then.
                warnings.simplefilter("ignore")
                weights += np.abs(LassoCV(cv=3, alphas=20, max_iter=500).fit(columns, column).coef_)
    return weights


def _forest_weights(columns: Floats, target: ActionTarget, *, rng: np.random.Generator) -> Floats:
    model = Forest().model(target, rng=rng)
    weights: Floats = model.fit(columns, target.for_sklearn).feature_importances_
    return weights


def _names(data: Trajectories, candidates: list[int], chosen: Booleans) -> list[str]:
    return [data.names[j] for j, yes in zip(candidates, chosen, strict=True) if yes]


def _round_note(what: str, of: Sequence[str], joined: Sequence[str]) -> str:
    return f"{' '.join([what, ', '.join(of)]).strip()}: {', '.join(joined) or 'nothing more'}."


def second_order_knockoffs(columns: Floats, *, rng: np.random.Generator) -> Floats:
    """Knockoffs `[n, d]` of `columns` `[n, d]`, drawn as if these were Gaussian.

    With S the covariance and D = diag(s), the pair (X, knockoff) has covariance [[S, S - D], [S - D, S]]:
    swapping a variable with its knockoff changes no first or second moment. s is the same share of every
    variance (equi-correlated), as large as a covariance matrix allows: copies leave no room, and their
    knockoffs are copies too.

    Example:
        >>> x = np.random.default_rng(0).standard_normal((4000, 2))
        >>> both = np.hstack([x, second_order_knockoffs(x, rng=np.random.default_rng(1))])
        >>> bool(np.abs(np.corrcoef(both.T) - np.eye(4)).max() < 0.06)
        True
    """
    mean, spread = columns.mean(0), columns.std(0)
    spread = np.where(spread > 0, spread, 1.0)
    standard = (columns - mean) / spread
    correlation = standard.T @ standard / len(standard)
    share = min(1.0, 2 * max(0.0, float(np.linalg.eigvalsh(correlation)[0])))
    steady = correlation + RIDGE * np.eye(len(correlation))
    pulled = np.linalg.solve(steady, standard.T).T * share
    # Covariance of what is random in the knockoffs: 2 D - D S^-1 D, D = share times the unit matrix.
    rest = 2 * share * np.eye(len(steady)) - share**2 * np.linalg.inv(steady)
    values, vectors = np.linalg.eigh(rest)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    drawn = rng.standard_normal(standard.shape) @ root
    knockoffs: Floats = mean + spread * (standard - pulled + drawn)
    return knockoffs


def knockoff_threshold(statistics: Floats, rate: float) -> float:
    """The smallest t at which #{W <= -t} / #{W >= t} is at most `rate`; infinity if there is none.

    Knockoff+, which adds one above the line, keeps nothing unless at least 1 / `rate` variables can be kept.

    Example:
        >>> knockoff_threshold(np.array([3.0, 2.0, 0.4, -0.5, 0.1]), 0.1)
        2.0
    """
    for level in np.unique(np.abs(statistics[statistics != 0])):
        wrong = int((statistics <= -level).sum())
        if wrong / max(1, int((statistics >= level).sum())) <= rate:
            return float(level)
    return math.inf
