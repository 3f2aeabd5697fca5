"""Agents with the printed settings and with ours: some whose play is explained, and some that only learn."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from terc.agents.learner import choose_config
from terc.agents.network_policy import NetworkPolicy
from terc.agents.training import Training
from terc.arrays import Array
from terc.errors import BadValueError, TercWarning
from terc.paper.scale import EXPENSIVE, PRESETS, Scale
from terc.paper.worlds import PaperWorld, saved, world_named
from terc.pipeline.stages import ENOUGH_EPISODES
from terc.pipeline.training import play_episodes, train_or_go_on
from terc.pipeline.worlds import World
from terc.playing.rollout import rollout
from terc.store import Store, Task
from terc.trajectories.data import Trajectories

FEWEST_STEPS = 1_000
CODE = ("terc.agents.learner", "terc.paper.worlds", "terc.playing.rollout", "terc.pipeline.training")


@dataclass(frozen=True)
class TrainingPlan:
    """How an agent is trained.

    Attributes:
        share: Of the preset's steps.
        preset: "fast" (ours) or "paper" (as printed).
        steps: Steps to play afterwards, where those are episodes enough.
        most_steps: Steps to play where they are not.
    """

    world: str
    seed: int
    share: float
    preset: str = "fast"
    kept: list[str] | None = None
    record: int = 0
    steps: int = 0
    most_steps: int = 0
    episodes: int = 20


def agent_key(world: str, preset: str, seed: int) -> str:
    """Folder of an agent's tasks."""
    return f"{world}/{PRESETS[preset]}-{seed}"


def share_of(world: PaperWorld, scale: Scale, preset: str) -> float:
    """Share of the preset's training steps.

    Of our presets that of the Secret Key Game learns as well from fewer; of the printed ones its 20,000 games
    are few enough for any scale.
    """
    shortened = world.is_game if preset == "fast" else not world.is_game
    if not shortened and not scale.hurried:
        return 1.0
    printed = scale.expensive_training if world.name in EXPENSIVE else scale.paper_training
    return scale.training if preset == "fast" else printed


def agent_task(world: PaperWorld, scale: Scale, preset: str, seed: int) -> Task:
    """An agent on the full state, its training and its play recorded."""
    settings: dict[str, Any] = {"world": world.name, "seed": seed, "preset": preset}
    settings |= {"share": share_of(world, scale, preset), "record": scale.record}
    settings |= {"steps": scale.steps, "most_steps": scale.most_steps, "episodes": scale.episodes}
    key = f"{agent_key(world.name, preset, seed)}/agent"
    files = tuple(saved(key, name) for name in ("policy.npz", "training.npz", "rollout.npz", "expert.npz"))
    words = f"{world.title}: {PRESETS[preset]} agent {seed + 1}"
    return Task(key, words.replace("ours agent", "our agent"), agent, settings, files=files, code=CODE)


def learner_task(world: PaperWorld, state: str, kept: Sequence[str] | None, scale: Scale, *, preset: str,
                 seed: int) -> Task:  # fmt: skip
    """An agent on some state of which only the learning counts; `kept=None` is the full state."""
    settings: dict[str, Any] = {"world": world.name, "kept": None if kept is None else list(kept)}
    settings |= {"seed": seed, "preset": preset, "share": share_of(world, scale, preset)}
    settings["episodes"] = scale.episodes
    words = f"{world.title}: learner {seed + 1} on {state}, {PRESETS[preset]}"
    key = f"{world.name}/learners/{PRESETS[preset]}-{state}-{seed}"
    return Task(key, words, learner, settings, files=(saved(key, "policy.npz"),), code=CODE)


def agent(store: Store, key: str, **settings: Any) -> dict[str, Any]:
    """Train, save the recorded training, then play: all episodes, and those that the paper calls expert."""
    plan = TrainingPlan(**settings)
    world, training = _trained(store, key, plan)
    if training.data is None:
        raise BadValueError("paper: an agent needs record above 0.")
    training.data.save(store / saved(key, "training.npz"))
    played = rollout(world.maker(), training.policy, plan.steps, plan.seed + 1)
    if played.n_episodes < ENOUGH_EPISODES and plan.most_steps > plan.steps:
        played = rollout(world.maker(), training.policy, plan.most_steps, plan.seed + 1)
    played.save(store / saved(key, "rollout.npz"))
    experts = _experts(world, training, replace(plan, steps=len(played)))
    # Where no episode is an expert's, all stand in.
    (played if experts is None else experts).save(store / saved(key, "expert.npz"))
    return _learnt(world, training, plan) | {
        "expert_steps": 0 if experts is None else len(experts),
        "names": list(played.names),
        "played": len(played),
    }


def choices_with(policy: NetworkPolicy, states: Array, column: int, values: Iterable[Array]) -> Array:
    """What the policy would choose with each of `values` in a column: `[draws, n, k]`."""
    made = []
    for one in values:
        changed = states.copy()
        changed[:, column] = one
        made.append(choice(policy, changed))
    return np.array(made)


def choice(policy: NetworkPolicy, states: Array) -> Array:
    """Chances of the actions, or the mean of a continuous one `[n, k]`."""
    chances = policy.probabilities(states)
    return np.asarray(policy.outputs(states) if chances is None else chances, float)


def _experts(world: World, training: Training, plan: TrainingPlan) -> Trajectories | None:
    """Expert episodes by the paper's definition; None where there are none."""
    least = world_named(plan.world).expert
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TercWarning)
        try:
            return rollout(world.maker(), training.policy, plan.steps, plan.seed + 2, expert=least)
        except BadValueError:
            return None


def learner(store: Store, key: str, **settings: Any) -> dict[str, Any]:
    """Train on the kept variables; learning curve and final returns."""
    plan = TrainingPlan(**settings)
    world, training = _trained(store, key, plan)
    return _learnt(world, training, plan)


def _trained(store: Store, key: str, plan: TrainingPlan) -> tuple[World, Training]:
    """The training, continued from its checkpoint if it was interrupted."""
    world = world_named(plan.world).open()
    names = world.names if plan.kept is None else plan.kept
    config = choose_config(world.id, preset=plan.preset, n_variables=len(names))
    if config is None:
        raise BadValueError(f"paper: no settings of an agent for {world.id}.")
    settings = replace(config, steps=min(config.steps, max(FEWEST_STEPS, int(config.steps * plan.share))))
    checkpoint = store.unfinished(key) / "training.npz"
    options: dict[str, Any] = {"seed": plan.seed, "record": plan.record, "names": names}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TercWarning)
        training = train_or_go_on(world.maker(plan.kept), checkpoint, agent=settings, **options)
    training.policy.save(store / saved(key, "policy.npz"))
    return world, training


def _learnt(world: World, training: Training, plan: TrainingPlan) -> dict[str, Any]:
    returns = play_episodes(world, training.policy, plan.episodes, plan.kept, seed=plan.seed)
    final = float(np.mean(returns))
    curve = training.curve.tolist() or [[training.steps, final]]
    return {"curve": curve, "final": final, "steps": training.steps}
