"""Where a comparison keeps the methods that are done, so that it can be killed and continued."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from terc.errors import BadValueError, DataFileError
from terc.selection.result import Selection
from terc.trajectories.data import Trajectories
from terc.trajectories.files import write_text_atomically

MANIFEST = "compare.json"
METHODS = "methods"


@dataclass(frozen=True)
class CompareFolder:
    """The folder of one comparison: `compare.json` says of what, `methods/NAME.json` is a finished selection.

    Example:
        >>> import tempfile
        >>> folder = CompareFolder(Path(tempfile.mkdtemp()) / "sides")
        >>> folder.prepare({"seed": 0}, {"terc": "terc"})
        >>> folder.prepare({"seed": 1}, {"terc": "terc"})
        Traceback (most recent call last):
        terc.errors.BadValueError: ... comparison with other settings (seed: 0 there, 1 here)...
    """

    path: Path

    def prepare(self, settings: Mapping[str, Any], methods: Mapping[str, str]) -> None:
        """Make the folder ready.

        Args:
            settings: What must be the same for finished methods to count.
            methods: Name -> what it runs, which must be the same too; methods may be added and left out.
        """
        saved = self._manifest()
        if saved is None and self.path.is_dir() and any(self.path.iterdir()):
            raise BadValueError(
                f"compare: {self.path} holds files but no {MANIFEST} of a comparison; give an empty or a new "
                "folder."
            )
        before: Mapping[str, Any] = saved or {"settings": dict(settings), "methods": {}}
        different = [
            *_differences(before["settings"], settings),
            *_differences(before["methods"], methods),
        ]
        if different:
            raise BadValueError(
                f"compare: {self.path} holds a comparison with other settings ({'; '.join(different)}). Use "
                "those, another folder, or another name for a method that is another one."
            )
        try:
            (self.path / METHODS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataFileError(f"compare: cannot write in {self.path} ({error.strerror}).") from error
        record = {"settings": dict(settings), "methods": {**before["methods"], **methods}}
        write_text_atomically(self.path / MANIFEST, json.dumps(record, indent=1, ensure_ascii=False) + "\n")

    def finished(self, method: str) -> Selection | None:
        """The selection of a method that is done."""
        path = self._file(method)
        return Selection.load(path) if path.exists() else None

    def finish(self, method: str, selection: Selection) -> None:
        """Save a method's selection, whole or not at all."""
        selection.save(self._file(method))

    def write(self, record: Mapping[str, Any], table: str) -> None:
        """Write the whole comparison: `comparison.json` for machines, `comparison.txt` for people."""
        text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
        write_text_atomically(self.path / "comparison.json", text + "\n")
        write_text_atomically(self.path / "comparison.txt", table + "\n")

    def _file(self, method: str) -> Path:
        # A name may hold signs that file names must not.
        safe = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in method)
        digest = "" if safe == method else f"-{hashlib.sha256(method.encode()).hexdigest()[:8]}"
        return self.path / METHODS / f"{safe}{digest}.json"

    def _manifest(self) -> dict[str, Any] | None:
        path = self.path / MANIFEST
        try:
            record = json.loads(path.read_text(encoding="utf8"))
            if not isinstance(record["settings"], dict) or not isinstance(record["methods"], dict):
                raise TypeError("no settings")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataFileError(f"compare: {path} cannot be read ({error}).") from error
        return dict(record)


def digest_of(data: Trajectories) -> str:
    """Short digest of everything a method may read."""
    total = hashlib.sha256(repr((data.names, data.action_kind, sorted(data.levels.items()))).encode())
    for array in (data.states, data.actions, data.episodes, data.rewards, data.probabilities):
        total.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
    return total.hexdigest()[:16]


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return [
        f"{key}: {before[key]} there, {now[key]} here"
        for key in now
        if key in before and before[key] != now[key]
    ]
