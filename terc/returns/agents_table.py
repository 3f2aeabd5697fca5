"""`AgentsTable`: several agents side by side, what each reads and returns, and what they need together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from terc.records import Record
from terc.returns.distilled import Distilled
from terc.returns.intervals import Range
from terc.returns.play import Returns
from terc.selection.result import Interval, Selection
from terc.selection.visible_names import listed
from terc.task.audited import Audit
from terc.task.stable import Stability

MOST_NAMES = 8
ANY, TASK = "any of them", "the task"


@dataclass(frozen=True)
class AgentLine:
    """One agent.

    Attributes:
        learned: Whether it is better than random actions, and than itself shown other moments.
        distilled: Return of the smaller agent that it taught; None where there is no smaller set.
    """

    name: str
    kept: tuple[str, ...]
    mean: float
    interval: Range
    learned: bool
    distilled: float | None = None
    distilled_interval: Range | None = None
    as_good: bool | None = None

    @classmethod
    def of(cls, name: str, selection: Selection, returns: Returns, small: Distilled | None) -> AgentLine:
        """The line of an agent."""
        taught = () if small is None else (small.returns.mean, small.returns.interval, small.as_good)
        return cls(name, selection.kept, returns.mean, returns.interval, returns.has_learned, *taught)

    @property
    def brief(self) -> str:
        """Its return."""
        return f"{self.mean:.4g} {self.interval}"

    @property
    def distilled_brief(self) -> str:
        """The return of the smaller agent, and whether that is as good."""
        if self.distilled is None:
            return "every variable kept" if self.kept else "nothing kept"
        return f"{self.distilled:.4g} {self.distilled_interval}{'' if self.as_good else ', not as good'}"


@dataclass(frozen=True)
class AgentsTable(Record):
    """Several agents, and what they need together.

    Attributes:
        any: What any of them needs, from all recordings with one error rate.
        audit: What the task needs beside that.
        trained: State -> return of agents trained anew on it, interquartile mean with its interval.
    """

    shown: ClassVar[tuple[str, ...]] = ("state",)

    agents: tuple[AgentLine, ...]
    stability: Stability
    any: tuple[str, ...]
    audit: Audit
    trained: dict[str, Interval] | None = None

    @property
    def state(self) -> tuple[str, ...]:
        """What the task needs."""
        return self.audit.state

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """Column of the picture -> the variables in it: the agents, then what they need together."""
        return {line.name: line.kept for line in self.agents} | {ANY: self.any, TASK: self.state}

    @property
    def rows(self) -> list[tuple[str, str, str, tuple[str, ...]]]:
        """Name, return, return of the smaller agent, variables; of a state that of agents trained anew."""
        found = [(line.name, line.brief, line.distilled_brief, line.kept) for line in self.agents]
        trained = {
            state: f"{one.value:.4g} [{one.low:.4g}, {one.high:.4g}] anew"
            for state, one in (self.trained or {}).items()
        }
        if self.audit.sufficient:
            trained[ANY] = trained.get(TASK, "")
        together = [
            (name, trained.get(name, ""), "", kept) for name, kept in ((ANY, self.any), (TASK, self.state))
        ]
        return found + together

    def __str__(self) -> str:
        head = ("", "return", "distilled", "reads")
        rows = [head]
        for name, returned, small, kept in self.rows:
            rows.append((name, returned, small, f"{len(kept)}: {listed(kept, MOST_NAMES) or 'none'}"))
        widths = [max(len(row[k]) for row in rows) for k in range(3)]
        return "\n".join(
            "  ".join([*(f"{row[k]:<{widths[k] + 2 * (k == 1)}}" for k in range(3)), row[3]]).rstrip()
            for row in rows
        )
