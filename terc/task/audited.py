"""`Audit`: whether kept variables are a state, what is missing, and why."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, ClassVar

from terc.records import Record
from terc.selection.printing import WIDTH
from terc.selection.result import Note
from terc.selection.visible_names import listed, visible

if TYPE_CHECKING:
    import pandas as pd

REWARD, END, NEXT = "reward", "end", "next"


@dataclass(frozen=True)
class Finding:
    """What one target needs beyond the state as it was then.

    Attributes:
        what: "reward", "end" (of the episode), or "next" (value of a variable).
        of: The variable whose next value is meant.
        added: Variables that had to join.
        gains: For each of them the nats about the target that are lost without it.
        information: Nats that all variables and the action carry about the target.
        doubts: What the selection behind it says against itself.
    """

    what: str
    of: str = ""
    added: tuple[str, ...] = ()
    gains: tuple[float, ...] = ()
    information: float = 0.0
    doubts: tuple[Note, ...] = ()

    @property
    def words(self) -> str:
        """The target in words."""
        words = {REWARD: "the reward", END: "the end of the episode"}
        return words.get(self.what, f"the next {visible(self.of)}")


@dataclass(frozen=True)
class Audit(Record):
    """The answer of `terc.audit`.

    Attributes:
        findings: One per target, in the order in which they were asked about.
        has_rewards: Whether the reward could be asked about at all.

    Example:
        >>> print(Audit(("x", "y"), ("x",), (Finding("next", "x", ("y",), (0.2,), 0.5),), has_rewards=False))
        1 kept variable is not a state: y is missing. The state has 2 of 2 variables.
          y: carries 0.2000 nats about the next x that the state lacks
        No rewards in the data: they were not asked about.
    """

    shown: ClassVar[tuple[str, ...]] = ("sufficient", "add", "state", "reasons")

    names: tuple[str, ...]
    kept: tuple[str, ...]
    findings: tuple[Finding, ...]
    has_rewards: bool = True

    @property
    def add(self) -> tuple[str, ...]:
        """Names that have to join, in column order; none if the kept are a state."""
        return tuple(name for name in self.names if name in self._why)

    @property
    def state(self) -> tuple[str, ...]:
        """Kept and added names, in column order."""
        return tuple(name for name in self.names if name in {*self.kept, *self.add})

    @property
    def sufficient(self) -> bool:
        """Whether the kept variables are a state as they are."""
        return not self.add

    @property
    def _why(self) -> dict[str, tuple[str, float]]:
        """Added variable -> the target it was added for, and its gain."""
        return {
            name: (finding.words, gain)
            for finding in self.findings
            for name, gain in zip(finding.added, finding.gains, strict=True)
        }

    @property
    def reasons(self) -> dict[str, str]:
        """For each added variable what it is needed for."""
        words = "carries {:.4f} nats about {} that the state lacks"
        return {name: words.format(gain, target) for name, (target, gain) in self._why.items()}

    def to_frame(self) -> pd.DataFrame:
        """One row per variable: kept, added, the target it was added for, and its gain."""
        import pandas as pd

        why = self._why
        rows = [(n in self.kept, n in why, *why.get(n, (None, float("nan")))) for n in self.names]
        columns, index = ["kept", "added", "needed_for", "gain"], pd.Index(self.names, name="name")
        return pd.DataFrame(rows, columns=columns, index=index)

    def __str__(self) -> str:
        return "\n".join([*textwrap.wrap(self._verdict(), WIDTH), *self._lines()])

    def _verdict(self) -> str:
        count = len(self.kept)
        kept = f"{count} kept variable{'s are' if count != 1 else ' is'}"
        if self.sufficient:
            asked = [finding.words for finding in self.findings if finding.what != NEXT]
            return f"{kept} a state: nothing else carries more about {', '.join([*asked, 'next values'])}."
        missing = f"{listed(self.add, most=8)} {'is' if len(self.add) == 1 else 'are'} missing"
        return (
            f"{kept} not a state: {missing}. The state has {len(self.state)} of {len(self.names)} variables."
        )

    def _lines(self) -> list[str]:
        lines = [f"  {visible(name)}: {reason}" for name, reason in self.reasons.items()]
        lines += sorted({f"  doubt ({one.words}): {doubt}" for one in self.findings for doubt in one.doubts})
        return lines + ["No rewards in the data: they were not asked about."] * (not self.has_rewards)

    def _repr_html_(self) -> str:
        rows = "".join(f"<li>{escape(line.strip())}</li>" for line in self._lines())
        return f"<div class='terc-audit'><p>{escape(self._verdict())}</p><ul>{rows}</ul></div>"
