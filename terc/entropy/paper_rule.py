"""The paper's own decision: a variable stays when its gain, over the runs, clears that of a random column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.base import Estimator, RemovalTest, Subset
from terc.entropy.evidence import Evidence, Question
from terc.entropy.mine import NULL_DRAWS
from terc.entropy.null_rule import PAPER_WIDTH, null_upper_end, standard_error, welch
from terc.errors import BadValueError
from terc.trajectories.data import Trajectories

if TYPE_CHECKING:
    from terc.arrays import Floats

SUBSETS_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class PaperRuleTest(RemovalTest):
    """Needed if mean - 2 sd / sqrt(runs) of Phi lies above mean + 2 sd / sqrt(runs) of the null model's Phi.

    The null model is a column of random bits that is added to the recorded data: Phi of it, beside the same
    variables, should be zero and shows what training makes of zero. The paper draws it once; one draw is
    fragile, so several are drawn here and the upper end allows for how they differ. `null_draws=1` is the
    paper's rule to the letter.

    The rule has no error rate, no correction for the number of variables, and no floor unless one is given.

    Attributes:
        data: The steps.
        estimator: One whose losses are repeated in independent runs: `MineEstimator`.
        rng: Gives one seed, used for every call: an answer depends on the question, not on what was asked
            before.
        null_draws: Random columns.
        min_effect: Share of I(A; X), as the estimator measures it, below which a gain is immaterial.

    Example:
        >>> from terc.entropy.mine import MineEstimator
        >>> rng = np.random.default_rng(0)
        >>> x = rng.integers(0, 2, (400, 3))
        >>> data, mine = Trajectories(x, x[:, 0] ^ x[:, 1]), MineEstimator(runs=5)
        >>> test = PaperRuleTest(data, mine, rng=rng, null_draws=1)
        >>> needed, noise = test.ask([Question(((0,),), ((1,), (2,))), Question(((2,),), ((0,), (1,)))])
        >>> needed.needed, round(needed.gain, 1), noise.needed
        (True, 0.7, False)
    """

    data: Trajectories
    estimator: Estimator
    rng: np.random.Generator = field(kw_only=True, repr=False)
    null_draws: int = field(default=NULL_DRAWS, kw_only=True)
    min_effect: float = field(default=0.0, kw_only=True)
    _known: dict[tuple[Subset, int], Floats] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse a test without a null model."""
        if self.null_draws < 1:
            raise BadValueError(f"PaperRuleTest: null_draws must be at least 1, got {self.null_draws}.")

    def ask(self, questions: Sequence[Question]) -> list[Evidence]:
        """One piece of evidence per question; all networks of one call are trained together."""
        everything = [_everything(question) for question in questions]
        self._train([*everything, *(question.other_columns for question in questions)], everything)
        return [self._evidence(question) for question in questions]

    def _evidence(self, question: Question) -> Evidence:
        columns = _everything(question)
        gains = self._known[columns, 0] - self._known[question.other_columns, 0]
        null = self.null_gains(columns)
        mean, error = float(gains.mean()), float(standard_error(_repeated(gains)))
        null_high = null_upper_end(null)
        p_value = welch(gains, null.ravel())
        needed = mean - PAPER_WIDTH * error > null_high and mean >= self._floor
        return Evidence(mean, error, p_value, needed, "mine", null_high, tuple(gains.tolist()))

    def entropies(self, subsets: Sequence[Subset]) -> list[tuple[float, float]]:
        """-I(A; subset), which is H(A | subset) up to a constant, with the error over the runs."""
        self._prepare(0, subsets)
        runs = [-self._known[subset, 0] for subset in subsets]
        return [(float(one.mean()), float(standard_error(one))) for one in runs]

    def null_gains(self, columns: Subset) -> Floats:
        """Phi of the null model beside `columns`, `[draw, run]`."""
        self._train([columns], [columns])
        known, bare = self._known, self._known[columns, 0]
        return np.stack([known[self._with_null(columns), draw] - bare for draw in range(self.null_draws)])

    def _with_null(self, columns: Subset) -> Subset:
        return (*columns, len(self.data.names))

    def _train(self, plain: list[Subset], beside_null: list[Subset]) -> None:
        """Everything that is needed of some subsets, alone and beside each draw of the null model."""
        nulls = [self._with_null(columns) for columns in beside_null]
        for draw in range(self.null_draws):
            self._prepare(draw, [*plain, *nulls] if draw == 0 else nulls)

    def _prepare(self, draw: int, subsets: Iterable[Subset]) -> None:
        """Estimate what is not known yet, on the data with one draw of the null model as last column."""
        missing = [subset for subset in dict.fromkeys(subsets) if (subset, draw) not in self._known]
        for start in range(0, len(missing), SUBSETS_AT_ONCE):
            part = missing[start : start + SUBSETS_AT_ONCE]
            losses = self.estimator.losses(self._drawn[draw], part, rng=np.random.default_rng(self._seed))
            values = -losses.mean(-1, dtype=np.float64)
            self._known.update({(subset, draw): value for subset, value in zip(part, values, strict=True)})

    @cached_property
    def _floor(self) -> float:
        if self.min_effect == 0:
            return 0.0
        everything, nothing = tuple(range(len(self.data.names))), ()
        self._prepare(0, [everything, nothing])
        information = (self._known[everything, 0] - self._known[nothing, 0]).mean()
        return self.min_effect * max(0.0, float(information))

    @cached_property
    def _seed(self) -> int:
        return int(self.rng.integers(2**62))

    @cached_property
    def _drawn(self) -> list[Trajectories]:
        rng = np.random.default_rng([self._seed, 0])
        return [with_null_model(self.data, rng=rng) for _ in range(self.null_draws)]


def with_null_model(data: Trajectories, *, rng: np.random.Generator) -> Trajectories:
    """The data with a column of random bits as their last variable.

    Example:
        >>> data = Trajectories([[0.5], [1.5], [2.5]], [0, 1, 0], names=["x"])
        >>> with_null_model(data, rng=np.random.default_rng(0)).names
        ('x', 'null model')
    """
    name = "null model"
    while name in data.names:
        name += "'"
    actions: np.ndarray | list[str] = data.actions
    if data.action_labels is not None:
        # Codes of labels: written as text they stay labels; the order of the text keeps the order of the
        # codes.
        actions = [f"{code:09d}" for code in data.actions]
    return Trajectories(
        np.column_stack([data.states, rng.integers(0, 2, len(data))]),
        actions,
        names=(*data.names, name),
        episodes=data.episodes,
        action_kind=data.action_kind,
        nominal=tuple(data.nominal),
    )


def _everything(question: Question) -> Subset:
    return tuple(sorted((*question.other_columns, *question.removed_columns)))


def _repeated(gains: Floats) -> Floats:
    if len(gains) < 2:
        raise BadValueError(
            "PaperRuleTest: the rule needs an estimator with at least 2 independent runs, got 1. "
            "Use MineEstimator(runs=10)."
        )
    return gains
