"""What a report can show, gathered from a selection, a comparison, a run or its folder."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from terc.arrays import Floats
from terc.errors import BadTypeError, BadValueError
from terc.figures.inference_times import InferenceTime
from terc.return_comparison import ReturnComparison
from terc.returns.ablation import Ablation
from terc.returns.agents_table import AgentsTable
from terc.returns.front import Frontier
from terc.returns.verdict import RunVerdict
from terc.selection.result import Selection


@dataclass(frozen=True)
class Material:
    """Everything a report can show; what is missing is left out of the page.

    Attributes:
        comparison: Method -> its selection of the same data.
        curves: State -> (steps `[points]`, returns `[seeds, points]`).
        learning: Agents trained anew on the full state against agents on the reduced one.
        verdict: Of a run: is the smaller agent as good, what it reads, what unplugging does, what to doubt.
        agents: Of a run of several agents: what each reads and returns, and what they need together.
        agent: Name of the file that holds the smaller agent, if any.
        folder: Where it came from, if from disk; the report is written there.
        saved: Name of the file that holds the selection, if any.
    """

    title: str = "Selection of state variables"
    selection: Selection | None = None
    comparison: Mapping[str, Selection] = field(default_factory=dict)
    curves: Mapping[str, tuple[Floats, Floats]] = field(default_factory=dict)
    learning: ReturnComparison | None = None
    inference: Sequence[InferenceTime] = ()
    verdict: RunVerdict | None = None
    ablation: Ablation | None = None
    frontier: Frontier | None = None
    agents: AgentsTable | None = None
    agent: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    folder: Path | None = None
    saved: str | None = None


def gather(source: object) -> Material:
    """The material behind whatever `terc.report` was given.

    Args:
        source: A Selection, a mapping method -> Selection, a run (anything with a `folder`), the path
            of a run folder or of a saved selection, or Material itself.
    """
    from terc.reporting.run_folder_schema import read_run_folder

    if isinstance(source, Material):
        return source
    if isinstance(source, Selection):
        return _of_selection(source)
    if isinstance(source, Mapping):
        return _of_comparison(source)
    path = getattr(source, "folder", source)
    if not isinstance(path, str | os.PathLike):
        raise BadTypeError(
            "report: wanted a Selection, a mapping name -> Selection, a run or the path of a run folder, "
            f"got {type(source).__name__}."
        )
    path = Path(os.fspath(path))
    if path.is_file():
        return replace(_of_selection(Selection.load(path)), folder=path.parent, saved=path.name)
    return read_run_folder(path)


def _of_selection(selection: Selection) -> Material:
    if not selection.verdicts:
        raise BadValueError("report: the selection holds no variables, so there is nothing to show.")
    return Material(selection=selection, config=selection.config)


def _of_comparison(sides: Mapping[Any, Any]) -> Material:
    wrong = [key for key, side in sides.items() if not isinstance(side, Selection)]
    if wrong:
        raise BadTypeError(f"report: a comparison maps names to Selections; {wrong[:5]} hold something else.")
    named = {str(key): side for key, side in sides.items()}
    if not named or not all(side.verdicts for side in named.values()):
        raise BadValueError("report: the comparison is empty, or one of its selections holds no variables.")
    return Material(title="Comparison of methods", comparison=named, config=next(iter(named.values())).config)
