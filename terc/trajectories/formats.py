"""One writer per file format: columns, and a description of them with which `load` restores everything."""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from terc.trajectories.csv_table import digest
from terc.trajectories.description import DESCRIPTION_KEY, Description, columns_of, describe

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

ROWS_PER_GROUP = 100_000
"""Few enough that a part of a large file can be read without much else."""
OPTIONAL_ARRAYS = ("probabilities", "rewards", "progress", "source")


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


def write_parquet(data: Trajectories, sink: IO[bytes]) -> None:
    """Columns with their labels, readable by any tool; the description goes into the schema's metadata."""
    import pyarrow.parquet as pq

    description = describe(data)
    table = _arrow_table(data, description)
    pq.write_table(
        table.replace_schema_metadata({DESCRIPTION_KEY: description.to_json()}),
        sink,
        compression="zstd",
        row_group_size=ROWS_PER_GROUP,
        write_page_checksum=True,
    )


def write_csv(data: Trajectories, sink: IO[bytes]) -> None:
    """Columns with their labels; `describe_csv` says the rest."""
    import pyarrow.csv

    pyarrow.csv.write_csv(_arrow_table(data, describe(data)), sink)


def describe_csv(data: Trajectories, path: Path) -> str:
    """The text of the file beside a .csv: its description, and its digest to notice changes."""
    return describe(data).to_json(digest=digest(path))


def write_npz(data: Trajectories, sink: IO[bytes]) -> None:
    """Arrays `states`, `actions`, ... as they are in memory, and the description as UTF-8 bytes."""
    description = describe(data)
    arrays = {key: getattr(data, key) for key in ("states", "actions", "episodes", *OPTIONAL_ARRAYS)}
    arrays[DESCRIPTION_KEY] = np.frombuffer(description.to_json().encode(), dtype=np.uint8)
    np.savez_compressed(
        sink, allow_pickle=False, **{k: array for k, array in arrays.items() if array is not None}
    )
