"""The files of a run folder that the report reads. Each is optional; what is missing is left out.

Each holds what the `to_dict` of its result wrote (see `read_run_folder`). `summary.json` holds the `verdict`
of a run and, of several, the `agents`; `curves.parquet` has one row per point: `state`, `seed`, `step`,
`return`, every seed at the same steps; `config.json` may be any object: `environment` and `noise` give the
title, `versions` is listed apart, `goal` becomes a line in the learning curves. No file is ever unpickled.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from terc.arrays import Floats
from terc.errors import DataFileError
from terc.figures.inference_times import InferenceTime
from terc.reporting.material import Material
from terc.return_comparison import ReturnComparison
from terc.returns.ablation import Ablation
from terc.returns.agents_table import AgentsTable
from terc.returns.front import Frontier
from terc.returns.verdict import RunVerdict
from terc.selection.result import Selection
from terc.untrusted import parsed

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
    return Material(
        title=_title(config, folder),
        selection=_part(folder, "selection.json", Selection.from_dict, None),
        comparison=_part(folder, "comparison.json", _selections, {}),
        curves=_part(folder, "curves.parquet", _curves, {}, read=_read_parquet),
        learning=_part(folder, "learning.json", ReturnComparison.from_dict, None),
        inference=_part(folder, "inference.json", _inference, ()),
        verdict=_part(folder, "summary.json", _verdict, None),
        agents=_part(folder, "summary.json", _agents, None),
        ablation=_part(folder, "ablation.json", Ablation.from_dict, None),
        frontier=_part(folder, "frontier.json", Frontier.from_dict, None),
        agent=AGENT if (folder / AGENT).is_file() else None,
        config=config,
        folder=folder,
        saved="selection.json",
    )


def _read_json(path: Path) -> Any:
    return parsed(path.read_text(encoding="utf8"))


def _read_parquet(path: Path) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.read_table(path).to_pydict()


def _part(
    folder: Path,
    name: str,
    build: Callable[[Any], _Part],
    absent: _Part,
    read: Callable[[Path], Any] = _read_json,
) -> _Part:
    path = folder / name
    if not path.is_file():
        return absent
    try:
        return build(read(path))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise DataFileError(
            f"report: {str(path)!r} does not hold what a run writes there ({reason})."
        ) from error


def _title(config: Mapping[str, Any], folder: Path) -> str:
    if config.get("command") == "compare":
        return "Comparison of methods"
    environment = str(config.get("environment") or folder.resolve().name)
    return f"{environment} with {config['noise']} noise variables" if config.get("noise") else environment


def _verdict(record: Mapping[str, Any]) -> RunVerdict | None:
    return RunVerdict.from_dict(record["verdict"]) if "verdict" in record else None


def _agents(record: Mapping[str, Any]) -> AgentsTable | None:
    return AgentsTable.from_dict(record["agents"]) if "agents" in record else None


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
