"""`RunVerdict` and `AgentsTable`: what a run found of one agent or of several, however it is shown."""

from dataclasses import dataclass
from typing import ClassVar, Self

from terc.records import Record
from terc.returns.distilled import Distilled
from terc.returns.play import Range, Returns
from terc.selection.result import Interval, Note, Selection
from terc.selection.visible_names import listed
from terc.task.audit import Audit
from terc.task.stable import Stability

# Codes of the notes that stand at the top, before the answer.
NOT_LEARNED = "not-learned"
SMALLER = "The smaller agent"


@dataclass(frozen=True)
class RunVerdict(Record):
    """The verdict of a run; sentences without a capital letter and without a full stop.

    Attributes:
        as_good: Whether the smaller agent is as good; None where there is none, or nothing to be as good as.
        headline: The answer in a few words.
        smaller: The return of the smaller agent beside that of the full one, and how it was made.
        reads: What it reads, and what the recorded actions do not depend on: information, not return.
        unplugged: What happens to the return of the full agent when variables are replaced.
        doubts: What to doubt, the gravest first.
        needed: What the task needs, where that was asked.
        several: Whether it is about several agents.
        agent: File of the smaller agent in the run folder, if there is one.
        variables: What that agent reads.

    Example:
        >>> verdict = RunVerdict(True, "the smaller agent is as good", ("it returns 500",), (), (), ())
        >>> verdict.lines()
        ['The smaller agent is as good.', '  It returns 500.']
        >>> RunVerdict.from_dict(verdict.to_dict()) == verdict
        True
    """

    as_good: bool | None
    headline: str
    smaller: tuple[str, ...]
    reads: tuple[str, ...]
    unplugged: tuple[str, ...]
    doubts: tuple[Note, ...]
    needed: tuple[str, ...] = ()
    several: bool = False
    agent: str | None = None
    variables: tuple[str, ...] = ()

    @property
    def warning(self) -> Note | None:
        """What must be read before anything else, if there is such a thing."""
        return next((note for note in self.doubts if note.code == NOT_LEARNED), None)

    @property
    def parts(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Title and sentences of each part that has any, in order."""
        doubts = tuple(note.text for note in self.doubts if note != self.warning)
        one, they = ("Smaller agents", "What they read") if self.several else (SMALLER, "What it reads")
        titles = (one, they, "What unplugging does", "What the task needs", "What to doubt")
        found = (self.smaller, self.reads, self.unplugged, self.needed, doubts)
        every = zip(titles, found, strict=True)
        return tuple((title, sentences) for title, sentences in every if sentences)

    def lines(self) -> list[str]:
        """For a terminal."""
        top = [] if self.warning is None else [f"WARNING: {as_sentence(self.warning.text)}"]
        found = [*top, as_sentence(self.headline)]
        for number, (title, sentences) in enumerate(self.parts):
            found += [f"{title}:"] if number or title != SMALLER else []
            found += [f"  {as_sentence(one)}" for one in sentences]
        return found


def as_sentence(text: str) -> str:
    """With a capital letter and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


MOST_NAMES = 8
ANY_OF_THEM, THE_TASK = "any of them", "the task"


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
    def of(cls, name: str, selection: Selection, returns: Returns, small: Distilled | None) -> Self:
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
        any: What any of them reads, from all recordings with one error rate.
        audit: What the task needs beside that.
        trained: State -> return of agents retrained on it, interquartile mean with its interval.
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
        return {line.name: line.kept for line in self.agents} | {ANY_OF_THEM: self.any, THE_TASK: self.state}

    @property
    def rows(self) -> list[tuple[str, str, str, tuple[str, ...]]]:
        """Name, return, return of the smaller agent, variables; of a state that of retrained agents."""
        found = [(line.name, line.brief, line.distilled_brief, line.kept) for line in self.agents]
        trained = {
            state: f"{one.value:.4g} [{one.low:.4g}, {one.high:.4g}] retrained"
            for state, one in (self.trained or {}).items()
        }
        if self.audit.sufficient:
            trained[ANY_OF_THEM] = trained.get(THE_TASK, "")
        together = [
            (name, trained.get(name, ""), "", kept)
            for name, kept in ((ANY_OF_THEM, self.any), (THE_TASK, self.state))
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
