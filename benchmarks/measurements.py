"""Every file of results: the command that makes it, and of which commit, seeds and date it is.

python benchmarks/measurements.py                     the state of each file
python benchmarks/measurements.py --run               measure all of them again (`make evidence`)
python benchmarks/measurements.py --run accuracy      those whose name begins with `accuracy`
"""

from __future__ import annotations

import argparse
import datetime
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
ENGINE = ("terc/selection", "terc/entropy", "terc/predictors", "terc/networks")
ALL = ("terc",)

# File -> the command that makes it, and the code whose changes make it old.
COMMANDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "accuracy-table.json": ("accuracy.py", ENGINE),
    "accuracy-kinds.json": ("accuracy.py --suite kinds --seeds 2", ENGINE),
    "accuracy-kinds-2000.json": (
        "accuracy.py --suite kinds --seeds 2 --steps 2000 --out benchmarks/results/accuracy-kinds-2000.json",
        ENGINE,
    ),
    "accuracy-kinds-set-aside.json": ("accuracy.py --suite kinds-set-aside --seeds 1", ENGINE),
    "accuracy-worlds.json": ("accuracy.py --suite worlds --seeds 1", ENGINE),
    "accuracy-power.json": ("accuracy.py --suite power --seeds 40", ENGINE),
    "accuracy-nulls.json": ("accuracy.py --suite nulls --seeds 10", ENGINE),
    "accuracy-nulls-set-aside.json": ("accuracy.py --suite nulls-set-aside --seeds 5", ENGINE),
    "accuracy-networks.json": ("accuracy.py --suite networks --seeds 2", ENGINE),
    "accuracy-many-columns.json": ("accuracy.py --suite many-columns", ENGINE),
    "accuracy-beside.json": (
        "accuracy.py --seeds 1 --beside CHECKOUT --out benchmarks/results/accuracy-beside.json",
        ENGINE,
    ),
    "accuracy-beside-many-columns.json": (
        "accuracy.py --suite many-columns --seeds 1 --beside CHECKOUT "
        "--out benchmarks/results/accuracy-beside-many-columns.json",
        ENGINE,
    ),
    "mine_speed.json": ("mine_speed.py --json benchmarks/results/mine_speed.json", ("terc/entropy",)),
    "scale.json": ("scale.py", (*ENGINE, "terc/trajectories", "terc/parallel")),
    "return.json": ("return.py", (*ENGINE, "terc/returns")),
    "known_return.json": ("known_return.py", (*ENGINE, "terc/returns", "terc/pipeline")),
    "frontier.json": ("frontier.py", (*ENGINE, "terc/returns")),
    "promise.json": ("promise.py", ("terc/returns",)),
    "task.json": ("task.py audit && task.py stability && task.py policies", (*ENGINE, "terc/task")),
    "task_agents.json": ("task_agents.py", (*ENGINE, "terc/task", "terc/pipeline")),
    "agents.json": ("agents.py --json benchmarks/results/agents.json", ("terc/agents",)),
    "bad_inputs.json": ("bad_inputs.py", ("terc/trajectories", "terc/cli")),
    "baselines.jsonl": (
        "baselines.py --quick && pipeline.py --out runs/demonstrations --only rollouts --seeds 10 && "
        "baselines.py --quick --rollouts runs/demonstrations",
        (*ENGINE, "terc/baselines"),
    ),
}


