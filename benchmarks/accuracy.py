"""How often `terc.select` is exactly right, on data whose right answer is known. Seeds start at 50,000.

python benchmarks/accuracy.py                            every exact case, 20 seeds
python benchmarks/accuracy.py --suite false-positives --seeds 100
python benchmarks/accuracy.py --suite power --seeds 40
python benchmarks/accuracy.py --suite steps              500 to 10,000 steps, with and without probabilities
python benchmarks/accuracy.py --suite networks           Markov boundaries: F1 against IAMB with G-tests
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from inspect import signature
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

FIRST_SEED = 50_000
FOUNDATION = [
    "four_redundant", "two_triplets", "secret_keys 25, noise 0", "secret_keys 25, noise 3",
    "secret_keys 25, noise 10", "cart_pole_like", "continuous_action", "nominal_codes", "ipd_play 3 tats",
    "ipd_play 4 tats", "ipd_play 5 tats", "copies linear", "copies cube", "copies noisy",
]  # fmt: skip
TRUST = [
    "secret_keys 50, noise 0", "secret_keys 50, noise 3", "secret_keys 50, noise 10", "parity", "rare_light",
    "greedy_network", "three_torques",
]  # fmt: skip
SUITES = {
    "exact": [*FOUNDATION, *TRUST],
    "foundation": FOUNDATION,
    "many-columns": ["many_columns"],
    "false-positives": ["pure_noise", "drifting_noise", "noise_beside_deterministic"],
    "power": ["weak_link 0.01", "weak_link 0.003"],
    "steps": [*FOUNDATION, *TRUST],
    "networks": [],
}
SWEEP = (500, 1_000, 2_000, 5_000, 10_000)


@dataclass(frozen=True)
class Task:
    """One data set to select from."""

    case: str
    steps: int
    seed: int
    estimator: str = "auto"
    probabilities: bool = False
    min_effect: float | None = None


@dataclass(frozen=True)
class Outcome:
    """What came of it."""

    case: str
    steps: int
    seed: int
    probabilities: bool
    exact: bool
    missed: tuple[str, ...]
    wrong: tuple[str, ...]
    cpu_seconds: float
    precision: float
    recall: float
    rival_precision: float = float("nan")
    rival_recall: float = float("nan")


def run(task: Task) -> Outcome:
    """Make the data, select, judge. With IAMB beside it for Bayesian networks."""
    import torch

    from terc.selection.select import select
    from terc.synthetic import CASES

    torch.set_num_threads(1)
    extra = {"with_probabilities": True} if task.probabilities else {}
    labelled = CASES[task.case](task.steps, seed=task.seed, **extra)
    started = time.process_time()
    selection = select(labelled.data, estimator=task.estimator, min_effect=task.min_effect, seed=task.seed)
    seconds = time.process_time() - started
    found = _quality(labelled, selection.kept)
    rival = (float("nan"), float("nan"))
    if task.case.startswith("network"):
        from iamb import iamb

        rival = _quality(labelled, iamb(labelled.data))
    return Outcome(
        task.case, task.steps, task.seed, task.probabilities, labelled.is_exact(selection.kept),
        tuple(map(str, labelled.missed(selection.kept))), tuple(labelled.wrong(selection.kept)), seconds,
        *found, *rival,
    )  # fmt: skip


def _quality(labelled: object, kept: Iterable[str]) -> tuple[float, float]:
    """Precision and recall of a kept set."""
    kept = tuple(kept)
    wrong = len(labelled.wrong(kept))  # type: ignore[attr-defined]
    missed = len(labelled.missed(kept))  # type: ignore[attr-defined]
    true = len(labelled.answers)  # type: ignore[attr-defined]
    return (1 - wrong / len(kept) if kept else 1.0), (1 - missed / true if true else 1.0)


def tasks_of(suite: str, cases: Sequence[str], seeds: range, steps: int | None) -> list[Task]:
    """Every data set of a suite."""
    from terc.synthetic import CASES

    if suite == "networks":
        cases = [case for case in CASES if case.startswith("network")]
    sweep = SWEEP if suite == "steps" and steps is None else (steps,)
    size = {case: int(signature(CASES[case]).parameters["n"].default) for case in cases}
    plain = [Task(case, n or size[case], seed) for case in cases for n in sweep for seed in seeds]
    if suite != "steps":
        return plain
    known = [case for case in cases if "with_probabilities" in signature(CASES[case]).parameters]
    return plain + [Task(c, n or size[c], s, probabilities=True) for c in known for n in sweep for s in seeds]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a suite and print its table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--suite", choices=list(SUITES), default="exact")
    parser.add_argument("--cases", nargs="*", help="only these cases")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--steps", type=int, default=None)
    parser.add_argument("--min-effect", type=float, help="as in terc.select; 0 for networks")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write every outcome here")
    options = parser.parse_args(arguments)
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    tasks = tasks_of(options.suite, options.cases or SUITES[options.suite], seeds, options.steps)
    # A Markov boundary holds every link, however weak: there is no loss that does not matter.
    floor = 0.0 if options.suite == "networks" and options.min_effect is None else options.min_effect
    tasks = [replace(task, min_effect=floor) for task in tasks]
    with ProcessPoolExecutor(options.workers) as pool:
        outcomes = _shown(pool.map(run, tasks), len(tasks))
    print(table(outcomes))
    if options.json:
        options.json.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1))


def _shown(outcomes: Iterable[Outcome], total: int) -> list[Outcome]:
    done = []
    for outcome in outcomes:
        done.append(outcome)
        if not outcome.exact and not outcome.case.startswith("network"):
            said = f"{outcome.case} ({outcome.steps} steps) seed {outcome.seed}"
            print(f"  {said}: missed {outcome.missed}, wrong {outcome.wrong}", file=sys.stderr, flush=True)
        if sys.stderr.isatty():
            print(f"\r{len(done)}/{total}", end="", file=sys.stderr, flush=True)
    return done


def table(outcomes: Sequence[Outcome]) -> str:
    """One row per case and number of steps."""
    rows: dict[tuple[str, int, bool], list[Outcome]] = {}
    for outcome in outcomes:
        rows.setdefault((outcome.case, outcome.steps, outcome.probabilities), []).append(outcome)
    lines = [f"{'case':36} {'steps':>7} {'exact':>8} {'kept wrongly in':>16} {'cpu s':>6}"]
    for (case, steps, known), row in rows.items():
        exact, wrong = sum(o.exact for o in row), sum(bool(o.wrong) for o in row)
        cpu = np.median([o.cpu_seconds for o in row])
        name = f"{case}{', probabilities' if known else ''}"
        line = f"{name:36} {steps:7d} {exact:4d}/{len(row):<3d} {wrong:12d}/{len(row):<3d} {cpu:6.1f}"
        if case.startswith("network"):
            line += f"   F1 {_f1(row):.2f}, IAMB {_f1(row, rival=True):.2f}"
        lines.append(line)
    exact = sum(o.exact for o in outcomes)
    lines.append(f"{'all':36} {'':7} {exact:4d}/{len(outcomes):<3d}")
    return "\n".join(lines)


def _f1(row: Sequence[Outcome], *, rival: bool = False) -> float:
    pairs = [(o.rival_precision, o.rival_recall) if rival else (o.precision, o.recall) for o in row]
    return float(np.mean([2 * p * r / (p + r) if p + r > 0 else 0.0 for p, r in pairs]))


if __name__ == "__main__":
    main()
