"""Reading what a stranger wrote: JSON of any depth, and arrays whose size is known before memory is taken."""

import json
import os
import zipfile
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

DAMAGED = (zipfile.BadZipFile, RuntimeError, EOFError, zlib.error)
"""What a damaged archive raises: it may seem encrypted, cut short, or packed in a way that nobody knows."""
SHARE_OF_MEMORY = 0.8
"""Of the machine's memory that one array may take; more could only be read by swapping."""


def parsed(text: str | bytes) -> Any:
    """What the JSON text says; what is wrong with it is a `ValueError` in words of our own.

    Example:
        >>> parsed("[" * 100_000)
        Traceback (most recent call last):
        ValueError: nested too deeply
        >>> parsed("a,b")
        Traceback (most recent call last):
        ValueError: it is not JSON: line 1, column 1
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON: line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def array_shape(archive: zipfile.ZipFile, entry: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of one array of an .npz file, without its values."""
    with archive.open(entry) as file:
        version = np.lib.format.read_magic(file)
        header = np.lib.format
        read = header.read_array_header_1_0 if version == (1, 0) else header.read_array_header_2_0
        shape, _, kind = read(file)
        held = archive.getinfo(entry).file_size - file.tell()
    wanted = kind.itemsize
    for length in shape:  # whole numbers of any size: nothing overflows
        wanted *= int(length)
    if not kind.hasobject and (wanted != held or min(shape, default=0) < 0):
        raise ValueError(f"{entry} says that it has {wanted:,} bytes, and has {held:,}")
    if wanted > SHARE_OF_MEMORY * memory():
        raise ValueError(f"{entry} has {wanted:,} bytes, more than the memory of this machine")
    return tuple(shape), kind


def read_npz(path: str | os.PathLike[str]) -> dict[str, npt.NDArray[Any]]:
    """Every array of an .npz file whose arrays are as long as they say; never unpickles."""
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.namelist():
                array_shape(archive, entry)
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except DAMAGED as error:
        raise ValueError(f"{error}") from error


def memory() -> float:
    """Bytes of memory that the machine has; infinite where it does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")
