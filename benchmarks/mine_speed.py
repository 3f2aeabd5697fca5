"""One update of the paper's `mine` in plain numpy beside the torch code that it replaced, in one run.

python benchmarks/mine_speed.py                    b = 10,000, one thread, under a minute
python benchmarks/mine_speed.py --json FILE        the numbers for machines, see results/mine_speed.json

The torch code is read from the history of the repository (`git show`), so this needs git and torch. The two
take turns, and a number is the median of its rounds: drawing the minibatch, forward, gradient and Adam, in
CPU milliseconds for one critic.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

import numpy as np
import torch
from measurements import about

import terc.entropy.donsker_varadhan as new_critics
import terc.entropy.joint_and_marginal as new_rows
from terc.entropy.counting import encode
from terc.synthetic import secret_keys
from terc.trajectories.data import Trajectories

BEFORE = "03d1790"
"""The last commit in which `mine` was trained in torch."""
SINCE = {
    "terc.entropy.donsker_varadhan": "before_donsker_varadhan",
    "terc.trajectories.columns import FloatArray, IntArray": "terc.arrays import Floats as FloatArray, "
    "Integers as IntArray",
}
"""Names in that code -> where they are now."""
BATCH, HIDDEN, RUNS, RATE, STEPS = 10_000, 50, 10, 0.01, 10_000
ROUNDS, UPDATES = 15, 10


@dataclass(frozen=True)
class Cost:
    """CPU milliseconds of one update of one critic.

    Attributes:
        data: What the critics read.
        critics: Trained together.
        numpy: Median over the rounds.
        torch: The same for the code before.
        ratio: Median over the rounds of numpy / torch.
    """

    data: str
    critics: int
    numpy: float
    torch: float
    ratio: float


def torch_code() -> tuple[ModuleType, ModuleType]:
    """The modules `donsker_varadhan` and `joint_and_marginal` as they were in `BEFORE`."""
    made = []
    for name in ("donsker_varadhan", "joint_and_marginal"):
        place = f"{BEFORE}:terc/entropy/{name}.py"
        shown = subprocess.run(
            ["git", "show", place], cwd=Path(__file__).parent, capture_output=True, text=True, check=True
        )
        module = ModuleType(f"before_{name}")
        sys.modules[module.__name__] = module
        source = shown.stdout
        for then, now in SINCE.items():
            source = source.replace(then, now)
        exec(compile(source, place, "exec"), module.__dict__)
        made.append(module)
    return made[0], made[1]


def tables() -> Trajectories:
    """Ten fair bits and the XOR of two of them: equal rows are merged."""
    x = np.random.default_rng(0).integers(0, 2, (STEPS, 10))
    return Trajectories(x, x[:, 0] ^ x[:, 1])


def cart_pole() -> Trajectories:
    """Four variables and three of noise, and a push that follows two of them."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((STEPS, 7))
    return Trajectories(x, (x[:, 2] + 0.5 * x[:, 3] + 0.3 * rng.standard_normal(STEPS) > 0).astype(int))


def updates(data: Trajectories, critics: ModuleType, rows: ModuleType) -> tuple[Callable[[], Any], int]:
    """A call that makes one update of the first block of critics, and how many critics that are."""
    columns, actions = rows.Columns.of(data), encode(data.actions)
    if (int(encode(data.states).max()) + 1) * (int(actions.max()) + 1) <= len(data):
        source = rows.Merged(columns, RUNS, HIDDEN, data.states, actions)
    else:
        source = rows.Drawn(columns, 0, RUNS, HIDDEN, BATCH)
    d = data.states.shape[1]
    block = next(iter(source.blocks([tuple(range(d)), *(tuple({*range(d)} - {i}) for i in range(d))])))
    streams = [np.random.default_rng(i) for i in range(len(block.subsets))]
    fresh = critics.new_critics(columns.reads(block.subsets), HIDDEN, streams)
    ascent, samples = (
        (getattr(critics, "Ascent", None) or critics._Ascent)(fresh, RATE),
        source.samples(block),
    )
    return lambda: ascent.update(next(samples)), len(block.subsets)


def measure(name: str, data: Trajectories, before: tuple[ModuleType, ModuleType]) -> Cost:
    """Rounds of updates in turn."""
    (ours, n_ours), (theirs, n_theirs) = updates(data, new_critics, new_rows), updates(data, *before)
    spent = np.empty((ROUNDS, 2))
    for i in range(ROUNDS):
        spent[i] = _milliseconds(ours) / n_ours, _milliseconds(theirs) / n_theirs
    numpy_ms, torch_ms = np.median(spent, axis=0)
    ratio = np.median(spent[:, 0] / spent[:, 1])
    return Cost(name, n_ours, *(round(float(x), 3) for x in (numpy_ms, torch_ms, ratio)))


def _milliseconds(update: Callable[[], Any]) -> float:
    update()
    started = time.process_time()
    for _ in range(UPDATES):
        update()
    return (time.process_time() - started) / UPDATES * 1e3


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, help="write the numbers here")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    before, costs = torch_code(), []
    cases = {
        "tables, 10 bits": tables(),
        "Cart Pole, 7 variables": cart_pole(),
        "25 keys": secret_keys(STEPS, seed=1, keys=25).data,
        "50 keys": secret_keys(STEPS, seed=1, keys=50).data,
    }
    for name, data in cases.items():
        costs.append(measure(name, data, before))
        one = costs[-1]
        print(f"{one.data:24} numpy {one.numpy:6.2f} ms   torch {one.torch:6.2f} ms   ratio {one.ratio:.2f}")
    if options.json:
        options.json.write_text(
            json.dumps({**about(), "costs": [asdict(one) for one in costs]}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
