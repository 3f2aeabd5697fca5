"""How often the paper's own estimator and rule find the right set on its two synthetic data sets.

python benchmarks/paper_rule.py                      10 seeds, equal rows merged and weighted
python benchmarks/paper_rule.py --null-draws 1       with the paper's single null model
python benchmarks/paper_rule.py --minibatches 1000   drawn minibatches, not merged rows (minutes each)

The paper's network and learning rate, trained to a plateau; its N is the cap, and the updates used are
reported.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

import numpy as np

from terc.entropy.mine import MineEstimator
from terc.entropy.paper_rule import PaperRuleTest
from terc.selection.algorithm_1 import batched
from terc.synthetic import four_redundant, two_triplets
from terc.synthetic.labelled import Labelled

FIRST_SEED = 60_000
FAMILIES = {"four redundant variables": four_redundant, "two redundant triplets": two_triplets}


@dataclass(frozen=True)
class Outcome:
    """One data set."""

    exact: bool
    kept: tuple[str, ...]
    updates: np.ndarray
    cpu_seconds: float


def run(labelled: Labelled, estimator: MineEstimator, *, null_draws: int, seed: int) -> Outcome:
    """Algorithm 1 in a random order with the paper's rule."""
    data, rng = labelled.data, np.random.default_rng(seed)
    order = [(int(j),) for j in rng.permutation(len(data.names))]
    started = time.process_time()
    found = batched(PaperRuleTest(data, estimator, rng=rng, null_draws=null_draws), order)
    cost = time.process_time() - started
    kept = tuple(data.names[j] for (j,) in sorted(found.kept))
    everything = tuple(range(len(data.names)))
    once = replace(estimator, runs=2)
    return Outcome(labelled.is_exact(kept), kept, once.trace(data, [everything], rng=rng).steps, cost)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--null-draws", type=int, default=5)
    parser.add_argument("--minibatches", type=int, help="steps per minibatch; merged rows when not given")
    options = parser.parse_args(arguments)
    estimator = MineEstimator.for_world("synthetic")
    if options.minibatches:
        estimator = replace(estimator, merge=False, batch=options.minibatches)
    for name, family in FAMILIES.items():
        outcomes = []
        for seed in range(FIRST_SEED, FIRST_SEED + options.seeds):
            labelled = family(options.steps, seed=seed)
            outcomes.append(run(labelled, estimator, null_draws=options.null_draws, seed=seed))
            if not outcomes[-1].exact:
                print(f"  {name}, seed {seed}: kept {outcomes[-1].kept}", flush=True)
        print(f"{name}: {_summary(outcomes, estimator)}", flush=True)


def _summary(outcomes: Sequence[Outcome], estimator: MineEstimator) -> str:
    updates = np.concatenate([outcome.updates.ravel() for outcome in outcomes])
    return (
        f"right in {sum(outcome.exact for outcome in outcomes)} of {len(outcomes)}, "
        f"{np.median(updates):.0f} updates of at most {estimator.iterations:,} "
        f"({updates.min()} to {updates.max()}), "
        f"{np.median([outcome.cpu_seconds for outcome in outcomes]):.1f} CPU s each"
    )


if __name__ == "__main__":
    main()
