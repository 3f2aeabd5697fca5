"""Answers as JSON files, written whole or not at all."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from terc.errors import DataFileError
from terc.trajectories.files import write_text_atomically

FORMAT_VERSION = 1
Answer = TypeVar("Answer")


def write_record(path: str | Path, answer: Any, **more: Any) -> None:
    """The fields of a dataclass, and what a reader wants to see beside them."""
    record = {"format": FORMAT_VERSION, "answer": type(answer).__name__, **more, **asdict(answer)}
    write_text_atomically(Path(path), json.dumps(_plain(record), indent=1, ensure_ascii=False))


def read_record(path: str | Path, kind: str, build: Callable[[dict[str, Any]], Answer]) -> Answer:
    """What `build` makes of the record that `write_record` wrote of such a `kind`."""
    try:
        record = json.loads(Path(path).read_text(encoding="utf8"))
        if record["answer"] != kind or record["format"] != FORMAT_VERSION:
            raise KeyError(f"answer {record['answer']!r}, format {record['format']!r}")
        return build(record)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataFileError(f"{kind}.load: {path} is not a saved {kind} ({error}).") from error


def _plain(value: Any) -> Any:
    """The same with None for NaN and infinities, which JSON has no word for."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value
