"""A world that networks learn: its agents, printed and ours, what they depend on, and learning on less."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from terc.arrays import Array
from terc.entropy.evidence import MIN_EFFECT
from terc.paper.agents import agent_key, agent_task, learner_task
from terc.paper.chance import chance_task
from terc.paper.gains import CODE, OURS, PI, PRINTED, SEEK, UMFI, Gains, selection_of, whole_updates
from terc.paper.quarters import quarter_tasks
from terc.paper.reading import chances_task, read_shares, reading_task
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


def agent_tasks(scale: Scale, worlds: Sequence[PaperWorld]) -> list[Task]:
    """All agents on the full state."""
    return [
        agent_task(world, scale, preset, seed)
        for world in worlds
        for preset in PRESETS
        for seed in range(scale.agents_in(world.name, preset))
    ]


def methods_for(scale: Scale, world: PaperWorld, preset: str, seed: int) -> tuple[str, ...]:
    """Which methods look at the play of one agent; the expensive ones at the first few.

    Our engine looks at printed agents too: the same answer from both shows that it is the agent's.
    """
    first = seed < scale.mine_agents
    crossed = world.name == "cart-pole" and seed == 0  # where it costs least
    mine = (PRINTED,) if first and (preset == "paper" or crossed) else ()
    forest = first and (seed < 2 or not world.is_game)  # with 50 keys a quarter of an hour each
    return (*mine, OURS, *((UMFI,) if forest else ()), PI, SEEK)


def selection_tasks(scale: Scale, worlds: Sequence[PaperWorld]) -> list[Task]:
    """What the actions of all agents depend on, at the end and in the quarters of their training."""
    tasks = []
    for world in worlds:
        for preset in PRESETS:
            for seed in range(scale.agents_in(world.name, preset)):
                gains = gains_of(scale, world, preset, seed)
                tasks += gains.tasks(scale, methods_for(scale, world, preset, seed))
                if not world.is_game:  # there the keys are independent: `uses` says all
                    tasks.append(reading_task(gains.needs[0], seed))
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


def selections(scale: Scale, store: Store, world: PaperWorld, preset: str, method: str) -> list[Selection]:
    """What a method chose for each agent of a kind that it looked at."""
    seeds = range(scale.agents_in(world.name, preset))
    return [
        selection_of(store, agent_key(world.name, preset, seed), method)
        for seed in seeds
        if method in methods_for(scale, world, preset, seed)
    ]


def agents_of(scale: Scale, store: Store, world: PaperWorld, preset: str) -> list[dict[str, Any]]:
    """The records of all agents of a kind."""
    seeds = range(scale.agents_in(world.name, preset))
    return [store[f"{agent_key(world.name, preset, seed)}/agent"] for seed in seeds]


def lost_though_read(scale: Scale, store: Store, world: PaperWorld, preset: str) -> list[dict[str, float]]:
    """Of each agent that TERC looked at, the wanted variables that it lost though the policy reads them.

    Variable -> share of the information that the choice takes from it, given all others, at most; those of
    half a percent or less are negligible and not lost.
    """
    found = []
    looked = zip(
        selections(scale, store, world, preset, TERC[preset]),
        selections(scale, store, world, preset, OURS),
        strict=False,
    )
    for seed, (chosen, ours) in enumerate(looked):
        folder, wanted = agent_key(world.name, preset, seed), world.wanted(ours.names)
        share = read_shares(store, folder, ours.information, independent=world.is_game)
        lost = [name for name in wanted if name not in chosen.kept and share[name] > MIN_EFFECT]
        found.append({name: share[name] for name in lost})
    return found


def chances_tasks(scale: Scale, store: Store | None, worlds: Sequence[PaperWorld]) -> list[Task]:
    """Of our agents that lost something they read: is it the steps, or the engine?"""
    tasks = []
    for world in (world for world in worlds if not world.is_game):
        count = scale.agents_in(world.name, "fast")
        lost = [True] * count if store is None else lost_though_read(scale, store, world, "fast")
        made = [agent_task(world, scale, "fast", seed) for seed in range(count)]
        tasks += [chances_task(one, scale.most_steps) for one, names in zip(made, lost, strict=True) if names]
    return tasks


def representative(scale: Scale, store: Store, world: PaperWorld, preset: str) -> int:
    """Seed of the agent with the median return, among those that every method looked at."""
    agents = agents_of(scale, store, world, preset)
    finals = [one["final"] for k, one in enumerate(agents) if UMFI in methods_for(scale, world, preset, k)]
    return int(np.argsort(finals)[len(finals) // 2])


def majority(chosen: Sequence[Selection]) -> tuple[str, ...]:
    """The variables that more than half of the selections keep."""
    names = chosen[0].names
    return tuple(n for n in names if 2 * sum(n in s.kept for s in chosen) > len(chosen))


def more_states(scale: Scale, world: PaperWorld, preset: str) -> bool:
    """Whether agents learn on the states of UMFI and PI too: where the paper shows it and it costs little."""
    shown = preset == "paper" if world.is_game else preset == "fast" and world.name == "cart-pole"
    return scale.thorough and shown


def states(
    scale: Scale, store: Store | None, world: PaperWorld, preset: str
) -> dict[str, tuple[str, ...] | None]:
    """Name of a state -> its variables, None for all; by majority over agents; equal ones are one state.

    Without a store, for a plan, every method chooses a state of its own.
    """
    methods = {TERC[preset]: "terc"} if scale.learners_in(world.name, preset) else {}
    if more_states(scale, world, preset):
        methods |= {UMFI: "umfi", PI: "pi"}
    if store is None:
        return dict.fromkeys(methods.values(), ("?",)) | {FULL: None}
    chosen: dict[tuple[str, ...], list[str]] = {}
    count = 0
    for method, short in methods.items():
        found = selections(scale, store, world, preset, method)
        kept, count = majority(found), len(agents_of(scale, store, world, preset)[0]["names"])
        if 0 < len(kept) < count:
            chosen.setdefault(kept, []).append(short)
    named: dict[str, tuple[str, ...] | None] = {"+".join(who): kept for kept, who in chosen.items()}
    return named | {FULL: None}


def learner_tasks(scale: Scale, store: Store | None, worlds: Sequence[PaperWorld]) -> list[Task]:
    """Agents on the states that the methods chose; on the full state the agents themselves learnt."""
    return [
        learner_task(world, state, kept, scale, preset=preset, seed=seed)
        for world in worlds
        for preset in PRESETS
        for state, kept in states(scale, store, world, preset).items()
        if kept is not None
        for seed in range(scale.learners_in(world.name, preset))
    ]


def curves_of(
    scale: Scale, store: Store, world: PaperWorld, preset: str
) -> dict[str, tuple[int, Array, Array]]:
    """State -> its length, steps, and returns `[learners, points]`."""
    chosen, agents = states(scale, store, world, preset), agents_of(scale, store, world, preset)
    start, seeds = f"{world.name}/learners/{PRESETS[preset]}", range(scale.learners_in(world.name, preset))
    curves = {
        state: [np.array(one["curve"], float) for one in agents]
        if kept is None
        else [np.array(store[f"{start}-{state}-{seed}"]["curve"], float) for seed in seeds]
        for state, kept in chosen.items()
    }
    grid, tables = on_one_grid(curves)
    length = {state: len(kept) if kept else len(agents[0]["names"]) for state, kept in chosen.items()}
    return {state: (length[state], grid, table) for state, table in tables.items()}
