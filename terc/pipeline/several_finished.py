"""`SeveralAgents`: everything that a run of several agents found, and where it lies."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from terc.errors import DataFileError
from terc.pipeline import files
from terc.pipeline.config import RunConfig
from terc.pipeline.several_agents import ANY, TASK, part_of
from terc.pipeline.smaller import read_smaller
from terc.plurals import some
from terc.return_comparison import ReturnComparison
from terc.returns.play import Returns
from terc.returns.verdict import ANY_OF_THEM, NOT_LEARNED, THE_TASK, AgentLine, AgentsTable, RunVerdict
from terc.selection.result import Note, Selection
from terc.selection.visible_names import listed
from terc.store import Store
from terc.task.audit import Audit
from terc.task.stable import Stability

MOST_NAMES = 12
NAMES_OF_STATES = {ANY: ANY_OF_THEM, TASK: THE_TASK}


@dataclass(frozen=True, eq=False)
class SeveralAgents:
    """A finished run of several agents.

    Attributes:
        folder: Where everything lies; the agents in `agent-1`, `agent-2`, ....
        selection: What any of them reads, from all recordings with one error rate.
        comparison: Agents retrained on what any of them and on what the task needs, if any were.
        algorithm: What those were trained with, in words.
    """

    folder: Path
    config: RunConfig
    table: AgentsTable
    selection: Selection
    comparison: ReturnComparison | None
    algorithm: str

    @property
    def stability(self) -> Stability:
        """How often each variable was kept."""
        return self.table.stability

    @property
    def audit(self) -> Audit:
        """What the task needs beside what the agents need."""
        return self.table.audit

    @property
    def report(self) -> Path:
        """The page."""
        return self.folder / "report.html"

    @cached_property
    def verdict(self) -> RunVerdict:
        """What the agents share, what the task needs, what to doubt."""
        count, total = len(self.table.agents), len(self.selection.names)
        line = self.comparison.sentence if self.comparison is not None else ""
        sentence = f"retrained with {self.algorithm} on what the task needs, {line}"
        return RunVerdict(
            as_good=None,
            headline=f"of {some(total, 'variable')} {count} agents share {len(self.stability.core)}, any of "
            f"them reads {len(self.selection.kept)}, the task needs {len(self.audit.state)}",
            smaller=(sentence,) if line else (),
            reads=tuple(self._reads()),
            unplugged=(),
            doubts=tuple(dict.fromkeys(self._doubts())),
            needed=tuple(self._needed()),
            several=True,
        )

    def _reads(self) -> Iterator[str]:
        stable, count = self.stability, len(self.table.agents)
        yield f"all {count} read {listed(stable.core, MOST_NAMES) or 'nothing in common'}"
        groups = {name for group in stable.stand_ins for name in group}
        for group in stable.stand_ins:
            times = round(stable[group[0]].with_stand_ins * count)
            yield f"{' or its stand-in '.join(group)} is read by {times} of {count}"
        some = [line for line in stable.variables if 0 < line.times < count and line.name not in groups]
        if some:
            yield f"some read {', '.join(f'{line.name} ({line.times} of {count})' for line in some)}"
        alone = sorted({*stable.union} - {*self.selection.kept})
        if alone:
            yield (
                f"all recordings together show no need of {listed(alone, MOST_NAMES)} for the actions: one "
                "agent's habit, a stand-in, or luck"
            )

    def _needed(self) -> Iterator[str]:
        found = self.audit
        if found.sufficient:
            yield f"no more than the agents: {listed(found.state, MOST_NAMES) or 'nothing'}"
        for name, reason in found.reasons.items():
            yield f"{name} too: it {reason}"

    def _doubts(self) -> Iterator[Note]:
        lost = [line.name for line in self.table.agents if not line.learned]
        if lost:
            words = "no better than random actions, or make no use of what they read"
            yield Note("doubt", NOT_LEARNED, f"{listed(lost, MOST_NAMES)} have not learned: {words}")
        for finding in self.audit.findings:
            for doubt in finding.doubts:
                yield Note("doubt", doubt.code, f"{finding.words}: {doubt.text}")
        yield from (note for note in self.selection.notes if note.kind == "doubt")

    def __str__(self) -> str:
        lines = self.verdict.lines()
        top = 1 + (self.verdict.warning is not None)
        return "\n".join([*lines[:top], "", str(self.table), "", *lines[top:], f"report: {self.report}"])

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain JSON types."""
        return {
            "kept": list(self.selection.kept),
            "verdict": self.verdict.to_dict(),
            "agents": self.table.to_dict(),
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
            "folder": str(self.folder),
            "report": str(self.report),
        }

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """The finished run of several agents that lies in a folder."""
        store = Store(Path(folder), "run")
        config, stable, audited = (
            store.read_json(name) for name in ("config.json", files.STABILITY, files.AUDIT)
        )
        if config is None or stable is None or audited is None:
            raise DataFileError(f"run: {folder} holds no finished run of several agents.")
        settings = RunConfig.from_dict(config)
        learning, selection = store.read_json(files.LEARNING), Selection.load(store / files.SELECTION)
        comparison = None if learning is None else ReturnComparison.from_dict(learning)
        states = () if comparison is None else comparison.states
        names = NAMES_OF_STATES
        trained = {names[one.state]: one.final for one in states if one.state in names}
        lines = tuple(_line(store, number) for number in range(settings.agents))
        found = Stability.from_dict(stable), selection.kept, Audit.from_dict(audited)
        table = AgentsTable(lines, *found, trained)
        words = "" if learning is None else str(learning.get("algorithm", ""))
        return cls(Path(folder), settings, table, selection, comparison, words)


def _line(store: Store, number: int) -> AgentLine:
    own = store.within(part_of(number))
    returns = Returns.from_dict(own.read_json(files.RETURNS) or {})
    selection, small = Selection.load(own / files.SELECTION), read_smaller(own)[0]
    return AgentLine.of(f"agent {number + 1}", selection, returns, small)
