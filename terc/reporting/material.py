"""What a report can show, gathered from a selection, a comparison, a run or its folder.

Each file of a run folder is optional; what is missing is left out. Each holds what the `to_dict` of its
result wrote (see `read_run_folder`). `summary.json` holds the `verdict` of a run and, of several, the
`agents`; `curves.parquet` has one row per point: `state`, `seed`, `step`, `return`, every seed at the same
steps; `config.json` may be any object: `environment` and `noise` give the title, `versions` is listed apart,
`goal` becomes a line in the learning curves. No file is ever unpickled.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from terc.arrays import Floats
from terc.errors import BadTypeError, BadValueError, DataFileError
from terc.figures.inference_times import InferenceTime
from terc.records import Record, in_words
from terc.return_comparison import ReturnComparison
from terc.returns.ablation import Ablation
from terc.returns.front import Frontier
from terc.returns.verdict import AgentsTable, RunVerdict
from terc.selection.result import Selection
from terc.untrusted import parsed


@dataclass(frozen=True)
class Material:
    """Everything a report can show; what is missing is left out of the page.

    Attributes:
        comparison: Method -> its selection of the same data.
        curves: State -> (steps `[points]`, returns `[seeds, points]`).
        learning: Agents retrained on the full state against agents on the reduced one.
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
    path = Path(path)
    if path.is_file() and path.suffix != ".json":
        raise DataFileError(
            f"report: wanted the folder of a run or a saved selection (.json), got the file {str(path)!r}."
        )
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


RESULTS = (
    "selection.json", "comparison.json", "learning.json", "curves.parquet", "inference.json", "frontier.json",
)  # fmt: skip
AGENT = "agents/distilled.npz"
_Part = TypeVar("_Part")


def read_run_folder(folder: str | Path) -> Material:
    """All that the folder holds of a run."""
    folder = Path(folder)
    if not folder.is_dir():
        raise DataFileError(f"report: there is no folder {str(folder)!r}; give the folder of a run.")
    if not any((folder / name).is_file() for name in RESULTS):
        raise DataFileError(f"report: {str(folder)!r} holds no results of a run; looked for {list(RESULTS)}.")
    config: dict[str, Any] = _part(folder, "config.json", dict, {})
    verdict: RunVerdict | None = _part(folder, "summary.json", _if_there("verdict", RunVerdict), None)
    of_part = AGENT if (folder / AGENT).is_file() else None  # one of several agents has no summary of its own
    return Material(
        title=_title(config, folder),
        selection=_part(folder, "selection.json", Selection.from_dict, None),
        comparison=_part(folder, "comparison.json", _selections, {}),
        curves=_part(folder, "curves.parquet", _curves, {}),
        learning=_part(folder, "learning.json", ReturnComparison.from_dict, None),
        inference=_part(folder, "inference.json", _inference, ()),
        verdict=verdict,
        agents=_part(folder, "summary.json", _if_there("agents", AgentsTable), None),
        ablation=_part(folder, "ablation.json", Ablation.from_dict, None),
        frontier=_part(folder, "frontier.json", Frontier.from_dict, None),
        agent=of_part if verdict is None else verdict.agent,
        config=config,
        folder=folder,
        saved="selection.json",
    )


def _read(path: Path) -> Any:
    if path.suffix != ".parquet":
        return parsed(path.read_text(encoding="utf8"))
    import pyarrow.parquet

    return pyarrow.parquet.read_table(path).to_pydict()


def _part(folder: Path, name: str, build: Callable[[Any], _Part], absent: _Part) -> _Part:
    path = folder / name
    if not path.is_file():
        return absent
    try:
        return build(_read(path))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        reason = in_words(error)
        raise DataFileError(
            f"report: {str(path)!r} does not hold what a run writes there ({reason})."
        ) from error


def _title(config: Mapping[str, Any], folder: Path) -> str:
    if config.get("command") == "compare":
        return "Comparison of methods"
    environment = str(config.get("environment") or folder.resolve().name)
    return f"{environment} with {config['noise']} noise variables" if config.get("noise") else environment


def _if_there(key: str, kind: type[Record]) -> Callable[[Mapping[str, Any]], Any]:
    return lambda record: kind.from_dict(record[key]) if key in record else None


def _selections(record: Mapping[str, Any]) -> dict[str, Selection]:
    return {str(name): Selection.from_dict(one) for name, one in record["selections"].items()}


def _inference(record: Mapping[str, Any]) -> tuple[InferenceTime, ...]:
    return tuple(InferenceTime(**row) for row in record["rows"])


def _curves(table: Mapping[str, list[Any]]) -> dict[str, tuple[Floats, Floats]]:
    state, seed = np.array(table["state"]), np.array(table["seed"])
    step, value = np.array(table["step"], dtype=float), np.array(table["return"], dtype=float)
    curves = {}
    for name in dict.fromkeys(table["state"]):
        runs = [(state == name) & (seed == s) for s in np.unique(seed[state == name])]
        curves[str(name)] = (step[runs[0]], np.stack([value[run] for run in runs]))
    return curves
