"""The files of a run folder that the report reads. Each is optional; what is missing is left out.

| file | content |
|---|---|
| `selection.json` | written by `Selection.save` |
| `config.json` | any JSON object: settings and seeds; `environment` gives the title (with `noise`, if not 0), `versions` (an object) is listed apart, `goal` (a number) becomes a line in the learning curves |
| `curves.parquet` | one row per point: `state` (text: "full", "reduced", ...), `seed` (integer), `step` (number), `return` (number). Seeds may have different steps: they are brought to a common grid |
| `inference.json` | `{"rows": [{"state": "full", "runtime": "torch", "batch": 1, "median": 16.3, "minimum": 15.9, "low": 16.0, "high": 17.1, "inputs": 7}, ...]}`, microseconds per call; `minimum`, `low`, `high`, `inputs` may be absent |
| `summary.json` | `{"outcome": ["full 7 variables: return 500.0 [...]", ...]}`: sentences on the agents; other keys are passed over |
| `quarters.json` | `{"1": selection.to_dict(), "2": ..., "3": ..., "4": ..., "expert": ...}`, in the order to show |
| `comparison.json` | `{"terc": selection.to_dict(), "umfi": ..., ...}` |
| `state_lengths.json` | `{"terc": {"length": 4, "returns": [480.0, ...]}, ...}`: final return of each seed |
| `history.json` | `dataclasses.asdict(terc.history_length(...))` |
| `condition_1.json` | `dataclasses.asdict(terc.check_condition_1(...))` |
| `health.json` | fields of `terc.figures.EstimatorHealth`: `losses`, `spread`, `warnings` |

A folder with no file that holds results (`RESULTS`) is refused. No file is ever unpickled.
"""  # noqa: E501

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from terc.errors import DataFileError
from terc.figures.estimator_health import EstimatorHealth
from terc.figures.inference_times import InferenceTime
from terc.reporting.material import Floats, Material
from terc.selection.condition_1 import Condition1
from terc.selection.history_length import HistoryLength, LagGain
from terc.selection.redundancy import RedundantPair
from terc.selection.redundancy_index import MostRedundant, PairIndex
from terc.selection.result import Interval, Selection

RESULTS = ("selection.json", "comparison.json", "quarters.json", "curves.parquet", "inference.json",
           "history.json", "condition_1.json")  # fmt: skip
GRID_POINTS = 120
_Part = TypeVar("_Part")


def read_run_folder(folder: str | Path) -> Material:
    """All that the folder holds of a run.

    Raises:
        DataFileError: The folder does not exist, holds no results, or a file in it cannot be read.
    """
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
        quarters=_part(folder, "quarters.json", _selections, {}),
        curves=_part(folder, "curves.parquet", _curves, {}, read=_read_parquet),
        state_lengths=_part(folder, "state_lengths.json", _state_lengths, {}),
        inference=_part(folder, "inference.json", _inference, ()),
        history=_part(folder, "history.json", _history, None),
        condition_1=_part(folder, "condition_1.json", _condition_1, None),
        health=_part(folder, "health.json", _health, None),
        outcome=_part(folder, "summary.json", lambda record: tuple(map(str, record.get("outcome", ()))), ()),
        config=config,
        folder=folder,
        saved="selection.json",
    )


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf8"))


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
    environment = str(config.get("environment") or folder.resolve().name)
    return f"{environment} with {config['noise']} noise variables" if config.get("noise") else environment


def _selections(record: Mapping[str, Any]) -> dict[str, Selection]:
    return {str(name): Selection.from_dict(one) for name, one in record.items()}


def _inference(record: Mapping[str, Any]) -> tuple[InferenceTime, ...]:
    return tuple(InferenceTime(**row) for row in record["rows"])


def _state_lengths(record: Mapping[str, Any]) -> dict[str, tuple[int, Floats]]:
    return {str(k): (int(v["length"]), np.asarray(v["returns"], dtype=float)) for k, v in record.items()}


def _history(record: Mapping[str, Any]) -> HistoryLength:
    built = {
        "lost": tuple(Interval(**one) for one in record["lost"]),
        "gains": tuple(LagGain(**one) for one in record.get("gains", ())),
        "notes": tuple(record.get("notes", ())),
    }
    return HistoryLength(**{**record, **built})


def _condition_1(record: Mapping[str, Any]) -> Condition1:
    bars, violation = record["most_redundant"], record["violation"]
    pairs = tuple(PairIndex(**_names(p), value=Interval(**p["value"])) for p in bars["pairs"])
    built = {
        "violation": None
        if violation is None
        else RedundantPair(**_names(violation), **_intervals(violation)),
        "most_redundant": MostRedundant(**{**bars, "pairs": pairs}),
        "sizes": tuple(record["sizes"]),
        "searched": tuple(record["searched"]),
    }
    return Condition1(**{**record, **built})


def _names(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(record[key]) for key in ("first", "second", "given") if key in record}


def _intervals(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: Interval(**value) for key, value in record.items() if isinstance(value, Mapping)}


def _health(record: Mapping[str, Any]) -> EstimatorHealth:
    return EstimatorHealth(
        record.get("losses", {}), record.get("spread", {}), tuple(record.get("warnings", ()))
    )


def _curves(table: Mapping[str, list[Any]]) -> dict[str, tuple[Floats, Floats]]:
    state, seed = np.array(table["state"]), np.array(table["seed"])
    step, value = np.array(table["step"], dtype=float), np.array(table["return"], dtype=float)
    curves = {}
    for name in dict.fromkeys(table["state"]):
        runs = [(state == name) & (seed == s) for s in np.unique(seed[state == name])]
        curves[str(name)] = _on_one_grid([(step[run], value[run]) for run in runs])
    return curves


def _on_one_grid(runs: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """All runs at the same steps; where they differ, on a grid that every run covers."""
    ordered = [
        (steps[order], values[order])
        for steps, values in runs
        for order in [np.argsort(steps, kind="stable")]
    ]
    first = ordered[0][0]
    if all(np.array_equal(steps, first) for steps, _ in ordered):
        return first, np.stack([values for _, values in ordered])
    start, end = max(s[0] for s, _ in ordered), min(s[-1] for s, _ in ordered)
    grid = np.linspace(start, max(start, end), GRID_POINTS)
    return grid, np.stack([np.interp(grid, steps, values) for steps, values in ordered])
