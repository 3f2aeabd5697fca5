"""A world that networks learn: its agents, printed and ours, what they depend on, and learning on less."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from terc.arrays import Array
from terc.paper.agents import agent_key, agent_task, learner_task
from terc.paper.chance import chance_task
from terc.paper.gains import CODE, OURS, PI, PRINTED, SEEK, UMFI, Gains, selection_of, whole_updates
from terc.paper.quarters import quarter_tasks
from terc.paper.reading import Reading, chances_task, reading_of, reading_task
from terc.paper.scale import PRESETS, Scale
from terc.paper.worlds import PaperWorld, of_task, secret_keys
from terc.return_comparison import on_one_grid
from terc.selection.result import Selection
from terc.store import Store, Task

FULL = "all"
FILES = {"paper": "expert.npz", "fast": "rollout.npz"}
"""The paper explains expert episodes, where there are any; we explain all play."""
TERC = {"paper": PRINTED, "fast": OURS}
"""The method of each column."""


def gains_of(scale: Scale, world: PaperWorld, preset: str, seed: int) -> Gains:
    """The play of one trained agent."""
    needs, keys = agent_task(world, scale, preset, seed), int(world.options.get("keys", 0))
    right = secret_keys(keys) if keys > scale.mine_keys else ()
    key, words = agent_key(world.name, preset, seed), needs.words
    source = of_task(needs.key, FILES[preset])
    return Gains(key, words, source, world.mine, world.trees, (needs,), right)


def agent_tasks(scale: Scale, store: Store, worlds: Sequence[PaperWorld]) -> list[Task]:
    """All agents on the full state."""
    return [
        agent_task(world, scale, preset, seed)
        for world in worlds
        for preset in PRESETS
        for seed in range(scale.agents_in(world.name, preset))
    ]


def methods_for(scale: Scale, world: PaperWorld, preset: str, seed: int) -> tuple[str, ...]:
    """The methods asked about the play of one agent; the expensive ones about the first few only.

    Our engine is asked about printed agents too: the same answer from both shows that it is the agent's.
    """
    first = seed < scale.mine_agents
    crossed = world.name == "cart-pole" and seed == 0  # where it costs least
    mine = (PRINTED,) if first and (preset == "paper" or crossed) else ()
    forest = first and (seed < 2 or not world.is_game)  # with 50 keys a quarter of an hour each
    return (*mine, OURS, *((UMFI,) if forest else ()), PI, SEEK)


def selection_tasks(scale: Scale, store: Store, worlds: Sequence[PaperWorld]) -> list[Task]:
    """What the actions of all agents depend on, at the end and in the quarters of their training."""
    tasks = []
    for world in worlds:
        for preset in PRESETS:
            for seed in range(scale.agents_in(world.name, preset)):
                gains = gains_of(scale, world, preset, seed)
                tasks += gains.tasks(scale, methods_for(scale, world, preset, seed))
                tasks.append(reading_task(gains.needs[0], gains.source, world.name, seed))
                if seed == 0:
                    tasks.append(chance_task(gains, scale))
                if seed < scale.quarter_agents:
                    tasks += quarter_tasks(gains, scale, expert="expert.npz")
        if scale.thorough:
            gains = gains_of(scale, world, "paper", 0)
            options = {"source": gains.source, "steps": scale.most_steps, "world": world.mine}
            key, words = f"{world.name}/whole-updates", f"{world.title}: all printed updates of MINE"
            tasks.append(Task(key, words, whole_updates, options, gains.needs, code=(CODE[PRINTED],)))
    return tasks


def learner_tasks(scale: Scale, store: Store | None, worlds: Sequence[PaperWorld]) -> list[Task]:
    """Agents on the states that the methods chose; on the full state the agents themselves learnt.

    Without a store, for a plan, every method chooses a state of its own.
    """
    tasks = []
    for world, preset in itertools.product(worlds, PRESETS):
        chosen = dict.fromkeys(choosers(scale, world, preset).values(), ("?",))
        states = chosen if store is None else Study(scale, store, world).states(preset)
        tasks += [
            learner_task(world, state, kept, scale, preset=preset, seed=seed)
            for state, kept in states.items()
            if kept is not None
            for seed in range(scale.learners_in(world.name, preset))
        ]
    return tasks


def chances_tasks(scale: Scale, store: Store | None, worlds: Sequence[PaperWorld]) -> list[Task]:
    """For our agents of which something that they may use was removed: is it the steps, or the engine?"""
    tasks = []
    for world in (world for world in worlds if not world.is_game):
        count = scale.agents_in(world.name, "fast")
        lost = [True] * count if store is None else Study(scale, store, world).lost("fast")
        made = [agent_task(world, scale, "fast", seed) for seed in range(count)]
        tasks += [chances_task(one, scale.most_steps) for one, names in zip(made, lost, strict=True) if names]
    return tasks


def choosers(scale: Scale, world: PaperWorld, preset: str) -> dict[str, str]:
    """Method -> short name, of those on whose states agents learn: UMFI and PI where that costs little."""
    methods = {TERC[preset]: "terc"} if scale.learners_in(world.name, preset) else {}
    shown = preset == "paper" if world.is_game else preset == "fast" and world.name == "cart-pole"
    return methods | ({UMFI: "umfi", PI: "pi"} if scale.thorough and shown else {})


@dataclass(frozen=True)
class Study:
    """What was found in one world, of printed agents and of ours."""

    scale: Scale
    store: Store
    world: PaperWorld

    @cached_property
    def wanted(self) -> tuple[str, ...]:
        """The variables that the paper wants kept."""
        return self.world.wanted(self.names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All variables."""
        return tuple(self.agents("fast")[0]["names"])

    def agents(self, preset: str) -> list[dict[str, Any]]:
        """The records of all agents of a kind."""
        seeds = range(self.scale.agents_in(self.world.name, preset))
        return [self.store[f"{agent_key(self.world.name, preset, seed)}/agent"] for seed in seeds]

    def selections(self, preset: str, method: str) -> list[Selection]:
        """What a method chose for each agent of a kind that it looked at."""
        return [
            selection_of(self.store, agent_key(self.world.name, preset, seed), method)
            for seed in range(self.scale.agents_in(self.world.name, preset))
            if method in methods_for(self.scale, self.world, preset, seed)
        ]

    def readings(self, preset: str) -> list[Reading]:
        """What each agent of a kind reads."""
        seeds = range(self.scale.agents_in(self.world.name, preset))
        return [reading_of(self.store, agent_key(self.world.name, preset, seed)) for seed in seeds]

    def lost(self, preset: str) -> list[dict[str, bool | None]]:
        """Of each agent that TERC looked at, the wanted variables that it removed though they may be used.

        Variable -> True where the choice depends on it given the others, None where that is not decided.
        """
        chosen, found = self.selections(preset, TERC[preset]), self.readings(preset)
        return [
            {n: one.is_used(n) for n in self.wanted if n not in kept.kept and one.is_used(n) is not False}
            for kept, one in zip(chosen, found, strict=False)
        ]

    def representative(self, preset: str) -> int:
        """Seed of the agent with the median return, among those that every method was asked about."""
        finals = [
            one["final"]
            for seed, one in enumerate(self.agents(preset))
            if UMFI in methods_for(self.scale, self.world, preset, seed)
        ]
        return int(np.argsort(finals)[len(finals) // 2])

    def states(self, preset: str) -> dict[str, tuple[str, ...] | None]:
        """Name of a state -> its variables, None for all; by majority over agents, equal ones as one."""
        chosen: dict[tuple[str, ...], list[str]] = {}
        for method, short in choosers(self.scale, self.world, preset).items():
            found = self.selections(preset, method)
            kept = tuple(n for n in found[0].names if 2 * sum(n in one.kept for one in found) > len(found))
            if 0 < len(kept) < len(self.agents(preset)[0]["names"]):
                chosen.setdefault(kept, []).append(short)
        return {"+".join(who): kept for kept, who in chosen.items()} | {FULL: None}

    def curves(self, preset: str) -> dict[str, tuple[int, Array, Array]]:
        """State -> its length, steps, and returns `[learners, points]`."""
        chosen, agents = self.states(preset), self.agents(preset)
        start = f"{self.world.name}/learners/{PRESETS[preset]}"
        seeds = range(self.scale.learners_in(self.world.name, preset))
        curves = {
            state: [np.array(one["curve"], float) for one in agents]
            if kept is None
            else [np.array(self.store[f"{start}-{state}-{seed}"]["curve"], float) for seed in seeds]
            for state, kept in chosen.items()
        }
        grid, tables = on_one_grid(curves)
        length = {state: len(kept) if kept else len(agents[0]["names"]) for state, kept in chosen.items()}
        return {state: (length[state], grid, table) for state, table in tables.items()}
