"""The two interfaces: `RemovalTest` answers the questions of a selection, an `Estimator` gives one.

An estimator of one's own needs a single method, `_losses`: what each step costs, given some variables.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from terc.arrays import Array
from terc.entropy.evidence import ALPHA, MIN_EFFECT, Evidence, Level, Question, Terms, Unit
from terc.errors import BadValueError

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

Subset = tuple[int, ...]
BESIDE_OTHERS = (
    "each variable was asked about beside others, not by itself: one called irrelevant adds nothing to them, "
    "and may still carry information without them."
)


@dataclass(frozen=True)
class Held:
    """What some units hold of the information that all variables carry.

    Attributes:
        information: I(A; X), nats.
        action_entropy: H(A), nats.
        lost: What is lost without all others.
        floor: Nats that do not matter.
    """

    information: float
    action_entropy: float
    lost: Evidence
    floor: float


@dataclass(frozen=True)
class Repeating:
    """Units that only repeat what others say, and help as long as that is not learnt.

    Attributes:
        surely: Those found so far.
        perhaps: Those of the units asked about that may be some.
    """

    surely: tuple[Unit, ...] = ()
    perhaps: tuple[Unit, ...] = ()


class RemovalTest(ABC):
    """Answers "can these go, when those stay?", many questions at once."""

    level: Level = Level(ALPHA, 1, 0.0)
    """What counts as sure and material."""
    learns: ClassVar[bool] = False
    """Whether a question may have another answer after others were asked."""

    @abstractmethod
    def ask(self, questions: Sequence[Question]) -> list[Evidence]:
        """One piece of evidence per question, in order."""

    def candidates(
        self, offered: Sequence[Unit], fixed: Sequence[Unit], *, related: bool
    ) -> tuple[Unit, ...]:
        """Units worth asking about one by one; without the others nothing is lost.

        Args:
            offered: Units that may go.
            fixed: Units that stay.
            related: All that is related to the action, redundant or not, so that an order decides.
        """
        del fixed, related
        return tuple(offered)

    def weakest_first(self, units: Sequence[Unit], fixed: Sequence[Unit]) -> list[Unit]:
        """All units, the one that seems to matter least first; none where ranking is not worth it."""
        del units, fixed
        return []

    def missing(self, kept: Sequence[Unit], offered: Sequence[Unit]) -> tuple[Unit, ...]:
        """Units among `offered` that are needed beside `kept` after all; none if the test cannot look."""
        del kept, offered
        return ()

    def beside(self, kept: Sequence[Unit], units: Sequence[Unit]) -> dict[Unit, Evidence] | None:
        """What each of `units` would add to `kept`; None where the elimination's own answers are wanted."""
        del kept, units
        return None

    def carried(
        self, givens: Sequence[Sequence[Unit]], units: Sequence[Unit]
    ) -> list[dict[Unit, Evidence]] | None:
        """What each of `units` carries beside each of `givens`, for reasons; None where it costs too much."""
        del givens, units
        return None

    def entropies(self, subsets: Sequence[tuple[int, ...]]) -> list[tuple[float, float]]:
        """H(A given the columns) of each subset, nats, with its standard error; NaN if the test has none."""
        return [(math.nan, math.nan) for _ in subsets]

    def held(self, kept: Sequence[Unit]) -> Held | None:
        """How much of the information `kept` hold; None where the test has no losses to say it."""
        del kept
        return None

    def echoes(self, units: Sequence[Unit], fixed: Sequence[Unit]) -> Repeating:
        """Units that only repeat what others and `fixed` say, and help as long as that is not learnt.

        Those that surely do are not needed from now on.
        """
        del units, fixed
        return Repeating()

    def notes(self) -> list[tuple[str, str, str]]:
        """What a reader should know: kind ("doubt" or "fact"), code and text."""
        return [("fact", "beside-others", BESIDE_OTHERS)]

    def for_discoveries(self, p_values: Sequence[float]) -> None:
        """From now on keep the share of wrong ones among the kept below alpha, given first p-values."""
        self.level = self.level.for_discoveries(p_values)


class Estimator(ABC):
    """A frozen set of hyper-parameters that turns (data, subsets) into losses; it keeps no state.

    A loss is what one step costs, in nats, when its action is coded with the subset at hand: the mean over
    steps estimates the conditional entropy H(A | subset) up to a constant that is the same for every subset
    of one call.
    """

    default_min_effect: ClassVar[float] = MIN_EFFECT
    """Share of I(A; X) below which a loss is immaterial, if the caller does not say."""
    any_order: ClassVar[bool] = False
    """Whether the order of the columns means nothing to it: where it is given, Algorithm 1 follows it."""
    loading: ClassVar[tuple[str, ...]] = ()
    """Modules that workers will need."""

    def losses(self, data: Trajectories, subsets: Sequence[Subset], *, rng: np.random.Generator) -> Array:
        """Losses `[subset, repeat, step]` in nats; all subsets at once, because that is where the speed is.

        Args:
            data: n steps of d variables.
            subsets: Column numbers of the variables that may be used, one tuple per question.
            rng: Advanced by this call.
        """
        wanted = [tuple(sorted(set(subset))) for subset in subsets]
        for subset in wanted:
            if subset and not (subset[0] >= 0 and subset[-1] < len(data.names)):
                raise BadValueError(
                    f"losses: subsets must hold column numbers 0..{len(data.names) - 1}, got {subset}."
                )
        return self._losses(data, wanted, rng=rng)

    @abstractmethod
    def _losses(self, data: Trajectories, subsets: list[Subset], *, rng: np.random.Generator) -> Array:
        """The estimator's own part; subsets are sorted and checked."""

    def conditional_entropies(
        self, data: Trajectories, subsets: Sequence[Subset], *, rng: np.random.Generator
    ) -> Array:
        """Mean loss of each subset, `[subset]`."""
        return self.losses(data, subsets, rng=rng).mean(axis=(1, 2), dtype=np.float64)

    def check(self, terms: Terms) -> None:
        """Refuse terms on which the estimator cannot decide; any will do by default."""
        del terms

    def removal_test(self, data: Trajectories, terms: Terms, *, rng: np.random.Generator) -> RemovalTest:
        """What answers the questions of a selection; by default differences of `losses`, tested by episode.

        Args:
            data: The steps.
            terms: Error rate, floor and size of the selection.
            rng: Advanced by this call.
        """
        from terc.entropy.loss_test import LossTest

        return LossTest.of(self, data, terms, rng=rng)


def refuse_what_needs_losses(terms: Terms) -> None:
    """For estimators that decide by a rule of their own.

    Example:
        >>> refuse_what_needs_losses(Terms(method="minimal"))
        Traceback (most recent call last):
        terc.errors.BadValueError: select: method 'minimal' needs estimator 'auto', 'plugin' or 'predictive'.
    """
    for what, asked in (("method", terms.method), ("error_rate", terms.error_rate)):
        if asked in ("minimal", "discovery"):
            raise BadValueError(f"select: {what} {asked!r} needs estimator 'auto', 'plugin' or 'predictive'.")
