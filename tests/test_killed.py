"""Killed with SIGKILL at random moments, run, paper and comparison continue to the same bytes.

`TERC_TEST_KILLS=10 pytest tests/test_killed.py` kills each of the three ten times.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parent
KILLS = int(os.environ.get("TERC_TEST_KILLS", "2"))
# Times differ from one machine and one moment to the next, and with them what is made of them.
TIMES = {"timings", "cpu_seconds", "wall_seconds", "seconds", "cpu", "wall", "folder", "page"}

RUN = """
from terc.pipeline import run as module
import small_world
module._write_page = lambda folder: None
print("ready", flush=True)
module.run(small_world.make, out={out!r}, **small_world.TINY)
"""
PAPER = """
from terc.paper.run import reproduce
print("ready", flush=True)
reproduce(["synthetic"], scale="toy", out={out!r}, n_jobs=1)
"""
COMPARE = """
from terc.baselines.compare import compare
from terc.synthetic import four_redundant
print("ready", flush=True)
compare(four_redundant(300).data, ["permutation", "mrmr", "knockoffs"], out={out!r})
"""
# Written with the times in them.
TIMED = {
    "run": ["inference.json", "summary.json", "report.html", "tasks/inference.json", "tasks/report.json"],
    "paper": ["paper.html", "costs.json"],
    "compare": ["comparison.txt"],
}


def start(script, out):
    paths = os.pathsep.join([str(HERE.parent), str(HERE / "pipeline")])
    command = [sys.executable, "-c", script.format(out=str(out))]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": paths})
    process.stdout.readline()
    return process


def finish(process):
    code = process.wait()
    process.stdout.close()
    return code


def without_times(value):
    if isinstance(value, dict):
        # Digests of files that hold times differ as the times do.
        return {k: without_times(v) for k, v in value.items() if k not in {*TIMES, "files", "fingerprint"}}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def contents(folder, timed):
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in (*timed, ".lock"):
            read = path.read_bytes()
            found[name] = without_times(json.loads(read)) if path.suffix == ".json" else read
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("command", "script"), [("run", RUN), ("paper", PAPER), ("compare", COMPARE)])
def test_killed_at_random_moments_it_continues_to_the_same_bytes(command, script, tmp_path, seed):
    whole, again = tmp_path / "whole", tmp_path / "again"
    process, began = start(script, whole), time.monotonic()
    assert finish(process) == 0
    took, draw, killed = time.monotonic() - began, random.Random(seed), 0
    while killed < KILLS:
        process = start(script, again)
        try:
            process.wait(draw.uniform(0.05, 0.9) * took)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            killed += 1
            finish(process)
        else:  # done before its moment came: this one must be right too, and the next begins anew
            assert finish(process) == 0
            assert contents(again, TIMED[command]) == contents(whole, TIMED[command])
            shutil.rmtree(again)
    assert finish(start(script, again)) == 0
    assert contents(again, TIMED[command]) == contents(whole, TIMED[command])
