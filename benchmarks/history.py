"""Do trained Q-learners against tit-for-N-tats look N - 1 steps back, and does condition 1 hold?

python benchmarks/history.py --seeds 2
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial

import gymnasium

import terc
from terc.agents import TabularQConfig
from terc.agents.learner import train_agent

STEPS = 10_000


def world(tats: int) -> gymnasium.Env:  # type: ignore[type-arg]
    """The game; ten tats need a history of ten to be learned reliably."""
    return gymnasium.make("terc/TitForNTats-v0", n=tats, history=10 if tats == 10 else 9)


def main() -> None:
    """One row per opponent: lengths found with exploration and without, and the verdict on condition 1."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--tats", type=int, nargs="*", default=range(2, 11))
    options = parser.parse_args()
    print(f"{'opponent':10} {'wanted':>6}  {'exploring':12} {'pure cycle':12} condition 1 on the pure cycle")
    for tats in options.tats:
        exploring, pure, verdicts = [], [], set()
        for seed in range(options.seeds):
            trained = train_agent(partial(world, tats), seed=seed, agent=TabularQConfig()).policy
            play = partial(terc.rollout, partial(world, tats), steps=STEPS, seed=seed + 100)
            length = 10 if tats == 10 else 9
            exploring.append(
                terc.history_length(play(replace(trained, epsilon=0.1)), max_length=length).length
            )
            cycle = play(replace(trained, epsilon=0.0))
            pure.append(terc.history_length(cycle, max_length=length).length)
            verdicts.add(str(terc.check_condition_1(cycle, time_limit=10)).splitlines()[0])
        print(
            f"TF{tats}T{'':6} {tats - 1:6d}  {exploring!s:12} {pure!s:12} {' / '.join(sorted(verdicts))}",
            flush=True,
        )


if __name__ == "__main__":
    main()
