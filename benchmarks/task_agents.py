"""Five agents each in three worlds: what each needs, any of them, the task; agents trained on each of these.

python benchmarks/task_agents.py --out runs/task              all three; an interrupted run continues
python benchmarks/task_agents.py --worlds CartPole-v1         one of them
python benchmarks/task_agents.py --table                      only print what is there

Outcomes go to results/task_agents.json, one record per world.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from outcomes import Outcomes
from task import FIRST_SEED

import terc
from terc.pipeline.several_agents import ANY, TASK, part_of
from terc.pipeline.stages import RunTasks
from terc.pipeline.training import Agent, read_trained
from terc.pipeline.worlds import open_world
from terc.return_comparison import AgentGroup, compare_returns
from terc.returns.verdict import AgentLine
from terc.store import Store

RESULTS = Path(__file__).parent / "results" / "task_agents.json"
WORLDS = ["CartPole-v1", "Pendulum-v1", "LunarLander-v3"]
NOISE, AGENTS, SEEDS = 3, 5, 3
Names = tuple[str, ...]


def measured(environment: str, folder: Path) -> dict[str, Any]:
    """The run of several agents, then agents on those sets of single agents that it does not train on."""
    run = terc.run(environment, noise=NOISE, agents=AGENTS, seeds=SEEDS, out=folder)
    states = {line.name: line.kept for line in run.table.agents}
    states |= {"any of them": run.selection.kept, "the task": run.audit.state}
    tasks = RunTasks(Store(folder, "run"), run.config, open_world(run.config))
    full = [returns(tasks.store.within(part_of(k)), Agent("full", 0)) for k in range(AGENTS)]
    trained = {
        kept: [trained_on(tasks, number, kept, k) for k in range(SEEDS)]
        for number, kept in enumerate(dict.fromkeys(states.values()))
        if 0 < len(kept) < len(run.selection.names)
    }
    return {
        "full": [round(float(np.mean(values)), 2) for values in full],
        "agents": [described(line) for line in run.table.agents],
        "core": run.stability.core,
        "union": run.stability.union,
        "stand_ins": run.stability.stand_ins,
        "states": {name: compared(kept, full, trained.get(kept)) for name, kept in states.items()},
        "reasons": run.audit.reasons,
    }


def returns(store: Store, agent: Agent) -> Any:
    """Of the fresh episodes of one agent."""
    return read_trained(store, agent)[1].returns


def trained_on(tasks: RunTasks, set_number: int, kept: Names, number: int) -> Any:
    """Returns of an agent trained on these variables, by the run itself or now."""
    own = Agent(f"set-{set_number}", number, kept)
    for agent in (Agent(TASK, number, kept), Agent(ANY, number, kept), own):
        if tasks.store.is_done(tasks.training(agent)):
            return returns(tasks.store, agent)
    tasks.store.do(tasks.training(own))
    return returns(tasks.store, own)


def described(line: AgentLine) -> dict[str, Any]:
    """One agent: what it returns, and the smaller one it taught."""
    small = None if line.distilled is None else round(line.distilled, 2)
    return {"kept": line.kept, "return": round(line.mean, 2), "distilled": small, "as_good": line.as_good}


def compared(kept: Names, full: list[Any], trained: list[Any] | None) -> dict[str, Any]:
    """The return of agents trained on a state against that of agents on the full state."""
    if trained is None:
        return {"kept": kept, "verdict": "the full state" if kept else "empty"}
    curve = np.array([[1.0, 0.0]])
    groups = [
        AgentGroup(name, 0, [curve] * len(values), values)
        for name, values in (("full", full), ("smaller", trained))
    ]
    found = compare_returns(groups, None, rng=np.random.default_rng(FIRST_SEED))
    one = found.difference
    ends = [] if one is None else [one.value, one.low, one.high]
    return {
        "kept": kept,
        "returns": [round(float(np.mean(values)), 2) for values in trained],
        "difference": [round(end, 2) for end in ends],
        "verdict": found.verdict,
    }


def table(outcomes: Outcomes) -> Iterator[str]:
    """What was measured."""
    for record in outcomes.of("agents"):
        yield f"\n{record['environment']}: agents on the full state return {_row(record['full'])}\n"
        yield "| state | variables | trained anew | difference to the full state | distilled |"
        yield "|---|---|---|---|---|"
        for number, (name, one) in enumerate(record["states"].items()):
            line = record["agents"][number] if number < len(record["agents"]) else {}
            small = f"{line['distilled']:.4g} of {line['return']:.4g}" if line.get("distilled") else ""
            ends = "{:+.4g} [{:.4g}, {:.4g}], ".format(*one["difference"]) if "returns" in one else ""
            yield (
                f"| {name} | {len(one['kept'])}: {', '.join(one['kept'])} | {_row(one.get('returns', ()))} | "
                f"{ends}{one['verdict']} | {small} |"
            )


def _row(values: Any) -> str:
    return ", ".join(f"{value:.4g}" for value in values)


def main() -> None:
    """Measure the worlds, then print all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", nargs="*", default=WORLDS)
    parser.add_argument("--out", type=Path, default=Path("runs") / "task", help="one folder per world in it")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--since", metavar="COMMIT", help="measure again what an older commit measured")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    outcomes = Outcomes(options.results, options.since)
    warnings.simplefilter("ignore")
    for environment in [] if options.table else options.worlds:
        what = {"part": "agents", "environment": environment}
        outcomes.once(what, partial(measured, environment, options.out / environment))
    print("\n".join(table(outcomes)))


if __name__ == "__main__":
    main()
