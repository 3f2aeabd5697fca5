"""What `terc select` costs from 25 to 5,000 columns and from 10,000 to 5 million steps, beside other methods.

python benchmarks/scale.py                         every part, about an hour of one core
python benchmarks/scale.py --only columns rivals   of cold, keys, columns, steps, goals, workers, rivals

Every measurement is a process of its own that reads parquet files and prints names, so imports and reading
count. Times are CPU seconds of one thread; what is compared is measured in one run. The recordings
(`scale_data.py`) have eight needed variables, two pairs of them acting only together, two copies, and noise
of six kinds.
Each part replaces its rows in benchmarks/results/scale.json, from which docs/scaling.md is made.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from measurements import about
from scale_data import ANSWERS, write_recording
from scale_methods import RIVALS

from terc.synthetic import cart_pole_like, secret_keys

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "scale.json"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
SEED = 90_000
COLUMNS, STEPS_OF_COLUMNS = (25, 100, 300, 1_000), 10_000
STEPS, COLUMNS_OF_STEPS = (10_000, 100_000, 1_000_000, 5_000_000), 100
GOALS = [(54, 500_000, 1), (1_000, 20_000, 1), (300, 100_000, 5), (5_000, 20_000, 1)]
RIVAL_COLUMNS, RIVAL_LIMIT = (25, 100), 60
BARE = "import numpy, pandas, pyarrow.parquet"
COLD_ROUNDS = 3
BEFORE = "eb9006f"
"""The last commit of version 0.1."""


@dataclass(frozen=True)
class Measured:
    """One process on one recording.

    Attributes:
        part: Of this benchmark.
        method: "terc" or a rival.
        columns: Of the recording.
        steps: Of the recording.
        seed: Of the recording.
        workers: Processes that share the work.
        backend: Where they run.
        cpu_seconds: Of the process and its workers.
        own_cpu_seconds: Of the process alone, where there are workers.
        wall_seconds: By the clock, on whatever else the machine was doing.
        peak_gb: Largest memory of one process.
        exact: Whether the names are one of each needed class and no other; None if it was stopped.
        missed: Needed classes of which none was named.
        wrong: Names beyond these.
        commit: Of the package.
        date: Of the measurement.
    """

    part: str
    method: str
    columns: int
    steps: int
    seed: int
    workers: int = 1
    backend: str = "serial"
    cpu_seconds: float = 0.0
    own_cpu_seconds: float | None = None
    wall_seconds: float = 0.0
    peak_gb: float = 0.0
    exact: bool | None = None
    missed: int = 0
    wrong: int = 0
    commit: str = ""
    date: str = ""


class Folder:
    """Recordings, made when they are first asked for and removed at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def recording(self, columns: int, steps: int, seed: int) -> Path:
        """The folder of one recording."""
        folder = self.path / f"{columns}x{steps}-{seed}"
        if not folder.exists():
            write_recording(folder, columns=columns, steps=steps, seed=seed)
        return folder


def process(command: Sequence[str], package: Path = HERE.parent) -> tuple[int, str, dict[str, float]]:
    """Exit code, output, and what a process and those it started took, with the package of a checkout."""
    with tempfile.TemporaryFile("w+") as out:
        started = time.perf_counter()
        environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(package)}
        running = subprocess.Popen(command, stdout=out, env=environment, cwd=package)
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - started
        out.seek(0)
        cost = {
            "cpu_seconds": used.ru_utime + used.ru_stime,
            "wall_seconds": wall,
            "peak_gb": used.ru_maxrss * 1024 / 1e9,
        }
        return running.returncode, out.read(), cost


def command_line(folder: Path) -> tuple[list[str], dict[str, float]]:
    """The names that `terc select` keeps, from a cold start, and the cost."""
    columns = ["--action", "action", "--episode", "episode"]
    code, out, cost = process([*_terc(), "select", str(folder), *columns, "--json", "--quiet"])
    if code:
        raise SystemExit(f"terc select failed on {folder}")
    return [row["name"] for row in json.loads(out)["verdicts"] if row["kept"]], cost


def _terc() -> list[str]:
    return [sys.executable, "-c", "from terc.cli.main import main; main()"]


def measure(part: str, method: str, where: tuple[int, int, int], folder: Folder, **how: Any) -> Measured:
    """One method on one recording."""
    path = folder.recording(*where)
    limit = how.pop("limit", None)
    if method == "terc" and not how:
        kept, cost = command_line(path)
    else:
        options = [f"--{key}={value}" for key, value in {**how, "limit": limit}.items() if value is not None]
        code, out, cost = process(
            [sys.executable, str(HERE / "scale_methods.py"), method, str(path), *options]
        )
        if code and not (limit and code == -signal.SIGKILL):
            raise SystemExit(f"{method} failed on {path}")
        said = json.loads(out) if not code else {"kept": None, "own_cpu_seconds": None}
        kept = said["kept"]
        cost["own_cpu_seconds"] = said["own_cpu_seconds"]
    return Measured(part, method, *where, **how, **cost, **_compared(kept), **about())


