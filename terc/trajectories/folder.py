"""A folder of files as one recording: which belong to it, and a `Table` of those that are not .parquet."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import accumulate
from pathlib import Path

import numpy as np

from terc.arrays import Integers
from terc.errors import DataFileError
from terc.notes import Note
from terc.trajectories.columns import Column, in_levels, recoded, with_empty
from terc.trajectories.csv_table import LARGE_FILE
from terc.trajectories.description import common
from terc.trajectories.tables import Table


def files_in(folder: Path, suffixes: Iterable[str]) -> tuple[list[Path], list[Path]]:
    """The recordings below `folder`, without hidden ones and the summaries that some writers add.

    Second those of other kinds, which are left out beside .parquet.

    Beside a folder `data`, a folder `meta` (of LeRobot) says what is in it and holds no steps.
    """
    folder = folder / "data" if all((folder / name).is_dir() for name in ("data", "meta")) else folder
    shown = [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)
    ]
    found = {suffix: [file for file in shown if file.name.lower().endswith(suffix)] for suffix in suffixes}
    kinds = {suffix: files for suffix, files in found.items() if files}
    if ".parquet" in kinds or len(kinds) == 1:
        chosen = kinds.get(".parquet") or next(iter(kinds.values()))
        return chosen, [file for files in kinds.values() if files is not chosen for file in files]
    held = f"files of several kinds ({', '.join(kinds)}); name one of them, or a folder of one kind"
    wanted = f"no recording; wanted files that end in one of {', '.join(found)}"
    raise DataFileError(f"load: the folder {folder} holds {held if kinds else wanted}.")


def check_same_columns(folder: Path, files: Sequence[Path], names: Sequence[Sequence[str]]) -> None:
    """Refuse files of which one has other columns than the first."""
    first = set(names[0])
    for file, own in zip(files, names, strict=True):
        lacking, further = sorted(first - set(own)), sorted(set(own) - first)
        if lacking or further:
            parts = [f"lacks {lacking[:5]}"] * bool(lacking)
            parts += [f"has {further[:5]} besides"] * bool(further)
            raise DataFileError(
                f"load: the files in {folder} have different columns: {file.name} {' and '.join(parts)}, "
                f"unlike {files[0].name}; put the files of one recording into one folder."
            )


class FolderTable(Table):
    """The steps of all `files` of a folder, one after the other; only of small ones all are kept open.

    What one file has to say about the columns is said by the first that holds a step.
    """

    file_is_episode = True

    def __init__(self, folder: Path, files: Sequence[Path], open_file: Callable[[Path], Table]) -> None:
        small = sum(file.stat().st_size for file in files) <= LARGE_FILE
        self._open, self._files = cache(open_file) if small else open_file, files
        self.where, self._expected = f"load: {folder}", tuple[str, ...]()
        first, names, described, notes = self._open(files[0]), [], [], dict[Note, None]()
        for file in files:
            table = self._open(file)
            first = first if first.has_steps() else table
            names.append(table.names)
            described.append(table.description)
            notes |= dict.fromkeys(table.notes)
        check_same_columns(folder, files, names)
        self.names, self.blocks, self.index = first.names, first.blocks, first.index
        self.lists, self.convention, self.notes = first.lists, first.convention, tuple(notes)
        self.description = common(described)

    def __len__(self) -> int:
        return self._ends[-1]

    @cached_property
    def file_starts(self) -> tuple[int, ...]:  # type: ignore[override]
        """The row with which each file begins."""
        return (0, *self._ends[:-1])

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(len(self._opened(file)) for file in self._files))

    def _expect(self, names: Sequence[str]) -> None:
        self._expected = tuple(names)

    def _opened(self, file: Path) -> Table:
        table = self._open(file)
        table.lists = {}  # made columns of when all are read
        if self._expected:
            table.expect(self._expected)
        return table

    def _read(self, names: Sequence[str], rows: Integers | None) -> list[Column]:
        read = []
        for file, begin, end in zip(self._files, self.file_starts, self._ends, strict=True):
            inside = None if rows is None else rows[(begin <= rows) & (rows < end)] - begin
            if inside is None or len(inside):
                read.append(self._opened(file).read(names, inside))
        read = read or [self._opened(self._files[0]).read(names, rows)]
        return [one_after_the_other(columns) for columns in zip(*read, strict=True)]


def one_after_the_other(columns: Sequence[Column]) -> Column:
    """The cells of all `columns`; where some are labels, all are, and only cells that hold something count.

    Example:
        >>> gears = [Column("gear", np.array([0, 1]), ("D", "N")), Column("gear", np.array([7]))]
        >>> one_after_the_other(gears).levels
        ('7', 'D', 'N')
    """
    masks = [np.zeros(len(c.values), dtype=bool) if c.empty is None else c.empty for c in columns]
    present = [replace(c, values=c.values[~mask]) for c, mask in zip(columns, masks, strict=True)]
    filled = [one for one in present if len(one.values)] or present[:1]
    levels = None
    if any(one.levels is not None for one in filled):
        filled = _alike([in_levels(one) for one in filled])
        levels = tuple(sorted({label for one in filled for label in one.levels or ()}))
    values = [c.values if levels is None else recoded(c.values, c.levels or (), levels) for c in filled]
    empty = np.concatenate(masks)
    problem = next((column.problem for column in columns if column.problem), "")
    joined = Column(columns[0].name, np.concatenate(values), levels, problem=problem)
    return with_empty(joined, empty) if empty.any() else joined


def _alike(columns: list[Column]) -> list[Column]:
    """The columns, with their labels as text where some are."""
    if not any(isinstance(label, str) for column in columns for label in column.levels or ()):
        return columns
    return [replace(column, levels=tuple(map(str, column.levels or ()))) for column in columns]
