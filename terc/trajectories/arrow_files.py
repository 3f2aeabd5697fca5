"""Files that pyarrow reads as a whole: .feather, and .jsonl with one step in each line."""

from __future__ import annotations

from pathlib import Path

from terc.trajectories.nested import table_of_frame
from terc.trajectories.tables import Table


def feather_table(path: Path) -> Table:
    """The steps of a .feather file."""
    import pyarrow.feather

    return table_of_frame(f"load: {path}", pyarrow.feather.read_table(path))


def json_lines_table(path: Path) -> Table:
    """The steps of a file with one record in each line."""
    import pyarrow.json

    return table_of_frame(f"load: {path}", pyarrow.json.read_json(path))
