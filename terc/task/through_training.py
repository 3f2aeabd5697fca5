"""How dependence grew: the gain of each variable in each quarter of training, over several agents.

The variables are those that any agent needs in any quarter, chosen once, so that every quarter asks the same
question: what is lost without this one, beside the others? The agents are the sample: intervals and tests are
Student's, over agents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from terc.arrays import Floats
from terc.checks import called_rightly
from terc.entropy.evidence import ALPHA
from terc.errors import BadTypeError, BadValueError
from terc.progress import Report, reporting
from terc.records import Record
from terc.selection.result import Selection, Verdict
from terc.selection.select import select
from terc.selection.visible_names import listed, visible
from terc.trajectories.data import Trajectories

if TYPE_CHECKING:
    import pandas as pd

_select = called_rightly(select)  # what is passed on has its names checked too


@called_rightly
def through_training(
    recordings: Trajectories | Iterable[Trajectories],
    names: Iterable[str] | None = None,
    *,
    alpha: float = ALPHA,
    seed: int = 0,
    progress: bool | Report = False,
    **options: Any,
) -> ThroughTraining:
    """The gains by quarter of training, with intervals over agents, and which of them grew or fell.

    Args:
        recordings: What each agent recorded through its training, one `Trajectories` per agent, best with
            `progress`. Of a single agent the intervals are those of its own gains.
        names: The variables to follow; None for those that any agent needs in any quarter.
        alpha: Chance that any variable is said to have grown or fallen that did not.
        **options: Further arguments of `terc.select`.
    """
    agents = _checked(recordings)
    quarters = [[part._with(source=None) for part in agent.quarters()] for agent in agents]
    total = 1 + 4 * len(agents)
    with reporting(progress) as report:
        report(0, total, "variables that any quarter needs")
        followed = _followed(quarters, names, {"alpha": alpha, "seed": seed, **options})
        found: list[Selection] = []
        for part in (part for agent in quarters for part in agent):
            report(1 + len(found), total, "gains by quarter")
            found.append(_select(part.only(followed), keep=followed, alpha=alpha, seed=seed, **options))
    gains = np.array([[v.gain for v in one.verdicts] for one in found]).reshape(len(agents), 4, -1)
    errors = np.array([[(v.high - v.low) / 3.92 for v in one.verdicts] for one in found]).reshape(gains.shape)
    lines = [_trend(name, gains[:, :, j], errors[:, :, j]) for j, name in enumerate(followed)]
    return ThroughTraining(len(agents), alpha, _corrected(lines))


def _checked(recordings: object) -> list[Trajectories]:
    listed = [recordings] if isinstance(recordings, Trajectories) else recordings
    if not isinstance(listed, Iterable):
        raise BadTypeError(f"through_training: wanted a list of Trajectories, got {type(listed).__name__}.")
    agents = list(listed)
    if not agents:
        raise BadValueError("through_training: wanted at least one recording, got none.")
    if not all(isinstance(one, Trajectories) for one in agents):
        raise BadTypeError("through_training: wanted a list of Trajectories, one per agent.")
    return [one for k, one in enumerate(agents) if one not in agents[:k]]  # given twice, it is one agent


def _followed(
    quarters: Sequence[Sequence[Trajectories]], names: Iterable[str] | None, options: dict[str, Any]
) -> tuple[str, ...]:
    if names is not None:
        return tuple(names)
    together = Trajectories.concat([part for agent in quarters for part in agent])
    kept = _select(together, **options).kept
    if not kept:
        raise BadValueError("through_training: no agent depends on any variable in any quarter; give names=.")
    return kept


def _trend(name: str, gains: Floats, errors: Floats) -> Trend:
    """One variable, from its gains and their standard errors `[agents, 4]`."""
    from scipy.special import stdtr, stdtrit

    count = len(gains)
    change = gains[:, 3] - gains[:, 0]
    if count > 1:
        middle, freedom = gains.mean(0), float(count - 1)
        error = gains.std(0, ddof=1) / np.sqrt(count)
        spread = float(change.std(ddof=1) / np.sqrt(count))
    else:
        middle, freedom, error = gains[0], 1e6, errors[0]
        spread = float(np.hypot(errors[0, 0], errors[0, 3]))
    reach, grown = float(stdtrit(freedom, 0.975)), float(change.mean())
    chance = 2 * float(stdtr(freedom, -abs(grown) / spread)) if spread > 0 else float(grown == 0)
    ends = middle, middle - reach * error, middle + reach * error
    means, low, high = (tuple(each.tolist()) for each in ends)
    return Trend(name, means, low, high, grown, grown - reach * spread, grown + reach * spread, chance)


def _corrected(lines: Sequence[Trend]) -> tuple[Trend, ...]:
    """p-values corrected for the number of variables (Holm)."""
    ranked = sorted(lines, key=lambda line: line.p_value)
    times = np.array([line.p_value * (len(lines) - rank) for rank, line in enumerate(ranked)])
    corrected = dict(zip(ranked, np.minimum(1.0, np.maximum.accumulate(times)).tolist(), strict=True))
    return tuple(replace(line, p_value=corrected[line]) for line in lines)


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
            said = {"p_value": line.p_value, "verdict": self._word(line)}
            rows.append({"name": line.name, **gains, **ends, **said})
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
