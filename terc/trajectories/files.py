"""Trajectories in and out of files: nothing is unpickled, and files are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from terc.checks import named_rightly
from terc.errors import BadTypeError, DataFileError, available_names, closest_names
from terc.fingerprint import file_digest
from terc.notes import Note
from terc.trajectories.arrays import Hdf5Table, NpzTable
from terc.trajectories.columns import one_line
from terc.trajectories.csv_table import CsvTable, beside
from terc.trajectories.description import DESCRIPTION_KEY, Description, columns_of, describe
from terc.trajectories.folder import FolderTable, files_in
from terc.trajectories.frames import table_of_frame
from terc.trajectories.names import some_of
from terc.trajectories.parquet import ParquetTable
from terc.trajectories.recorded import Recorded
from terc.trajectories.roles import Roles
from terc.trajectories.tables import Table, damage_is_one_sentence

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories


def _whole_table(path: Path) -> Table:
    """A file that pyarrow reads as a whole."""
    import pyarrow.feather
    import pyarrow.json

    read = pyarrow.feather.read_table if path.suffix.lower() == ".feather" else pyarrow.json.read_json
    return table_of_frame(f"load: {path}", read(path))


TABLES: dict[str, Callable[[Path], Table]] = {
    ".parquet": ParquetTable,
    ".csv": CsvTable,
    ".npz": NpzTable,
    ".hdf5": Hdf5Table,
    ".h5": Hdf5Table,
    ".tsv": CsvTable,
    ".csv.gz": CsvTable,
    ".feather": _whole_table,
    ".jsonl": _whole_table,
    ".ndjson": _whole_table,
    ".pq": ParquetTable,
    ".txt": CsvTable,
}
MINARI = "minari:"
OTHER_FILES = (
    " Save a sheet of Excel as .csv; pass any other table as a frame to terc.Trajectories.from_frame."
)


@named_rightly
def load(  # noqa: PLR0913  (one keyword per role a column can have)
    path: str | Path,
    *,
    action: str | Sequence[str] | None = None,
    episode: str | Sequence[str] | None = None,
    rewards: str | None = None,
    progress: str | None = None,
    probabilities: Sequence[str] = (),
    nominal: Iterable[str] | str = (),
    drop: Iterable[str] | str = (),
    ignore: Iterable[str] | str = (),
    seen: Iterable[str] | str = (),
    done: Iterable[str] | str = (),
    sort: str | None = None,
    missing: str | None = None,
    action_kind: str | None = None,
    steps: int | str | None = None,
    seed: int = 0,
) -> Trajectories:
    """Trajectories from a .parquet, .csv, .npz or .hdf5 file, a folder of such files, or a Minari data set.

    A file that `Trajectories.save` wrote describes itself: `load(path)` restores everything, and the
    keywords change the roles it gives to its columns. So do arrays with the names that D4RL, RLDS or LeRobot
    give them. For any other file `action` is required, and each column without a role is a variable. In files
    of arrays an array `[n]` is a column and an array `[n, d]` is the columns `key_0`, `key_1`, ...; a role
    may name a column or the whole array.

    Only the columns that are asked for are read, and with `steps` only a part of the rows is kept, so that a
    recording may be larger than the memory.

    Args:
        path: The file or folder, or "minari:" and the id of a data set on this machine (needs
            `terc[minari]`).
        action: The column of the actions, or several, also by pattern ("torque_*").
        episode: The column that labels episodes, or several whose values together do; None means a single
            one, or one per file of a folder whose files are not .parquet (those are cut by size).
        rewards: The column of rewards.
        progress: The column of progress through training, 0..1.
        probabilities: The columns of the chances of actions 0, 1, ...
        nominal: Variables whose values are labels (text is anyway).
        drop: Columns to leave out.
        ignore: The same by pattern: "debug_*" leaves out every column without a role that it fits.
        seen: Variables, by name or pattern, that the agent sees when it acts, whatever they are called or
            equal a step later: the next piece, a reference ahead, the last reward.
        done: Columns that are true in the last step of an episode, where no column labels the episodes.
        sort: The column by which the steps of each episode are sorted, where they are not; the episode
            column itself keeps the order of the rows.
        missing: "indicator" fills empty and NaN cells of variables and adds a variable that says where, in
            one group with the first; None refuses them.
        action_kind: As in `Trajectories`.
        steps: About how many steps to read, in whole episodes drawn with `seed`; None or "all" for all.
        seed: Same seed, same steps.

    Raises:
        DataFileError: The file is missing, damaged, of another kind, or holds pickled objects.
        UnknownNameError: A column that is asked for does not exist.
    """
    roles = Roles.given(
        "load", action=action, episode=episode, rewards=rewards, progress=progress,
        probabilities=probabilities, nominal=nominal, drop=drop, ignore=ignore, seen=seen, done=done,
        sort=sort, missing=missing, action_kind=action_kind,
    )  # fmt: skip
    return Recorded.of(open_table(path), roles).sample(steps, seed=seed)


def open_table(path: str | Path) -> Table:
    """The recording at `path`, of which only the names of its columns are read."""
    if str(path).startswith(MINARI):
        from terc.trajectories.minari import minari_table

        return minari_table(str(path).removeprefix(MINARI))
    if not isinstance(path, (str, os.PathLike)):
        raise BadTypeError(
            f"load: wanted the path of a file, got {type(path).__name__}. A frame goes into "
            "terc.Trajectories.from_frame(frame, action=...), arrays into terc.Trajectories(states, actions)."
        )
    if "://" in str(path):
        raise DataFileError(f"load: {path} is an address; download the file first and give its path.")
    path = Path(path)
    with damage_is_one_sentence(f"load: {path}"):
        if path.is_dir():
            return _folder(path)
        there = path.exists()
        suffix = _checked_suffix("load", path, TABLES) if there or path.suffix else ""
        if not there:
            near = [one.name for one in path.parent.glob("*") if one.suffix.lower() in {*TABLES} - {".txt"}]
            kind = "file" if suffix else "file or folder"
            raise DataFileError(f"load: there is no {kind} {path}.{alternatives(path.name, sorted(near))}")
        if not path.is_file():
            raise DataFileError(f"load: {path} is not a file.")
        return TABLES[suffix](path)


def _folder(path: Path) -> Table:
    """The recordings below a folder; texts may be notes about them."""
    files, others = files_in(path, [suffix for suffix in TABLES if suffix != ".txt"])
    if TABLES.get(files[0].suffix.lower()) is not ParquetTable:
        return FolderTable(path, files, open_table)
    table = ParquetTable(path, files)
    if others:
        names = some_of([file.name for file in others])
        text = f"of the folder only the .parquet files were read, and not {names}."
        table.notes += (Note("fact", "other-files", text),)
    return table


def alternatives(name: str, near: Sequence[str]) -> str:
    """The files beside one that does not exist: the closest names, else the first."""
    beside = available_names(near, most=10).replace("Available", "In its folder", 1) if near else ""
    return closest_names(name, near) or beside


def _checked_suffix(where: str, path: Path, suffixes: Iterable[str]) -> str:
    suffix = "".join(path.suffixes[-2:]).lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    if suffix not in suffixes:
        way_out = OTHER_FILES if where == "load" else ""
        raise DataFileError(f"{where}: {path} should end in one of {', '.join(suffixes)}.{way_out}")
    return suffix


def save(data: Trajectories, path: str | Path) -> None:
    """Write `data` to a .parquet, .csv or .npz file, whole or not at all."""
    path = Path(path)
    suffix = _checked_suffix("save", path, WRITERS)
    write_atomically(path, lambda sink: WRITERS[suffix](data, sink))
    if suffix == ".csv":
        # Second, so that a failure above leaves the old pair of files as it was.
        write_text_atomically(beside(path), describe(data).to_json(digest=file_digest(path)))


def write_text_atomically(path: Path, text: str) -> None:
    """Write `text` as UTF-8, whole or not at all."""
    write_atomically(path, lambda sink: sink.write(text.encode("utf8")))


def write_atomically(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a new file, then put it in the place of `path` in one step.

    A reader sees the old file or the new one, never half of it, and a crash leaves the old one.
    """
    target = Path(os.path.realpath(path))
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
    try:
        with open(unfinished, "xb") as sink:
            write(sink)
            sink.flush()
            os.fsync(sink.fileno())
        os.replace(unfinished, target)
    except OSError as error:
        raise DataFileError(f"cannot write {path} ({error.strerror or one_line(error)}).") from error
    finally:
        unfinished.unlink(missing_ok=True)


ROWS_PER_GROUP = 100_000
"""Few enough that a part of a large file can be read without much else."""


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
    """Columns with their labels; the file beside it says the rest, and its digest to notice changes."""
    import pyarrow.csv

    pyarrow.csv.write_csv(_arrow_table(data, describe(data)), sink)


def write_npz(data: Trajectories, sink: IO[bytes]) -> None:
    """Arrays `states`, `actions`, ... as they are in memory, and the description as UTF-8 bytes."""
    description = describe(data)
    arrays = {key: getattr(data, key) for key in description.columns()}
    arrays[DESCRIPTION_KEY] = np.frombuffer(description.to_json().encode(), dtype=np.uint8)
    there = {key: array for key, array in arrays.items() if array is not None}
    np.savez_compressed(sink, allow_pickle=False, **there)


WRITERS: dict[str, Callable[[Trajectories, IO[bytes]], None]] = {
    ".parquet": write_parquet,
    ".csv": write_csv,
    ".npz": write_npz,
}
