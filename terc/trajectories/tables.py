"""`Table`: recorded steps where they lie, of which only the columns and rows that are asked for are read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from terc.arrays import Integers
from terc.errors import DataFileError, TercError
from terc.trajectories.columns import Column, one_line
from terc.trajectories.lists import spelt_out

if TYPE_CHECKING:
    from terc.notes import Note
    from terc.trajectories.description import Description
    from terc.trajectories.roles import Convention


class Table(ABC):
    """A file, a folder of files or a frame. Opening one reads names only, never values.

    Attributes:
        where: Begins every error: "load: steps.parquet".
        blocks: For files of arrays, the columns that each array `[n, d]` becomes.
        description: What the file says about its columns, if `Trajectories.save` wrote it.
        convention: The roles of its columns, where the format itself fixes them.
        index: Columns that label the rows of a pandas frame: variables only if they are asked for.
        file_starts: The row with which each file of a folder begins.
        file_is_episode: Whether people write such files one per episode; others are cut by their size.
        notes: What a reader should know of how it was read.
        lists: Columns of text that hold lists of so many numbers; `spell_out` makes columns of them.
    """

    where: str
    names: tuple[str, ...]
    blocks: Mapping[str, tuple[str, ...]]
    description: Description | None = None
    convention: Convention | None = None
    file_starts: tuple[int, ...] = (0,)
    file_is_episode: bool = False
    index: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    lists: Mapping[str, int] = MappingProxyType({})

    @abstractmethod
    def __len__(self) -> int:
        """Number of steps."""

    @abstractmethod
    def _read(self, names: Sequence[str], rows: Integers | None) -> list[Column]:
        """The columns `names`, which exist, of the increasing `rows`, or of all when None."""

    def has_steps(self) -> bool:
        """Whether it holds any step, without a look at all of them."""
        return len(self) > 0

    def _expect(self, names: Sequence[str]) -> None:  # noqa: B027  (most formats need not know)
        """No column but these will be read: a format that must be parsed as a whole is parsed once."""

    def spell_out(self, *, besides: Collection[str] = ()) -> None:
        """Make columns of lists that are text, but for those of `besides`, and where such a name is taken."""
        parts = {name: tuple(f"{name}_{j}" for j in range(width)) for name, width in self.lists.items()}
        named = Counter([*self.names, *(part for name in parts for part in parts[name])])
        blocks = {
            name: parts[name]
            for name in parts
            if name not in besides and all(named[part] == 1 for part in parts[name])
        }
        self.lists = {name: self.lists[name] for name in blocks}
        self.names = tuple(part for name in self.names for part in blocks.get(name, (name,)))
        self.blocks = {**self.blocks, **blocks}

    def expect(self, names: Sequence[str]) -> None:
        """No column but these will be read; the first is of the action, which each step has."""
        self._expect(self._stored(names))

    def _stored(self, names: Sequence[str]) -> list[str]:
        """The columns that `names` are, or are parts of."""
        home = {part: name for name in self.lists for part in self.blocks[name]}
        return list(dict.fromkeys(home.get(name, name) for name in names))

    def read(self, names: Sequence[str], rows: Integers | None = None) -> list[Column]:
        """The columns `names`, of the increasing `rows` or of all; a damaged file is one sentence."""
        known = {} if self.description is None else self.description.levels
        with damage_is_one_sentence(self.where):
            stored = self._read(self._stored(names), rows)
        if self.lists:
            each = [spelt_out(c, self.lists[c.name]) if c.name in self.lists else [c] for c in stored]
            found = {column.name: column for parts in each for column in parts}
            return [found[name] for name in names]
        from terc.trajectories.description import relabelled

        return [relabelled(self.where, c, known[c.name]) if c.name in known else c for c in stored]


@contextmanager
def damage_is_one_sentence(where: str) -> Iterator[None]:
    """Whatever a library says of a file that it cannot open or read is a `DataFileError`."""
    try:
        yield
    except TercError:
        raise
    except MemoryError as error:
        raise DataFileError(
            f"{where} does not fit into memory; read a part with steps= (--steps 100000)."
        ) from error
    except Exception as error:  # each library has its own many ways to call a file damaged
        raise DataFileError(f"{where} cannot be read, it may be damaged ({one_line(error)}).") from error


class ColumnTable(Table):
    """Columns that are in memory already."""

    def __init__(self, where: str, columns: Sequence[Column]) -> None:
        self.where = where
        self.columns = {column.name: column for column in columns}
        self.names = tuple(self.columns)
        self.blocks = {}

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())).values) if self.columns else 0

    def _read(self, names: Sequence[str], rows: Integers | None) -> list[Column]:
        return [taken(self.columns[name], rows) for name in names]


def taken(column: Column, rows: Integers | None) -> Column:
    """The cells of `column` in `rows`; the column itself when that is None."""
    if rows is None:
        return column
    empty = None if column.empty is None else column.empty[rows]
    return replace(column, values=column.values[rows], empty=empty)
