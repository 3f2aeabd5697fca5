"""pandas, polars and pyarrow frames as columns; lists and records become several: `obs_0`, ..., `arm.x`."""

from typing import Any

import numpy as np
import numpy.typing as npt

from terc.arrays import Integers
from terc.errors import BadTypeError
from terc.trajectories.columns import DATES_WAY_OUT, NEITHER, Column, Label, column_of, unusable, with_empty
from terc.trajectories.lists import ROW_PER_STEP, WAY_OUT, width_of
from terc.trajectories.names import without_repeats
from terc.trajectories.tables import ColumnTable

BYTES = "holds bytes that are not UTF-8 text (save the file in that encoding)"
FRAME_LIBRARIES = ("pandas", "polars", "pyarrow")
Pairs = list[tuple[str, Any]]


def is_frame(given: Any) -> bool:
    """Whether `given` is a table of pandas, polars or pyarrow, not one of their single columns."""
    library = type(given).__module__.partition(".")[0]
    return library in FRAME_LIBRARIES and (hasattr(given, "collect") or hasattr(given, "columns"))


def arrays_of_frame(where: str, frame: Any) -> tuple[Pairs, Pairs]:
    """Names and arrays of pyarrow, or of numpy where pyarrow has no such kind: columns, and a named index."""
    if not is_frame(frame):
        way_out = " Make one of it with pandas.DataFrame(...)." if isinstance(frame, list) else ""
        if isinstance(frame, dict):
            way_out = (
                " Make one of it, pandas.DataFrame({name: list(array) for name, array in given.items()})."
            )
        raise BadTypeError(
            f"{where}: wanted a pandas, polars or pyarrow frame, got {type(frame).__name__}.{way_out}"
        )
    library = type(frame).__module__.partition(".")[0]
    if library == "pandas":
        return _arrays_of_pandas(where, frame)
    table = frame.collect() if hasattr(frame, "collect") else frame
    table = table.to_arrow() if library == "polars" else table
    names = without_repeats(where, list(table.schema.names))
    return [(name, table.column(j)) for j, name in enumerate(names)], []


def _arrays_of_pandas(where: str, frame: Any) -> tuple[Pairs, Pairs]:
    names = without_repeats(where, [_joined(name) for name in frame.columns])
    columns = [(name, _array_of_pandas(frame.iloc[:, place])) for place, name in enumerate(names)]
    levels = {_joined(name): name for name in frame.index.names if name is not None}
    return columns, [
        (shown, _array_of_pandas(frame.index.get_level_values(name)))
        for shown, name in levels.items()
        if shown not in names
    ]


def _array_of_pandas(series: Any) -> Any:
    import pyarrow as pa

    if str(getattr(getattr(series.dtype, "categories", None), "dtype", "")).startswith("interval"):
        series = series.cat.rename_categories(str)  # (0.5, 1.5], as pandas shows what it has cut
    try:
        # NaN of floats would be called empty, and the caller looks for NaN.
        floats = isinstance(series.dtype, np.dtype) and series.dtype.kind == "f"
        return pa.array(series, from_pandas=not floats)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return np.asarray(series)


def _joined(name: Any) -> str:
    """The name of a column; the levels of a MultiIndex are joined by dots, ("arm", "x") -> "arm.x"."""
    parts = name if isinstance(name, tuple) else (name,)
    # pandas keeps a name that is None as NaN.
    texts = [str(part) for part in parts if part is not None and part == part and str(part)]
    return ".".join(texts)


def column_of_arrow(name: str, values: Any) -> Column:
    """The column of a pyarrow array, in one piece or in chunks."""
    import pyarrow as pa

    array = _in_one_piece(values)
    if array.null_count:
        empty = _values(array.is_null())
        return with_empty(column_of_arrow(name, array.drop_null()), empty)
    array = _decoded(array)
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _column_of_categories(name, array)
    if is_text(kind):
        codes, found = _in_order(array.cast(pa.large_string()))
        return Column(name, codes, tuple(found.to_pylist()))
    if pa.types.is_decimal(kind):
        array = array.cast(pa.float64())
    elif pa.types.is_temporal(kind):
        return _column_of_times(name, array)
    elif pa.types.is_null(kind):
        return Column(name, np.zeros(len(array)))
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        found = BYTES if str(kind).endswith("binary") else f"holds {kind}"
        way_out = f"{NEITHER}; {ROW_PER_STEP}" if "list" in str(kind) else NEITHER
        return unusable(
            name, len(array), f"{found}; wanted numbers, true/false or text in each cell; {way_out}"
        )
    return column_of(name, _values(array))


def _decoded(array: Any) -> Any:
    """Bytes that are UTF-8 as text, all else as it is."""
    import pyarrow as pa

    try:
        text = str(array.type).endswith("binary")
        return array.cast(pa.large_binary()).cast(pa.large_string()) if text else array
    except pa.ArrowInvalid:
        return array


def is_text(kind: Any) -> bool:
    """Whether a type of pyarrow is one of its kinds of text."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _values(array: Any) -> npt.NDArray[Any]:
    """Numbers or truth values without gaps as numpy has them; pyarrow's own `to_numpy` imports pandas."""
    import pyarrow as pa

    if pa.types.is_boolean(array.type):
        return np.from_dlpack(array.cast(pa.uint8())).view(np.bool_)
    return np.from_dlpack(array)


