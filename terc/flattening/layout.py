"""`Layout`: a space of Gymnasium as columns with names; its members become rows of numbers, and back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from gymnasium import Space, spaces

from terc.arrays import Array
from terc.errors import BadTypeError, BadValueError

# A thousand columns are selected from in a minute or two; beyond this it is pixels, not variables.
MOST_COLUMNS = 5_000
LEAVES = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)


def path_name(path: tuple[str | int, ...]) -> str:
    """A name that does not begin with a number.

    Example:
        >>> path_name(("camera", 0)), path_name((1, "x"))
        ('camera.0', 'part1.x')
    """
    named = ".".join(map(str, path))
    return f"part{named}" if path and isinstance(path[0], int) else named


@dataclass(frozen=True)
class Leaf:
    """One leaf of a space: the path to it through dictionaries and tuples, and its columns."""

    path: tuple[str | int, ...]
    space: Space[Any]
    first: int
    size: int

    @property
    def name(self) -> str:
        """The path to it, such as `camera.x`; parts of a tuple are numbered, `part0`, `part1.x`."""
        return path_name(self.path)

    @property
    def is_discrete(self) -> bool:
        """Whether its numbers are choices, not quantities."""
        return not isinstance(self.space, spaces.Box)

    def columns(self) -> list[str]:
        """Names of its columns."""
        if self.size == 1:
            return [self.name or "x_0"]
        start, between = (f"{self.name}.", ".") if self.path else ("x_", "_")
        return [start + between.join(map(str, place)) for place in np.ndindex(self.space.shape or ())]

    def shaped(self, rows: Array) -> Array:
        """Its values `[n, *shape]` in its own type, from its columns `[n, size]`."""
        dtype = self.space.dtype
        values = np.rint(rows) if dtype is not None and np.issubdtype(dtype, np.integer) else rows
        return values.reshape(len(rows), *(self.space.shape or ())).astype(dtype)


@dataclass(frozen=True)
class Layout:
    """Columns of a space.

    Attributes:
        space: Of one observation or action.
        parts: Its leaves, in column order.

    Example:
        >>> camera = spaces.Dict(x=spaces.Box(-1, 1, (1,)))
        >>> space = spaces.Dict(camera=camera, gear=spaces.Discrete(3))
        >>> layout = Layout.of(space)
        >>> layout.names, layout.rows({"camera": {"x": np.array([[0.5]])}, "gear": np.array([2])})
        (('camera.x', 'gear'), array([[0.5, 2. ]], dtype=float32))
    """

    space: Space[Any]
    parts: tuple[Leaf, ...]

    @classmethod
    def of(cls, space: Space[Any], *, where: str = "env", shaped: bool = False) -> Self:
        """The layout of `space`.

        Args:
            space: Numbers, choices, or dictionaries and tuples of them.
            where: Who asks, for errors.
            shaped: Whether a leaf may be of any shape; otherwise images are refused.

        Raises:
            BadTypeError: A leaf is an image, a text, a graph or the like, with the way out.
            BadValueError: There is no column, or more than terc takes as variables.
        """
        parts, first = [], 0
        for path, leaf in _leaves(space, ()):
            _check_leaf(where, path, leaf, shaped)
            size = int(np.prod(leaf.shape or ()))
            parts.append(Leaf(path, leaf, first, size))
            first += size
        if first == 0:
            raise BadValueError(
                f"{where}: the space {space} holds no number, so there is nothing to see or do."
            )
        if first > MOST_COLUMNS:
            raise BadValueError(
                f"{where}: {first} columns are more than terc takes as variables ({MOST_COLUMNS}). Wrap the "
                "environment in a gymnasium.ObservationWrapper that computes the variables you care about."
            )
        return cls(space, tuple(parts))

    @property
    def size(self) -> int:
        """Number of columns."""
        return sum(part.size for part in self.parts)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns: the path to each, with its index where a leaf has several numbers."""
        return tuple(name for part in self.parts for name in part.columns())

    @property
    def nominal(self) -> tuple[bool, ...]:
        """Which columns are choices whose order means nothing; of two values it makes no difference."""
        choices = (spaces.Discrete, spaces.MultiDiscrete)
        return tuple(isinstance(part.space, choices) for part in self.parts for _ in range(part.size))

    @property
    def dtype(self) -> Any:
        """Type of the rows: float32 where that holds every value exactly, else float64."""
        boxes = [np.dtype(part.space.dtype) for part in self.parts if isinstance(part.space, spaces.Box)]
        return np.float32 if all(one == np.float32 or one.itemsize <= 2 for one in boxes) else np.float64

    @property
    def box(self) -> spaces.Box:
        """The space of one row."""
        bounds = [_bounds(part.space) for part in self.parts]
        low, high = (np.concatenate(ends).astype(self.dtype) for ends in zip(*bounds, strict=True))
        return spaces.Box(low, high, dtype=self.dtype)

    def has_form(self, member: Any) -> bool:
        """Whether `member` is a dictionary or a tuple with the parts of the space."""
        if isinstance(self.space, spaces.Dict):
            return isinstance(member, Mapping) and set(member) == set(self.space.spaces)
        if not isinstance(self.space, spaces.Tuple) or not isinstance(member, tuple):
            return False
        return len(member) == len(self.space.spaces) and all(part is not None for part in member)

    def rows(self, members: Any) -> Array:
        """`[n, columns]` of n members batched as vector environments batch them (a dictionary of arrays)."""
        leaves = [np.asarray(_at(members, part.path)) for part in self.parts]
        return np.concatenate([leaf.reshape(len(leaf), -1).astype(self.dtype) for leaf in leaves], axis=1)

    def row(self, member: Any) -> Array:
        """`[columns]` of one member."""
        if isinstance(self.space, spaces.Tuple) and len(member) != len(self.space.spaces):
            raise ValueError(f"got {len(member)} parts, not {len(self.space.spaces)}")
        leaves = [np.asarray(_at(member, part.path)).reshape(-1) for part in self.parts]
        return np.concatenate(leaves).astype(self.dtype)

    def back(self, rows: Array) -> Any:
        """Members batched as vector environments batch them, from `[n, columns]`."""
        found = {part.path: part.shaped(rows[:, part.first : part.first + part.size]) for part in self.parts}
        return _rebuilt(self.space, (), found)

    def back_one(self, row: Array) -> Any:
        """One member from its row, of exactly the types that the space has."""
        return _first(self.space, self.back(np.asarray(row)[None]))


