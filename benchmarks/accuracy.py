"""How often `terc.select` is exactly right, on data whose right answer is known.

python benchmarks/accuracy.py                           the 21 cases of the documentation's table, 20 seeds
python benchmarks/accuracy.py --suite kinds --seeds 5   other kinds; `--steps 2000` for short recordings
python benchmarks/accuracy.py --suite kinds-set-aside   kinds that nothing is tuned on: for final tables only
python benchmarks/accuracy.py --suite nulls             data sets in which nothing may be kept
python benchmarks/accuracy.py --suite power             weak variables beside strong ones; sixteen weak ones
python benchmarks/accuracy.py --suite networks          Markov boundaries, beside IAMB with G-tests
python benchmarks/accuracy.py --suite many-columns      300 columns x 20,000 steps
python benchmarks/accuracy.py --suite worlds            policies in Gymnasium's worlds, with known inputs
python benchmarks/accuracy.py --suite steps             500 to 10,000 steps, with and without probabilities
python benchmarks/accuracy.py --beside CHECKOUT         the same data sets by another checkout: CPU ratio

"Silently wrong" is an answer that is not exact and shows no doubt. CPU seconds are those of one thread,
without imports. Whole suites write every outcome to benchmarks/results/accuracy-<suite>.json.
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from inspect import signature
from pathlib import Path
from queue import SimpleQueue
from statistics import mean, median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from known_worlds import WORLDS  # noqa: E402
from selecting import Selector  # noqa: E402

from terc import synthetic  # noqa: E402

FIRST_SEED = 50_000
TABLE = [
    "four_redundant", "two_triplets", "secret_keys 25, noise 0", "secret_keys 25, noise 3",
    "secret_keys 25, noise 10", "secret_keys 50, noise 0", "secret_keys 50, noise 3",
    "secret_keys 50, noise 10", "cart_pole_like", "continuous_action", "three_torques", "nominal_codes",
    "ipd_play 3 tats", "ipd_play 4 tats", "ipd_play 5 tats", "copies linear", "copies cube", "copies noisy",
    "parity", "rare_light", "greedy_network",
]  # fmt: skip


@dataclass(frozen=True)
class Suite:
    """Cases that are run and reported together.

    Attributes:
        cases: By name, what makes the data set.
        seeds: Data sets per case, unless `--seeds` says otherwise.
        steps: Sizes to run; None is the case's own default.
        min_effect: As in `terc.select`.
        both: Also with the policy's probabilities, where they are known.
    """

    cases: dict[str, Callable[..., synthetic.Labelled]]
    seeds: int = 20
    steps: tuple[int | None, ...] = (None,)
    min_effect: float | None = None
    both: bool = False


def _cases(*names: str) -> dict[str, Callable[..., synthetic.Labelled]]:
    return {name: synthetic.CASES[name] for name in names}


SUITES = {
    "table": Suite(_cases(*TABLE)),
    "kinds": Suite(synthetic.KINDS, seeds=10),
    "kinds-set-aside": Suite(synthetic.KINDS_SET_ASIDE, seeds=10),
    "nulls": Suite(synthetic.NULLS, seeds=10),
    "nulls-set-aside": Suite(synthetic.NULLS_SET_ASIDE, seeds=10),
    "power": Suite(
        _cases("weak_link 0.01", "weak_link 0.003") | {"16 weak": synthetic.KINDS["many_weak"]}, seeds=40
    ),
    # A Markov boundary holds every link, however weak: there is no loss that does not matter.
    "networks": Suite(_cases(*(c for c in synthetic.CASES if c.startswith("network "))), 2, min_effect=0.0),
    "many-columns": Suite(_cases("many_columns"), seeds=5),
    "false-positives": Suite(_cases("pure_noise", "drifting_noise", "noise_beside_deterministic"), 100),
    "worlds": Suite(WORLDS, seeds=3),
    "steps": Suite(_cases(*TABLE), steps=(500, 1_000, 2_000, 5_000, 10_000), both=True),
}


@dataclass(frozen=True)
class Task:
    """One data set to select from."""

    case: str
    steps: int
    seed: int
    probabilities: bool = False


@dataclass(frozen=True)
class Outcome:
    """What came of it: an answer that raised is wrong, not silent, and has an `error`."""

    case: str
    steps: int
    seed: int
    probabilities: bool
    exact: bool = False
    silent: bool = False
    kept: tuple[str, ...] = ()
    missed: tuple[tuple[str, ...], ...] = ()
    wrong: tuple[str, ...] = ()
    f1: float = 0.0
    cpu_seconds: float = float("nan")
    error: str = ""
    rival: dict[str, Any] = field(default_factory=dict)
    beside: dict[str, Any] = field(default_factory=dict)


def tasks_of(suite: Suite, cases: Sequence[str], seeds: range, steps: int | None) -> list[Task]:
    """Every data set of a suite, case by case."""
    tasks = []
    for case in cases:
        known = signature(suite.cases[case]).parameters
        for n in (steps,) if steps else suite.steps:
            for probabilities in (False, True) if suite.both and "with_probabilities" in known else (False,):
                size = n or int(known["n"].default)
                tasks += [Task(case, size, seed, probabilities) for seed in seeds]
    return tasks


def run(task: Task, suite: Suite, selectors: SimpleQueue[list[Selector]]) -> Outcome:
    """Make the data, hand it to each checkout in turn (who begins changes from seed to seed), compare."""
    extra = {"with_probabilities": True} if task.probabilities else {}
    try:
        labelled = suite.cases[task.case](task.steps, seed=task.seed, **extra)
    except Exception as error:  # the run goes on, and the table shows it
        return Outcome(**asdict(task), error=f"no data: {type(error).__name__}: {error}")
    request = {
        "answers": labelled.answers,
        "alternatives": labelled.alternatives,
        "seed": task.seed,
        "min_effect": suite.min_effect,
        "rival": task.case.startswith("network "),
    }
    free = selectors.get()
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "data.npz"
            labelled.data.save(path)
            turns = range(len(free)) if task.seed % 2 == 0 else range(len(free))[::-1]
            replies = {turn: free[turn].ask(request | {"path": str(path)}) for turn in turns}
    finally:
        selectors.put(free)
    return Outcome(**asdict(task), **replies[0], beside=replies.get(1, {}))


def outcomes_of(
    tasks: Sequence[Task], suite: Suite, checkouts: Sequence[Path], workers: int
) -> Iterator[Outcome]:
    """The outcomes in the order of the tasks, `workers` data sets at a time."""
    selectors: SimpleQueue[list[Selector]] = SimpleQueue()
    rooms = [[Selector(checkout) for checkout in checkouts] for _ in range(workers)]
    for room in rooms:
        selectors.put(room)
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(partial(run, suite=suite, selectors=selectors), tasks)
    for selector in (selector for room in rooms for selector in room):
        selector.close()


def table(outcomes: Sequence[Outcome]) -> str:
    """One row per case and number of steps, then the whole."""
    rows: dict[tuple[str, int, bool], list[Outcome]] = {}
    for outcome in outcomes:
        rows.setdefault((outcome.case, outcome.steps, outcome.probabilities), []).append(outcome)
    counted = "".join(f"{word:>8}" for word in ("missed", "wrong", "silent", "raised"))
    lines = [f"{'case':42} {'steps':>6} {'exact':>8}{counted} {'cpu s':>6}"]
    for (case, steps, known), row in rows.items():
        name = f"{case}{', probabilities' if known else ''}"
        lines.append(f"{name:42} {steps:6d} {_counts(row)} {_seconds(row):6.1f}{_rivals(row)}")
    ratios = sorted(ratio for row in rows.values() if (ratio := _ratio(row)) is not None)
    lines.append(f"{'all':42} {'':6} {_counts(outcomes)} {_seconds(outcomes):6.1f}{_rivals(outcomes)}")
    if ratios:
        lines.append(f"CPU beside the other checkout: median {median(ratios):.2f}, highest {ratios[-1]:.2f}")
    return "\n".join(lines)


def _counts(row: Sequence[Outcome]) -> str:
    """How many answers of a row are exact, miss something, keep too much, are silently wrong, raised."""
    counts = [sum(bool(getattr(o, name)) for o in row) for name in ("missed", "wrong", "silent", "error")]
    return f"{sum(o.exact for o in row):4d}/{len(row):<3d}" + "".join(f"{count:8d}" for count in counts)


def _seconds(row: Sequence[Outcome]) -> float:
    return median([o.cpu_seconds for o in row if not o.error] or [float("nan")])


def _ratio(row: Sequence[Outcome]) -> float | None:
    """Median over a row of our CPU seconds by those of the other checkout."""
    pairs = [
        (o.cpu_seconds, o.beside["cpu_seconds"]) for o in row if "cpu_seconds" in o.beside and not o.error
    ]
    return median(ours / max(theirs, 1e-9) for ours, theirs in pairs) if pairs else None


def _rivals(row: Sequence[Outcome]) -> str:
    """What the other checkout and IAMB made of the same data."""
    said = ""
    if any(o.beside for o in row):
        exact = sum(o.beside.get("exact", False) for o in row)
        seconds = median(
            [o.beside["cpu_seconds"] for o in row if "cpu_seconds" in o.beside] or [float("nan")]
        )
        said += (
            f" | beside {exact:3d}/{len(row):<3d} {seconds:6.1f} s, ratio {_ratio(row) or float('nan'):5.2f}"
        )
    with_rival = [o for o in row if o.rival]
    if with_rival:
        theirs, cpu, limit = (
            mean(o.rival[key] for o in with_rival) for key in ("f1", "cpu_seconds", "limit")
        )
        times = mean(o.cpu_seconds for o in with_rival) / cpu
        said += f" | F1 {mean(o.f1 for o in row):.3f} of {limit:.3f}"
        said += f", IAMB {theirs:.3f} in {cpu:.2f} s, ratio {times:5.2f}"
    return said


def commit_of(checkout: Path) -> str:
    """The commit of a checkout, with "+changes" when files differ from it."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", str(checkout), *words], capture_output=True, text=True)
        return done.stdout.strip()

    dirty = git("status", "--porcelain", "--untracked-files=no", "--", "terc", "benchmarks/*.py")
    return git("rev-parse", "HEAD") + ("+changes" if dirty else "")