def row_numbers(rows: Integers) -> Any:
    """Row numbers for `take`, as pyarrow has them, likewise without pandas."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int64(), len(rows), [None, pa.py_buffer(np.ascontiguousarray(rows))])


def _in_one_piece(values: Any) -> Any:
    import pyarrow as pa

    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if isinstance(array, pa.ChunkedArray):
        return pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    return array


def _in_order(array: Any) -> tuple[Integers, Any]:
    """Codes, and what they stand for in order, so that the order of the rows does not matter."""
    import pyarrow.compute as pc

    found = pc.unique(array)
    found = found.take(pc.array_sort_indices(found))
    return _values(pc.index_in(array, value_set=found)).astype(np.int64), found


def _column_of_times(name: str, array: Any) -> Column:
    """Codes in the order of time, with the times as labels: for episodes, not as a variable."""
    import pyarrow as pa

    codes, found = _in_order(array)
    try:
        labels = tuple(str(label) for label in found.to_pylist())
    except (ValueError, OverflowError):  # nanoseconds, or years that Python's dates do not reach
        labels = tuple(str(label) for label in found.cast(pa.int64()).to_pylist())
    return Column(name, codes, labels, problem=f"holds dates or durations; {DATES_WAY_OUT}")


def _column_of_categories(name: str, array: Any) -> Column:
    """Codes in the order of the categories, without those that no step has."""
    used, codes = np.unique(_values(array.indices).astype(np.int64), return_inverse=True)
    labels = array.dictionary.to_pylist()
    plain = [label if isinstance(label, Label) else str(label) for label in labels]
    return Column(name, codes.reshape(-1), tuple(plain[code] for code in used.tolist()))


Blocks = dict[str, tuple[str, ...]]
"""A column of records or lists -> the plain columns that it becomes."""


def parts_of(name: str, values: Any) -> tuple[dict[str, Any], Blocks]:
    """The plain arrays that one of pyarrow becomes: records by field, lists of numbers by place.

    Lists are as long as the first; where another is not, each of their arrays is None.

    Example:
        >>> import pyarrow as pa
        >>> parts, blocks = parts_of("arm", pa.array([{"x": 1.0, "at": [1.0, 2.0]}]))
        >>> blocks
        {'arm': ('arm.x', 'arm.at_0', 'arm.at_1'), 'arm.at': ('arm.at_0', 'arm.at_1')}
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    array = _in_one_piece(values)
    parts: dict[str, Any] = {}
    blocks: Blocks = {}
    if pa.types.is_struct(array.type):
        for field in array.type:
            inside, within = parts_of(f"{name}.{field.name}", pc.struct_field(array, field.name))
            parts |= inside
            blocks |= within
    elif _is_list_of_numbers(array.type):
        cells, width = array.flatten(), getattr(array.type, "list_size", None)
        width = len(array[0].as_py() or ()) if width is None and len(array) else width or 0
        alike = not array.null_count and len(cells) == width * len(array)
        parts = {f"{name}_{j}": cells[j::width] if alike else None for j in range(width)}
    else:
        return {name: array}, {}
    return parts, {name: tuple(parts), **blocks}


def column_of_part(name: str, array: Any, length: int, blocks: Blocks) -> Column:
    """The column of an array of `parts_of`; where it is None, one that cannot be used."""
    if array is not None:
        return column_of_arrow(name, array)
    home = name.rpartition("_")[0]
    problem = f"is of {home!r}, whose lists differ in length; wanted {len(blocks[home])} each: {WAY_OUT}; "
    problem += ROW_PER_STEP
    return unusable(name, length, problem)


def table_of_frame(where: str, frame: Any) -> ColumnTable:
    """The columns of a pandas, polars (a lazy one is collected) or pyarrow frame.

    Text, enumerations and categories become codes, lists (as text, too) and records several columns.
    """
    columns, labels = arrays_of_frame(where, frame)
    plain: list[Column] = []
    blocks: Blocks = {}
    lists: dict[str, int] = {}
    for name, array in (*columns, *labels):
        if isinstance(array, np.ndarray):
            plain.append(column_of(name, array))
            continue
        parts, found = parts_of(name, array)
        plain += [column_of_part(part, values, len(array), found) for part, values in parts.items()]
        blocks |= found
        if is_text(array.type) and (width := width_of([str(text) for text in plain[-1].levels or ()])):
            lists[name] = width
    without_repeats(where, [column.name for column in plain])
    table = ColumnTable(where, plain)
    table.blocks, table.index = blocks, tuple(name for name, _ in labels)
    table.lists = lists
    return table


def columns_of_frame(where: str, frame: Any) -> list[Column]:
    """The same without an index."""
    table = table_of_frame(where, frame)
    table.spell_out()
    return table.read([name for name in table.names if name not in table.index])


def _is_list_of_numbers(kind: Any) -> bool:
    import pyarrow as pa

    lists = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    number = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
    return any(test(kind) for test in lists) and any(test(kind.value_type) for test in number)