@dataclass(frozen=True)
class Measurement:
    """One file of results.

    Attributes:
        path: The file.
        about: What it says of itself as a whole (commit, date, seeds), where it does.
        outcomes: One record per thing that was measured.
    """

    path: Path
    about: dict[str, Any]
    outcomes: list[dict[str, Any]]

    @classmethod
    def read(cls, path: Path) -> Measurement:
        """The file, in any of the forms that the benchmarks write."""
        text = path.read_text(encoding="utf8")
        if path.suffix == ".jsonl":
            return cls(path, {}, [json.loads(line) for line in text.splitlines()])
        found = json.loads(text)
        if isinstance(found, list):
            return cls(path, {}, found)
        lists = [value for value in found.values() if isinstance(value, list) and value]
        outcomes = max((one for one in lists if isinstance(one[0], dict)), key=len, default=[])
        return cls(path, found, outcomes)

    @property
    def command(self) -> str | None:
        """What makes the file again."""
        known = COMMANDS.get(self.path.name)
        return command_of(known[0]) if known else self.about.get("command")

    @property
    def commits(self) -> tuple[str, ...]:
        """The commits it was measured at, shortened; outcomes without one are not counted."""
        found = [self.about.get("commit"), *(one.get("commit") for one in self.outcomes)]
        return tuple(dict.fromkeys(_short(commit) for commit in found if commit))

    @property
    def without_commit(self) -> int:
        """Outcomes of which nobody knows the commit."""
        return 0 if self.about.get("commit") else sum("commit" not in one for one in self.outcomes)

    @property
    def seeds(self) -> tuple[int, int] | None:
        """The first and the last seed."""
        seeds = [one["seed"] for one in self.outcomes if isinstance(one.get("seed"), int)]
        return (min(seeds), max(seeds)) if seeds else None

    @property
    def cpu_minutes(self) -> float | None:
        """CPU time of all outcomes, where they say it."""
        kinds = ("cpu_seconds", "training_seconds", "ablation_seconds", "distillation_seconds")
        seconds = [np.sum(one[kind]) for one in self.outcomes for kind in kinds if one.get(kind)]
        return float(sum(seconds)) / 60 if seconds else None

    @property
    def changes_since(self) -> int | None:
        """Commits since then to the code that it is about; None where the history does not know."""
        if not self.commits:
            return None
        rooms = COMMANDS.get(self.path.name, ("", ALL))[1]
        counts = [
            _git("rev-list", "--count", f"{commit.partition('+')[0]}..HEAD", "--", *rooms)
            for commit in self.commits
        ]
        return None if None in counts else max(int(count) for count in counts if count is not None)


def command_of(scripts: str) -> str:
    """What to type in the checkout.

    Example:
        >>> command_of("task.py audit && task.py stability")
        'python benchmarks/task.py audit && python benchmarks/task.py stability'
    """
    return " && ".join(f"python benchmarks/{one}" for one in scripts.split(" && "))


def measure_again(path: Path, command: str) -> None:
    """Run the command from the beginning; the old file stands aside until the new one is whole.

    Many benchmarks go on with the file they find: where one was interrupted, the same call continues it.
    """
    old = path.with_name(f"{path.name}.old")
    if path.exists() and not old.exists():
        path.rename(old)
    for one in command.split(" && "):
        subprocess.run([sys.executable, *shlex.split(one)[1:]], cwd=ROOT, check=True)
    old.unlink(missing_ok=True)


def _short(commit: str) -> str:
    """Seven digits, and whether files differed from it."""
    number, mark, _ = commit.partition("+")
    return f"{number[:7]}{'+changes' if mark else ''}"


def measurements() -> Iterator[Measurement]:
    """All files of results, in the order of `COMMANDS`, then the others."""
    order = list(COMMANDS)
    names = sorted(path.name for path in RESULTS.iterdir() if path.suffix in (".json", ".jsonl"))
    for name in sorted(names, key=lambda name: order.index(name) if name in order else len(order)):
        yield Measurement.read(RESULTS / name)


def about() -> dict[str, str]:
    """What a file of results says of itself: the commit, marked where files differ from it, and the date."""
    changed = "+changes" if _git("status", "--porcelain", "--untracked-files=no", "--", "terc") else ""
    return {
        "commit": f"{_git('rev-parse', 'HEAD') or 'unknown'}{changed}",
        "date": datetime.date.today().isoformat(),
    }


def _git(*words: str) -> str | None:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def main() -> None:
    """Show the state of all files, or measure them again."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", nargs="?", const="", metavar="NAME", help="measure again")
    options = parser.parse_args()
    never = [name for name in COMMANDS if not (RESULTS / name).exists()]
    for one in [*measurements(), *(Measurement(RESULTS / name, {}, []) for name in never)]:
        minutes = "unknown" if one.cpu_minutes is None else f"{one.cpu_minutes:.0f}"
        changes = "unknown" if one.changes_since is None else str(one.changes_since)
        commits = ", ".join(one.commits) or "no commit"
        print(f"{one.path.name}: {commits}; changes since: {changes}; CPU minutes: {minutes}", flush=True)
        repeatable = one.command is not None and "CHECKOUT" not in one.command
        if options.run is not None and repeatable and one.path.name.startswith(options.run):
            measure_again(one.path, str(one.command))


if __name__ == "__main__":
    main()
