"""`Run`: everything that a finished run found, and where it lies."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from terc.errors import DataFileError
from terc.pipeline import files
from terc.pipeline.config import RunConfig
from terc.pipeline.inference import Inference
from terc.pipeline.smaller import offered, read_smaller
from terc.pipeline.summary import summary_lines, verdict_of
from terc.return_comparison import ReturnComparison
from terc.returns.ablation import Ablation
from terc.returns.distilled import Distilled
from terc.returns.front import Frontier
from terc.returns.play import Returns
from terc.returns.verdict import RunVerdict
from terc.selection.result import Selection
from terc.store import Store


@dataclass(frozen=True, eq=False)
class Run:
    """A finished run.

    Attributes:
        folder: Where everything lies; `terc.report(run)` writes its page again.
        returns: Of the agent itself on fresh episodes, beside random actions: has it learned?
        ablation: Its returns with variables unplugged.
        distilled: The smaller agent that it taught; None where there is no smaller set of variables.
        comparison: Agents retrained on the full state against agents on the reduced one, if any were.
        algorithm: What those were trained with, in words.
        frontier: Agents on ever fewer variables, where they were asked for.
        smallest: One of the agents that confirmed its smallest set; None where that is the full set, or none.
    """

    folder: Path
    config: RunConfig
    selection: Selection
    returns: Returns
    ablation: Ablation | None
    distilled: Distilled | None
    comparison: ReturnComparison | None
    algorithm: str
    inference: Inference
    frontier: Frontier | None = None
    smallest: Distilled | None = None

    @property
    def smaller(self) -> Distilled | None:
        """The smaller agent to use: the distilled one, or `smallest` where that is the better answer."""
        return offered(self.distilled, self.smallest)

    @cached_property
    def verdict(self) -> RunVerdict:
        """Is the smaller agent as good, what it reads, what unplugging does, what to doubt."""
        return verdict_of(self)

    @property
    def report(self) -> Path:
        """The page."""
        return self.folder / "report.html"

    def __str__(self) -> str:
        agent = self.verdict.agent
        small = [] if agent is None else [f"smaller agent: {self.folder / agent}"]
        return "\n".join([*summary_lines(self), *small, f"report: {self.report}"])

    def _repr_html_(self) -> str:
        from terc.reporting.notebook import run_html

        return run_html(str(self).splitlines(), self.selection)

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain JSON types."""
        parts = ("verdict", "returns", "ablation", "distilled", "frontier", "smallest", "comparison")
        found = {name: getattr(self, name) for name in (*parts, "inference")}
        return {
            "kept": list(self.selection.kept),
            "removed": [{"name": one.name, "reason": one.reason} for one in self.selection.removed],
            **{name: None if part is None else part.to_dict() for name, part in found.items()},
            "speed_up_at_batch_1": self.inference.gain(),
            "folder": str(self.folder),
            "report": str(self.report),
            "lines": summary_lines(self),
        }

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """The finished run that lies in a folder."""
        store = Store(Path(folder), "run")
        parts = [store.read_json(name) for name in ("config.json", files.RETURNS, files.INFERENCE)]
        if None in parts:
            raise DataFileError(f"run: {folder} holds no finished run.")
        config, returns, inference = (part or {} for part in parts)
        ablation, learning = store.read_json(files.ABLATION), store.read_json(files.LEARNING)
        frontier = store.read_json(files.FRONTIER) if config.get("frontier") else None
        distilled, smallest = read_smaller(store)
        return cls(
            Path(folder),
            RunConfig.from_dict(config),
            Selection.load(store / files.SELECTION),
            Returns.from_dict(returns),
            None if ablation is None else Ablation.from_dict(ablation),
            distilled,
            None if learning is None else ReturnComparison.from_dict(learning),
            "" if learning is None else str(learning.get("algorithm", "")),
            Inference.from_dict(inference),
            None if frontier is None else Frontier.from_dict(frontier),
            smallest,
        )
