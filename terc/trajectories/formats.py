"""One reader and one writer per file format; each works on columns and an optional description of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from terc.errors import DataFileError
from terc.trajectories.columns import Column, column_of, unusable
from terc.trajectories.description import Description, columns_of, describe, relabelled
from terc.trajectories.frames import columns_of_arrow

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

DESCRIPTION_KEY = "terc"
OPTIONAL_ARRAYS = ("probabilities", "rewards", "progress", "source")


@dataclass(frozen=True)
class Content:
    """What a file holds.

    Attributes:
        columns: All of them.
        description: What the file says about them, if `Trajectories.save` wrote it.
        blocks: For .npz, the columns that each array `[n, d]` became.
    """

    columns: Sequence[Column]
    description: Description | None = None
    blocks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def _arrow_table(data: Trajectories, description: Description) -> Any:
    import pyarrow as pa

    columns = columns_of(data, description)
    arrays = [
        pa.array(column.values)
        if column.levels is None
        else pa.DictionaryArray.from_arrays(column.values, pa.array(column.levels)).dictionary_decode()
        for column in columns
    ]
    return pa.table(arrays, names=[column.name for column in columns])


def _described(path: Path, columns: Sequence[Column], description: Description | None) -> Content:
    if description is None:
        return Content(columns)
    levels = description.levels
    coded = [relabelled(f"load: {path}", c, levels[c.name]) if c.name in levels else c for c in columns]
    return Content(coded, description)


def write_parquet(data: Trajectories, sink: IO[bytes]) -> None:
    """Columns with their labels, readable by any tool; the description goes into the schema's metadata."""
    import pyarrow.parquet as pq

    description = describe(data)
    table = _arrow_table(data, description)
    pq.write_table(
        table.replace_schema_metadata({DESCRIPTION_KEY: description.to_json()}), sink, compression="zstd"
    )


def read_parquet(path: Path) -> Content:
    """The columns of a parquet file."""
    import pyarrow.parquet as pq

    # One file, not a data set: folder names of the form key=value must not become columns.
    table = pq.ParquetFile(path).read()
    text = (table.schema.metadata or {}).get(DESCRIPTION_KEY.encode())
    description = None if text is None else Description.from_json(f"load: {path}", text.decode())
    return _described(path, columns_of_arrow(f"load: {path}", table), description)


def beside(path: Path) -> Path:
    """Where the description of a .csv file stands, which cannot hold its own."""
    return path.with_name(f"{path.name}.terc.json")


def write_csv(data: Trajectories, sink: IO[bytes]) -> None:
    """Columns with their labels; `describe_csv` says the rest."""
    import pyarrow.csv

    pyarrow.csv.write_csv(_arrow_table(data, describe(data)), sink)


def describe_csv(data: Trajectories, path: Path) -> str:
    """The text of the file beside a .csv: its description, and its digest to notice changes."""
    return describe(data).to_json(digest=_digest(path))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_csv(path: Path) -> Content:
    """The columns of a .csv file with a header line, as UTF-8."""
    import pyarrow as pa
    import pyarrow.csv

    description = _description_beside(path)
    numbers = {} if description is None else dict.fromkeys(description.names, pa.float64())
    labels = {} if description is None else description.levels
    texts = {name: pa.large_string() for name in labels if any(isinstance(x, str) for x in labels[name])}
    # Types are guessed from the first block alone, so one block is the whole file (up to the reader's limit).
    block = min(max(path.stat().st_size, 1 << 20), (1 << 31) - 1)
    table = pyarrow.csv.read_csv(
        path,
        read_options=pyarrow.csv.ReadOptions(block_size=block),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(column_types=numbers | texts),
    )
    return _described(path, columns_of_arrow(f"load: {path}", table), description)


def _description_beside(path: Path) -> Description | None:
    sidecar = beside(path)
    if not sidecar.exists():
        return None
    text = sidecar.read_text(encoding="utf8")
    description = Description.from_json(f"load: {sidecar}", text)
    if json.loads(text).get("digest") != _digest(path):
        raise DataFileError(
            f"load: {path} has changed since {sidecar.name} described it; "
            "save it anew, or delete the description."
        )
    return description


def write_npz(data: Trajectories, sink: IO[bytes]) -> None:
    """Arrays `states`, `actions`, ... as they are in memory, and the description as UTF-8 bytes."""
    description = describe(data)
    arrays = {key: getattr(data, key) for key in ("states", "actions", "episodes", *OPTIONAL_ARRAYS)}
    arrays[DESCRIPTION_KEY] = np.frombuffer(description.to_json().encode(), dtype=np.uint8)
    np.savez_compressed(
        sink, allow_pickle=False, **{k: array for k, array in arrays.items() if array is not None}
    )


def read_npz(path: Path) -> Content:
    """The arrays of an .npz file; pickled objects are refused, because opening them runs their code."""
    arrays = _arrays(path)
    if DESCRIPTION_KEY in arrays:
        text = arrays[DESCRIPTION_KEY].tobytes().decode()
        return _described_arrays(path, arrays, Description.from_json(f"load: {path}", text))
    columns: list[Column] = []
    blocks: dict[str, tuple[str, ...]] = {}
    for key, array in arrays.items():
        if array.ndim == 2:
            blocks[key] = tuple(f"{key}_{j}" for j in range(array.shape[1]))
            columns += [column_of(name, array[:, j]) for j, name in enumerate(blocks[key])]
        elif array.ndim == 1:
            columns.append(column_of(key, array))
        else:
            length = len(array) if array.ndim else 1
            columns.append(unusable(key, length, f"has shape {array.shape}; wanted [n] or [n, d]"))
    return Content(columns, blocks=blocks)


def _arrays(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            opened = np.load(file, allow_pickle=False)
            if not isinstance(opened, np.lib.npyio.NpzFile):
                raise DataFileError(f"load: {path} is a single array, not an .npz file of named arrays.")
            return {key: opened[key] for key in opened.files}
    except DataFileError:
        raise
    except ValueError as error:
        if "pickle" in str(error):
            raise DataFileError(
                f"load: {path} holds pickled objects, which can run any code when opened; "
                "save plain number or text arrays instead."
            ) from error
        raise DataFileError(f"load: {path} is not an .npz file of arrays.") from error


def _described_arrays(path: Path, arrays: Mapping[str, Any], description: Description) -> Content:
    roles = description.roles
    named = {
        "states": description.names,
        "actions": roles.action,
        "episodes": (roles.episode,),
        "rewards": (roles.rewards,),
        "progress": (roles.progress,),
        "source": (roles.source,),
        "probabilities": roles.probabilities,
    }
    columns = []
    for key, names in named.items():
        if key in arrays:
            block = arrays[key] if arrays[key].ndim == 2 else arrays[key][:, None]
            columns += [_column(str(n), block[:, j], description) for j, n in enumerate(names)]
    return Content(columns, description)


def _column(name: str, values: Any, description: Description) -> Column:
    levels = description.levels.get(name)
    return Column(name, values) if levels is None else Column(name, values.astype(np.int64), levels)
