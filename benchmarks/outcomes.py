"""The file of outcomes of a benchmark: one record each, with the commit that it was measured at."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any


def git(*words: str) -> subprocess.CompletedProcess[str]:
    """A question to the history of this checkout."""
    place = ["git", "-C", str(Path(__file__).parent)]
    return subprocess.run([*place, *words], capture_output=True, text=True, check=False)


def commit() -> str:
    """The commit that is checked out."""
    return git("rev-parse", "--short", "HEAD").stdout.strip() or "unknown"


def is_older(one: str, than: str) -> bool:
    """Whether the commit `one` does not hold the commit `than`."""
    return git("merge-base", "--is-ancestor", than, one).returncode != 0


class Outcomes:
    """The records of one file.

    Args:
        since: A commit; records that were measured at one that does not hold it are measured again.
    """

    def __init__(self, path: Path, since: str | None = None) -> None:
        self.path, self.since, self.commit = path, since, commit()
        self.records: list[dict[str, Any]] = json.loads(path.read_text()) if path.exists() else []

    def once(self, what: dict[str, Any], measure: Callable[[], dict[str, Any]]) -> None:
        """Measure what is not there yet, and write it down in the place of what is too old."""
        there = [record for record in self.records if what.items() <= record.items()]
        if any(self.since is None or not is_older(record["commit"], self.since) for record in there):
            return
        found = {**what, "commit": self.commit, **measure()}
        print(found, flush=True)
        self.records = [record for record in self.records if record not in there] + [found]
        self.path.write_text(json.dumps(self.records, indent=1) + "\n")

    def of(self, part: str) -> list[dict[str, Any]]:
        """All outcomes of one part."""
        return [record for record in self.records if record["part"] == part]
