"""Parquet files, one or a folder of them, read by column and row group."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from terc.arrays import Integers
from terc.errors import DataFileError
from terc.trajectories.columns import Column, column_of, one_line
from terc.trajectories.description import DESCRIPTION_KEY, Description, common
from terc.trajectories.folder import check_same_columns
from terc.trajectories.frames import Blocks, column_of_part, is_text, parts_of, row_numbers
from terc.trajectories.lists import width_of
from terc.trajectories.names import without_repeats
from terc.trajectories.tables import Table, damage_is_one_sentence

BYTES_AT_ONCE = 1 << 26
"""A row group of many columns is read some columns at a time, about 64 MB."""
CELLS_OF_TEXT = 100
"""As many of a column of text show whether it holds lists of numbers, as in a .csv."""
INDEX_OF_PANDAS = "__index_level_"


class ParquetTable(Table):
    """The steps of one parquet file, or of all `files` of a folder, one after the other."""

    def __init__(self, path: Path, files: Sequence[Path] = ()) -> None:
        self.where, self.files = f"load: {path}", list(files) or [path]
        self._metadata = [_metadata(file) for file in self.files]
        self.schema = self._common_schema(path)
        counts = [metadata.num_rows for metadata in self._metadata]
        self._length = sum(counts)
        self.file_starts = tuple(int(start) for start in np.cumsum([0, *counts[:-1]]))
        named = [name for name in self.schema.names if not name.startswith(INDEX_OF_PANDAS)]
        without_repeats(self.where, named)
        self._home: dict[str, str] = {}
        self.blocks: Blocks = {}
        self.description = self._described()
        lists: dict[str, int] = {}
        for name in named:
            first = self._first(name)
            parts, blocks = parts_of(name, first)
            self._home |= dict.fromkeys(parts, name)
            self.blocks |= blocks
            if self.description is None and is_text(first.type):
                lists[name] = width_of([text for text in first.to_pylist() if text is not None]) or 0
        said = {} if self.description is not None else _keys_of_folders(path, self.files)
        self._folders = {key: values for key, values in said.items() if key not in self._home}
        self.names = (*self._home, *self._folders)
        by_pandas = json.loads((self.schema.metadata or {}).get(b"pandas", b"{}"))
        self.index = tuple(name for name in by_pandas.get("index_columns", ()) if name in self.names)
        self.lists = {name: width for name, width in lists.items() if width}

    def __len__(self) -> int:
        return self._length

    def _common_schema(self, path: Path) -> Any:
        import pyarrow as pa

        schemas = [metadata.schema.to_arrow_schema() for metadata in self._metadata]
        check_same_columns(path, self.files, [schema.names for schema in schemas])
        try:
            return pa.unify_schemas(schemas, promote_options="permissive")
        except pa.ArrowException as error:
            raise DataFileError(
                f"load: the files in {path} hold different kinds of values ({one_line(error)})."
            ) from error

    def _described(self) -> Description | None:
        texts = [(metadata.metadata or {}).get(DESCRIPTION_KEY.encode()) for metadata in self._metadata]
        return common(
            [
                None if text is None else Description.from_json(f"load: {file}", text.decode())
                for file, text in zip(self.files, texts, strict=True)
            ]
        )

    def _first(self, name: str) -> Any:
        """The first cell of lists or records, whose length counts; more of text, perhaps lists; else none."""
        import pyarrow as pa

        kind = self.schema.field(name).type
        filled = [file for file, one in zip(self.files, self._metadata, strict=True) if one.num_rows]
        count = CELLS_OF_TEXT if is_text(kind) else min(1, kind.num_fields)
        if not count or not filled:
            return pa.nulls(0, kind)
        with _open(filled[0]) as opened:
            return next(opened.iter_batches(batch_size=count, columns=[name])).column(0)

    def _read(self, names: Sequence[str], rows: Integers | None) -> list[Column]:
        import pyarrow as pa

        stored = list(dict.fromkeys(self._home[name] for name in names if name in self._home))
        pieces: dict[str, list[Any]] = {name: [] for name in stored}
        for file, metadata, start in zip(self.files, self._metadata, self.file_starts, strict=True):
            for group, local in _groups(metadata, start, rows):
                for name, piece in _columns_of_group(file, metadata, group, stored, local):
                    pieces[name].append(piece)
        parts: dict[str, Any] = {}
        for name in stored:
            kind = self.schema.field(name).type
            same = [piece if piece.type == kind else piece.cast(kind) for piece in pieces[name]]
            whole = pa.chunked_array([chunk for one in same for chunk in one.chunks], kind)
            parts |= parts_of(name, whole)[0]
        length = len(self) if rows is None else len(rows)
        return [
            self._of_folders(name, rows)
            if name in self._folders
            else column_of_part(name, parts.get(name), length, self.blocks)
            for name in names
        ]

    def _of_folders(self, name: str, rows: Integers | None) -> Column:
        """What the folder of each file says of its steps."""
        values = np.array(self._folders[name])
        with suppress(ValueError):
            values = values.astype(np.int64)
        repeated = np.repeat(values, np.diff([*self.file_starts, len(self)]))
        return column_of(name, repeated if rows is None else repeated[rows])


def _keys_of_folders(folder: Path, files: Sequence[Path]) -> dict[str, list[str]]:
    """Columns that only the folders below `folder` hold, `site=A/day=3`: name -> the value of each file."""
    parts = [
        [unquote(part).partition("=") for part in file.relative_to(folder).parts[:-1] if "=" in part]
        for file in files
    ]
    keys = dict.fromkeys(key for of_file in parts for key, _, _ in of_file)
    found = {key: [value for of_file in parts for k, _, value in of_file if k == key] for key in keys}
    return {key: values for key, values in found.items() if len(values) == len(files)}


def _open(file: Path, metadata: Any = None) -> Any:
    import pyarrow.parquet as pq

    # One file, not a data set: what the folders say is added by name (`_keys_of_folders`).
    return pq.ParquetFile(file, metadata=metadata, page_checksum_verification=True)


def _metadata(file: Path) -> Any:
    with damage_is_one_sentence(f"load: {file}"), _open(file) as opened:
        return opened.metadata


def _groups(metadata: Any, start: int, rows: Integers | None) -> Iterator[tuple[int, Integers | None]]:
    """The row groups that hold any of `rows`, each with its own row numbers, or with None for all of it."""
    begin = start
    for group in range(metadata.num_row_groups):
        end = begin + metadata.row_group(group).num_rows
        if rows is None:
            yield group, None
        else:
            local = rows[np.searchsorted(rows, begin) : np.searchsorted(rows, end)] - begin
            if len(local):
                yield group, None if len(local) == end - begin else local
        begin = end


def _columns_of_group(
    file: Path, metadata: Any, group: int, names: Sequence[str], rows: Integers | None
) -> Iterator[tuple[str, Any]]:
    """The wanted cells of one row group, as pyarrow arrays."""
    n = metadata.row_group(group).num_rows
    at_once = max(1, BYTES_AT_ONCE // (8 * max(n, 1)))
    with _open(file, metadata) as opened:
        for k in range(0, len(names), at_once):
            some = list(names[k : k + at_once])
            try:
                table = opened.read_row_group(group, columns=some).select(some)
            except MemoryError:
                raise
            except Exception as error:  # damage shows in many ways
                raise DataFileError(
                    f"load: {file} is damaged: row group {group + 1} of {metadata.num_row_groups} ({n:,} "
                    f"steps) cannot be read ({one_line(error)}); repair the file, or leave it out."
                ) from error
            for name in some:
                piece = table.column(name)
                yield name, piece if rows is None else piece.take(row_numbers(rows))
