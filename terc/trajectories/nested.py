"""Columns of lists and of records as plain ones: `obs_0`, `obs_1`, ..., and `arm.x`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from terc.trajectories.columns import Column, column_of, unusable
from terc.trajectories.frames import arrays_of_frame, column_of_arrow
from terc.trajectories.names import without_repeats
from terc.trajectories.tables import ColumnTable

# Through a record by the name of a field, through a list by a place and the length that all must have.
Way = tuple[str | tuple[int, int], ...]


def ways(name: str, kind: Any, first: Any) -> dict[str, Way]:
    """The plain columns that a column of pyarrow's type `kind` becomes, and the way to each.

    Args:
        first: A cell, which says how long lists are where the type does not.

    Example:
        >>> import pyarrow as pa
        >>> kind = pa.struct({"x": pa.float64(), "at": pa.list_(pa.float64())})
        >>> ways("arm", kind, {"x": 1.0, "at": [1.0, 2.0]})
        {'arm.x': ('x',), 'arm.at_0': ('at', (0, 2)), 'arm.at_1': ('at', (1, 2))}
    """
    import pyarrow as pa

    if pa.types.is_struct(kind):
        inside = first or {}
        return {
            part: (field.name, *way)
            for field in kind
            for part, way in ways(f"{name}.{field.name}", field.type, inside.get(field.name)).items()
        }
    if not _is_list_of_numbers(kind):
        return {name: ()}
    width = getattr(kind, "list_size", None)
    width = len(first or ()) if width is None else width
    return {f"{name}_{j}": ((j, width),) for j in range(width)}


def column_at(name: str, array: Any, way: Way) -> Column:
    """The plain column `name` at the end of the way through `array`."""
    array = array.combine_chunks() if hasattr(array, "combine_chunks") else array
    for step in way:
        if isinstance(step, str):
            import pyarrow.compute as pc

            array = pc.struct_field(array, step)
            continue
        (place, width), cells = step, array.flatten()
        if array.null_count or len(cells) != width * len(array):
            home = name.rpartition("_")[0]
            return unusable(
                name, len(array), f"is of {home!r}, whose lists differ in length; wanted {width} each"
            )
        array = cells[place::width]
    return column_of_arrow(name, array)


def blocks_of(name: str, found: Mapping[str, Way]) -> dict[str, tuple[str, ...]]:
    """Name of the column, and of each list within it -> its plain columns; none for a plain column."""
    if all(not way for way in found.values()):
        return {}
    blocks: dict[str, tuple[str, ...]] = {name: tuple(found)}
    for part, way in found.items():
        home = part.rpartition("_")[0] if isinstance(way[-1], tuple) else name
        if home != name:
            blocks[home] = (*blocks.get(home, ()), part)
    return blocks


def table_of_frame(where: str, frame: Any) -> ColumnTable:
    """The columns of a pandas, polars (a lazy one is collected) or pyarrow frame.

    Text, enumerations and categories become codes, lists and records several columns.
    """
    columns, labels = arrays_of_frame(where, frame)
    plain: list[Column] = []
    blocks: dict[str, tuple[str, ...]] = {}
    for name, array in (*columns, *labels):
        if isinstance(array, np.ndarray):
            plain.append(column_of(name, array))
            continue
        nested = array.type.num_fields and len(array)
        found = ways(name, array.type, array[0].as_py() if nested else None)
        plain += [column_at(part, array, way) for part, way in found.items()]
        blocks |= blocks_of(name, found)
    without_repeats(where, [column.name for column in plain])
    table = ColumnTable(where, plain)
    table.blocks, table.index = blocks, tuple(name for name, _ in labels)
    return table


def columns_of_frame(where: str, frame: Any) -> list[Column]:
    """The same without an index."""
    table = table_of_frame(where, frame)
    return [column for name, column in table.columns.items() if name not in table.index]


def _is_list_of_numbers(kind: Any) -> bool:
    import pyarrow as pa

    lists = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    number = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
    return any(test(kind) for test in lists) and any(test(kind.value_type) for test in number)