def is_flat(space: Space[Any]) -> bool:
    """Whether members of `space` are one row of numbers (or one choice) already."""
    return isinstance(space, LEAVES) and len(space.shape or ()) <= 1


def names_by_key(layout: Layout, given: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Names of the columns where the environment names those of a key, such as `{"camera": ["x", "y"]}`."""
    names: list[str] = []
    for part in layout.parts:
        own = given.get(part.name, given.get(str(part.path[-1]) if part.path else ""))
        fits = own is not None and len(own) == part.size
        names += [f"{part.name}.{name}" for name in own or ()] if fits else part.columns()
    return tuple(names)


def _leaves(
    space: Space[Any], path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], Space[Any]]]:
    if isinstance(space, spaces.Dict):
        for key, inner in space.spaces.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(space, spaces.Tuple):
        for place, inner in enumerate(space.spaces):
            yield from _leaves(inner, (*path, place))
    else:
        yield path, space


def _check_leaf(where: str, path: tuple[str | int, ...], leaf: Space[Any], shaped: bool) -> None:
    what = f"the observation {path_name(path)!r} has" if path else "observations have"
    leave_out = ", or leave it out with gymnasium.wrappers.FilterObservation" if path else ""
    if not isinstance(leaf, LEAVES):
        raise BadTypeError(
            f"{where}: {what} a {type(leaf).__name__} space, which is not a row of numbers as Box, Discrete, "
            "MultiDiscrete, MultiBinary, and Dict or Tuple of these are. Wrap the environment in a "
            f"gymnasium.ObservationWrapper that gives one of them{leave_out}."
        )
    if _is_image(leaf) and not shaped:
        raise BadTypeError(
            f"{where}: {what} shape {leaf.shape}, like an image; terc is about named variables. "
            "Wrap the environment in a gymnasium.ObservationWrapper that computes the variables "
            f"you care about{leave_out}, or in gymnasium.wrappers.FlattenObservation if each entry is a "
            "variable."
        )


def _is_image(leaf: Space[Any]) -> bool:
    """Whether it holds bytes from 0 to 255 in rows; other tables (a board, several cars) are variables."""
    if not isinstance(leaf, spaces.Box) or len(leaf.shape) < 2:
        return False
    return leaf.dtype == np.uint8 and bool(leaf.high.max(initial=0) == 255)


def _bounds(space: Space[Any]) -> tuple[Array, Array]:
    if isinstance(space, spaces.Box):
        return space.low.reshape(-1).astype(np.float64), space.high.reshape(-1).astype(np.float64)
    if isinstance(space, spaces.Discrete):
        return np.array([space.start], float), np.array([space.start + space.n - 1], float)
    if isinstance(space, spaces.MultiDiscrete):
        low = space.start.reshape(-1).astype(np.float64)
        return low, low + space.nvec.reshape(-1) - 1
    size = int(np.prod(space.shape or ()))
    return np.zeros(size), np.ones(size)


def _at(members: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        members = members[key]
    return members


def _rebuilt(space: Space[Any], path: tuple[str | int, ...], found: Mapping[Any, Array]) -> Any:
    if isinstance(space, spaces.Dict):
        return {key: _rebuilt(inner, (*path, key), found) for key, inner in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(_rebuilt(inner, (*path, k), found) for k, inner in enumerate(space.spaces))
    return found[path]


def _first(space: Space[Any], members: Any) -> Any:
    if isinstance(space, spaces.Dict):
        return {key: _first(inner, members[key]) for key, inner in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(_first(inner, member) for inner, member in zip(space.spaces, members, strict=True))
    return members[0]
