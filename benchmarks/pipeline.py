"""The pipeline on the paper's worlds, five seeds each, and a run that is killed at ten random moments.

python benchmarks/pipeline.py --out runs/demonstrations            every world; goes on where it was stopped
python benchmarks/pipeline.py --out runs/demonstrations --worlds cart-pole pendulum
python benchmarks/pipeline.py --out runs/demonstrations --only rollouts --seeds 10   agents and play only
python benchmarks/pipeline.py --out runs/kills --only kills        SIGKILL at ten moments of a short run
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Demonstration:
    """One world: what `terc.run` is called with."""

    environment: str
    noise: int = 0
    options: dict[str, Any] = field(default_factory=dict)


WORLDS = {
    "cart-pole": Demonstration("CartPole-v1", noise=3),
    "lunar-lander": Demonstration("LunarLander-v3", noise=3),
    "pendulum": Demonstration("Pendulum-v1", noise=3),
    "secret-key-25": Demonstration("terc/SecretKey-v0", options={"keys": 25}),
    "secret-key-50": Demonstration("terc/SecretKey-v0", options={"keys": 50}),
}


class Enough(Exception):
    """The play is recorded; the rest of the run is not wanted now."""


def until_rollout(event: Any) -> None:
    """A listener that stops a run after its second stage; another call would go on there."""
    if event.finished and event.task == "roll out":
        raise Enough


def play(world: str, seed: int, *, out: Path, agents: int, progress: Any = None) -> Any:
    """One run of the pipeline."""
    from terc.pipeline.run import run

    asked = WORLDS[world]
    return run(
        asked.environment,
        noise=asked.noise,
        environment_options=_options(world, seed),
        seed=seed,
        seeds=agents,
        timing_calls=500,
        out=out / f"{world}-{seed}",
        progress=progress,
    )


def record(world: str, seed: int, *, out: Path, agents: int) -> str:
    """Train and roll out, no more."""
    with contextlib.suppress(Enough):
        play(world, seed, out=out, agents=agents, progress=until_rollout)
    return f"{world}-{seed}"


def demonstrate(world: str, seed: int, *, out: Path, agents: int) -> dict[str, Any]:
    """One run; what matters of it."""
    started = time.process_time()
    found = play(world, seed, out=out, agents=agents)
    extra = useless(world, seed, found.selection.names)
    comparison = found.comparison
    return {
        "world": world,
        "seed": seed,
        "kept": list(found.selection.kept),
        "kept wrongly": [name for name in found.selection.kept if name in extra],
        "not kept": [one.name for one in found.selection.removed if one.name not in extra],
        "full": [found.returns.mean, *found.returns.interval],
        "reduced": _reduced(comparison),
        "verdict": "" if comparison is None else comparison.verdict,
        "distilled as good": found.verdict.as_good,
        "cpu seconds": time.process_time() - started,
    }


def _options(world: str, seed: int) -> dict[str, Any]:
    """Keywords of the environment; every seed is a game with other secret positions."""
    options = WORLDS[world].options
    return {**options, "game": seed} if options else {}


def useless(world: str, seed: int, names: Sequence[str]) -> set[str]:
    """Noise, or keys that are not secret."""
    if not world.startswith("secret-key"):
        return {name for name in names if name.startswith("noise_")}
    import gymnasium as gym

    env = gym.make("terc/SecretKey-v0", **_options(world, seed))
    secret = {names[position] for position in env.unwrapped.positions}
    env.close()
    return set(names) - secret


def _ends(interval: Any) -> tuple[float, float]:
    return interval.low, interval.high


def _reduced(comparison: Any) -> list[float] | None:
    if comparison is None:
        return None
    return [comparison["reduced"].final.value, *_ends(comparison["reduced"].final)]


def table(rows: Sequence[dict[str, Any]]) -> str:
    """One line per run, then one per world."""
    lines = [f"{'world':14} seed  kept  wrong  {'full':>24} {'reduced':>24}  verdict"]
    for row in rows:
        sizes = f"{len(row['kept']):>4}  {len(row['kept wrongly']):>5}"
        said = f"{_words(row['full']):>24} {_words(row['reduced']):>24}  {row['verdict']}"
        removed = f"; not kept: {', '.join(row['not kept'])}" if row["not kept"] else ""
        lines.append(f"{row['world']:14} {row['seed']:>4}  {sizes}  {said}{removed}")
    for world in dict.fromkeys(row["world"] for row in rows):
        runs = [row for row in rows if row["world"] == world]
        clean = sum(not row["kept wrongly"] for row in runs)
        good = sum(row["verdict"] not in ("worse", "") for row in runs)
        lines.append(
            f"{world}, {len(runs)} runs: nothing kept wrongly in {clean}, as good or better in {good}"
        )
    return "\n".join(lines)


def _words(numbers: list[float] | None) -> str:
    return "-" if numbers is None else "{:.1f} [{:.1f}, {:.1f}]".format(*numbers)


SHORT = {"noise": 1, "seeds": 1, "steps": 60_000, "rollout_steps": 3_000, "timing_calls": 50, "seed": 3}
PROGRAM = "import sys; from terc.pipeline.run import run; run('CartPole-v1', out=sys.argv[1], **{settings!r})"


def killed_runs(out: Path, kills: int) -> str:
    """Undisturbed once, then killed at so many random moments and continued: are the results the same?"""
    settings = PROGRAM.format(settings=SHORT)
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", settings, str(out / "undisturbed")], check=True)
    whole = time.perf_counter() - started
    wanted, same, draw, hit = results(out / "undisturbed"), 0, random.Random(0), 0
    for number in range(kills):
        folder = out / f"killed-{number}"
        process = subprocess.Popen([sys.executable, "-c", settings, str(folder)])
        try:
            process.wait(timeout=draw.uniform(0.1 * whole, whole))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            hit += 1
        subprocess.run([sys.executable, "-c", settings, str(folder)], check=True)
        same += results(folder) == wanted
        print(f"kill {number + 1}: {'the same' if results(folder) == wanted else 'DIFFERENT'}", flush=True)
    return f"killed at {hit} random moments of {whole:.0f} seconds: the same results in {same} of {kills}"


def results(folder: Path) -> dict[str, Any]:
    """Everything that must not depend on interruptions: all but times."""
    names = [*sorted(p.relative_to(folder).as_posix() for p in folder.glob("agents/*"))]
    names += ["config.json", "curves.parquet", "trajectories.parquet", "learning.json"]
    selection = json.loads((folder / "selection.json").read_text())
    found: dict[str, Any] = {name: (folder / name).read_bytes() for name in names}
    return found | {"selection": {key: value for key, value in selection.items() if key != "timings"}}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is asked and print its table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", choices=["demonstrations", "rollouts", "kills"], default="demonstrations")
    parser.add_argument("--worlds", nargs="*", choices=list(WORLDS), default=list(WORLDS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--agents", type=int, default=3, help="agents on the full and on the reduced state")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    if options.only == "kills":
        print(killed_runs(options.out, options.kills))
        return
    asked = [(world, seed) for world in options.worlds for seed in range(options.seeds)]
    one = record if options.only == "rollouts" else demonstrate
    rows = []
    with ProcessPoolExecutor(options.workers) as pool:
        todo = partial(one, out=options.out, agents=options.agents)
        for row in pool.map(todo, *zip(*asked, strict=True)):
            rows.append(row)
            print(row if one is record else table([row]).splitlines()[1], flush=True)
    if one is record:
        return
    (options.out / "rows.json").write_text(json.dumps(rows, indent=1))
    print(table(rows))


if __name__ == "__main__":
    main()
