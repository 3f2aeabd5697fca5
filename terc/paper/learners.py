"""Agents: those whose play is explained, and those that show what a state is worth."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from terc.agents.choose import choose_config
from terc.agents.training import Training
from terc.errors import BadValueError, TercWarning
from terc.paper.scale import Scale
from terc.paper.sources import saved
from terc.paper.worlds import PaperWorld, world_named
from terc.pipeline.training import play_episodes, train_or_go_on
from terc.pipeline.worlds import World
from terc.playing.rollout import rollout
from terc.store import Store, Task
from terc.trajectories.data import Trajectories

EPISODES = 20
FEWEST_STEPS = 1_000


@dataclass(frozen=True)
class Lesson:
    """How an agent is trained.

    Attributes:
        world: Short name of the world.
        seed: Of the training.
        share: Of the preset's steps.
        preset: "fast" (ours) or "paper" (as printed).
        kept: Variables it sees; None for all.
        record: Steps of the training to keep.
        steps: Steps to play afterwards.
    """

    world: str
    seed: int
    share: float
    preset: str = "fast"
    kept: list[str] | None = None
    record: int = 0
    steps: int = 0


def agent_task(world: PaperWorld, scale: Scale, seed: int) -> Task:
    """An agent on the full state with our settings, its training and its play recorded."""
    settings: dict[str, Any] = {"world": world.name, "seed": seed, "share": scale.training}
    settings |= {"record": scale.record, "steps": scale.steps}
    key = f"{world.name}/{seed}/agent"
    files = tuple(saved(key, name) for name in ("policy.npz", "training.npz", "rollout.npz", "expert.npz"))
    return Task(key, f"{world.title}: agent {seed + 1}", agent, settings, files=files)


def learner_task(
    world: PaperWorld, state: str, kept: Sequence[str] | None, *, seed: int, preset: str, share: float
) -> Task:
    """An agent on some state of which only the learning counts; `kept=None` is the full state."""
    settings: dict[str, Any] = {"world": world.name, "kept": None if kept is None else list(kept)}
    settings |= {"seed": seed, "preset": preset, "share": share}
    words = f"{world.title}: learner {seed + 1} on {state}, preset {preset}"
    key = f"{world.name}/learners/{preset}-{state}-{seed}"
    return Task(key, words, learner, settings, files=(saved(key, "policy.npz"),))


def agent(store: Store, key: str, **settings: Any) -> dict[str, Any]:
    """Train, save the recorded training, then play: all episodes, and those that the paper calls expert."""
    lesson = Lesson(**settings)
    world, training = _trained(store, key, lesson)
    if training.data is None:
        raise BadValueError("paper: an agent needs record above 0.")
    training.data.save(store / saved(key, "training.npz"))
    played = rollout(world.maker(), training.policy, lesson.steps, lesson.seed + 1)
    played.save(store / saved(key, "rollout.npz"))
    experts = _experts(world, training, lesson)
    # Where no episode is an expert's, all stand in.
    (played if experts is None else experts).save(store / saved(key, "expert.npz"))
    passed = 0 if experts is None else len(experts)
    return _learnt(world, training, lesson) | {"expert_steps": passed, "names": list(played.names)}


def _experts(world: World, training: Training, lesson: Lesson) -> Trajectories | None:
    """Expert episodes by the paper's definition; None where there are none."""
    least = world_named(lesson.world).expert
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TercWarning)
        try:
            return rollout(world.maker(), training.policy, lesson.steps, lesson.seed + 2, expert=least)
        except BadValueError:
            return None


def learner(store: Store, key: str, **settings: Any) -> dict[str, Any]:
    """Train on the kept variables; learning curve and final returns."""
    lesson = Lesson(**settings)
    world, training = _trained(store, key, lesson)
    return _learnt(world, training, lesson)


def _trained(store: Store, key: str, lesson: Lesson) -> tuple[World, Training]:
    """The training, continued from its checkpoint if it was interrupted."""
    world = world_named(lesson.world).open()
    names = world.names if lesson.kept is None else lesson.kept
    config = choose_config(world.id, preset=lesson.preset, n_variables=len(names))
    if config is None:
        raise BadValueError(f"paper: no settings of an agent for {world.id}.")
    settings = replace(config, steps=min(config.steps, max(FEWEST_STEPS, int(config.steps * lesson.share))))
    checkpoint = store.unfinished(key) / "training.npz"
    options: dict[str, Any] = {"seed": lesson.seed, "record": lesson.record, "names": names}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TercWarning)
        training = train_or_go_on(world.maker(lesson.kept), checkpoint, agent=settings, **options)
    training.policy.save(store / saved(key, "policy.npz"))
    return world, training


def _learnt(world: World, training: Training, lesson: Lesson) -> dict[str, Any]:
    returns = play_episodes(world, training.policy, EPISODES, lesson.kept, seed=lesson.seed)
    final = float(np.mean(returns))
    curve = training.curve.tolist() or [[training.steps, final]]
    late = [value for step, value in curve if step >= 0.9 * training.steps]
    return {
        "curve": curve,
        "final": final,
        "late": float(np.mean(late or [final])),
        "steps": training.steps,
        "reached": training.reached,
        "cpu_seconds": training.seconds,
    }
