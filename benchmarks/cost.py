"""What `terc.select` costs: against the paper's protocol, with more variables and steps, and in memory.

python benchmarks/cost.py                         all of it, some twenty minutes of one core
python benchmarks/cost.py --quick                 smaller sweeps, some minutes
python benchmarks/cost.py --only protocol         one part: protocol, variables, steps or memory
python benchmarks/cost.py --json cost.json        the numbers for machines

All times are CPU seconds of one thread. The machine may be busy: what is compared is measured in turn.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

import numpy as np
import torch

from terc.selection.select import select
from terc.synthetic import many_columns, secret_keys
from terc.synthetic.labelled import Labelled

SEED = 70_000
# The paper's Secret Key Game with 50 keys: b, N, runs; each variable and the null model has two networks.
PAPER_BATCH, PAPER_ITERATIONS, PAPER_RUNS, PAPER_NETWORKS = 10_000, 20_000, 10, 2 * (50 + 1)
GOAL_TIMES_CHEAPER = 20_000
GOAL_GIGABYTES = 2.0
SLACK = 1.1
VARIABLES = (25, 50, 100, 200, 300)
STEPS = (10_000, 30_000, 100_000, 300_000)


@dataclass(frozen=True)
class Protocol:
    """Our cost for 50 keys beside the paper's.

    Attributes:
        ours: CPU seconds of `select`, median.
        paper_step: CPU seconds of one update of one network, median.
        exact: Whether every selection was right.
    """

    ours: float
    paper_step: float
    exact: bool

    @property
    def paper(self) -> float:
        """CPU seconds of the paper's protocol."""
        return self.paper_step * PAPER_ITERATIONS * PAPER_RUNS * PAPER_NETWORKS

    @property
    def times_cheaper(self) -> float:
        """The ratio."""
        return self.paper / self.ours

    def __str__(self) -> str:
        verdict = "reached" if self.times_cheaper >= GOAL_TIMES_CHEAPER else "missed"
        protocol = f"{PAPER_ITERATIONS:,} updates x {PAPER_RUNS} runs x {PAPER_NETWORKS} networks"
        return (
            f"50 keys, 10,000 steps: select {self.ours:.1f} s ({'right' if self.exact else 'WRONG'}); the "
            f"paper's protocol {self.paper_step * 1e3:.1f} ms x {protocol} = {self.paper / 3600:.0f} h; "
            f"{self.times_cheaper:,.0f} times cheaper (goal {GOAL_TIMES_CHEAPER:,} {verdict})"
        )


@dataclass(frozen=True)
class Growth:
    """CPU time of `select` against the size of the data.

    Attributes:
        what: "variables" or "steps".
        sizes: The sizes, increasing.
        seconds: CPU seconds of each.
        exact: Whether each selection was right.
    """

    what: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    exact: tuple[bool, ...]

    @property
    def linear(self) -> bool:
        """Whether the time grows no faster than the size, from the smallest to each."""
        first = self.seconds[0] / self.sizes[0]
        return all(s <= SLACK * first * size for s, size in zip(self.seconds, self.sizes, strict=True))

    def __str__(self) -> str:
        lines = [f"{self.what:>10} {'cpu s':>8} {'size x':>8} {'time x':>8}"]
        for size, seconds, exact in zip(self.sizes, self.seconds, self.exact, strict=True):
            grown, dearer = size / self.sizes[0], seconds / self.seconds[0]
            lines.append(f"{size:10,} {seconds:8.1f} {grown:8.1f} {dearer:8.1f}{'' if exact else '   WRONG'}")
        lines.append("no worse than linear" if self.linear else "WORSE than linear")
        return "\n".join(lines)


@dataclass(frozen=True)
class Memory:
    """Peak memory of one selection in a process of its own, data included."""

    steps: int
    variables: int
    gigabytes: float

    def __str__(self) -> str:
        verdict = "reached" if self.gigabytes < GOAL_GIGABYTES else "missed"
        size = f"{self.steps:,} steps x {self.variables} variables"
        return f"{size}: peak {self.gigabytes:.2f} GB (goal below {GOAL_GIGABYTES} {verdict})"


