"""Files of named arrays, .npz and .hdf5: an array `[n]` is a column, an array `[n, d]` is several."""

import re
import zipfile
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from terc.arrays import Integers
from terc.errors import BadValueError, DataFileError, extra_module
from terc.notes import Note
from terc.trajectories.columns import Column, column_of, unusable
from terc.trajectories.description import DESCRIPTION_KEY, Description, labelled
from terc.trajectories.roles import Convention, Roles, recognised
from terc.trajectories.tables import Table
from terc.untrusted import array_shape

ONE_ROW_A_STEP = (
    "wanted [n] or [n, d], one row per step: no images, and episodes one after the other, with an array [n] "
    "that says which episode each step is from; leave others out, ignore= (--ignore)"
)
EPISODE = "episode"
PICKLED = (
    "holds pickled objects, which can run any code when opened; leave it out, ignore= (--ignore), or save "
    "numbers or text instead"
)


class ArrayTable(Table):
    """Named arrays of which the shapes are known; `_array` reads one of them."""

    def __init__(self, path: Path) -> None:
        self.where, self.path = f"load: {path}", path
        self.shapes = self._shapes()
        # What cannot be columns is a block, too, so that it is asked for and says why.
        self.blocks: dict[str, tuple[str, ...]] = {
            key: tuple(f"{key}_{j}" for j in range(shape[1])) if len(shape) == 2 else (key,)
            for key, shape in self.shapes.items()
            if len(shape) > 1
        }
        self._name({key: self.blocks.get(key, (key,)) for key in self.shapes})
        self._length = likeliest_length([shape[0] for shape in self.shapes.values() if shape])

    def _name(self, columns: Mapping[str, Sequence[str]]) -> None:
        """Array -> the names of its columns."""
        self._home = {name: (key, j) for key, names in columns.items() for j, name in enumerate(names)}
        self.names = tuple(self._home)

    def __len__(self) -> int:
        return self._length

    def _expect(self, names: Sequence[str]) -> None:
        """There are as many steps as actions; arrays of other lengths are not of steps."""
        shape = self.shapes[self._home[names[0]][0]]
        self._length = shape[0] if shape else self._length

    @abstractmethod
    def _shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The arrays and their shapes, without their values."""

    @abstractmethod
    def _array(self, key: str, rows: Integers | None) -> Any:
        """One array, cut to `rows`."""

    def _problem(self, key: str, shape: tuple[int, ...]) -> str:
        """Why an array cannot be read as columns; empty where it can."""
        return "" if len(shape) in (1, 2) else f"has shape {shape}; {ONE_ROW_A_STEP}"

    def _read(self, names: Sequence[str], rows: Integers | None) -> list[Column]:
        found: dict[str, Column] = {}
        for key in dict.fromkeys(self._home[name][0] for name in names):
            wanted = {name: self._home[name][1] for name in names if self._home[name][0] == key}
            shape = self.shapes[key]
            if shape and shape[0] != len(self):
                raise BadValueError(
                    f"{key}: wanted one for each of the {len(self)} steps, got {shape[0]}; save one row "
                    "per step (a last state in which nothing was done is none), or leave it out, "
                    f"ignore={key!r} (--ignore {key})."
                )
            if problem := self._problem(key, shape):
                length = len(self) if rows is None else len(rows)
                found |= {name: unusable(name, length, problem) for name in wanted}
                continue
            array = self._array(key, rows)
            table = array if array.ndim == 2 else array[:, None]
            found |= {name: column_of(name, table[:, j]) for name, j in wanted.items()}
        return [found[name] for name in names]


def likeliest_length(lengths: Sequence[int]) -> int:
    """How many steps there are by the lengths of arrays: there are several of steps, and few of all else.

    Example:
        >>> likeliest_length([10, 10, 10, 1_000, 1_000]), likeliest_length([4, 3, 3])
        (1000, 3)
    """
    again = [length for length, count in Counter(lengths).items() if count > 1]
    return max(again or lengths, default=0)


class NpzTable(ArrayTable):
    """An .npz file; pickled objects are refused, because opening them runs their code."""

    def __init__(self, path: Path) -> None:
        self._pickled: set[str] = set()
        super().__init__(path)
        self.blocks.update({key: (key,) for key in self._pickled})
        if DESCRIPTION_KEY in self.shapes:
            text = self._array(DESCRIPTION_KEY, None).tobytes().decode()
            self.description = Description.from_json(self.where, text)
            names = self.description.columns()
            self.blocks = {}
            self._name({key: names[key] for key in names if key in self.shapes})

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

    def _shape(self, archive: zipfile.ZipFile, entry: str) -> tuple[int, ...]:
        shape, kind = array_shape(archive, entry)
        if kind.hasobject:
            self._pickled.add(entry.removesuffix(".npy"))
        return shape

    def _problem(self, key: str, shape: tuple[int, ...]) -> str:
        return PICKLED if key in self._pickled else super()._problem(key, shape)

    def _array(self, key: str, rows: Integers | None) -> Any:
        with self.path.open("rb") as file, np.load(file, allow_pickle=False) as opened:
            array = opened[key]
        return array if rows is None else array[rows]

    def _read(self, names: Sequence[str], rows: Integers | None) -> list[Column]:
        read = super()._read(names, rows)
        described = self.description
        return read if described is None else [labelled(c.name, c.values, described) for c in read]


class Hdf5Table(ArrayTable):
    """An .hdf5 file as D4RL and others write them, or with one group per episode, as robomimic does.

    Other arrays in groups are named `group/array`, and a group stands for all that it holds.
    """

    _episodes: Mapping[str, int]

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        groups = dict.fromkeys(
            "/".join(parts[:k])
            for parts in (name.split("/") for name in self.names)
            for k in range(1, len(parts))
        )
        inside = {group: tuple(n for n in self.names if n.startswith(f"{group}/")) for group in groups}
        self.blocks = {**inside, **self.blocks}
        if self._episodes:
            first = next(iter(self._episodes)).rstrip("/")
            text = f"each of the {len(self._episodes):,} groups {first!r}, ... is an episode."
            self.notes = (Note("fact", "groups", text),)
            self.convention = recognised(self.names, self.blocks) or Convention(Roles((), EPISODE))

    def _opened(self) -> Any:
        return extra_module("h5py", f"{self.where}: .hdf5", "hdf5").File(self.path, "r")

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
        self._episodes = episode_groups(arrays)
        if not self._episodes:
            return arrays
        first = next(iter(self._episodes))
        inside = [name.removeprefix(first) for name in arrays if name.startswith(first)]
        n = sum(self._episodes.values())
        return {EPISODE: (n,)} | {name: (n, *arrays[first + name][1:]) for name in inside}

    def _array(self, key: str, rows: Integers | None) -> Any:
        with self._opened() as file:
            if not self._episodes:
                array = _part(file[key], rows)
            else:
                numbered = key == EPISODE and key not in file[next(iter(self._episodes))]
                groups = enumerate(self._episodes.items())
                parts = [np.full(n, k) if numbered else file[name + key][:n] for k, (name, n) in groups]
                array = np.concatenate(parts) if rows is None else np.concatenate(parts)[rows]
        return np.char.decode(array.astype(bytes), "utf8") if array.dtype.kind in "OS" else array


def _part(stored: Any, rows: Integers | None) -> Any:
    """The rows of an array in a file, read in stretches."""
    if rows is None:
        return stored[()]
    runs = np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1)
    return np.concatenate([stored[int(run[0]) : int(run[-1]) + 1] for run in runs])


def episode_groups(arrays: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """Groups that stand side by side, hold the same arrays and so are episodes, each with its steps.

    They are in the order of the numbers in their names. Arrays outside of them are not about steps. In some
    files (ManiSkill, Minari) observations have one row more than actions: what the last one led to.

    Example:
        >>> episode_groups({"e_0/obs": (6, 2), "e_0/actions": (5,), "e_1/obs": (4, 2), "e_1/actions": (3,)})
        {'e_0/': 5, 'e_1/': 3}
        >>> episode_groups({"data/demo_10/x": (7, 2), "data/demo_9/x": (5, 2), "mask": (2,)})
        {'data/demo_9/': 5, 'data/demo_10/': 7}
    """
    for depth in (1, 2):
        groups: dict[str, dict[str, tuple[int, ...]]] = {}
        for name, shape in arrays.items():
            parts = name.split("/")
            if len(parts) > depth:
                inside = groups.setdefault("/".join(parts[:depth]) + "/", {})
                inside["/".join(parts[depth:])] = shape
        steps = {group: min(shape[0] for shape in inside.values()) for group, inside in groups.items()}
        kinds = {
            tuple((name, shape[0] - steps[group], *shape[1:]) for name, shape in inside.items())
            for group, inside in groups.items()
        }
        if len(groups) > 1 and len(kinds) == 1 and all(part[1] in (0, 1) for part in kinds.pop()):
            return {name: steps[name] for name in sorted(steps, key=_by_number)}
    return {}


def _by_number(name: str) -> list[int | str]:
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
