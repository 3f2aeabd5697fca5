"""pandas, polars and pyarrow frames as columns."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from terc.arrays import Integers
from terc.errors import BadTypeError
from terc.trajectories.columns import DATES_WAY_OUT, Column, Label, column_of, unusable, with_empty
from terc.trajectories.names import without_repeats

BYTES = "holds bytes that are no UTF-8 text (save the file in that encoding)"
FRAME_LIBRARIES = ("pandas", "polars", "pyarrow")


Pairs = list[tuple[str, Any]]


def is_frame(given: Any) -> bool:
    """Whether `given` is a table of pandas, polars or pyarrow, not one of their single columns."""
    library = type(given).__module__.partition(".")[0]
    return library in FRAME_LIBRARIES and (hasattr(given, "collect") or hasattr(given, "columns"))


def arrays_of_frame(where: str, frame: Any) -> tuple[Pairs, Pairs]:
    """Names and arrays of pyarrow, or of numpy where pyarrow has no such kind: columns, and a named index."""
    if not is_frame(frame):
        raise BadTypeError(f"{where}: wanted a pandas, polars or pyarrow frame, got {type(frame).__name__}.")
    library = type(frame).__module__.partition(".")[0]
    if library == "pandas":
        return _arrays_of_pandas(where, frame)
    table = frame.collect() if hasattr(frame, "collect") else frame
    table = table.to_arrow() if library == "polars" else table
    names = without_repeats(where, list(table.schema.names))
    return [(name, table.column(j)) for j, name in enumerate(names)], []


def _arrays_of_pandas(where: str, frame: Any) -> tuple[Pairs, Pairs]:
    index = [_joined(name) for name in frame.index.names if name is not None]
    names = without_repeats(where, [_joined(name) for name in frame.columns])
    labels = [frame.index.get_level_values(name) for name in frame.index.names if name is not None]
    columns = [(name, _array_of_pandas(frame.iloc[:, place])) for place, name in enumerate(names)]
    return columns, [
        (name, _array_of_pandas(values))
        for name, values in zip(index, labels, strict=True)
        if name not in names
    ]


def _array_of_pandas(series: Any) -> Any:
    import pyarrow as pa

    try:
        # NaN of floats would be called empty, and the caller looks for NaN.
        floats = isinstance(series.dtype, np.dtype) and series.dtype.kind == "f"
        return pa.array(series, from_pandas=not floats)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return np.asarray(series)


def _joined(name: Any) -> str:
    """The name of a column; the levels of a MultiIndex are joined by dots, ("arm", "x") -> "arm.x"."""
    parts = name if isinstance(name, tuple) else (name,)
    return ".".join(text for part in parts if (text := str(part))) if len(parts) > 1 else str(name)


def column_of_arrow(name: str, values: Any) -> Column:
    """The column of a pyarrow array, in one piece or in chunks."""
    import pyarrow as pa

    array = _in_one_piece(values)
    if array.null_count:
        empty = _values(array.is_null())
        return with_empty(column_of_arrow(name, array.drop_null()), empty)
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _column_of_categories(name, array)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return _in_order(_column_of_categories(name, array.cast(pa.large_string()).dictionary_encode()))
    if pa.types.is_decimal(kind):
        array = array.cast(pa.float64())
    elif pa.types.is_temporal(kind):
        labelled = _column_of_times(name, array)
        return replace(labelled, problem=f"holds dates or durations; {DATES_WAY_OUT}")
    elif pa.types.is_null(kind):
        return Column(name, np.zeros(len(array)))
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        found = BYTES if str(kind).endswith("binary") else f"holds {kind}"
        return unusable(name, len(array), f"{found}; wanted numbers, true/false or text in each cell")
    return column_of(name, _values(array))


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


def _column_of_times(name: str, array: Any) -> Column:
    """Codes in the order of time, with the times as labels."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.unique(array)
    found = found.take(pc.array_sort_indices(found))
    codes = _values(pc.index_in(array, value_set=found)).astype(np.int64)
    try:
        labels = tuple(str(label) for label in found.to_pylist())
    except (ValueError, OverflowError):  # nanoseconds, or years that Python's dates do not reach
        labels = tuple(str(label) for label in found.cast(pa.int64()).to_pylist())
    return Column(name, codes, labels)


def _column_of_categories(name: str, array: Any) -> Column:
    """Codes in the order of the categories, without those that no step has."""
    codes = _values(array.indices).astype(np.int64)
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
