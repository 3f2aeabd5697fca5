"""`RunFolder`: where a run keeps what is done, so that it can be killed at any moment and continued.

A stage writes its files (each whole or not at all) and, last of all, its marker `stages/NAME.json` with the
SHA-256 of each. Without a marker that fits the files the stage has not happened and is done again; stages
follow from the seeds alone, so doing one again gives the same files.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from terc.errors import BadValueError, DataFileError, TercError
from terc.pipeline.config import FORMAT, RunConfig
from terc.trajectories.files import write_text_atomically

CONFIG = "config.json"
# What a run writes; `restart` removes these and nothing else that may lie in the folder.
FILES = (CONFIG, "trajectories.parquet", "selection.json", "curves.parquet", "learning.json",
         "state_lengths.json", "inference.json", "summary.json", "report.html")  # fmt: skip
FOLDERS = ("stages", "agents", "unfinished")


@dataclass(frozen=True)
class RunFolder:
    """The folder of one run.

    Example:
        >>> import tempfile
        >>> folder = RunFolder(Path(tempfile.mkdtemp()))
        >>> folder.prepare(RunConfig("CartPole-v1"), restart=False)
        ()
        >>> folder.write_json("selection.json", {"kept": []})
        >>> folder.finish("select", ["selection.json"])
        >>> folder.is_done("select"), folder.is_done("report")
        (True, False)
    """

    path: Path

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def prepare(self, config: RunConfig, *, restart: bool, untold: Sequence[str] = ()) -> tuple[str, ...]:
        """Make the folder ready for `config`; notes on what the reader should know.

        Args:
            config: The settings of the run.
            restart: Delete the run that lies here; it need not be readable.
            untold: Names of functions or objects in `config` that cannot be known again.

        Raises:
            BadValueError: The folder holds a run with other settings, or something else.
            DataFileError: It cannot be written.
        """
        if self.path.is_dir() and any(self._foreign()) and not self._holds_run():
            raise BadValueError(
                f"run: {self.path} holds files but no {CONFIG} of a run; give an empty or a new folder."
            )
        if restart:
            self.clear()
        else:
            self._check_same(config, untold)
        self._make()
        before = self._recorded_versions()
        if before is not None:
            return _version_notes(before)
        record = {"format": FORMAT, **config.to_dict(), "agent_seeds": list(config.agent_seeds)}
        self.write_json(CONFIG, record | {"versions": versions()})
        return tuple(
            f"run: {name} cannot be known again later, so that this run could not be continued if it were "
            "interrupted; import it from a module if that matters."
            for name in untold
        )

    def _holds_run(self) -> bool:
        """Whether it looks like a run, readable or not: other programs have a config.json too."""
        return (self / CONFIG).exists() and (self / "stages").is_dir()

    def _check_same(self, config: RunConfig, untold: Sequence[str]) -> None:
        """Refuse to go on with a run that is another one, or may be."""
        saved = self.saved_config()
        if saved is None:
            return
        if different := saved.difference(config):
            raise BadValueError(
                f"run: {self.path} holds a run with other settings ({'; '.join(different)}). Use those, "
                "another folder, or restart (--restart), which deletes what is there."
            )
        if untold:
            raise BadValueError(
                f"run: {self.path} holds a run already, and nothing tells whether it is of the same "
                f"{' and '.join(untold)}. Import it from a module, give another folder (out), or restart, "
                "which deletes what is there."
            )

    def _make(self) -> None:
        try:
            for name in FOLDERS:
                (self / name).mkdir(parents=True, exist_ok=True)
            for draft in [*self.path.rglob("*.part"), *self.path.rglob(".*.unfinished")]:
                draft.unlink()
        except OSError as error:
            raise DataFileError(f"run: cannot write in {self.path} ({error.strerror}).") from error

    def _foreign(self) -> Iterator[Path]:
        return (child for child in self.path.iterdir() if child.name not in (*FOLDERS, ".lock"))

    def clear(self) -> None:
        """Remove what a run wrote here."""
        try:
            for name in FILES:
                (self / name).unlink(missing_ok=True)
            for name in FOLDERS:
                if (self / name).is_dir():
                    shutil.rmtree(self / name)
        except OSError as error:
            raise DataFileError(f"run: cannot clear {self.path} ({error.strerror}).") from error

    def saved_config(self) -> RunConfig | None:
        """The settings of the run that lies here, if there is one."""
        try:
            record = self.read_json(CONFIG)
            return None if record is None else RunConfig.from_dict(record)
        except TercError as error:
            raise DataFileError(
                f"{error} Give another folder, or name the environment and restart (--restart), which "
                f"deletes the run in {self.path}."
            ) from error

    def _recorded_versions(self) -> Mapping[str, str] | None:
        record = self.read_json(CONFIG)
        return None if record is None else record.get("versions", {})

    def read_json(self, name: str) -> dict[str, Any] | None:
        """The content of a file, or None where there is none."""
        try:
            record = json.loads((self / name).read_text(encoding="utf8"))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise DataFileError(f"run: {self / name} cannot be read ({error}).") from error
        if not isinstance(record, dict):
            raise DataFileError(f"run: {self / name} does not hold what a run writes there.")
        return record

    def write_json(self, name: str, record: Mapping[str, Any]) -> None:
        """Write a file, whole or not at all."""
        text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
        write_text_atomically(self / name, text + "\n")

    def finish(self, stage: str, files: Sequence[str], **facts: Any) -> None:
        """Mark a stage as done; from now on its files count."""
        sums = {name: _sha256(self / name) for name in files}
        self.write_json(f"stages/{stage}.json", {"files": sums, **facts})

    def is_done(self, stage: str) -> bool:
        """Whether the stage has its marker and its files are as it left them."""
        try:
            record = self.read_json(f"stages/{stage}.json")
            return record is not None and all(_sha256(self / n) == s for n, s in record["files"].items())
        except (DataFileError, OSError, KeyError, AttributeError):
            return False

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for this process; the lock goes with the process, however it ends."""
        try:
            import fcntl
        except ImportError:  # Windows has no such locks
            yield
            return
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            handle = open(self / ".lock", "w")  # noqa: SIM115
        except OSError as error:
            raise DataFileError(f"run: cannot write in {self.path} ({error.strerror}).") from error
        with handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise BadValueError(f"run: another process is working in {self.path}.") from error
            yield


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that results depend on."""
    from terc.reporting.settings import versions as installed

    return installed()


def _version_notes(before: Mapping[str, str]) -> tuple[str, ...]:
    now = versions()
    changed = [
        f"{name} {before[name]} -> {now[name]}" for name in now if before.get(name, now[name]) != now[name]
    ]
    if not changed:
        return ()
    return (f"run: begun with other versions ({', '.join(changed)}), so the rest may differ in detail.",)


def _sha256(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def file_sum(path: str | Path) -> str:
    """SHA-256 of a file of the user's."""
    try:
        return _sha256(Path(os.fspath(path)))
    except OSError as error:
        raise DataFileError(f"run: cannot read {path} ({error.strerror}).") from error
