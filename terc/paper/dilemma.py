"""The tasks of the Iterated Prisoner's Dilemma: Q-learners, printed and ours, and their dependences."""

from typing import Any

from terc.paper import theory
from terc.paper.gains import PI, UMFI, Gains
from terc.paper.players import LONGEST, TRIES, history, lengths, player
from terc.paper.quarters import quarter_tasks
from terc.paper.scale import PRESETS, Scale
from terc.paper.sources import of_task, saved
from terc.paper.study import TERC
from terc.store import Store, Task

HURRIED = 0.25
"""Share of the training steps in tests; with less no one learns the best play."""
FILES = {"paper": "cycle.npz", "fast": "rollout.npz"}
"""The paper explains optimal play; we explain the same table with one move in ten at random."""
CODE = ("terc.selection.history_length", "terc.paper.sources")
PLAY = ("terc.agents.tabular_q", "terc.playing.rollout")


def stage_of(scale: Scale) -> int:
    """The opponent whose quarters of training are looked at."""
    return 4 if 4 in scale.tats else scale.tats[0]


def player_task(scale: Scale, tats: int, preset: str, seed: int) -> Task:
    """The Q-learner whose play is explained."""
    settings: dict[str, Any] = {"tats": tats, "seed": seed, "preset": preset, "steps": scale.steps}
    recorded = tats == stage_of(scale) and seed < scale.quarter_agents
    settings |= {"record": scale.record if recorded else 0}
    settings |= {"training": HURRIED if scale.hurried else 1.0}
    settings["tries"] = 1 if scale.hurried else TRIES[preset]
    key = f"{key_of(tats, preset, seed)}/agent"
    files = tuple(saved(key, name) for name in ("training.npz", "rollout.npz", "cycle.npz"))
    return Task(
        key, f"TF{tats}T: Q-learner {seed + 1}, {PRESETS[preset]}", player, settings, files=files, code=PLAY
    )


def key_of(tats: int, preset: str, seed: int) -> str:
    """Folder of one player."""
    return f"prisoners/{tats}/{PRESETS[preset]}-{seed}"


def _gains(scale: Scale, tats: int, preset: str, seed: int) -> Gains:
    needs = player_task(scale, tats, preset, seed)
    source = of_task(needs.key, FILES[preset])
    return Gains(key_of(tats, preset, seed), needs.words, source, "prisoners", needs=(needs,))


def player_tasks(scale: Scale, store: Store) -> list[Task]:
    """All Q-learners, and those that show what a length of history is worth."""
    tasks = [
        player_task(scale, t, p, s) for t in scale.tats for p in PRESETS for s in range(scale.dilemma_agents)
    ]
    for tats in scale.tats:
        around = {length for length in (tats - 2, tats - 1, LONGEST) if length >= 1}
        histories = list(range(1, LONGEST + 1)) if scale.thorough else sorted(around)
        for preset, whose in PRESETS.items():
            settings: dict[str, Any] = {"tats": tats, "histories": histories, "players": scale.players}
            settings |= {"share": HURRIED if scale.hurried else 1.0, "preset": preset}
            words = f"TF{tats}T: reward by length of history, {whose}"
            tasks.append(Task(f"prisoners/{tats}/lengths-{whose}", words, lengths, settings, code=PLAY))
    return [theory.task(scale), *tasks]


def methods_for(scale: Scale, tats: int, preset: str, seed: int) -> tuple[str, ...]:
    """Which methods look at one player: TERC at all, PI at the first of each, both baselines where shown."""
    shown = tats in scale.shown_tats and seed < min(2, scale.mine_agents)
    return (TERC[preset], *((UMFI, PI) if shown else (PI,) if seed == 0 else ()))


def selection_tasks(scale: Scale, store: Store) -> list[Task]:
    """What their moves depend on, and how long a history they need."""
    tasks: list[Task] = []
    for tats in scale.tats:
        for preset in PRESETS:
            for seed in range(scale.dilemma_agents):
                gains = _gains(scale, tats, preset, seed)
                tasks += gains.tasks(scale, methods_for(scale, tats, preset, seed), seed=seed)
                if tats == stage_of(scale) and seed < scale.quarter_agents:
                    tasks += quarter_tasks(gains, scale)
        for seed in range(scale.dilemma_agents):
            needs = player_task(scale, tats, "fast", seed)
            for file in ("rollout", "cycle"):
                settings = {"source": of_task(needs.key, f"{file}.npz"), "steps": scale.steps}
                key = f"{key_of(tats, 'fast', seed)}/history-{file}"
                tasks.append(
                    Task(key, f"{needs.words}: history, {file}", history, settings, (needs,), code=CODE)
                )
    return tasks
