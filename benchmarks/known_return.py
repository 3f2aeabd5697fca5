"""Policies of which it is known what they read and what that is worth, and agents that have not learned.

python benchmarks/known_return.py --seeds 3      whole runs of each; seeds from 70,000
python benchmarks/known_return.py --since COMMIT  measure again what an older commit measured
python benchmarks/known_return.py --table        only print what is there

In a world of 200 steps there is a point for every step on the right `side`. A `colour` and a `noise` are
worth nothing. An `alarm` that is not heeded costs 20 where it is on in 3 % of the steps, and 1,000 where it
is on in 0.05 %: too rarely for the recorded actions to show it. Does the ablation find exactly what the
return depends on, and does the run say so in words where information and return disagree?

An outcome is added to the file as soon as it is known; what is there is not measured again.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from outcomes import Outcomes

import terc
from terc.pipeline.finished import Run

FIRST_SEED = 70_000
RESULTS = Path(__file__).parent / "results" / "known_return.json"


class Gate(gym.Env[np.ndarray, int]):
    """A point for the right side; an alarm that is on with some chance costs `damage` unless it is heeded."""

    variable_names = ("side", "colour", "alarm", "noise")

    def __init__(self, chance: float = 0.03, damage: float = 20.0) -> None:
        self.chance, self.damage = chance, damage
        self.observation_space = gym.spaces.Box(-1, 1, (4,), np.float64)
        self.action_space = gym.spaces.Discrete(8)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Two hundred steps are left."""
        super().reset(seed=seed)
        self.left = 200
        return self._look(), {}

    def _look(self) -> np.ndarray:
        side, colour, noise = self.np_random.uniform(-1, 1, 3)
        self.state = np.array([side, colour, self.np_random.random() < self.chance, noise])
        return self.state

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """What the action earns, and a new state."""
        right = float(action % 2 == (self.state[0] > 0))
        reward = right - self.damage * bool(self.state[2] and action < 4)
        self.left -= 1
        return self._look(), reward, False, self.left == 0, {}


def follows_side(states: np.ndarray) -> np.ndarray:
    """Reads the side and nothing else."""
    return (states[:, 0] > 0).astype(int) + 4


def reads_colour(states: np.ndarray) -> np.ndarray:
    """The colour decides half of the action, and no reward looks at it."""
    return follows_side(states) + 2 * (states[:, 1] > 0)


def heeds_alarm(states: np.ndarray) -> np.ndarray:
    """The side, and the alarm."""
    return (states[:, 0] > 0).astype(int) + 4 * (states[:, 2] > 0.5)


@dataclass(frozen=True)
class Case:
    """A policy, and what is true of it.

    Attributes:
        worth: What the return depends on.
        said: Whether a run says what it should.
        episodes: Played of each; more where what matters is rare.
    """

    policy: Callable[[np.ndarray], np.ndarray]
    env: Callable[[], Any]
    worth: tuple[str, ...]
    said: Callable[[Run], bool]
    episodes: int = 100


def _as_good(run: Run) -> bool:
    return run.verdict.as_good is True


def _read_for_nothing(run: Run) -> bool:
    told = [line for line in run.verdict.unplugged if line.startswith("the actions follow colour, but ")]
    return _as_good(run) and len(told) == 1 and "no change of the return" in told[0]


def _removed_but_worth(run: Run) -> bool:
    doubts = {note.code: note.text for note in run.verdict.doubts}
    told = doubts.get("removed-but-worth", "").startswith(
        "the actions hardly depend on alarm, but the return"
    )
    return run.verdict.as_good is False and told


CASES = {
    "reads the side": Case(follows_side, Gate, ("side",), _as_good),
    "reads a colour that is worth nothing": Case(reads_colour, Gate, ("side",), _read_for_nothing),
    "heeds a frequent alarm": Case(heeds_alarm, Gate, ("side", "alarm"), _as_good),
    "heeds a rare alarm": Case(
        heeds_alarm, partial(Gate, 0.0005, 1000.0), ("side", "alarm"), _removed_but_worth, 400
    ),
}
UNTRAINED = "untrained on Mountain Car Continuous"


def known(case: Case, seed: int, folder: str) -> dict[str, Any]:
    """A whole run of one policy: what it keeps, what unplugging shows, and whether its words are right."""
    options = {"play_episodes": case.episodes, "rollout_steps": 10_000, "timing_calls": 50, "lessons": 2}
    found = terc.run(case.env, model=case.policy, out=folder, seed=seed, **options)
    single = [row.name for row in found.ablation.rows if row.variables == (row.name,) and row.matters]
    return {
        "kept": found.selection.kept,
        "worth": single,
        "exact": set(single) == set(case.worth),
        "as_good": found.verdict.as_good,
        "said": case.said(found),
    }


def untrained(seed: int, folder: str) -> dict[str, Any]:
    """A run of an agent that was hardly trained: there must be the warning, and no verdict."""
    options = {"steps": 2000, "noise": 2, "rollout_steps": 3000, "play_episodes": 20, "retrain": False}
    found = terc.run("MountainCarContinuous-v0", out=folder, seed=seed, timing_calls=50, **options)
    top = str(found).splitlines()[:2]
    no_verdict = found.verdict.as_good is None and top[1] == "No verdict: the full agent has not learned."
    return {"as_good": found.verdict.as_good, "said": no_verdict and top[0].startswith("WARNING: ")}


def table(outcomes: list[dict[str, Any]]) -> str:
    """One line per kind."""
    lines = [
        "| policy | ablation finds exactly what the return depends on | the run says what is true |",
        "|---|---|---|",
    ]
    for name in (*CASES, UNTRAINED):
        here = [one for one in outcomes if one["policy"] == name]
        exact = [one["exact"] for one in here if "exact" in one]
        said = sum(one["said"] for one in here)
        shown = f"{sum(exact)} of {len(exact)}" if exact else "\u2013"
        lines.append(f"| {name} | {shown} | {said} of {len(here)} |")
    return "\n".join(lines)


def measured(name: str, seed: int) -> dict[str, Any]:
    """One run, and the CPU seconds it took."""
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        found = known(CASES[name], seed, folder) if name in CASES else untrained(seed, folder)
    return {"cpu_seconds": round(time.process_time() - began, 1), **found}


def main() -> None:
    """Measure what is missing, write it, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--since", metavar="COMMIT", help="measure again what an older commit measured")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    outcomes = Outcomes(given.results, given.since)
    warnings.simplefilter("ignore")
    for seed in range(FIRST_SEED, FIRST_SEED + given.seeds) if not given.table else []:
        for name in (*CASES, UNTRAINED):
            outcomes.once({"policy": name, "seed": seed}, partial(measured, name, seed))
    print(table(outcomes.records))


if __name__ == "__main__":
    main()
