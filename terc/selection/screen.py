"""Growing a candidate set: which units, one after another, tell more about the action than those already in?

Cheap, because all candidates of a round share one regression. It sees weak links and pairs that act together,
and among few columns three or four; what it cannot see is left to the networks (`selection.automatic`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from terc.entropy.base import Array, Subset
from terc.selection.evidence import Unit

if TYPE_CHECKING:
    from terc.entropy.residuals import ResidualInstrument, Scores

Residual = Callable[[Subset], Array]


@dataclass(frozen=True)
class Screened:
    """What growing found.

    Attributes:
        grown: Units in the order in which they came in, each telling more than those before it.
        related: Units that tell something alone or in a pair; the redundant ones are among them.
    """

    grown: tuple[Unit, ...]
    related: tuple[Unit, ...]


class Screen:
    """Grows a set of units on one residual instrument.

    Attributes:
        instrument: Scores variables and pairs.
        units: Units that may come in.
        fixed: Units that are in from the start.
        alpha: Error rate per round, over all units of the round.
        discoveries: Let the rate grow with the number of units that have come in (false-discovery rate).
    """

    def __init__(
        self,
        instrument: ResidualInstrument,
        units: Sequence[Unit],
        fixed: Sequence[Unit],
        *,
        alpha: float,
        discoveries: bool = False,
    ) -> None:
        self.instrument, self.units, self.fixed = instrument, tuple(units), tuple(fixed)
        self.alpha, self.discoveries = alpha, discoveries
        self._unit_of = {column: unit for unit in self.units for column in unit}

    def grow(self, residual: Residual) -> Screened:
        """Add singles while any is sure, then pairs, then larger products; then ask a network's residual.

        Args:
            residual: Residual of the action from a network that reads the given columns.
        """
        grown: list[Unit] = []
        related: set[Unit] = set()
        action: Array | None = None
        while True:
            given = self._columns(grown)
            found, sure = self._best_single(given, action)
            related |= set(sure)
            if not found:
                found, paired = self._best_pair(given, action)
                related |= set(paired)
            found = found or self._best_product(given, action)
            if found:
                grown += found
                related |= set(found)
                action = None
            elif action is None and given:
                action = residual(given)
            else:
                return Screened(tuple(grown), tuple(unit for unit in self.units if unit in related))

    def _columns(self, grown: Sequence[Unit]) -> Subset:
        return tuple(sorted(column for unit in (*self.fixed, *grown) for column in unit))

    def _best_single(self, given: Subset, action: Array | None) -> tuple[list[Unit], list[Unit]]:
        """The surest unit, if any is sure, and all sure ones."""
        scores = self.instrument.scores(given, action)
        outside = [unit for unit in self.units if unit[0] not in given]
        alpha = self.alpha * (len(self.units) - len(outside) + 1 if self.discoveries else 1)
        sure = [unit for unit in outside if unit_p_value(scores, unit) * len(self.units) < alpha]
        return [max(sure, key=lambda unit: scores.z[list(unit)].max())] if sure else [], sure

    def _best_pair(self, given: Subset, action: Array | None) -> tuple[list[Unit], list[Unit]]:
        """The units of the strongest sure pair that are not in yet, and those of all sure pairs."""
        pairs = self.instrument.pairs(given, action, alpha=self.alpha)
        new = [
            [self._unit_of[column] for column in (pair.first, pair.second) if column not in given]
            for pair in pairs
        ]
        return (list(dict.fromkeys(new[0])) if new else []), [unit for pair in new for unit in pair]

    def _best_product(self, given: Subset, action: Array | None) -> list[Unit]:
        """The units of the strongest sure product of three or four that are not in yet."""
        columns = self.instrument.larger(given, action, alpha=self.alpha)
        return list(dict.fromkeys(self._unit_of[column] for column in columns if column not in given))


def unit_p_value(scores: Scores, unit: Unit) -> float:
    """p-value of the surest column of a unit, corrected for their number."""
    return float(min(1.0, scores.p_value[list(unit)].min() * len(unit)))
