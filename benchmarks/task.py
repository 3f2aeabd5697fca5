"""More than one policy, and what the task needs: audit, stability and several policies. Seeds from 90,000.

python benchmarks/task.py audit --seeds 5          eight factored worlds: fixed points, SEEK beside them
python benchmarks/task.py stability                do the intervals of frequencies hold?
python benchmarks/task.py policies                 error rate and power with three policies
python benchmarks/task.py audit --since COMMIT     measure again what an older commit measured
python benchmarks/task.py table                    only print what is there

An outcome is added to the file as soon as it is known; what is there is not measured again.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from outcomes import Outcomes

import terc
from terc.baselines.knockoffs import knockoffs
from terc.synthetic import FACTORED, Labelled

FIRST_SEED = 90_000
RESULTS = Path(__file__).parent / "results" / "task.json"
STEPS = 10_000
EFFECTS = (0.4, 0.25, 0.55)
"""Log-odds of the weak variable: kept in about a fifth, a half and four fifths of the halves."""
EPISODES, LENGTH = 200, 5


def audited(kind: str, seed: int) -> dict[str, Any]:
    """Select, audit to the fixed point; SEEK on the same steps, with what the policy reads joined to it."""
    world = FACTORED[kind](STEPS, seed=seed)
    started = time.process_time()
    selection = terc.select(world.data, seed=seed)
    found = terc.audit(world.data, selection, seed=seed)
    seconds = time.process_time() - started
    seek = knockoffs(world.data, aim="reward", seed=seed).kept
    joined = [name for name in world.data.names if name in {*seek, *selection.kept}]
    return {
        "variables": len(world.data.names),
        "kept": selection.kept,
        "cpu_seconds": round(seconds, 1),
        **compared("", world, found.state),
        **compared("seek_", world, seek),
        **compared("seek_and_policy_", world, joined),
    }


def compared(prefix: str, world: Labelled, state: Any) -> dict[str, Any]:
    """A found state against the known one."""
    return {
        f"{prefix}state": list(state),
        f"{prefix}exact": world.is_exact(state),
        f"{prefix}missed": len(world.missed(state)),
        f"{prefix}wrong": len(world.wrong(state)),
    }


def weak_recording(
    episodes: int, effect: float, rng: np.random.Generator, numbers: bool = False
) -> terc.Trajectories:
    """A strong variable, a weak one and two of noise; the agent has a mood in each episode."""
    n = episodes * LENGTH
    signs = rng.standard_normal((n, 4)) if numbers else 2 * rng.integers(0, 2, (n, 4)) - 1
    mood = np.repeat(rng.standard_normal(episodes), LENGTH)
    logits = 1.5 * signs[:, 0] + effect * signs[:, 1] + 0.5 * mood
    actions = (rng.random(n) < 1 / (1 + np.exp(-logits))).astype(int)
    names = ["strong", "weak", "noise_0", "noise_1"]
    return terc.Trajectories(signs, actions, episodes=np.repeat(np.arange(episodes), LENGTH), names=names)


def covered(effect: float, recordings: int, estimator: str, halves: int) -> dict[str, Any]:
    """How many recordings' intervals hold the true frequency in recordings of half the length.

    Bits are counted; the default estimator is asked about numbers.
    """
    rng, numbers = np.random.default_rng(FIRST_SEED), estimator != "plugin"
    started = time.process_time()
    fresh = (weak_recording(EPISODES // 2, effect, rng, numbers) for _ in range(50 * halves))
    truth = float(np.mean(["weak" in terc.select(one, estimator=estimator).kept for one in fresh]))
    holds, widths = [], []
    for number in range(recordings):
        whole = weak_recording(EPISODES, effect, rng, numbers)
        line = terc.stability(whole, halves, estimator=estimator, seed=FIRST_SEED + number)["weak"]
        holds.append(line.low <= truth <= line.high)
        widths.append(line.high - line.low)
    return {
        "true_frequency": truth,
        "covered": int(np.sum(holds)),
        "mean_width": round(float(np.mean(widths)), 3),
        "cpu_seconds": round(time.process_time() - started, 1),
    }


def three_policies(seed: int, used: float, steps: int) -> terc.Trajectories:
    """Three policies over six variables that drift slowly; `used` is what the third reads of x_1."""
    recordings = []
    for policy in range(3):
        rng = np.random.default_rng([seed, policy])
        episodes = np.arange(steps) // 50
        x = rng.standard_normal((steps, 6)) + rng.standard_normal((steps // 50, 6))[episodes]
        bias = rng.standard_normal(steps // 50)[episodes]
        logits = 0.7 * (policy - 1) + 0.5 * bias + (used * x[:, 1] if policy == 2 else 0.0)
        actions = (rng.random(steps) < 1 / (1 + np.exp(-logits))).astype(int)
        recordings.append(terc.Trajectories(x, actions, episodes=episodes))
    return terc.Trajectories.concat(recordings)


def kept_of_three(seed: int, used: float, steps: int) -> dict[str, Any]:
    """What is kept for any of three policies."""
    return {"kept": terc.select(three_policies(seed, used, steps), seed=seed).kept}


def table(outcomes: Outcomes) -> str:
    """What was measured, in words and a table."""
    audits = outcomes.of("audit")
    lines = ["| world | audit exact | missed, wrong | SEEK exact | missed, wrong |", "|---|---|---|---|---|"]
    for kind in FACTORED:
        mine = [record for record in audits if record["kind"] == kind]
        if mine:
            lines.append(f"| {kind} | {_counts(mine, '')} | {_counts(mine, 'seek_and_policy_')} |")
    if audits:
        lines.append(f"| all | {_counts(audits, '')} | {_counts(audits, 'seek_and_policy_')} |")
    lines.append("")
    for record in outcomes.of("stability"):
        lines.append(
            f"- stability ({record['estimator']}, {record['halves']} halves): true frequency "
            f"{record['true_frequency']:.2f}, covered in {record['covered']} of {record['recordings']} "
            f"recordings, mean width {record['mean_width']}"
        )
    return "\n".join([*lines, *_policies(outcomes.of("policies"))])


def _policies(records: list[dict[str, Any]]) -> Iterator[str]:
    for steps in sorted({record["steps"] for record in records}):
        here = [record for record in records if record["steps"] == steps]
        nulls = [record["kept"] for record in here if record["used"] == 0]
        found = [record["kept"] for record in here if record["used"] > 0]
        exact = sum(list(kept) == ["x_1"] for kept in found)
        wrong = sum(bool(set(kept) - {"x_1"}) for kept in found)
        yield (
            f"- three policies of {steps} steps: anything kept in {sum(map(bool, nulls))} of {len(nulls)} "
            f"nulls; exactly what one of them reads in {exact} of {len(found)}, anything else in {wrong}"
        )


def _counts(records: list[dict[str, Any]], prefix: str) -> str:
    exact, missed, wrong = (
        sum(r[f"{prefix}{what}"] for r in records) for what in ("exact", "missed", "wrong")
    )
    return f"{exact} of {len(records)} | {missed}, {wrong}"


def tasks(options: argparse.Namespace) -> Iterator[tuple[dict[str, Any], Callable[[], dict[str, Any]]]]:
    """What is to be measured, and how."""
    if options.part == "audit":
        for seed, kind in product(range(FIRST_SEED, FIRST_SEED + options.seeds), options.only):
            yield {"part": "audit", "kind": kind, "seed": seed}, partial(audited, kind, seed)
    if options.part == "stability":
        for effect in options.effects:
            how = {name: getattr(options, name) for name in ("recordings", "estimator", "halves")}
            yield {"part": "stability", "effect": effect, **how}, partial(covered, effect, **how)
    if options.part == "policies":
        for seed, used in product(range(FIRST_SEED, FIRST_SEED + options.nulls), (0.0, 0.6)):
            what = {"part": "policies", "seed": seed, "used": used, "steps": options.steps}
            yield what, partial(kept_of_three, seed, used, options.steps)


def main() -> None:
    """Measure one part, then print all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=["audit", "stability", "policies", "table"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=list(FACTORED))
    parser.add_argument("--recordings", type=int, default=200)
    parser.add_argument("--estimator", default="plugin", help="of the selections of `stability`")
    parser.add_argument("--halves", type=int, default=20, help="of each recording")
    parser.add_argument("--effects", type=float, nargs="*", default=EFFECTS)
    parser.add_argument("--nulls", type=int, default=100)
    parser.add_argument("--steps", type=int, default=1000, help="of each of the three policies")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--since", metavar="COMMIT", help="measure again what an older commit measured")
    options = parser.parse_args()
    outcomes = Outcomes(options.results, options.since)
    warnings.simplefilter("ignore")
    for what, measure in tasks(options):
        outcomes.once(what, measure)
    print(table(outcomes))


if __name__ == "__main__":
    main()
