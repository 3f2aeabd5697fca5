"""`RunVerdict`: what a run found, in the order in which terminal, JSON and page show it."""

from dataclasses import dataclass

from terc.records import Record
from terc.selection.result import Note

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