def _compared(kept: Sequence[str] | None) -> dict[str, Any]:
    if kept is None:
        return {"exact": None}
    missed = sum(not set(group) & set(kept) for group in ANSWERS)
    wrong = len(kept) - (len(ANSWERS) - missed)
    return {"exact": missed == wrong == 0, "missed": missed, "wrong": wrong}


def cold(folder: Folder) -> Iterator[dict[str, Any]]:
    """A small file from a cold start, beside importing numpy, pandas and pyarrow, in turn."""
    path = folder.path / "cart_pole.parquet"
    labelled = cart_pole_like(10_000, seed=SEED)
    labelled.data.save(path)
    for _ in range(COLD_ROUNDS):
        bare = process([sys.executable, "-c", BARE])[2]["cpu_seconds"]
        _, out, cost = process([*_terc(), "select", str(path), "--json", "--quiet"])
        kept = [row["name"] for row in json.loads(out)["verdicts"] if row["kept"]]
        exact = labelled.is_exact(kept)
        yield {"part": "cold", "bare": bare, "cpu_seconds": cost["cpu_seconds"], "exact": exact} | about()


def keys(folder: Folder) -> Iterator[dict[str, Any]]:
    """50 secret keys from a cold start, beside version 0.1, in turn."""
    data = secret_keys(10_000, seed=SEED, keys=50)
    table = {name: data.data.states[:, j] for j, name in enumerate(data.data.names)}
    path, before = folder.path / "keys.parquet", folder.path / "before"
    pq.write_table(pa.table(table | {"action": data.data.actions, "episode": data.data.episodes}), path)
    before.mkdir()
    archive = subprocess.run(
        ["git", "archive", BEFORE, "terc"], cwd=HERE.parent, capture_output=True, check=True
    )
    subprocess.run(["tar", "x", "-C", str(before)], input=archive.stdout, check=True)
    for _ in range(COLD_ROUNDS):
        costs = []
        for package in (before, HERE.parent):
            options = ["--action", "action", "--episode", "episode", "--json"]
            _, out, cost = process([*_terc(), "select", str(path), *options], package)
            kept = [row["name"] for row in json.loads(out)["verdicts"] if row["kept"]]
            costs.append((cost["cpu_seconds"], data.is_exact(kept)))
        yield {
            "part": "keys",
            "before": costs[0][0],
            "cpu_seconds": costs[1][0],
            "exact": costs[1][1],
        } | about()


def columns(folder: Folder) -> Iterator[Measured]:
    """More and more columns."""
    for count in COLUMNS:
        yield measure("columns", "terc", (count, STEPS_OF_COLUMNS, SEED), folder)


def steps(folder: Folder) -> Iterator[Measured]:
    """More and more steps."""
    for count in STEPS:
        yield measure("steps", "terc", (COLUMNS_OF_STEPS, count, SEED), folder)


def goals(folder: Folder) -> Iterator[Measured]:
    """Sizes with a goal of their own."""
    for n_columns, n_steps, seeds in GOALS:
        for seed in range(SEED, SEED + seeds):
            yield measure("goals", "terc", (n_columns, n_steps, seed), folder)


def workers(folder: Folder) -> Iterator[Measured]:
    """One worker, two processes, two workers of Ray."""
    for count, backend in ((1, "serial"), (2, "processes"), (2, "ray")):
        yield measure("workers", "terc", (300, 100_000, SEED), folder, workers=count, backend=backend)


def rivals(folder: Folder) -> Iterator[Measured]:
    """What a user would pick instead, on the same recordings; one that was stopped is not asked for more."""
    stopped = set()
    for count in RIVAL_COLUMNS:
        where = (count, STEPS_OF_COLUMNS, SEED)
        for name in ("terc", *RIVALS):
            if name not in stopped:
                limit = None if name == "terc" else RIVAL_LIMIT
                row = measure("rivals", name, where, folder, limit=limit)
                stopped |= {name} if row.exact is None else set()
                yield row


PARTS = {
    "cold": cold, "keys": keys, "columns": columns, "steps": steps, "goals": goals, "workers": workers,
    "rivals": rivals,
}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, writing each row as it comes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args(arguments)
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    for part in options.only:
        known = [row for row in known if row["part"] != part]
        with tempfile.TemporaryDirectory() as folder:
            for row in PARTS[part](Folder(Path(folder))):
                known.append(row if isinstance(row, dict) else asdict(row))
                print(known[-1], file=sys.stderr, flush=True)
                RESULTS.write_text("[\n" + ",\n".join(json.dumps(one) for one in known) + "\n]\n")


if __name__ == "__main__":
    main()
