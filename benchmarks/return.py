"""What variables mean for the return: teacher, ablation of noise, distilled student. Seeds from 70,000.

python benchmarks/return.py                                   every world that is installed, 3 seeds
python benchmarks/return.py --only CartPole-v1 --seeds 1
python benchmarks/return.py --table                           only print what is there
python benchmarks/return.py --teachers FOLDER                 keep trained agents, use those that are there
python benchmarks/return.py --students                        measure students of other commits again

Each world has 5 columns of noise. The agent is ours where we have settings for it, else Stable-Baselines3's.
One that does not reach the goal of its world on 100 episodes is no competent teacher: another is trained with
the next seed, 1,000 further on, before anything else is measured; `attempts` says how often.
An outcome is added to the file as soon as it is known; what is there is not measured again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym

import terc
from terc.agents import PPOConfig, SB3Policy, choose_config, load_policy, train_agent
from terc.environments import Doped
from terc.exporting.plain_policy import plain_policy

FIRST_SEED, NOISE, EPISODES, ATTEMPTS = 70_000, 5, 100, 5
ABLATED = ("ablation", "noise_rows_that_matter", "ablation_seconds", "ablation_commit")
RESULTS = Path(__file__).parent / "results" / "return.json"


@dataclass(frozen=True)
class World:
    """One environment and how a competent agent for it is made.

    Attributes:
        id: Gymnasium id.
        goal: Return below which the teacher is not competent, and its row says nothing.
        algorithm: Of Stable-Baselines3, where we have no agent for it.
        steps: Of its training.
        settings: Of its constructor.
        ours: Settings of an agent of ours that `choose_config` does not know.
    """

    id: str
    goal: float
    algorithm: str = "PPO"
    steps: int = 100_000
    settings: dict[str, Any] = field(default_factory=dict)
    ours: PPOConfig | None = None

    def make(self, num_envs: int | None = None) -> Any:
        """One doped environment, or so many at once where there is a fast way."""
        if num_envs is None:
            return Doped(gym.make(self.id, disable_env_checker=True), n=NOISE)
        return Doped(gym.make_vec(self.id, num_envs, vectorization_mode="vector_entry_point"), n=NOISE)

    @property
    def maker(self) -> Callable[..., Any]:
        """What `terc.play` and the others take."""
        if gym.spec(self.id).vector_entry_point is not None:
            return lambda num_envs: self.make(num_envs)
        return lambda: self.make()


SAC_CAR = {"use_sde": True, "train_freq": 32, "gradient_steps": 32, "learning_rate": 3e-4, "gamma": 0.9999}
HOPPER = PPOConfig(
    steps=800_000, hidden=(64, 64), rate=5e-4, entropy=0.0, log_std=-0.5, reward_scale=0.05, goal=2000.0
)
WORLDS = [
    World("CartPole-v1", 475.0),
    World("LunarLander-v3", 200.0),
    World("Pendulum-v1", -250.0),
    World("Acrobot-v1", -110.0),
    World("MountainCarContinuous-v0", 85.0, "SAC", 50_000, SAC_CAR),
    World("InvertedPendulum-v5", 900.0, "PPO", 150_000),
    World("Reacher-v5", -8.0, "SAC", 50_000),
    World("Hopper-v5", 1500.0, ours=HOPPER),
]


def commit() -> str:
    """Of the code that is measured."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def trained(world: World, seed: int) -> tuple[Any, float]:
    """An agent and the CPU seconds of its training."""
    config = world.ours or choose_config(world.id)
    if config is not None:
        training = train_agent(world.maker, seed=seed, agent=config, record=0)
        return training.policy, training.seconds
    from terc.agents import train_sb3

    training = train_sb3(
        partial(world.make),
        seed=seed,
        algorithm=world.algorithm,
        steps=world.steps,
        record=0,
        settings=dict(world.settings),
    )
    return plain_policy(training.policy) or training.policy, training.seconds


def kept(world: World, seed: int, folder: Path | None) -> tuple[Any, float]:
    """The agent of that seed, from the folder where it is there."""
    if folder is None:
        return trained(world, seed)
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{world.id}-{seed}"
    record, plain, model = (place.with_name(place.name + end) for end in (".json", ".npz", ".zip"))
    scaling = place.with_name(place.name + ".pkl")
    if not record.exists():
        policy, seconds = trained(world, seed)
        if isinstance(policy, SB3Policy):
            policy.model.save(model)
            policy.vec_normalize.save(scaling)
        else:
            policy.save(plain)
        record.write_text(json.dumps({"seconds": seconds}), encoding="utf8")
    seconds = json.loads(record.read_text(encoding="utf8"))["seconds"]
    if plain.exists():
        return load_policy(plain), seconds
    return load_policy(model, allow_pickle=True, vec_normalize=scaling), seconds


def teacher(world: World, seed: int, folder: Path | None) -> tuple[Any, float, int]:
    """The first agent that reaches the goal, the CPU seconds of its training, and how many were trained."""
    for attempt in range(ATTEMPTS):
        policy, seconds = kept(world, seed + 1000 * attempt, folder)
        returns = terc.play(world.maker, policy, EPISODES, seed + 500_000, random=False)
        print(f"{world.id} {seed}, agent {attempt + 1}: {returns}, {seconds:.0f} CPU s", flush=True)
        if returns.mean >= world.goal:
            break
    return policy, seconds, attempt + 1


