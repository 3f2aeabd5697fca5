"""`WorkFolder`: the folder one command works in: whether it may be used, by whom, and with which settings."""

import json
import reprlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from terc.errors import BadValueError, DataFileError
from terc.fingerprint import versions
from terc.trajectories.files import write_text_atomically
from terc.untrusted import parsed

FORMAT = 2
CONFIG, TASKS, UNFINISHED, LOCK = "config.json", "tasks", "unfinished", ".lock"
# What version 0.1 wrote: a marker per stage of a run, and one file each for a reproduction and a comparison.
OLD_STAGES, OLD_CONFIGS = "stages", ("paper.json", "compare.json")


@dataclass(frozen=True)
class WorkFolder:
    """The folder of one command.

    Attributes:
        path: Where it is.
        command: What works in it ("run", "paper", "compare"); begins every message.
        way_out: What a message advises where the folder cannot be used.

    Example:
        >>> import tempfile
        >>> folder = WorkFolder(Path(tempfile.mkdtemp()), "compare")
        >>> folder.prepare({"seed": 0}, fixed=["seed"])
        ()
        >>> folder.prepare({"seed": 1}, fixed=["seed"])
        Traceback (most recent call last):
        terc.errors.BadValueError: ... holds work with other settings (seed: 0 there, 1 here)...
    """

    path: Path
    command: str
    way_out: str = "give another folder"

    def __truediv__(self, name: str | Path) -> Path:
        return self.path / name

    def prepare(
        self, config: Mapping[str, Any], *, fixed: Sequence[str], restart: bool = False
    ) -> tuple[str, ...]:
        """Make the folder ready; notes on what the reader should know.

        Args:
            config: The settings, as JSON can hold them; kept in `config.json`.
            fixed: Those that are never changed in one folder. After a change of another setting, the tasks
                that depend on it are done again.
            restart: Delete what lies here of an earlier command; it need not be readable.
        """
        restart = restart and self._in_use()
        if restart:
            self._clear()
        saved = None if restart else self.saved()
        now = {"format": FORMAT, "command": self.command, **config, "versions": versions()}
        now = json.loads(json.dumps(now))  # as it comes back from the file: lists for tuples
        changed = [] if saved is None else self._changes(saved, now, fixed)
        try:
            for name in (TASKS, UNFINISHED):
                (self / name).mkdir(parents=True, exist_ok=True)
            for draft in self.path.rglob(".*.unfinished"):
                draft.unlink()
        except OSError as error:
            raise DataFileError(f"{self.command}: cannot write in {self.path} ({error.strerror}).") from error
        if saved is None or changed:
            self.write_json(CONFIG, now)
        note = f"{self.command}: continues with other settings or versions ({'; '.join(changed)})."
        return (note,) if changed else ()

    def _changes(self, saved: Mapping[str, Any], now: Mapping[str, Any], fixed: Sequence[str]) -> list[str]:
        if different := _differences({k: saved.get(k) for k in fixed}, now):
            raise BadValueError(
                f"{self.command}: {self.path} holds work with other settings ({'; '.join(different)}). "
                f"Use those, or {self.way_out}."
            )
        before, after = {**saved, **saved.get("versions", {})}, {**now, **now["versions"]}
        del before["versions"]
        return _differences(before, after)

    def saved(self) -> dict[str, Any] | None:
        """The settings in the folder; None if there is nothing in it yet."""
        if not self.path.is_dir():
            return None
        if not self._in_use():
            if any(child.name not in (LOCK, TASKS, UNFINISHED) for child in self.path.iterdir()):
                raise BadValueError(
                    f"{self.command}: {self.path} holds files but no {CONFIG} of terc {self.command}; "
                    "give an empty or a new folder."
                )
            return None
        record = self.read_json(CONFIG) or {}
        if record.get("format") != FORMAT:
            raise BadValueError(
                f"{self.command}: {self.path} comes from another version of terc and cannot be continued; "
                f"{self.way_out}."
            )
        return record

    def _in_use(self) -> bool:
        if any((self / name).exists() for name in OLD_CONFIGS):
            return True
        return (self / CONFIG).exists() and any((self / name).is_dir() for name in (TASKS, OLD_STAGES))

    def _clear(self) -> None:
        """Remove what the tasks wrote, and nothing else that may lie in the folder."""
        try:
            (self / TASKS).mkdir(exist_ok=True)
            folders = (TASKS, OLD_STAGES)
            for record in [file for one in folders for file in (self / one).rglob("*.json")]:
                for name in (json_or_none(record) or {}).get("files", ()):
                    (self / name).unlink(missing_ok=True)
                record.unlink()
            for name in (OLD_STAGES, UNFINISHED):
                shutil.rmtree(self / name, ignore_errors=True)
            for name in OLD_CONFIGS:
                (self / name).unlink(missing_ok=True)
        except OSError as error:
            raise DataFileError(f"{self.command}: cannot clear {self.path} ({error.strerror}).") from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for this process; the lock goes with the process, however it ends."""
        from filelock import FileLock, Timeout

        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self / LOCK, timeout=0)
            lock.acquire()
        except Timeout as error:
            raise BadValueError(f"{self.command}: another process is working in {self.path}.") from error
        except OSError as error:
            raise DataFileError(f"{self.command}: cannot write in {self.path} ({error.strerror}).") from error
        try:
            yield
        finally:
            lock.release()

    def read_json(self, name: str) -> dict[str, Any] | None:
        """The object in a file, or None where there is no file."""
        try:
            record = parsed((self / name).read_text(encoding="utf8"))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise DataFileError(f"{self.command}: {self / name} cannot be read ({error}).") from error
        if not isinstance(record, dict):
            raise DataFileError(f"{self.command}: {self / name} does not hold what terc writes there.")
        return record

    def write_json(self, name: str, record: Mapping[str, Any]) -> None:
        """Write a file of this folder, whole or not at all."""
        write_json(self / name, record)


def write_json(path: Path, record: Mapping[str, Any]) -> None:
    """Write a file, whole or not at all."""
    text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
    write_text_atomically(path, text + "\n")


def json_or_none(path: Path) -> Any:
    """What a JSON file holds; None if it cannot be read."""
    try:
        return parsed(path.read_text(encoding="utf8"))
    except (OSError, ValueError):
        return None


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return [
        f"{name}: {reprlib.repr(value)} there, {reprlib.repr(now[name])} here"
        for name, value in before.items()
        if name in now and now[name] != value
    ]