def record(path: Path, about: dict[str, Any], outcomes: Sequence[Outcome]) -> None:
    """Write the outcomes; values that were not measured are left out."""
    body = [{key: v for key, v in asdict(o).items() if v == v and v not in ("", (), {})} for o in outcomes]
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(one) for one in body)
    head = json.dumps(about, indent=1)[:-2]
    path.write_text(f'{head},\n "table": {json.dumps(table(outcomes).splitlines(), indent=1)},\n'
                    f' "data_sets": [\n{lines}\n]}}\n')  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a suite, print its table, write its outcomes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--suite", choices=list(SUITES), default="table")
    parser.add_argument("--cases", nargs="*", help="only these cases (then nothing is written without --out)")
    parser.add_argument("--seeds", type=int, help="data sets per case")
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--steps", type=int, help="instead of each case's own number")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--beside", type=Path, help="another checkout of terc, run on the same data sets")
    parser.add_argument("--out", type=Path, help="where the outcomes go")
    options = parser.parse_args(arguments)
    suite = SUITES[options.suite]
    unknown = sorted(set(options.cases or ()) - set(suite.cases))
    if unknown:
        parser.error(f"no case named {unknown} in {options.suite}. There is {list(suite.cases)}.")
    seeds = range(options.first_seed, options.first_seed + (options.seeds or suite.seeds))
    tasks = tasks_of(suite, options.cases or list(suite.cases), seeds, options.steps)
    checkouts = [ROOT, *([options.beside.resolve()] if options.beside else [])]
    about = {
        "suite": options.suite,
        "commit": commit_of(ROOT),
        "beside": commit_of(checkouts[1]) if options.beside else None,
        "date": datetime.date.today().isoformat(),
        "seeds": [seeds.start, seeds.stop - 1],
        "steps": options.steps,
    }
    name = f"accuracy-{options.suite}{f'-{options.steps}-steps' if options.steps else ''}.json"
    out = options.out or (None if options.cases else ROOT / "benchmarks" / "results" / name)
    done: list[Outcome] = []
    for outcome in outcomes_of(tasks, suite, checkouts, options.workers):
        done.append(outcome)
        _show(outcome, len(done), len(tasks))
        if out and (len(done) % 20 == 0 or len(done) == len(tasks)):
            record(out, about, done)
    print(table(done))


def _show(outcome: Outcome, number: int, total: int) -> None:
    """A line on standard error for each answer that is not exact."""
    if not outcome.exact and not outcome.rival:
        fault = outcome.error or f"missed {outcome.missed}, wrong {outcome.wrong}"
        mark = " SILENT" if outcome.silent else ""
        said = f"{outcome.case} ({outcome.steps} steps) seed {outcome.seed}:{mark} {fault}"
        print(f"  [{number}/{total}] {said}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
