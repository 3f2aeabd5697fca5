""".csv files: parsed at once while they are small, block by block when they are large."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from terc.arrays import Integers
from terc.errors import DataFileError
from terc.fingerprint import file_digest
from terc.notes import Note
from terc.trajectories.columns import Column, are_large
from terc.trajectories.csv_dialect import WITHOUT_MARK, Dialect, as_written, is_packed, with_every_digit
from terc.trajectories.description import Description
from terc.trajectories.frames import column_of_arrow, row_numbers
from terc.trajectories.names import without_repeats
from terc.trajectories.tables import Table, damage_is_one_sentence
from terc.untrusted import parsed

LARGE_FILE = 1 << 28
"""Bytes from which a file is parsed block by block, so that it need not fit into memory: 256 MB."""
BLOCK = 1 << 24
"""Bytes of a block of a large file, and of the part in which the kinds of its columns are recognised."""
NO_NAME = re.compile(r"[+-]?\d*[.,]\d+([eE][+-]?\d+)?")
"""A number with decimals; whole ones are what pandas calls columns without names."""


class CsvTable(Table):
    """The steps of a .csv file with a header line; a column without a name labels the rows."""

    def __init__(self, path: Path) -> None:
        self.where, self.path, self.blocks = f"load: {path}", path, {}
        self.description = _description_beside(path)
        self.large = path.stat().st_size > LARGE_FILE or is_packed(path)
        self.dialect = Dialect() if self.description is not None else Dialect.read(path)
        with self._opened(None, block=1 << 20, kinds={}) as opened:
            names = opened.schema.names
        if self.dialect.encoding == WITHOUT_MARK:
            text = f"the text is not UTF-8 and was read as {WITHOUT_MARK} (Windows, Latin-1)."
            self.notes = (Note("fact", "encoding", text),)
        _check_header(self.where, names)
        if self.dialect.units:
            raise DataFileError(
                f"{self.where}: the line below the header holds {list(self.dialect.units)[:5]}, such as "
                "units, where the lines after it hold numbers; delete it."
            )
        shown = names if self.description is not None else [name.strip() for name in names]
        self.names = without_repeats(self.where, shown)
        self._written = dict(zip(self.names, names, strict=True))
        self.index = tuple(name for name in self.names if not name)
        self._expected: tuple[str, ...] = self.names
        widths = zip(self.names, self.dialect.lists, strict=False)
        self.lists = {name: width for name, width in widths if width and name}

    def __len__(self) -> int:
        return self._length

    def has_steps(self) -> bool:
        """Whether a line follows the header; a saved recording has one."""
        return self.description is not None or bool(self.dialect.lists)

    @cached_property
    def _length(self) -> int:
        with damage_is_one_sentence(self.where):
            if not self.large:
                return self._whole.num_rows
            first = self._stored(self.names[:1])
            with self._opened(first, block=BLOCK, kinds=_as_text(first)) as opened:
                return sum(batch.num_rows for batch in opened)

    def _expect(self, names: Sequence[str]) -> None:
        """Parse these columns only."""
        self._expected = tuple(names)

    def _read(self, names: Sequence[str], rows: Integers | None) -> list[Column]:
        import pyarrow as pa

        if not self.large:
            table = self._whole if rows is None else self._whole.take(row_numbers(rows))
        else:
            try:
                table = pa.Table.from_batches(self._batches(names, rows, {}))
            except pa.ArrowInvalid:  # a column whose first block is not of the kind of a later one
                kinds = {name: pa.float64() for name in names if name not in self.lists}
                table = pa.Table.from_batches(self._batches(names, rows, kinds))
        read = self._columns(table, names)
        if self.description is not None:
            return read
        read = self._with_every_digit(read, rows)
        return [c if c.name in self.lists else as_written(c, self.dialect.decimal) for c in read]

    def _columns(self, table: Any, names: Sequence[str]) -> list[Column]:
        return [column_of_arrow(name, table.column(self._written[name])) for name in names]

    def _with_every_digit(self, read: Sequence[Column], rows: Integers | None) -> list[Column]:
        """The columns, those with large numbers read once more: whole ones may have been rounded."""
        import pyarrow as pa

        large = [column.name for column in read if column.levels is None and are_large(column.values)]
        if not large:
            return list(read)
        table = pa.Table.from_batches(self._batches(large, rows, _as_text(large)))
        texts = {column.name: column for column in self._columns(table, large)}
        return [with_every_digit(c, texts[c.name]) if c.name in texts else c for c in read]

    @cached_property
    def _whole(self) -> Any:
        import pyarrow.csv

        # Kinds are guessed from the first block alone, so one block is the whole file.
        block = max(self.path.stat().st_size, 1 << 20)
        return pyarrow.csv.read_csv(self.path, **self._options(self._expected, block, self._kinds()))

    def _batches(self, names: Sequence[str], rows: Integers | None, kinds: dict[str, Any]) -> Iterator[Any]:
        """The wanted rows of each block, in the order of the file."""
        begin = 0
        with self._opened(names, block=BLOCK, kinds=self._kinds() | kinds) as opened:
            for batch in opened:
                end = begin + batch.num_rows
                if rows is None:
                    yield batch
                else:
                    local = rows[np.searchsorted(rows, begin) : np.searchsorted(rows, end)] - begin
                    yield batch.take(row_numbers(local))
                begin = end

    def _kinds(self) -> dict[str, Any]:
        """The kinds of columns that a saved file describes, and of lists."""
        import pyarrow as pa

        if self.description is None:
            return _as_text(list(self.lists))
        levels = self.description.levels
        texts = [name for name in levels if any(isinstance(label, str) for label in levels[name])]
        return dict.fromkeys(self.description.names, pa.float64()) | _as_text(texts)

    def _opened(self, names: Sequence[str] | None, *, block: int, kinds: dict[str, Any]) -> Any:
        import pyarrow.csv

        return pyarrow.csv.open_csv(self.path, **self._options(names, block, kinds))

    def _options(self, names: Sequence[str] | None, block: int, kinds: dict[str, Any]) -> dict[str, Any]:
        import pyarrow.csv

        return {
            "read_options": pyarrow.csv.ReadOptions(
                block_size=block, skip_rows=self.dialect.skipped, encoding=self.dialect.encoding
            ),
            "parse_options": pyarrow.csv.ParseOptions(
                delimiter=self.dialect.separator, newlines_in_values=True
            ),
            "convert_options": pyarrow.csv.ConvertOptions(
                column_types={self._written[name]: kind for name, kind in kinds.items()},
                include_columns=None if names is None else [self._written[name] for name in names],
                decimal_point=self.dialect.decimal,
            ),
        }


def _as_text(names: Sequence[str]) -> dict[str, Any]:
    import pyarrow as pa

    return dict.fromkeys(names, pa.large_string())


def _check_header(where: str, names: Sequence[str]) -> None:
    """The first line should name the columns."""
    way_out = "lines above the header begin with #, or are deleted"
    if sum(not name.strip() for name in names) > 1:
        raise DataFileError(f"{where}: the line {list(names)[:5]} does not name its columns; {way_out}.")
    numbers = [name for name in names if NO_NAME.fullmatch(name.strip())]
    if numbers:
        raise DataFileError(
            f"{where}: the first line holds numbers such as {numbers[0]!r}, not names; add a header line."
        )


def beside(path: Path) -> Path:
    """Where the description of a .csv file stands, which cannot hold its own."""
    return path.with_name(f"{path.name}.terc.json")


def _description_beside(path: Path) -> Description | None:
    sidecar = beside(path)
    if not sidecar.exists():
        return None
    text = sidecar.read_text(encoding="utf8")
    description = Description.from_json(f"load: {sidecar}", text)
    if parsed(text).get("digest") != file_digest(path):
        raise DataFileError(
            f"load: {path} has changed since {sidecar.name} described it; "
            "save it again, or delete the description."
        )
    return description
