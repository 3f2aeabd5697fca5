"""How few variables are enough: the frontier of Lunar Lander and of the Secret Key Game. Seeds from 70,000.

python benchmarks/frontier.py lunar-lander --teachers FOLDER   5 noise columns; five students on the answer
python benchmarks/frontier.py secret-key                       25 keys, a player that knows the rule
python benchmarks/frontier.py lunar-lander --seed 70001        another agent
python benchmarks/frontier.py --table                          only print what is there

The five students are distilled with seeds that the frontier did not use, and each is measured on 1,000
episodes beside its teacher, so that the luck of episodes (a standard error of about 2 points of 220 on Lunar
Lander) is small beside the tolerance of 5 %.

Each adds its outcome to benchmarks/results/frontier.json.
"""

from __future__ import annotations

import argparse
import importlib
import json
import time
from pathlib import Path
from statistics import mean
from typing import Any

import gymnasium as gym

import terc
from terc.environments.secret_key import secret_of, secret_positions
from terc.returns.front import Frontier
from terc.returns.play import mean_interval

SEED, STUDENTS, EPISODES, PLAYED, KEYS = 70_000, 5, 100, 1000, 25
# `return.py`, whose name no import statement can hold
returns = importlib.import_module("return")
RESULTS = Path(__file__).parent / "results" / "frontier.json"


def lunar_lander(seed: int, teachers: Path | None) -> dict[str, Any]:
    """The frontier of one agent, and five students on its smallest set that holds 95 % of the return."""
    world = next(one for one in returns.WORLDS if one.id == "LunarLander-v3")
    policy, training_seconds, _ = returns.teacher(world, seed, teachers)
    began = time.process_time()
    front = terc.frontier(world.maker, policy, episodes=EPISODES, rounds=4, seed=seed)
    seconds = time.process_time() - began
    names = front.smallest()
    return {
        "training_seconds": round(training_seconds, 1),
        **described(front, seconds),
        "students": [student(world, policy, names, seed + number) for number in range(1, STUDENTS + 1)],
    }


def student(world: Any, policy: Any, names: tuple[str, ...], seed: int) -> dict[str, Any]:
    """One agent on these variables, as `distill` makes it, beside its teacher on many episodes."""
    small = terc.distill(world.maker, policy, names, seed=seed)
    mine, theirs = (
        terc.play(world.maker, one, PLAYED, seed + 500_000, random=False) for one in (small, policy)
    )
    return {
        "student": round(mine.mean, 2),
        "teacher": round(theirs.mean, 2),
        "difference": [round(end, 2) for end in mean_interval(mine.values - theirs.values)],
        "holds_95": bool(mine.mean >= 0.95 * theirs.mean),
        "seconds": round(small.seconds, 1),
    }


def secret_key(seed: int, teachers: Path | None) -> dict[str, Any]:
    """A perfect player: the three secret keys are enough, two are not."""
    positions = secret_positions(KEYS, 0)
    began = time.process_time()
    front = terc.frontier(
        lambda num_envs: gym.make_vec("terc:terc/SecretKey-v0", num_envs, keys=KEYS),
        lambda states: secret_of(states, positions).astype(int) + 40,
        episodes=EPISODES,
        rounds=2,
        seed=seed,
    )
    found = described(front, time.process_time() - began)
    return {"secret": [f"key_{k}" for k in positions], **found}


def described(front: Frontier, seconds: float) -> dict[str, Any]:
    """What the file holds of a frontier."""
    frame = front.to_frame()
    return {
        "commit": returns.commit(),
        "teacher": round(front.teacher.mean, 2),
        "teacher_interval": [round(end, 2) for end in front.teacher.interval],
        "random": round(front.teacher.random.mean, 2) if front.teacher.random else None,
        "smallest": list(front.smallest()),
        "tried": [
            {
                "variables": list(one.variables),
                "agents": [round(value, 2) for value in one.differences],
                "low": round(one.low, 2),
                "tolerated": round(-front.teacher.tolerated(front.tolerance), 2),
                "episodes": one.episodes,
            }
            for one in front.tried
        ],
        "points": [
            [int(row.variables), *(round(end, 2) for end in (row["return"], row.low, row.high))]
            for _, row in frame.iterrows()
        ],
        "seconds": round(seconds, 1),
    }


SUITES = {"lunar-lander": lunar_lander, "secret-key": secret_key}


def table(outcomes: list[dict[str, Any]]) -> str:
    """Return against number of variables, the sets that were tried, and students on the smallest."""
    heads = [
        "world, seed",
        "variables: return",
        "tried: difference, at least (tolerated)",
        "smallest within 5 %",
    ]
    heads += ["students that hold 95 %", "CPU s"]
    rows = []
    for one in outcomes:
        points = ", ".join(f"{count}: {value:.4g}" for count, value, *_ in one["points"])
        tried = "; ".join(
            f"{len(each['variables'])}: {mean(each['agents']):.3g}, {each['low']:.3g} "
            f"({each['tolerated']:.3g})"
            for each in one["tried"]
        )
        students = one.get("students", [])
        held = f"{sum(each['holds_95'] for each in students)} of {len(students)}" if students else "\u2013"
        rows.append(
            [
                f"{one['world']}, {one['seed']}",
                points,
                tried,
                ", ".join(one["smallest"]),
                held,
                f"{one['seconds']:.0f}",
            ]
        )
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *rows))


def main() -> None:
    """Measure what is asked for, write it, print it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("suites", nargs="*", help="which")
    parser.add_argument("--teachers", type=Path, default=None, help="folder of trained agents")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    outcomes = json.loads(RESULTS.read_text(encoding="utf8")) if RESULTS.exists() else []
    for name in given.suites or ([] if given.table else list(SUITES)):
        outcomes = [one for one in outcomes if (one["world"], one["seed"]) != (name, given.seed)]
        outcomes.append({"world": name, "seed": given.seed, **SUITES[name](given.seed, given.teachers)})
        RESULTS.write_text(json.dumps(outcomes, indent=1) + "\n", encoding="utf8")
    print(table(outcomes))


if __name__ == "__main__":
    main()
