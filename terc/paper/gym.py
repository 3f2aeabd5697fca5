"""Cart Pole, Lunar Lander and Pendulum with three noise variables (section 7.5)."""

from __future__ import annotations

from functools import partial

import numpy as np

from terc import figures
from terc.paper import gym_claims
from terc.paper.claims import braces
from terc.paper.experiment import Experiment
from terc.paper.gains import METHODS, OURS, PI, UMFI, Gains, selection_of
from terc.paper.learners import agent_task, learner_task
from terc.paper.quarters import quarter_selections, quarter_tasks, through_training
from terc.paper.scale import Scale
from terc.paper.sources import of_task
from terc.paper.states import curves_of, states
from terc.paper.worlds import PAPER_WORLDS, PaperWorld
from terc.reporting.pictures import Picture
from terc.store import Store, Task

GOALS = {"cart-pole": 475.0, "lunar-lander": 200.0}


def gains_of(scale: Scale, world: PaperWorld, seed: int) -> Gains:
    """The play of one trained agent."""
    needs = agent_task(world, scale, seed)
    key, words = f"{world.name}/{seed}", f"{world.title}, agent {seed + 1}"
    return Gains(key, words, of_task(needs.key), world.mine, world.trees, (needs,))


def _agents(scale: Scale, store: Store) -> list[Task]:
    tasks = [
        agent_task(PAPER_WORLDS[name], scale, seed)
        for name in reversed(scale.worlds)
        for seed in range(scale.agents_in(name))
    ]
    printed = [name for name in ("lunar-lander",) if name in scale.worlds]
    return tasks + [
        learner_task(PAPER_WORLDS[name], "all", None, seed=seed, preset="paper", share=scale.paper_training)
        for name in printed
        for seed in range(scale.agents_in(name))
    ]


def _selections(scale: Scale, store: Store) -> list[Task]:
    tasks = []
    for name in reversed(scale.worlds):
        world = PAPER_WORLDS[name]
        for seed in range(scale.agents_in(name)):
            methods = METHODS if seed == 0 else (OURS, UMFI, PI)
            tasks += gains_of(scale, world, seed).tasks(scale, methods=methods)
        tasks += quarter_tasks(gains_of(scale, world, 0), scale, expert="expert.npz")
    return tasks


def _learners(scale: Scale, store: Store) -> list[Task]:
    return [
        learner_task(PAPER_WORLDS[name], state, kept, seed=seed, preset="fast", share=scale.training)
        for name in reversed(scale.worlds)
        for state, kept in states(scale, store, name).items()
        if kept is not None  # the agents themselves learnt on the full state
        for seed in range(scale.learners_in(name))
    ]


def _pictures(scale: Scale, store: Store) -> list[Picture]:
    return [picture for name in scale.worlds for picture in _of_world(scale, store, PAPER_WORLDS[name])]


def _of_world(scale: Scale, store: Store, world: PaperWorld) -> list[Picture]:
    key = world.name
    sides = {method: selection_of(store, f"{key}/0", method) for method in METHODS}
    kept = "; ".join(f"{method} keeps {braces(side.kept)}" for method, side in sides.items())
    quarters = quarter_selections(store, f"{key}/0")
    curves = curves_of(scale, store, key)
    ends = ", ".join(f"{state} {np.mean(values[:, -1]):.0f}" for state, (_, values) in curves.items())
    expert = store[f"{key}/0/agent"]["expert_steps"]
    note = f"Expert episodes (return of at least {world.expert:g}): {expert:,} steps."
    if expert == 0:
        note = f"No episode reached {world.expert:g}: the last stage shows all episodes of the trained agent."
    return [
        Picture(f"{key}-bars", f"{world.title}: scores", f"{kept}.", partial(figures.gain_bars, sides)),
        Picture(
            f"{key}-curves",
            f"{world.title}: learning on the chosen states",
            f"Mean return of the last 100 episodes at the end of training: {ends}.",
            partial(figures.learning_curves, curves, goal=GOALS.get(key)),
        ),
        Picture(
            f"{key}-quarters",
            f"{world.title} through training",
            f"{through_training(quarters)} {note}",
            partial(figures.quarter_gains, quarters),
        ),
    ]


EXPERIMENT = Experiment(
    "gym", "Gym physics environments", (_agents, _selections, _learners), gym_claims.claims, _pictures
)
