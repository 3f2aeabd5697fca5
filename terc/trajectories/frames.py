"""pandas, polars and pyarrow frames as columns, and the roles that columns of a frame or file can have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from terc.errors import BadTypeError, BadValueError, unknown_name
from terc.trajectories.columns import (
    DATES_WAY_OUT,
    Column,
    Label,
    column_of,
    one_line,
    unusable,
    without_repeats,
)

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

FRAME_LIBRARIES = ("pandas", "polars", "pyarrow")


@dataclass(frozen=True)
class Roles:
    """Which columns are not variables.

    Attributes:
        action: One name, or several for an action of several dimensions.
        episode: The column with episode labels.
        rewards: The column with rewards.
        progress: The column with progress through training.
        probabilities: The columns with the chances of actions 0, 1, ...
        drop: Columns left out.
        source: The column with the number of the recording.
    """

    action: tuple[str, ...]
    episode: str | None = None
    rewards: str | None = None
    progress: str | None = None
    probabilities: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    source: str | None = None

    @classmethod
    def of(cls, action: str | Sequence[str], *others: Any) -> Roles:
        """Roles from what a caller writes: a single name stands for a list of one."""
        episode, rewards, progress, probabilities, drop = others
        return cls(_listed(action), episode, rewards, progress, _listed(probabilities), _listed(drop))

    def taken(self) -> list[str]:
        """Every column with a role, in the order of the fields."""
        values = (getattr(self, field.name) for field in fields(self))
        return [name for value in values if value is not None for name in _listed(value)]


def _listed(names: str | Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def assemble(
    where: str,
    columns: Sequence[Column],
    roles: Roles,
    nominal: Iterable[str] | str = (),
    action_kind: str | None = None,
) -> Trajectories:
    """Trajectories in which each column without a role is a variable."""
    from terc.trajectories.data import Trajectories

    if not roles.action:
        listed = [column.name for column in columns[:30]]
        raise BadValueError(f"{where}: name the column of the actions, action=...; there is {listed}.")
    by_name = {column.name: column for column in columns}
    taken = roles.taken()
    for name in taken:
        if name not in by_name:
            raise unknown_name(where, "column", name, by_name)
    without_repeats(f"{where}: a column can have only one role", taken)
    others = [column for column in columns if column.name not in set(taken)]
    if not others:
        raise BadValueError(f"{where}: no variable is left beside {taken}.")
    return Trajectories(
        others,
        [by_name[name] for name in roles.action],
        episodes=_optional(by_name, roles.episode),
        rewards=_optional(by_name, roles.rewards),
        progress=_optional(by_name, roles.progress),
        source=_optional(by_name, roles.source),
        probabilities=[by_name[name] for name in roles.probabilities] or None,
        nominal=nominal,
        action_kind=action_kind,
    )


def _optional(columns: Mapping[str, Column], name: str | None) -> Column | None:
    return None if name is None else columns[name]


def is_frame(given: Any) -> bool:
    """Whether `given` is a table of pandas, polars or pyarrow, not one of their single columns."""
    library = type(given).__module__.partition(".")[0]
    return library in FRAME_LIBRARIES and (hasattr(given, "collect") or hasattr(given, "columns"))


def columns_of_frame(where: str, frame: Any) -> list[Column]:
    """The columns of a pandas, polars or pyarrow frame; text, enumerations and categories become codes."""
    if not is_frame(frame):
        raise BadTypeError(f"{where}: wanted a pandas, polars or pyarrow frame, got {type(frame).__name__}.")
    if hasattr(frame, "collect"):
        raise BadTypeError(f"{where}: the frame is lazy; call collect() first.")
    library = type(frame).__module__.partition(".")[0]
    if library == "pandas":
        return _columns_of_pandas(where, frame)
    return columns_of_arrow(where, frame.to_arrow() if library == "polars" else frame)


def _columns_of_pandas(where: str, frame: Any) -> list[Column]:
    names = without_repeats(where, [str(name) for name in frame.columns])
    import pyarrow as pa

    columns = []
    for position, name in enumerate(names):
        series = frame.iloc[:, position]
        try:
            array = pa.array(series, from_pandas=not _holds_floats(series))
        except (pa.ArrowException, TypeError, ValueError) as error:
            columns.append(unusable(name, len(series), f"cannot be read ({one_line(error)})"))
        else:
            columns.append(_column_of_arrow(name, array))
    return columns


def _holds_floats(series: Any) -> bool:
    # NaN would otherwise be called empty, and the caller looks for NaN.
    return isinstance(series.dtype, np.dtype) and series.dtype.kind == "f"


def columns_of_arrow(where: str, table: Any) -> list[Column]:
    """The columns of a pyarrow table."""
    names = without_repeats(where, list(table.schema.names))
    return [_column_of_arrow(name, table.column(j)) for j, name in enumerate(names)]


def _column_of_arrow(name: str, values: Any) -> Column:
    import pyarrow as pa

    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    missing = array.null_count
    if missing:
        return Column(name, np.zeros(len(array)), missing=missing)
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _column_of_categories(name, array)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return _in_order(_column_of_categories(name, array.cast(pa.large_string()).dictionary_encode()))
    if pa.types.is_decimal(kind):
        array = array.cast(pa.float64())
    elif pa.types.is_temporal(kind):
        labelled = _column_of_categories(name, array.dictionary_encode())
        return replace(labelled, problem=f"holds dates or durations ({kind}); {DATES_WAY_OUT}")
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        return unusable(name, len(array), f"holds {kind}; wanted numbers, true/false or text in each cell")
    return column_of(name, array.to_numpy(zero_copy_only=False))


def _column_of_categories(name: str, array: Any) -> Column:
    """Codes in the order of the categories, without those that no step has."""
    codes = array.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    labels: list[Label] = [_plain(label) for label in array.dictionary.to_pylist()]
    used, codes = np.unique(codes, return_inverse=True)
    return Column(name, codes.reshape(-1), tuple(labels[code] for code in used.tolist()))


def _plain(label: Any) -> Label:
    return label if isinstance(label, (str, int, float, bool)) else str(label)


def _in_order(column: Column) -> Column:
    """The same labels with codes in alphabetical order, so that the order of the rows does not matter."""
    labels = column.levels or ()
    order = sorted(range(len(labels)), key=lambda code: str(labels[code]))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return Column(column.name, rank[column.values], tuple(labels[code] for code in order))
