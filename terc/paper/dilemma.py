"""The Iterated Prisoner's Dilemma: Q-learners, printed and ours, and the tasks that explain their play."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import gymnasium as gym
import numpy as np

from terc.agents.learner import train_agent
from terc.agents.tabular_q import ID, TabularPolicy, TabularQConfig, train_apart
from terc.agents.tabular_q import PRESETS as SETTINGS
from terc.agents.training import Training
from terc.environments.prisoners_dilemma import best_mean_reward
from terc.paper import theory
from terc.paper.gains import PI, UMFI, Gains
from terc.paper.quarters import quarter_tasks
from terc.paper.scale import PRESETS, Scale
from terc.paper.study import TERC
from terc.paper.worlds import Source, at_most, of_task, read, saved
from terc.playing.rollout import rollout
from terc.redundancy.history_length import history_length
from terc.store import Store, Task
from terc.trajectories.data import Trajectories

LONGEST = 9
LAST_STEPS = 1000
TRIES = {"fast": 5, "paper": 10}
"""Trainings until one plays best; with the printed settings one in five does."""
EXPLORE = 0.1
# Against Tit-For-10-Tats nine pairs look the same after nine defections and after ten: it takes more games.
HARD = TabularQConfig(steps=3_200_000, n_envs=256)


def games(tats: int, history: int, num_envs: int) -> Any:
    """`num_envs` games side by side."""
    return gym.make_vec(ID, num_envs, vectorization_mode="vector_entry_point", n=tats, history=history)


def normalised_reward(policy: TabularPolicy, tats: int) -> float:
    """Mean reward of the likeliest moves over that of the best play, from the first move on.

    Example:
        Against Tit-For-Two-Tats an agent that always cooperates gets 2 of 2.5.
        >>> import terc
        >>> from terc.agents.policy import PolicySpec
        >>> table = TabularPolicy(PolicySpec(ID, 1, n_actions=2), (4,), (0,), np.zeros((4, 2)))
        >>> normalised_reward(table, 2)
        0.8
    """
    history = len(policy.levels)
    data = rollout(partial(games, tats, history), policy, LAST_STEPS, greedy=True, n_envs=1)
    rewards = np.asarray(data.rewards, float)
    whole = len(rewards) // tats * tats
    return float(rewards[:whole].mean() / best_mean_reward(tats))


def learn(tats: int, history: int, config: TabularQConfig, *, seed: int, record: int = 0) -> Training:
    """One Q-learner."""
    names = [f"pair_{k}" for k in range(1, history + 1)]
    return train_agent(partial(games, tats, history), seed=seed, agent=config, record=record, names=names)


def shortened(config: TabularQConfig, share: float) -> TabularQConfig:
    """The same for a share of the steps."""
    return replace(config, steps=max(2_000, int(config.steps * share)))


def player(  # noqa: PLR0913  (the settings of the task)
    store: Store, key: str, *, tats: int, seed: int, steps: int, record: int, training: float, **how: Any
) -> dict[str, Any]:
    """Train with `preset` until one plays best, at most `tries` times, and save its play.

    The paper plays "until convergence"; the number of tries is part of the record. The training is saved too
    where `record` is above 0.
    """
    config = SETTINGS[ID, how["preset"]]
    config = shortened(HARD if tats > LONGEST and how["preset"] == "fast" else config, training)
    tried: list[tuple[float, TabularPolicy, Trajectories | None]] = []
    for policy, recorded in _attempts(tats, config, how["tries"], seed=seed, record=record):
        tried.append((normalised_reward(policy, tats), policy, recorded))
        if tried[-1][0] > 0.999:
            break
    reward, best, recorded = max(tried, key=lambda one: one[0])
    if recorded is not None:
        recorded.save(store / saved(key, "training.npz"))
    play = partial(rollout, partial(games, tats, LONGEST), steps=steps, seed=seed + 1)
    play(replace(best, epsilon=EXPLORE)).save(store / saved(key, "rollout.npz"))
    settled(play(best)).save(store / saved(key, "cycle.npz"))
    return {"reward": reward, "tries": len(tried), "steps": config.steps, "played": steps}


def _attempts(
    tats: int, config: TabularQConfig, tries: int, *, seed: int, record: int
) -> Iterator[tuple[TabularPolicy, Trajectories | None]]:
    """Trainings one after the other; those on a single game that are not recorded are made all at once."""
    if config.n_envs == 1 and not record:
        together = train_apart(config, partial(games, tats, LONGEST), learners=tries, seed=seed)
        yield from ((policy, None) for policy in together)
        return
    for attempt in range(tries):
        found = learn(tats, LONGEST, config, seed=1000 * attempt + seed, record=record)
        yield cast("TabularPolicy", found.policy), found.data


def settled(data: Trajectories) -> Trajectories:
    """The data without the first moves of each game, whose history is not yet that of the cycle."""
    first = np.flatnonzero(np.diff(data.episodes, prepend=data.episodes[0] - 1))
    since = np.arange(len(data)) - first[np.cumsum(np.isin(np.arange(len(data)), first)) - 1]
    return data.rows(since >= 2 * LONGEST)


def lengths(  # noqa: PLR0913  (the settings of the task)
    store: Store, key: str, *, tats: int, histories: Sequence[int], players: int, share: float, preset: str
) -> dict[str, Any]:
    """Normalised reward of `players` Q-learners with each length of history."""
    config = shortened(SETTINGS[ID, preset], share)
    read = [history for history in histories for _ in range(players)]
    if config.n_envs == 1:
        longest = partial(games, tats, max(histories))
        policies = train_apart(config, longest, learners=len(read), seed=0, read=read)
    else:
        learnt = [learn(tats, h, config, seed=k % players).policy for k, h in enumerate(read)]
        policies = cast("list[TabularPolicy]", learnt)
    rewards: dict[str, list[float]] = {str(history): [] for history in histories}
    for history, policy in zip(read, policies, strict=True):
        rewards[str(history)].append(normalised_reward(policy, tats))
    return {"rewards": rewards, "steps": config.steps}


def history(store: Store, key: str, *, source: Source, steps: int) -> dict[str, Any]:
    """The shortest history that carries as much information as the longest."""
    found = history_length(at_most(read(store, source), steps), max_length=LONGEST)
    return {"length": found.length, "information": found.information}


HURRIED = 0.25
"""Share of the training steps in tests; with less no one learns the best play."""
FILES = {"paper": "cycle.npz", "fast": "rollout.npz"}
"""The paper explains optimal play; we explain the same table with one move in ten at random."""
CODE = ("terc.redundancy.history_length", "terc.paper.worlds")
PLAY = ("terc.agents.tabular_q", "terc.playing.rollout")


def stage_of(scale: Scale) -> int:
    """The opponent whose quarters of training are shown."""
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
    words = f"TF{tats}T: Q-learner {seed + 1}, {PRESETS[preset]}"
    return Task(key, words, player, settings, files=files, code=PLAY)


def key_of(tats: int, preset: str, seed: int) -> str:
    """Folder of one player."""
    return f"prisoners/{tats}/{PRESETS[preset]}-{seed}"


def _gains(scale: Scale, tats: int, preset: str, seed: int) -> Gains:
    needs = player_task(scale, tats, preset, seed)
    source = of_task(needs.key, FILES[preset])
    return Gains(key_of(tats, preset, seed), needs.words, source, "prisoners", needs=(needs,))


def player_tasks(scale: Scale, store: Store) -> list[Task]:
    """All Q-learners, and those that show what a length of history is worth."""
    seeds = range(scale.dilemma_agents)
    tasks = [player_task(scale, t, p, s) for t in scale.tats for p in PRESETS for s in seeds]
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
    """The methods asked about one player: TERC about all, PI about the first, both baselines where shown."""
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
                key, words = f"{key_of(tats, 'fast', seed)}/history-{file}", f"{needs.words}: history, {file}"
                tasks.append(Task(key, words, history, settings, (needs,), code=CODE))
    return tasks
