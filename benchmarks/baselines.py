"""Which methods find exactly the right variables? Methods x data sets with a known answer. Seeds from 60,000.

python benchmarks/baselines.py                                  every family, every installed method, 10 seeds
python benchmarks/baselines.py --methods terc umfi --cases four_redundant secret_keys --seeds 3
python benchmarks/baselines.py --rollouts runs/demonstrations   the trained agents of benchmarks/pipeline.py
python benchmarks/baselines.py --table                          only print what is there

Outcomes are added to --cache as soon as they are known, so that the benchmark can be run in pieces; of
rollouts when all methods have seen one, since their sets are measured together.
What the page shows is kept in results/baselines.jsonl; `measurements.py --run baselines` begins it anew.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import IO, TYPE_CHECKING, Any

from measurements import about

if TYPE_CHECKING:
    from terc.synthetic.labelled import Labelled

FIRST_SEED = 60_000
STEPS = 10_000
CACHE = Path(__file__).parent / "results" / "baselines.jsonl"
HEAD = "| data set | "
MOST_OF_IT = 0.95
MOST_COLUMNS = 100
# Forests for every variable and run, or regressions on hundreds of columns: minutes to hours beyond so many.
NOT_FOR_MANY = (
    "umfi", "umfi_linear", "permutation_forest", "boruta", "shap", "rfecv", "sequential", "tigramite"
)  # fmt: skip
# An eighth of the price of UMFI, less of the others: marked with * in the table.
QUICK = {
    "umfi": {"trees": 30, "runs": 4},
    "umfi_linear": {"trees": 20, "runs": 4, "tree_rows": 500},
    "permutation_forest": {"trees": 50, "runs": 5, "repeats": 2},
    "boruta": {"trees": 50, "iterations": 30},
    "shap": {"trees": 50, "runs": 3},
    "sequential": {"trees": 10},
}
ROLLOUTS = ("cart-pole", "lunar-lander", "pendulum", "secret-key-25", "secret-key-50")


@dataclass(frozen=True)
class Outcome:
    """One method on one data set."""

    case: str
    method: str
    seed: int
    exact: bool
    missed: int
    wrong: int
    cpu_seconds: float
    quick: bool = False
    share: float | None = None
    """Of rollouts: the share of the action information that the kept variables hold."""
    commit: str = ""

    @property
    def is_right(self) -> bool:
        """Exact, or of rollouts no noise and most of the information: agents may leave variables unused."""
        return self.exact or (self.share is not None and self.wrong == 0 and self.share >= MOST_OF_IT)


def known() -> dict[str, Callable[..., Any]]:
    """The methods by name, and those that score with our error rate instead of the paper's rule."""
    from terc.baselines.methods import METHODS

    corrected = ("umfi", "permutation", "permutation_forest")
    return {**METHODS, **{f"{name}_corrected": partial(METHODS[name], alpha=0.05) for name in corrected}}


def cases(rollouts: Path | None) -> list[str]:
    """Names of the data sets."""
    from terc.synthetic import FAMILIES

    return list(FAMILIES) if rollouts is None else [f"rollout {name}" for name in ROLLOUTS]


def labelled(case: str, seed: int, rollouts: Path | None) -> Labelled:
    """The data set with its right answer."""
    from terc.synthetic import FAMILIES

    if rollouts is None:
        return FAMILIES[case](STEPS, seed=seed)
    return _rolled_out(rollouts, case.removeprefix("rollout "), seed)


def _rolled_out(folder: Path, world: str, seed: int) -> Labelled:
    """Sampled steps of a trained agent; right are the variables without noise, or the three secret keys."""
    from pipeline import useless

    from terc.synthetic.labelled import Labelled, classes
    from terc.trajectories.files import load

    data = load(folder / f"{world}-{seed}" / "trajectories.parquet").sampled_only()
    wrong = useless(world, seed, data.names)
    return Labelled(data, classes([name for name in data.names if name not in wrong]))


def run(
    case: str, methods: Sequence[str], seed: int, *, quick: bool, rollouts: Path | None
) -> Iterator[Outcome]:
    """Every method on one data set, made once."""
    data_set = labelled(case, seed, rollouts)
    kept, outcomes = [], []
    for method in methods:
        if method.removesuffix("_corrected") in NOT_FOR_MANY and len(data_set.data.names) > MOST_COLUMNS:
            continue
        less = QUICK.get(method.removesuffix("_corrected"), {}) if quick else {}
        started = time.process_time()
        names = known()[method](data_set.data, seed=seed, n_jobs=1, progress=False, **less).kept
        seconds = round(time.process_time() - started, 2)
        missed, wrong = len(data_set.missed(names)), len(data_set.wrong(names))
        outcome = Outcome(case, method, seed, data_set.is_exact(names), missed, wrong, seconds, bool(less))
        if rollouts is None:
            yield outcome
        kept.append(names)
        outcomes.append(outcome)
    if rollouts is not None:
        yield from with_shares(outcomes, data_set, kept)


