"""`Store`: finished tasks in a folder, so that a command can be killed at any moment and continued.

A task writes its files (each whole or not at all) and, last of all, its record `tasks/KEY.json`: the digest
of each file, and a fingerprint of everything the task depends on. Without a record that fits, the task has
not happened and is done again. Everything random in a task follows from its options, so that the same files
come out; only times differ.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from terc.errors import DataFileError
from terc.fingerprint import code_digest, digest, file_digest, made_by, module_digest
from terc.trajectories.files import write_text_atomically
from terc.work_folder import TASKS, UNFINISHED, WorkFolder, json_or_none, write_json


@dataclass(frozen=True)
class Task:
    """One piece of work.

    Attributes:
        key: Its name, and that of its record in the store.
        words: What it is called on the terminal.
        work: `work(store, key, **options)`, which returns what JSON can hold.
        options: All that the work depends on, as JSON can hold it.
        needs: Tasks whose files or results it reads.
        files: Names, within the store, of the files it writes; one may be left out.
        code: Modules of `terc` whose code, with all that they import, makes the result; if not given, the
            module of `work` with all that it imports.
        alone: Whether nothing else may run beside it, because it measures time.
    """

    key: str
    words: str
    work: Callable[..., Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[Task, ...] = field(default=(), repr=False)
    files: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    alone: bool = False


@dataclass(frozen=True)
class Store(WorkFolder):
    """The folder of one command's tasks.

    Attributes:
        part: Folder within it where the files of these tasks lie, and where the names of their records begin.

    Example:
        >>> import tempfile
        >>> store = Store(Path(tempfile.mkdtemp()), "run")
        >>> task = Task("sum", "add", lambda store, key, a, b: a + b, {"a": 1, "b": 2})
        >>> store.is_done(task)
        False
        >>> store.do(task)
        >>> store.is_done(task), store["sum"]
        (True, 3)
    """

    part: str = ""

    def __truediv__(self, name: str | Path) -> Path:
        return self.path / self.part / name

    def within(self, part: str) -> Store:
        """The same tasks once more, for one of several: their files and records lie apart.

        From without, a task of a part is known by the part and its own key.

        Example:
            >>> import tempfile
            >>> store = Store(Path(tempfile.mkdtemp()), "run")
            >>> store.within("agent-0").do(Task("one", "count", lambda store, key: 1))
            >>> store["agent-0/one"], store.keys()
            (1, ['agent-0/one'])
        """
        return replace(self, part=part)

    def fingerprint(self, task: Task) -> str | None:
        """Digest of options, code, and what the tasks that it needs have made; None if one is not done."""
        made = [self._record(need.key) for need in task.needs]
        if None in made:
            return None
        module = task.work.__module__
        code = code_digest(*task.code) + module_digest(module) if task.code else code_digest(module)
        outputs = [[record["files"], record["result"]] for record in made if record is not None]
        return digest([task.key, dict(task.options), list(task.files), code, outputs])

    def is_done(self, task: Task) -> bool:
        """Whether the task was done, on what it depends on now, and its files are as it left them."""
        record = self._record(task.key)
        if record is None or record["fingerprint"] is None or record["fingerprint"] != self.fingerprint(task):
            return False
        files = {self.path / name: found for name, found in record["files"].items()}
        return all(file.is_file() and file_digest(file) == found for file, found in files.items())

    def do(self, task: Task) -> None:
        """Do the task; from then on its files and its result count."""
        fingerprint, unfinished = self.fingerprint(task), self.unfinished(task.key)
        # A checkpoint of other options or other code is not continued.
        if json_or_none(unfinished / "task.json") != fingerprint:
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            write_text_atomically(unfinished / "task.json", json.dumps(fingerprint))
        for file in (*(self / name for name in task.files), self._record_file(task.key)):
            file.parent.mkdir(parents=True, exist_ok=True)
        began = time.process_time()
        result = task.work(self, task.key, **task.options)
        made = [self / name for name in task.files if (self / name).is_file()]
        files = {file.relative_to(self.path).as_posix(): file_digest(file) for file in made}
        record = {"fingerprint": fingerprint, "files": files, "result": result}
        record["made_by"] = made_by()
        record["cpu_seconds"] = time.process_time() - began
        write_json(self._record_file(task.key), record)
        shutil.rmtree(unfinished, ignore_errors=True)

    def unfinished(self, key: str) -> Path:
        """Folder of what an interrupted task continues from; removed when the task is done."""
        return self.path / UNFINISHED / f"{self.part}/{key}".strip("/").replace("/", "-")

    def __getitem__(self, key: str) -> Any:
        record = self._record(key)
        if record is None:
            raise DataFileError(
                f"{self.command}: {self.path} lacks the task {key}; run the same command again."
            )
        return record["result"]

    def keys(self) -> list[str]:
        """All that is finished, in order of name."""
        root = self.path / TASKS / self.part
        return sorted(file.relative_to(root).with_suffix("").as_posix() for file in root.rglob("*.json"))

    def seconds(self, key: str) -> float:
        """CPU seconds that a finished task took."""
        return float((self._record(key) or {}).get("cpu_seconds", 0.0))

    def made_by(self, key: str) -> str:
        """Commit, versions and kind of machine that a finished task was done with."""
        return str((self._record(key) or {}).get("made_by", ""))

    def _record(self, key: str) -> dict[str, Any] | None:
        record = json_or_none(self._record_file(key))
        complete = isinstance(record, dict) and {"fingerprint", "files", "result"} <= set(record)
        return record if complete else None

    def _record_file(self, key: str) -> Path:
        return (self.path / TASKS / self.part / f"{key}.json").absolute()
