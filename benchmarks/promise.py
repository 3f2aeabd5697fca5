"""How often the smallest set of a frontier really holds the return, where the truth is known. Seed 70,000.

python benchmarks/promise.py            measure and write benchmarks/results/promise.json
python benchmarks/promise.py --table    only print what is there

Nothing is played: the returns of 13 nested sets, and those of agents distilled afresh, are drawn about a
truth that is given, with the luck of episodes and of agents; `terc.frontier`'s own code decides.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from terc.progress import silent
from terc.returns.front import Frontier, Point
from terc.returns.frontier import confirmations
from terc.returns.play import Range, Returns

# What sets of 1, 2, ... 13 variables lose, in percent of the return; 5 are tolerated.
LOSSES = {
    "nothing down to 2": [30.0, *[0.0] * 12],
    "1 down to 6, 4.8 with 5": [250.0, 110.0, 45.0, 18.0, 4.8, *[1.0] * 8],
    "gradually more, 5.5 with 4": [20.0, 10.0, 7.0, 5.5, 4.5, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5, 0.0],
    "nothing down to 6, 5.5 to 7 with 5 to 2": [30.0, 7.0, 6.5, 6.0, 5.5, *[0.0] * 8],
}
# Standard deviations in percent of the return: of an episode's difference to its teacher's (that of Lunar
# Lander), and of agents that were distilled onto one set.
PER_EPISODE, BETWEEN_AGENTS = 27.0, (0.0, 1.5, 3.0)
SEED, EPISODES, TOLERATED, DRAWN = 70_000, 100, 5.0, 1000
RESULTS = Path(__file__).parent / "results" / "promise.json"


def measure(world: str, spread: float) -> dict[str, Any]:
    """Shares of `DRAWN` frontiers of one world."""
    lost = LOSSES[world]
    found = [drawn(lost, spread, SEED + number) for number in range(DRAWN)]
    confirmed = [front for front in found if front.confirmed() is not None]
    lucky = [len(front.candidates[0].variables) for front in found if front.candidates]
    sizes = np.array([len(front.smallest()) for front in confirmed])
    losses = np.array(lost)[sizes - 1]
    agents = losses + np.random.default_rng(SEED).normal(0, spread, losses.shape)
    return {
        "commit": importlib.import_module("return").commit(),
        "world": world,
        "seed": SEED,
        "between_agents": spread,
        "seems_to_hold": _share(lost[size - 1] <= TOLERATED for size in lucky),
        "kept": _share(losses <= TOLERATED),
        "agents_that_hold": _share(agents <= TOLERATED),
        "confirmed": round(len(confirmed) / DRAWN, 3),
        "variables": round(float(sizes.mean()), 2),
        "tried": round(float(np.mean([len(front.tried) for front in found])), 2),
    }


def drawn(lost: list[float], spread: float, seed: int) -> Frontier:
    """A frontier of agents that lose so much in the mean, by luck some more and some less."""
    rng, names = np.random.default_rng(seed), tuple(f"x_{k}" for k in range(len(lost)))

    def agent(variables: Sequence[Any], episodes: int, file: Path | None = None) -> Any:
        mean = 100.0 - lost[len(variables) - 1] + rng.normal(0, spread)
        mine = _returns(rng.normal(mean, PER_EPISODE, episodes))
        return SimpleNamespace(returns=mine, teacher=_returns(np.full(episodes, 100.0)))

    sets = [names[:size] for size in range(len(names), 0, -1)]
    points = [Point(one, float(len(one)), agent(one, EPISODES).returns, 1.0) for one in sets]
    front = Frontier(tuple(points), _returns(np.full(EPISODES, 100.0)), names[::-1], {})
    return replace(front, tried=confirmations(front, names, agent, silent, None))


def _returns(values: Any) -> Returns:
    return Returns(float(values.mean()), Range(-np.inf, np.inf), values)


def _share(true: Any) -> float:
    return round(float(np.mean(list(true))), 3)


def table(outcomes: list[dict[str, Any]]) -> str:
    """One row per world and spread of agents."""
    heads = ["sets lose, %", "agents differ by, %", "the smallest that seems to hold 95 % does"]
    heads += [
        "the confirmed one does",
        "one more agent on it does",
        "confirmed at all",
        "variables",
        "sets tried",
    ]
    rows = [
        [
            one["world"],
            f"{one['between_agents']:g}",
            *(f"{one[what]:.1%}" for what in ("seems_to_hold", "kept", "agents_that_hold", "confirmed")),
            f"{one['variables']:.1f}",
            f"{one['tried']:.1f}",
        ]
        for one in outcomes
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *rows))


def main() -> None:
    """Measure, write, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--table", action="store_true")
    if not parser.parse_args().table:
        outcomes = [measure(*one) for one in product(LOSSES, BETWEEN_AGENTS)]
        RESULTS.write_text(json.dumps(outcomes, indent=1) + "\n", encoding="utf8")
    print(table(json.loads(RESULTS.read_text(encoding="utf8"))))


if __name__ == "__main__":
    main()