def with_shares(
    outcomes: Sequence[Outcome], data_set: Labelled, kept: Sequence[Sequence[str]]
) -> Iterator[Outcome]:
    """The outcomes with what their sets hold, measured on the same folds for all.

    The right set is measured too: the whole is what the best of them holds, whoever else takes part.
    """
    from terc.baselines.comparison import holdings

    right = [members[0] for members in data_set.answers]
    shares = holdings(data_set.data, [*kept, right]).shares[:-1]
    for outcome, share in zip(outcomes, shares, strict=True):
        yield replace(outcome, share=round(share.value, 3))


def installed() -> list[str]:
    """Methods whose packages are there."""
    from importlib.util import find_spec

    from terc.baselines.methods import EXTRAS, METHODS

    return [name for name in METHODS if name not in EXTRAS or find_spec(EXTRAS[name])]


def read(cache: Path) -> list[Outcome]:
    """Outcomes so far; a line that was cut off when the benchmark was killed is left out."""
    outcomes = []
    for line in cache.read_text().splitlines() if cache.exists() else []:
        try:
            outcomes.append(Outcome(**json.loads(line)))
        except (json.JSONDecodeError, TypeError):
            print(f"left out: {line[:60]}", file=sys.stderr)
    return outcomes


def measure(options: argparse.Namespace, seeds: range) -> None:
    """Run what is not in the cache yet, seed after seed; what was quick counts only for another quick run."""
    how = {"quick": options.quick, "rollouts": options.rollouts}
    methods, names = options.methods or installed(), options.cases or cases(options.rollouts)
    done = {(o.case, o.method, o.seed) for o in read(options.cache) if options.quick or not o.quick}
    commit = about()["commit"]
    with options.cache.open("a+") as stream:
        _end_the_last_line(stream)
        for seed in seeds:
            for case in names:
                missing = [method for method in methods if (case, method, seed) not in done]
                for outcome in run(case, missing, seed, **how) if missing else ():
                    stream.write(json.dumps(asdict(outcome) | {"commit": commit}) + "\n")
                    stream.flush()
                    print(outcome, file=sys.stderr, flush=True)


def _end_the_last_line(stream: IO[str]) -> None:
    """What was cut off when the benchmark was killed must not spoil the next outcome."""
    stream.seek(0)
    before = stream.read()
    if before and not before.endswith("\n"):
        stream.write("\n")


def table(outcomes: Sequence[Outcome]) -> str:
    """Per data set and method: exact sets of all, sets that miss nothing in brackets, median CPU seconds.

    Of rollouts the first number counts sets without noise that hold 95 % of the information.
    """
    methods = list(dict.fromkeys(o.method for o in outcomes))
    methods.sort(key=[*known(), *methods].index)
    lines = [f"{HEAD}{' | '.join(methods)} |", f"|---|{'---|' * len(methods)}"]
    for case in sorted({o.case for o in outcomes}, key=[*cases(None), *cases(Path())].index):
        cells = [_cell([o for o in outcomes if (o.case, o.method) == (case, m)]) for m in methods]
        lines.append(f"| {case} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(row: Sequence[Outcome]) -> str:
    if not row:
        return "-"
    full = {o.seed for o in row if not o.quick}
    row = [o for o in row if not (o.quick and o.seed in full)]
    exact, found = sum(o.is_right for o in row), sum(o.missed == 0 for o in row)
    mark = "*" if any(o.quick for o in row) else ""
    return f"{exact}/{len(row)}{mark} ({found}) {median(o.cpu_seconds for o in row):.1f} s"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is missing and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", nargs="*", help="only these data sets")
    parser.add_argument("--methods", nargs="*", help="only these methods")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, help=f"{FIRST_SEED:,}, or 0 for rollouts, unless given")
    parser.add_argument("--quick", action="store_true", help="fewer and smaller forests, marked with *")
    parser.add_argument("--rollouts", type=Path, help="folder of benchmarks/pipeline.py: its trained agents")
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--table", action="store_true", help="run nothing")
    options = parser.parse_args(arguments)
    if not options.table:
        import torch

        torch.set_num_threads(1)
        warnings.simplefilter("ignore")
        first = options.first_seed
        if first is None:
            first = FIRST_SEED if options.rollouts is None else 0
        measure(options, range(first, first + options.seeds))
    print(table(read(options.cache)))


if __name__ == "__main__":
    main()
