"""What our agents reach, in how many steps and how much CPU time, and how fast a rollout is.

Where noise is among the variables, also whether `terc.select` removes it.

python benchmarks/agents.py                                    fast presets, 5 seeds, every world
python benchmarks/agents.py --preset paper --seeds 1           the paper's settings as printed
python benchmarks/agents.py --only cart_pole rollout --json agents.json

Against Tit-For-N-Tats with a history of 9 pairs, share of seeds that end up playing the best cycle:

    preset "paper" (one game, 40,000 steps)        N = 2: 0.5, 4: 0.3, 6: 0.1, 8: 0.05, 10: 0    (20 seeds)
    preset "fast"  (32 games, 200,000 in all)      N = 2..9: 1 (100 seeds); N = 10: 0.45 (20 seeds)

N = 10 is no matter of patience: nine defections in a row look the same after nine and after ten of them, and
the tenth is what the opponent waits for. One pair more of history (`history=10`) gives 9 of 10 with the
preset "fast". With 9 pairs 256 games and 3.2 million steps (2 seconds) reach the best cycle in about three of
four seeds, so train a few and take the best; more steps do not help, and one game stays at 0.45 even with 1.6
million.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from measurements import about

import terc
from terc.agents import Policy, choose_config, train_agent
from terc.agents.stepping import make_stepper
from terc.environments import Doped, best_mean_reward
from terc.threads import one_thread

EPISODES, GAMES = 100, 20_000


@dataclass(frozen=True)
class World:
    """One line of the table.

    Attributes:
        environment: Gymnasium id.
        make: What the agents train on.
        judge: What a policy reaches, in the unit of `goal`.
        goal: What it should reach.
        unit: What is counted.
        n_variables: Length of the state.
        doped: Whether there is noise among the variables, which `terc.select` should remove.
    """

    environment: str
    make: Callable[..., Any]
    judge: Callable[[Callable[..., Any], Policy], float]
    goal: float
    unit: str
    n_variables: int = 0
    doped: bool = False


@dataclass(frozen=True)
class Line:
    """Result of one world and preset over the seeds."""

    world: str
    preset: str
    agent: str
    goal: float
    unit: str
    reached: list[float]
    steps: list[int]
    cpu_seconds: list[float]
    kept: list[list[str]]

    def __str__(self) -> str:
        good = sum(value >= self.goal for value in self.reached)
        spread = f"{min(self.reached):.4g} to {max(self.reached):.4g}"
        clean = sum(not any(name.startswith("noise") for name in names) for names in self.kept)
        cells = [
            self.world,
            self.preset,
            self.agent,
            f"{self.goal:g} {self.unit}",
            f"{np.mean(self.reached):.4g} ({spread})",
            f"{good}/{len(self.reached)}",
            f"{clean}/{len(self.kept)}" if self.kept else "",
            f"{np.mean(self.steps) / 1e6:.2f}",
            f"{np.mean(self.cpu_seconds):.1f} (max {max(self.cpu_seconds):.1f})",
        ]
        return f"| {' | '.join(cells)} |"


def doped(environment: str) -> Any:
    """One environment with three columns of noise."""
    return Doped(gym.make(environment, disable_env_checker=True), n=3)


def doped_vector(environment: str, num_envs: int) -> Any:
    """Many copies with three columns of noise."""
    return Doped(gym.make_vec(environment, num_envs, vectorization_mode="vector_entry_point"), n=3)


def vector(environment: str, options: dict[str, int], num_envs: int) -> Any:
    """Many copies."""
    return gym.make_vec(environment, num_envs, vectorization_mode="vector_entry_point", **options)


def returns(
    make: Callable[..., Any], policy: Policy, episodes: int, *, greedy: bool, copies: int = 20
) -> Any:
    """Returns of fresh episodes, the same number from each copy, so that short ones do not count more."""
    stepper, rng = make_stepper(make, copies), np.random.default_rng(987)
    stepper.reset(123_456_789)
    running, finished = np.zeros(copies), [[] for _ in range(copies)]
    with one_thread():
        while min(map(len, finished)) < episodes // copies:
            step = stepper.step(policy.act(stepper.states, rng=rng, greedy=greedy))
            running += step.rewards
            for copy in np.flatnonzero(step.done):
                finished[copy].append(running[copy])
                running[copy] = 0.0
    stepper.close()
    return np.concatenate([own[: episodes // copies] for own in finished])


def mean_return(make: Callable[..., Any], policy: Policy) -> float:
    """Of 100 fresh episodes, actions sampled."""
    return float(returns(make, policy, EPISODES, greedy=False).mean())


def share_exact(make: Callable[..., Any], policy: Policy) -> float:
    """Of 20,000 greedy games, those with the exact secret."""
    return float(np.mean(returns(make, policy, GAMES, greedy=True, copies=2000) == 0))


def plays_best(n: int, make: Callable[..., Any], policy: Policy) -> float:
    """1 when the greedy policy ends in the best cycle against Tit-For-N-Tats."""
    rewards = terc.rollout(make(1), policy, steps=100 + 10 * n, greedy=True).rewards[100:]
    return float(np.isclose(rewards.mean(), best_mean_reward(n)))


def worlds() -> dict[str, World]:
    """Every line of the table."""
    secret = "terc/SecretKey-v0"
    table = {
        "cart_pole": World(
            "CartPole-v1", partial(doped_vector, "CartPole-v1"), mean_return, 475, "mean return", 7, True
        ),
        "lunar_lander": World(
            "LunarLander-v3", partial(doped, "LunarLander-v3"), mean_return, 200, "mean return", 11, True
        ),
        "pendulum": World(
            "Pendulum-v1", partial(doped, "Pendulum-v1"), mean_return, -200, "mean return", 6, True
        ),
    }
    for keys in (25, 50):
        make = partial(vector, secret, {"keys": keys})
        table[f"secret_key_{keys}"] = World(secret, make, share_exact, 0.8, "exact, greedy", keys)
    prisoners = [(f"prisoners_{n}", n, 9) for n in range(2, 11)]
    # nine pairs cannot tell nine defections from ten, which is what the opponent waits for
    for name, n, history in [*prisoners, ("prisoners_10_history_10", 10, 10)]:
        make = partial(vector, "terc/TitForNTats-v0", {"n": n, "history": history})
        judge = partial(plays_best, n)
        table[name] = World("terc/TitForNTats-v0", make, judge, 1, "best cycle", history)
    return table


def kept_variables(world: World, policy: Policy, seed: int) -> list[str]:
    """What `terc.select` keeps of 10,000 sampled steps, as `terc run` asks it: without probabilities."""
    data = terc.rollout(world.make, policy, steps=10_000, seed=seed)
    return list(terc.select(data.sampled_only(), seed=seed).kept)


def measure(name: str, world: World, preset: str, seeds: int) -> Line:
    """Train with each seed and judge what was learnt."""
    config = choose_config(world.environment, preset=preset, n_variables=world.n_variables)
    reached, steps, seconds, kept = [], [], [], []
    for seed in range(seeds):
        training = train_agent(world.make, seed=seed, agent=config)
        reached.append(world.judge(world.make, training.policy))
        steps.append(training.steps)
        seconds.append(round(training.seconds, 2))
        told = f"  {name} {preset} seed {seed}: {reached[-1]:.4g}, {steps[-1]} steps, {seconds[-1]:.1f} s"
        if world.doped:
            kept.append(kept_variables(world, training.policy, seed))
            told += f", kept {' '.join(kept[-1])}"
        print(told, flush=True)
    agent = type(config).__name__.removesuffix("Config")
    return Line(name, preset, agent, world.goal, world.unit, reached, steps, seconds, kept)


def plain_loop(env: Any, policy: Any, steps: int) -> int:
    """What one writes by hand: one environment, one state at a time, a torch policy that samples."""
    import torch

    state, _ = env.reset(seed=0)
    for _ in range(steps):
        with torch.no_grad():
            logits = policy(torch.as_tensor(state, dtype=torch.float32).unsqueeze(0))
            action = int(torch.distributions.Categorical(logits=logits).sample().item())
        state, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            state, _ = env.reset()
    return steps


def rollout_speed(steps: int = 10_000, repeats: int = 5) -> dict[str, float]:
    """Microseconds per step of the plain loop and of `terc.rollout`, taken in turn, on Cart Pole."""
    import torch

    torch.set_num_threads(1)
    config = choose_config("CartPole-v1")
    policy: Any = train_agent("CartPole-v1", seed=0, agent=config).policy
    twin, env = policy.to_torch(), gym.make("CartPole-v1")
    ways = {
        "plain_loop": lambda: plain_loop(env, twin, steps),
        "rollout": lambda: terc.rollout("CartPole-v1", policy, steps=steps),
        "rollout_one_environment": lambda: terc.rollout(gym.make("CartPole-v1"), policy, steps=steps),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            times[name].append((time.perf_counter() - start) / steps * 1e6)
    return {name: float(np.median(taken)) for name, taken in times.items()}


def lines(names: list[str], presets: list[str], seeds: int) -> Iterator[Line]:
    """Results, world after world."""
    table = worlds()
    for name in names:
        for preset in presets:
            if name in table:
                yield measure(name, table[name], preset, 2 * seeds if name.startswith("prisoners") else seeds)


def table(results: Iterable[Line]) -> str:
    """One row per world and preset."""
    reached = "goal | reached: mean (range) | seeds | noise removed"
    heads = f"| world | preset | agent | {reached} | million steps | CPU s |"
    return "\n".join([heads, f"|{'---|' * 9}", *map(str, results)])


def main() -> None:
    """Print the table, and the same as JSON where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    everything = [*worlds(), "rollout"]
    parser.add_argument("--only", nargs="+", choices=everything, default=everything, help="worlds to measure")
    parser.add_argument(
        "--seeds", type=int, default=5, help="trainings per world (Prisoner's Dilemma: twice)"
    )
    parser.add_argument("--preset", nargs="+", choices=["fast", "paper"], default=["fast"])
    parser.add_argument("--json", type=Path, help="file for the results")
    chosen = parser.parse_args()
    results = list(lines(chosen.only, chosen.preset, chosen.seeds))
    print(f"\n{table(results)}")
    record: dict[str, Any] = {**about(), "agents": [asdict(line) for line in results]}
    if "rollout" in chosen.only:
        record["rollout_microseconds_per_step"] = speed = rollout_speed()
        print("\nmicroseconds per step:", {name: round(value, 1) for name, value in speed.items()})
        print(f"rollout is {speed['plain_loop'] / speed['rollout']:.1f} times as fast as the plain loop")
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
