"""`ThroughTraining`: gains by quarter of training with intervals, and what grew or fell."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, ClassVar

from terc.records import Record
from terc.selection.result import Selection, Verdict
from terc.selection.visible_names import listed, visible

if TYPE_CHECKING:
    import pandas as pd

QUARTERS = ("1", "2", "3", "4")


@dataclass(frozen=True)
class Trend:
    """One variable through training; all in nats.

    Attributes:
        gains: Mean over agents in each quarter, `[4]`.
        change: Mean over agents of the last quarter's gain less the first's.
        p_value: Chance of such a change if nothing changed, corrected for the number of variables (Holm).
    """

    name: str
    gains: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    change: float
    change_low: float
    change_high: float
    p_value: float


@dataclass(frozen=True)
class ThroughTraining(Record):
    """The answer of `terc.through_training`.

    Attributes:
        alpha: Level of "grew" and "fell", over all variables.

    Example:
        >>> line = Trend("x", (0.0, 0.1, 0.2, 0.3), (0.0,) * 4, (0.4,) * 4, 0.3, 0.2, 0.4, 0.001)
        >>> ThroughTraining(5, 0.05, (line,)).grew
        ('x',)
    """

    shown: ClassVar[tuple[str, ...]] = ("grew", "fell")

    agents: int
    alpha: float
    variables: tuple[Trend, ...]

    @property
    def grew(self) -> tuple[str, ...]:
        """Variables that the actions depend on more at the end of training than at its start."""
        return tuple(v.name for v in self.variables if v.p_value < self.alpha and v.change > 0)

    @property
    def fell(self) -> tuple[str, ...]:
        """Variables that they depend on less."""
        return tuple(v.name for v in self.variables if v.p_value < self.alpha and v.change < 0)

    def stages(self) -> dict[str, Selection]:
        """Quarter -> mean gains with intervals, as `terc.figures.quarter_gains` draws them."""
        return {
            label: Selection(tuple(self._row(v, k) for v in self.variables))
            for k, label in enumerate(QUARTERS)
        }

    def _row(self, line: Trend, quarter: int) -> Verdict:
        kept, nan = line.low[quarter] > 0, float("nan")
        ends = line.gains[quarter], line.low[quarter], line.high[quarter]
        return Verdict(line.name, *ends, nan, nan, kept, "needed" if kept else "irrelevant")

    def to_frame(self) -> pd.DataFrame:
        """One row per variable: gain_1 to gain_4, change, its interval, p_value, verdict."""
        import pandas as pd

        rows = []
        for line in self.variables:
            gains = {f"gain_{label}": gain for label, gain in zip(QUARTERS, line.gains, strict=True)}
            ends = {"change": line.change, "low": line.change_low, "high": line.change_high}
            rows.append(
                {"name": line.name, **gains, **ends, "p_value": line.p_value, "verdict": self._word(line)}
            )
        return pd.DataFrame(rows).set_index("name")

    def _word(self, line: Trend) -> str:
        return "grew" if line.name in self.grew else "fell" if line.name in self.fell else ""

    def __str__(self) -> str:
        room = max([len(visible(v.name)) for v in self.variables] + [8])
        agents = f"{self.agents} agent{'s' * (self.agents != 1)}"
        lines = [self._sentence(), f"Mean gains in nats over {agents}, by quarter of training.", ""]
        lines.append(f"  {'':<{room}}  " + "".join(f"{label:>8}" for label in QUARTERS) + "  last - first")
        for v in self.variables:
            gains = "".join(f"{gain:>8.3f}" for gain in v.gains)
            change = f"{v.change:+.3f} [{v.change_low:+.3f}, {v.change_high:+.3f}]"
            lines.append(f"  {visible(v.name):<{room}}  {gains}  {change} {self._word(v)}".rstrip())
        return "\n".join(lines)

    def _sentence(self) -> str:
        words = {"grew": self.grew, "fell": self.fell}
        parts = [f"{word}: {listed(names, most=8)}" for word, names in words.items() if names]
        return "; ".join(parts) + "." if parts else "No gain surely grew or fell."

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
