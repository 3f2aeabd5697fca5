"""`Unit` and `Shelf`: pieces of work, and the folder in which the finished ones lie.

A unit writes its files and, last of all, `unit.json` with its record. Without a `unit.json` of the same
fingerprint (settings of the unit and of all it rests on) it has not happened. Everything random in a unit
follows from its settings, so neither an interruption nor the number of workers changes a result. Only
times, and the searches of condition 1, which end after so much CPU time, depend on the machine.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from terc.errors import DataFileError
from terc.trajectories.files import write_text_atomically

RECORD = "unit.json"


@dataclass(frozen=True)
class Shelf:
    """The folder of finished units.

    Example:
        >>> import tempfile
        >>> shelf = Shelf(Path(tempfile.mkdtemp()))
        >>> unit = Unit("sum/1", "add", lambda shelf, key, a, b: {"sum": a + b}, {"a": 1, "b": 2})
        >>> shelf.is_done(unit)
        False
        >>> shelf.do(unit)
        >>> shelf.is_done(unit), shelf["sum/1"]
        (True, {'sum': 3})
    """

    path: Path

    def file(self, key: str, name: str) -> Path:
        """A file of a unit."""
        return self.path / key / name

    def __getitem__(self, key: str) -> dict[str, Any]:
        found = self._read(key)
        if found is None:
            raise DataFileError(f"paper: {self.path} lacks the unit {key}; run the same command again.")
        return found["record"]

    def __contains__(self, key: object) -> bool:
        return self._read(str(key)) is not None

    def seconds(self, key: str) -> float:
        """CPU seconds that a finished unit took."""
        return float((self._read(key) or {}).get("cpu_seconds", 0.0))

    def keys(self) -> list[str]:
        """All that is finished, in order of name."""
        return sorted(file.parent.relative_to(self.path).as_posix() for file in self.path.rglob(RECORD))

    def _read(self, key: str) -> dict[str, Any] | None:
        try:
            found = json.loads(self.file(key, RECORD).read_text(encoding="utf8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) and "record" in found else None

    def is_done(self, unit: Unit) -> bool:
        """Whether the unit has its record, with the settings it has now."""
        return (self._read(unit.key) or {}).get("fingerprint") == unit.fingerprint

    def do(self, unit: Unit) -> None:
        """Do the unit and save what came of it."""
        self.file(unit.key, RECORD).parent.mkdir(parents=True, exist_ok=True)
        began = time.process_time()
        record = unit.work(self, unit.key, **unit.settings)
        done = {"fingerprint": unit.fingerprint, "cpu_seconds": time.process_time() - began, "record": record}
        text = json.dumps(done, indent=1, ensure_ascii=False, allow_nan=False)
        write_text_atomically(self.file(unit.key, RECORD), text + "\n")


@dataclass(frozen=True)
class Unit:
    """One piece of work.

    Attributes:
        key: Its name, and its folder on the shelf.
        words: What it is called on the terminal.
        work: `work(shelf, key, **settings)` returns a JSON-ready record; defined at the top of a module.
        settings: JSON-ready.
        needs: Units whose files it reads.
        alone: Whether nothing else may run beside it, because it measures time.
    """

    key: str
    words: str
    work: Callable[..., dict[str, Any]]
    settings: Mapping[str, Any]
    needs: tuple[Unit, ...] = field(default=(), repr=False)
    alone: bool = False

    @property
    def fingerprint(self) -> str:
        """Changes when a setting of the unit or of one it rests on changes."""
        rests_on = [unit.fingerprint for unit in self.needs]
        text = json.dumps([self.key, dict(self.settings), rests_on], sort_keys=True)
        return hashlib.sha256(text.encode("utf8")).hexdigest()
