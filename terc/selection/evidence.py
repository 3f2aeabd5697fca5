"""The question every method asks, and the answer every test gives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

Unit = tuple[int, ...]
"""Columns that stand or fall together: one variable, or a group the user named."""


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


class RemovalTest(Protocol):
    """Answers many questions at once."""

    def ask(self, questions: Sequence[Question]) -> list[Evidence]:
        """One piece of evidence per question, in order."""


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