class PaperStep:
    """One update of Algorithm 2 as anyone would write it in torch: one network 51-50-1, Adam, b = 10,000."""

    def __init__(self, labelled: Labelled) -> None:
        data = labelled.data
        rows = np.column_stack([data.states, data.actions]).astype(np.float32)
        self.rows = torch.as_tensor((rows - rows.mean(0)) / rows.std(0))
        width = self.rows.shape[1]
        self.network = torch.nn.Sequential(
            torch.nn.Linear(width, 50), torch.nn.ReLU(), torch.nn.Linear(50, 1)
        )
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=0.01)

    def __call__(self) -> None:
        """Draw, pass forward and back, update."""
        n, b = len(self.rows), PAPER_BATCH
        joint = self.rows[torch.randint(n, (b,))]
        marginal = torch.cat([joint[:, :-1], self.rows[torch.randint(n, (b,)), -1:]], 1)
        log_mean = torch.logsumexp(self.network(marginal), 0) - np.log(b)
        loss = -(self.network(joint).mean() - log_mean)
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()


def measure_protocol(*, repeats: int, updates: int = 20) -> Protocol:
    """Both sides on the same data in one run, in turn."""
    labelled = secret_keys(10_000, seed=SEED, keys=50)
    step = PaperStep(labelled)
    step()
    ours, paper, exact = [], [], []
    for _ in range(repeats):
        paper.append(_cpu_seconds(lambda: [step() for _ in range(updates)])[0] / updates)
        seconds, selection = _cpu_seconds(lambda: select(labelled.data))
        ours.append(seconds)
        exact.append(labelled.is_exact(selection.kept))
    return Protocol(float(np.median(ours)), float(np.median(paper)), all(exact))


def measure_growth(what: str, sizes: Sequence[int], make: Callable[[int], Labelled]) -> Growth:
    """The time of one selection for each size."""
    select(secret_keys(1_000, seed=SEED, keys=5).data)  # what is loaded on first use is not counted
    seconds, exact = [], []
    for size in sizes:
        labelled = make(size)
        cost, selection = _cpu_seconds(lambda labelled=labelled: select(labelled.data))
        seconds.append(cost)
        exact.append(labelled.is_exact(selection.kept))
        print(f"  {what} {size:,}: {cost:.1f} s", file=sys.stderr, flush=True)
    return Growth(what, tuple(sizes), tuple(seconds), tuple(exact))


def measure_memory(steps: int, variables: int) -> Memory:
    """The peak of a child process that makes the data and selects."""
    command = [sys.executable, __file__, "--child", str(steps), str(variables)]
    said = subprocess.run(command, check=True, capture_output=True, text=True)
    return Memory(steps, variables, float(said.stdout.split()[-1]))


def child(steps: int, variables: int) -> None:
    """Select, then print the peak of this process in GB."""
    select(many_columns(steps, seed=SEED, variables=variables).data)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9)


def _cpu_seconds(task: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    result = task()
    return time.process_time() - started, result


def parts(*, quick: bool) -> dict[str, Callable[[], Protocol | Growth | Memory]]:
    """What can be measured."""
    variables, steps = (VARIABLES[:3], STEPS[:2]) if quick else (VARIABLES, STEPS)
    return {
        "protocol": lambda: measure_protocol(repeats=1 if quick else 3),
        "variables": lambda: measure_growth(
            "variables", variables, lambda v: secret_keys(10_000, seed=SEED, keys=v, noise=3)
        ),
        "steps": lambda: measure_growth("steps", steps, lambda n: secret_keys(n, seed=SEED, noise=3)),
        "memory": lambda: measure_memory(20_000 if quick else 100_000, 100),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="smaller sweeps")
    parser.add_argument("--only", nargs="*", choices=["protocol", "variables", "steps", "memory"])
    parser.add_argument("--json", type=Path, help="write the numbers here")
    parser.add_argument("--child", nargs=2, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    if options.child:
        child(*options.child)
        return
    found = {}
    for name, measure in parts(quick=options.quick).items():
        if not options.only or name in options.only:
            found[name] = measure()
            print(f"{found[name]}\n", flush=True)
    if options.json:
        options.json.write_text(json.dumps({name: _numbers(part) for name, part in found.items()}, indent=1))


def _numbers(part: Protocol | Growth | Memory) -> dict[str, Any]:
    derived = ("paper", "times_cheaper", "linear")
    return asdict(part) | {name: getattr(part, name) for name in derived if hasattr(part, name)}


if __name__ == "__main__":
    main()
