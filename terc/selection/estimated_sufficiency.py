"""Sufficiency of a set of variables by the held-out losses of an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from terc.entropy.counting import Codes, Reals
from terc.errors import BadValueError
from terc.selection.counted_test import grouped_error, groups_of_steps
from terc.selection.hitting_set import Members, OutOfTimeError
from terc.selection.irreducible import Clock
from terc.selection.result import Interval

if TYPE_CHECKING:
    from terc.entropy.base import Estimator, Subset
    from terc.trajectories.data import Trajectories

MIN_EFFECT = 0.002
"""Share of I(A; X) below which a loss does not matter, unless the caller says otherwise."""
RIVALS_AT_ONCE = 8
"""Larger sets that an estimator is asked about between two looks at the clock."""


@dataclass(frozen=True, eq=False)
class EstimatedSufficiency:
    """Sufficiency by held-out losses of an estimator, differences paired by step and clustered by episode.

    The set is compared with all variables and with itself plus each single further one, because a network
    spared many useless inputs gains what the loss of a weak useful one costs.

    Attributes:
        data: The steps.
        estimator: One that gives a loss for every step.
        rng: Advanced by every question.
        alpha: Chance of calling a sufficient set insufficient.
        min_effect: Share of I(A; X) that does not matter.
        clock: When it is over, the next question ends in `OutOfTimeError`.
        groups: Group of each step, such as its episode; by default from the episodes in `data`.
    """

    data: Trajectories
    estimator: Estimator
    rng: np.random.Generator = field(repr=False)
    alpha: float = 0.05
    min_effect: float = MIN_EFFECT
    clock: Clock | None = field(default=None, repr=False)
    groups: Codes | None = field(default=None, repr=False)
    _lost: dict[Members, Reals] = field(init=False, repr=False, default_factory=dict)
    _full: list[Reals] = field(init=False, repr=False, default_factory=list)

    @property
    def n_variables(self) -> int:
        """Columns."""
        return len(self.data.names)

    @property
    def everything(self) -> Members:
        """All column numbers."""
        return frozenset(range(self.n_variables))

    @property
    def floor(self) -> float:
        """Nats that do not matter."""
        return self.min_effect * max(0.0, float(self.lost([frozenset()])[0].mean()))

    def __call__(self, subset: Members) -> bool:
        """Whether `subset` is sufficient."""
        rivals = [subset | {other} for other in sorted(self.everything - subset)]
        (lost,) = self.lost([subset])
        tests = 1 + len(rivals)
        if self.beaten(lost, [np.zeros_like(lost)], tests):
            return False
        for start in range(0, len(rivals), RIVALS_AT_ONCE):
            if self.clock is not None and self.clock.over():
                raise OutOfTimeError
            if self.beaten(lost, self.lost(rivals[start : start + RIVALS_AT_ONCE]), tests):
                return False
        return True

    def misses_each(self, members: Members, units: Members) -> bool:
        """Whether `members` surely tell less without any single one of `units`."""
        whole, *without = self.lost([members, *(members - {unit} for unit in sorted(units))])
        return all(self.beaten(lost, [whole], max(1, len(units))) for lost in without)

    def beaten(self, lost: Reals, rivals: Sequence[Reals], tests: int) -> bool:
        """Whether one of `rivals` loses less than `lost` by more than chance and `min_effect`."""
        level = self.alpha / (tests * max(1, self.n_variables))  # one removal per variable
        for rival in rivals:
            difference = lost - rival
            if float(difference.mean()) > self.floor and self._p_value(difference) < level:
                return True
        return False

    def lost(self, subsets: Sequence[Members]) -> list[Reals]:
        """Loss per step `[n]` of each subset beyond that of all variables, in one call for the new ones."""
        known = self._lost | {self.everything: np.zeros(len(self.data))}
        new = [subset for subset in dict.fromkeys(subsets) if subset not in known]
        if new:
            asked = [tuple(sorted(subset)) for subset in (self.everything, *new)]
            losses = self._losses_of(asked)
            self._full.append(losses[0])
            self._lost.update(zip(new, losses[1:] - losses[0], strict=True))
        return [np.zeros(len(self.data)) if s == self.everything else self._lost[s] for s in subsets]

    def _losses_of(self, asked: list[Subset]) -> Reals:
        """Loss per step `[subset, n]`, the mean over repeats."""
        losses = np.asarray(self.estimator.losses(self.data, asked, rng=self.rng), dtype=np.float64)
        if losses.shape[-1] != len(self.data):
            raise BadValueError(
                f"estimator: wanted a loss for each of the {len(self.data)} steps, "
                f"{type(self.estimator).__name__} gave {losses.shape[-1]}. "
                "Take 'plugin', 'predictive' or 'knn', or leave it out."
            )
        return losses.mean(axis=1)

    def entropies(self, subsets: Sequence[Members]) -> list[Interval]:
        """H(A | subset) with 95 % intervals clustered by episode."""
        lost = self.lost(subsets)
        if not self._full:
            self.lost([frozenset()])
        whole = np.mean(self._full, axis=0)
        return [self.interval(whole + extra) for extra in lost]

    def describe(self) -> str:
        """How the question is answered."""
        name = type(self.estimator).__name__
        return f"By held-out losses of {name} on {len(self.data)} steps, tests at {self.alpha:g}"

    def interval(self, per_step: Reals) -> Interval:
        """Mean of a quantity per step with its 95 % interval, clustered by episode."""
        mean, error = float(per_step.mean()), grouped_error(per_step, self._groups)
        return Interval(mean, mean - 1.96 * error, mean + 1.96 * error)

    @cached_property
    def _groups(self) -> Codes:
        return groups_of_steps(self.data.episodes) if self.groups is None else self.groups

    def _p_value(self, per_step: Reals) -> float:
        error = grouped_error(per_step, self._groups)
        if error == 0:
            return 0.0 if per_step.mean() > 0 else 1.0
        freedom = max(1, int(self._groups.max()))
        return float(special.stdtr(freedom, -per_step.mean() / error))
