"""Files of named arrays, .npz and .hdf5: an array `[n]` is a column, an array `[n, d]` is several."""

import zipfile
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from terc.arrays import Integers
from terc.errors import BadValueError, DataFileError, MissingExtraError
from terc.trajectories.columns import Column, column_of, unusable
from terc.trajectories.description import DESCRIPTION_KEY, Description, labelled
from terc.trajectories.tables import Table, unreadable
from terc.untrusted import array_shape


class ArrayTable(Table):
    """Named arrays of which the shapes are known; `_array` reads one of them."""

    def __init__(self, path: Path) -> None:
        self.where, self.path = f"load: {path}", path
        self.shapes = self._shapes()
        self.blocks = {
            key: tuple(f"{key}_{j}" for j in range(shape[1]))
            for key, shape in self.shapes.items()
            if len(shape) == 2
        }
        self.names = tuple(name for key in self.shapes for name in self.blocks.get(key, (key,)))
        self._home = {name: (key, j) for key in self.blocks for j, name in enumerate(self.blocks[key])}

    def __len__(self) -> int:
        return next((shape[0] for shape in self.shapes.values() if shape), 0)

    @abstractmethod
    def _shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The arrays and their shapes, without their values."""

    @abstractmethod
    def _array(self, key: str, rows: Integers | None) -> Any:
        """One array, cut to `rows`."""

    def _read(self, names: Sequence[str], rows: Integers | None) -> list[Column]:
        found: dict[str, Column] = {}
        keys = dict.fromkeys(self._home.get(name, (name, 0))[0] for name in names)
        for key in keys:
            shape = self.shapes[key]
            if shape and shape[0] != len(self):
                raise BadValueError(f"{key}: wanted one for each of the {len(self)} steps, got {shape[0]}.")
            if len(shape) not in (1, 2):
                length = len(self) if rows is None else len(rows)
                found[key] = unusable(key, length, f"has shape {shape}; wanted [n] or [n, d]")
                continue
            array = self._array(key, rows)
            parts = self.blocks.get(key, ())
            found |= {n: column_of(n, array[:, j]) for j, n in enumerate(parts) if n in names}
            if not parts:
                found[key] = column_of(key, array)
        return [found[name] for name in names]


class NpzTable(ArrayTable):
    """An .npz file; pickled objects are refused, because opening them runs their code."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        if DESCRIPTION_KEY in self.shapes:
            text = self._array(DESCRIPTION_KEY, None).tobytes().decode()
            self.description = Description.from_json(self.where, text)
            self._rename(self.description)

    def _rename(self, description: Description) -> None:
        """The columns of a saved file have the names that its description gives them."""
        roles = description.roles
        single = {"episodes": roles.episode, "rewards": roles.rewards, "progress": roles.progress}
        named = {"states": description.names, "actions": roles.action}
        named |= {key: (str(name),) for key, name in (single | {"source": roles.source}).items()}
        named["probabilities"] = roles.probabilities
        there = {key: names for key, names in named.items() if key in self.shapes}
        self._home = {name: (key, j) for key, names in there.items() for j, name in enumerate(names)}
        self.names, self.blocks = tuple(self._home), {}

    def _shapes(self) -> Mapping[str, tuple[int, ...]]:
        try:
            with zipfile.ZipFile(self.path) as archive:
                return {
                    entry.removesuffix(".npy"): self._shape(archive, entry)
                    for entry in archive.namelist()
                    if entry.endswith(".npy")
                }
        except zipfile.BadZipFile as error:
            with self.path.open("rb") as file:
                single = file.read(6) == b"\x93NUMPY"
            kind = "is a single array, not" if single else "is not"
            raise DataFileError(f"{self.where} {kind} an .npz file of named arrays.") from error
        except (OSError, ValueError, EOFError, NotImplementedError) as error:
            raise unreadable(self.where, error) from error

    def _shape(self, archive: zipfile.ZipFile, entry: str) -> tuple[int, ...]:
        shape, kind = array_shape(archive, entry)
        if kind.hasobject:
            raise DataFileError(
                f"{self.where} holds pickled objects, which can run any code when opened; "
                "save plain number or text arrays instead."
            )
        return shape

    def _array(self, key: str, rows: Integers | None) -> Any:
        with self.path.open("rb") as file, np.load(file, allow_pickle=False) as opened:
            array = opened[key]
        return array if rows is None else array[rows]

    def _read(self, names: Sequence[str], rows: Integers | None) -> list[Column]:
        if self.description is None:
            return super()._read(names, rows)
        arrays: dict[str, Any] = {}
        columns = []
        for name in names:
            key, j = self._home[name]
            if key not in arrays:
                found = self._array(key, rows)
                arrays[key] = found if found.ndim == 2 else found[:, None]
            columns.append(labelled(name, arrays[key][:, j], self.description))
        return columns


class Hdf5Table(ArrayTable):
    """An .hdf5 file as D4RL, robomimic and others write them; arrays in groups are named `group/array`."""

    def _opened(self) -> Any:
        try:
            import h5py
        except ImportError as error:
            raise MissingExtraError(f"{self.where}: .hdf5 needs h5py: pip install 'terc[hdf5]'.") from error
        try:
            return h5py.File(self.path, "r")
        except OSError as error:
            raise unreadable(self.where, error) from error

    def _shapes(self) -> Mapping[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}

        def visit(name: str, item: Any) -> None:
            if hasattr(item, "shape"):
                found[name] = tuple(item.shape)

        with self._opened() as file:
            file.visititems(visit)
        arrays = {name: shape for name, shape in found.items() if shape}
        if not arrays:
            raise DataFileError(f"{self.where} holds no array.")
        return arrays

    def _array(self, key: str, rows: Integers | None) -> Any:
        with self._opened() as file:
            stored = file[key]
            if rows is None:
                array = stored[()]
            else:
                breaks = np.flatnonzero(np.diff(rows) != 1) + 1
                runs = np.split(rows, breaks)
                array = np.concatenate([stored[int(run[0]) : int(run[-1]) + 1] for run in runs])
        return np.char.decode(array.astype(bytes), "utf8") if array.dtype.kind in "OS" else array
