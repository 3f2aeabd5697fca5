"""The question every method asks, and the answer every test gives."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from terc.errors import BadValueError

Spread = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]
"""Applies a function to every task, in whatever processes, and returns the results in task order."""
Unit = tuple[int, ...]
"""Columns that stand or fall together: one variable, or a group the user named."""


BESIDE_OTHERS = (
    "each variable was asked about beside others, not by itself: one called irrelevant adds nothing to them, "
    "and may still carry information without them."
)
ALPHA = 0.05
MIN_EFFECT = 0.005
"""Share of I(A; X) that does not matter: half a percent, about what two trainings of a network differ by."""


def columns_of(units: Sequence[Unit]) -> tuple[int, ...]:
    """The columns of several units, in order."""
    return tuple(sorted(column for unit in units for column in unit))


@dataclass(frozen=True)
class Question:
    """Can `removed` go, when `others` stay?

    Attributes:
        removed: Units to take away together.
        others: Units that stay.
    """

    removed: tuple[Unit, ...]
    others: tuple[Unit, ...]

    @property
    def removed_columns(self) -> tuple[int, ...]:
        """Column numbers of what would go."""
        return tuple(sorted(column for unit in self.removed for column in unit))

    @property
    def other_columns(self) -> tuple[int, ...]:
        """Column numbers of what would stay."""
        return tuple(sorted(column for unit in self.others for column in unit))


@dataclass(frozen=True)
class Evidence:
    """How much the action's uncertainty grows when something goes, and how sure that is.

    Attributes:
        gain: Phi, nats.
        error: Standard error of `gain`.
        p_value: Chance of such evidence if nothing is lost; not yet corrected for the number of variables.
        needed: The verdict at the test's level and floor.
        instrument: What decided.
        null_high: What `gain` would reach in 95 % of cases if nothing were lost.
        repeats: `gain` in each fold or run; empty where there is but one.

    Example:
        >>> low, high = Evidence(0.5, 0.1, 0.0, True, "counts").interval
        >>> round(low, 2), round(high, 2)
        (0.3, 0.7)
    """

    gain: float
    error: float
    p_value: float
    needed: bool
    instrument: str
    null_high: float = math.nan
    repeats: tuple[float, ...] = ()

    @property
    def interval(self) -> tuple[float, float]:
        """Ends of the 95 % interval of `gain`."""
        return self.gain - 1.96 * self.error, self.gain + 1.96 * self.error


@dataclass(frozen=True)
class Level:
    """When a loss counts.

    Attributes:
        alpha: Family-wise error rate over `tests`.
        tests: Number of units that could be kept wrongly; each p-value is compared with alpha / tests.
            For a false-discovery rate it is that number over the number of discoveries.
        floor: Nats below which a loss is immaterial, whatever its p-value.
    """

    alpha: float
    tests: float
    floor: float

    def passes(self, gain: float, p_value: float) -> bool:
        """Whether a loss is both sure and material."""
        return p_value * self.tests < self.alpha and gain >= self.floor

    def for_discoveries(self, p_values: Sequence[float]) -> Level:
        """The level that keeps the share of wrong ones among the kept below alpha (Benjamini and Hochberg).

        Example:
            >>> Level(0.05, 10, 0.0).for_discoveries([0.001, 0.009, 0.3]).tests
            5.0
        """
        ranked = sorted(p_values)
        found = [k for k, p_value in enumerate(ranked, 1) if p_value * self.tests <= self.alpha * k]
        return replace(self, tests=self.tests / max(found, default=1))


@dataclass(frozen=True)
class Terms:
    """What a selection asks of a test.

    Attributes:
        alpha: Error rate; None for the estimator's own.
        min_effect: Share of I(A; X) below which a loss is immaterial; None for the estimator's own.
        units: Units that could be kept wrongly.
        error_rate: What alpha bounds: "family" or "discovery".
        method: How the answers will be used: "naive", "sequential" or "minimal".
        spread: Where the work may be done; None for this process.
    """

    alpha: float | None = None
    min_effect: float | None = None
    units: int = 1
    error_rate: str = "family"
    method: str = "sequential"
    spread: Spread | None = None


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


class RemovalTest(ABC):
    """Answers "can these go, when those stay?", many questions at once."""

    tests: float = 1
    """Number that p-values are corrected for."""
    floor: float = 0.0
    """Nats below which a loss is immaterial."""

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

    def missing(self, kept: Sequence[Unit], offered: Sequence[Unit]) -> tuple[Unit, ...]:
        """Units among `offered` that are needed beside `kept` after all; none if the test cannot look."""
        del kept, offered
        return ()

    def beside(self, kept: Sequence[Unit], units: Sequence[Unit]) -> dict[Unit, Evidence] | None:
        """What each of `units` would add to `kept`; None where the elimination's own answers are wanted."""
        del kept, units
        return None

    def carried(self, given: Sequence[Unit], units: Sequence[Unit]) -> dict[Unit, Evidence] | None:
        """What each of `units` carries beside `given`, for reasons; None where that costs too much."""
        del given, units
        return None

    def entropies(self, subsets: Sequence[tuple[int, ...]]) -> list[tuple[float, float]]:
        """H(A given the columns) of each subset, nats, with its standard error; NaN if the test has none."""
        return [(math.nan, math.nan) for _ in subsets]

    def held(self, kept: Sequence[Unit]) -> Held | None:
        """How much of the information `kept` hold; None where the test has no losses to say it."""
        del kept
        return None

    def notes(self) -> list[tuple[str, str, str]]:
        """What a reader should know: kind ("doubt" or "fact"), code and text."""
        return [("fact", "beside-others", BESIDE_OTHERS)]

    def for_discoveries(self, p_values: Sequence[float]) -> None:
        """From now on keep the share of wrong ones among the kept below alpha, given first p-values."""
        raise BadValueError(
            "select: error_rate 'discovery' needs estimator 'auto', 'plugin' or 'predictive'."
        )


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
