"""What `terc.select` costs beside the paper's protocol, on 50 secret keys.

python benchmarks/cost.py                         a minute of one core
python benchmarks/cost.py --json cost.json        the numbers for machines

Times are CPU seconds of one thread, both sides measured in turn. Over columns, steps and workers: `scale.py`.
"""

from __future__ import annotations

import argparse
import json
import os
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
from terc.synthetic import secret_keys
from terc.synthetic.labelled import Labelled

SEED = 70_000
# The paper's Secret Key Game with 50 keys: b, N, runs; each variable and the null model has two networks.
PAPER_BATCH, PAPER_ITERATIONS, PAPER_RUNS, PAPER_NETWORKS = 10_000, 20_000, 10, 2 * (50 + 1)
GOAL_TIMES_CHEAPER = 20_000


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


def _cpu_seconds(task: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    result = task()
    return time.process_time() - started, result


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=3, help="selections; the median counts")
    parser.add_argument("--json", type=Path, help="write the numbers here")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    found = measure_protocol(repeats=options.repeats)
    print(found)
    if options.json:
        numbers = asdict(found) | {"paper": found.paper, "times_cheaper": found.times_cheaper}
        options.json.write_text(json.dumps(numbers, indent=1))


if __name__ == "__main__":
    main()