def measure(
    world: World, seed: int, folder: Path | None, earlier: dict[str, Any] | None = None
) -> dict[str, Any]:
    """One row of the table; the ablation of an `earlier` one stays where its teacher was the same."""
    policy, training_seconds, attempts = teacher(world, seed, folder)
    env = world.make()
    names = [name for name in env.variable_names if not name.startswith("noise_")]
    env.close()
    small = terc.distill(world.maker, policy, names, episodes=EPISODES, seed=seed)
    row = {
        "environment": world.id,
        "seed": seed,
        "commit": commit(),
        "goal": world.goal,
        "attempts": attempts,
        "training_seconds": round(training_seconds, 1),
        "teacher": round(small.teacher.mean, 2),
        "teacher_interval": [round(end, 2) for end in small.teacher.interval],
        "random": round(small.teacher.random.mean, 2) if small.teacher.random else None,
        "student": round(small.returns.mean, 2),
        "student_interval": [round(end, 2) for end in small.returns.interval],
        "difference": [round(end, 2) for end in small.difference],
        "as_good": small.as_good,
        "draws": small.draws,
        "agreement": round(small.agreement, 4),
        "rounds": len(small.rounds),
        "distillation_seconds": round(small.seconds, 1),
    }
    if earlier is not None and all(earlier[what] == row[what] for what in ("teacher", "random")):
        return row | {what: earlier[what] for what in ABLATED if what in earlier}
    return row | ablated(world, policy, names, seed)


def ablated(world: World, policy: Any, names: list[str], seed: int) -> dict[str, Any]:
    """The part of a row that is about unplugging."""
    began = time.process_time()
    ablation = terc.ablate(world.maker, policy, names, episodes=EPISODES, seed=seed)
    noise = [row for row in ablation.rows if row.name.startswith("noise_") or row.name == "removed"]
    rows = {row.name: [round(v, 2) for v in (row.difference, row.low, row.high)] for row in ablation.rows}
    matter = [row.name for row in noise if row.matters]
    return dict(zip(ABLATED, (rows, matter, round(time.process_time() - began, 1), commit()), strict=True))


def read(path: Path) -> list[dict[str, Any]]:
    """Outcomes so far."""
    return json.loads(path.read_text(encoding="utf8")) if path.exists() else []


def write(path: Path, outcomes: Iterable[dict[str, Any]]) -> None:
    """All outcomes, world by world."""
    order = [world.id for world in WORLDS]
    rows = sorted(outcomes, key=lambda one: (order.index(one["environment"]), one["seed"]))
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf8")


def table(outcomes: list[dict[str, Any]]) -> str:
    """One line per outcome."""
    lines = [
        "| environment | seed | teacher (95 %) | noise unplugged | student (95 %) | as good | acts alike | "
        "CPU s: training, ablation, distillation | commit |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for one in outcomes:
        low, high = one["teacher_interval"]
        first, last = one["student_interval"]
        removed = one["ablation"]["removed"]
        competent = "" if one["teacher"] >= one["goal"] else " (below its goal)"
        seconds = (one[f"{what}_seconds"] for what in ("training", "ablation", "distillation"))
        lines.append(
            f"| {one['environment']} | {one['seed']} | {one['teacher']:.4g} [{low:.4g}, {high:.4g}]"
            f"{competent} | "
            f"{removed[0]:+.3g} [{removed[1]:.3g}, {removed[2]:.3g}] | {one['student']:.4g} [{first:.4g}, "
            f"{last:.4g}] | {'yes' if one['as_good'] else 'no'}"
            f"{', drawn' * one.get('draws', False)} | {one['agreement']:.1%} | "
            f"{', '.join(f'{value:.0f}' for value in seconds)} | "
            f"{one.get('commit') or 'unknown'} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure what is missing, write it, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="*", default=None, help="Gymnasium ids")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--teachers", type=Path, default=None, help="folder of trained agents")
    parser.add_argument("--students", action="store_true", help="teach again what another commit taught")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    outcomes = {(one["environment"], one["seed"]): one for one in read(given.results)}
    for world in WORLDS if not given.table else []:
        if given.only is not None and world.id not in given.only:
            continue
        for seed in range(FIRST_SEED, FIRST_SEED + given.seeds):
            earlier = outcomes.get((world.id, seed))
            if earlier is not None and (not given.students or earlier.get("commit") == commit()):
                continue
            try:
                gym.make(world.id).close()
            except gym.error.DependencyNotInstalled as error:
                warnings.warn(f"{world.id} is left out: {error}", stacklevel=1)
                break
            outcomes[world.id, seed] = measure(world, seed, given.teachers, earlier)
            write(given.results, outcomes.values())
            print(table([outcomes[world.id, seed]]).splitlines()[-1], flush=True)
    print(table(list(outcomes.values())))


if __name__ == "__main__":
    main()
