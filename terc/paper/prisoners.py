"""The Iterated Prisoner's Dilemma against Tit-For-N-Tats (section 7.6): how long a history is needed?"""

from __future__ import annotations

from functools import partial
from typing import Any

from terc import figures
from terc.paper import prisoners_claims
from terc.paper.claims import braces
from terc.paper.experiment import Experiment
from terc.paper.gains import METHODS, OURS, Gains, selection_of
from terc.paper.history_figure import reward_by_history
from terc.paper.players import LONGEST, lengths, player
from terc.paper.quarters import quarter_selections, quarter_tasks, through_training
from terc.paper.scale import Scale
from terc.paper.sources import Source, at_most, of_task, read, saved
from terc.reporting.pictures import Picture
from terc.selection.history_length import history_length
from terc.selection.select import select
from terc.store import Store, Task

FEWEST_TRAINING = 0.25
"""Share of the steps of our settings below which no one learns the best play."""


def player_task(scale: Scale, tats: int, seed: int) -> Task:
    """The Q-learner whose play is explained."""
    settings: dict[str, Any] = {"tats": tats, "seed": seed, "steps": scale.steps, "record": scale.record}
    settings["training"] = max(scale.training, FEWEST_TRAINING)
    key = f"prisoners/{tats}/{seed}/agent"
    files = tuple(saved(key, name) for name in ("training.npz", "rollout.npz", "cycle.npz"))
    return Task(key, f"TF{tats}T: Q-learner {seed + 1}", player, settings, files=files)


def gains_of(scale: Scale, tats: int, seed: int) -> Gains:
    """Its play with one move in ten at random."""
    needs = player_task(scale, tats, seed)
    key = f"prisoners/{tats}/{seed}"
    return Gains(key, f"TF{tats}T, learner {seed + 1}", of_task(needs.key), "prisoners", needs=(needs,))


def _players(scale: Scale, store: Store) -> list[Task]:
    tasks = [player_task(scale, tats, seed) for tats in scale.tats for seed in range(scale.agents)]
    for tats in scale.tats:
        around = [length for length in (1, tats - 2, tats - 1, tats, LONGEST) if 1 <= length <= LONGEST]
        tried = {"fast": sorted(set(around)), "paper": [LONGEST]}
        if scale.every_length:
            tried = dict.fromkeys(tried, list(range(1, LONGEST + 1)))
        for preset, histories in tried.items():
            settings: dict[str, Any] = {"tats": tats, "histories": histories, "players": scale.players}
            settings |= {"share": max(scale.training, FEWEST_TRAINING), "preset": preset}
            words = f"TF{tats}T: reward by length of history, preset {preset}"
            tasks.append(Task(f"prisoners/{tats}/lengths-{preset}", words, lengths, settings))
    return tasks


def _selections(scale: Scale, store: Store) -> list[Task]:
    tasks, code = list[Task](), (history_length.__module__, select.__module__, read.__module__)
    for tats in scale.tats:
        for seed in range(scale.agents):
            gains, needs = gains_of(scale, tats, seed), player_task(scale, tats, seed)
            shown = tats in scale.shown_tats and seed == 0
            tasks += gains.tasks(scale, methods=METHODS if shown else (OURS,))
            for file in ("rollout", "cycle"):
                settings = {"source": of_task(needs.key, f"{file}.npz"), "steps": scale.steps}
                words = f"TF{tats}T, learner {seed + 1}: history length, {file}"
                tasks.append(
                    Task(f"{gains.key}/history-{file}", words, history, settings, (needs,), code=code)
                )
            words, settings = f"TF{tats}T, learner {seed + 1}: Algorithm 1 on the pure cycle", settings | {}
            tasks.append(Task(f"{gains.key}/orders", words, orders, settings, (needs,), code=code))
    stages = [tats for tats in (4,) if tats in scale.tats] or list(scale.tats[:1])
    return tasks + [u for tats in stages for u in quarter_tasks(gains_of(scale, tats, 0), scale)]


def history(store: Store, key: str, *, source: Source, steps: int) -> dict[str, Any]:
    """The shortest history that carries as much information as the longest."""
    found = history_length(at_most(read(store, source), steps), max_length=LONGEST)
    return {
        "length": found.length,
        "information": found.information,
        "lost": [loss.value for loss in found.lost],
    }


def orders(store: Store, key: str, *, source: Source, steps: int) -> dict[str, Any]:
    """What Algorithm 1 keeps on the pure cycle when the oldest, or the latest, pairs are tried first."""
    data = at_most(read(store, source), steps)
    oldest, latest = list(data.names)[::-1], list(data.names)
    return {
        "oldest first": list(select(data, order=oldest).kept),
        "latest first": list(select(data, order=latest).kept),
        "naive": list(select(data, method="naive").kept),
    }


def _pictures(scale: Scale, store: Store) -> list[Picture]:
    pictures = []
    for tats in scale.shown_tats:
        sides = {method: selection_of(store, f"prisoners/{tats}/0", method) for method in METHODS}
        words = "; ".join(f"{method} keeps {braces(side.kept)}" for method, side in sides.items())
        title = f"Tit-For-{tats}-Tats: what each pair of moves is worth"
        pictures.append(Picture(f"prisoners-{tats}", title, f"{words}.", partial(figures.gain_bars, sides)))
    one = 4 if 4 in scale.tats else scale.tats[0]
    network = selection_of(store, f"prisoners/{one}/0")
    words = (
        f"Parents of the action against TF{one}T, from play with one random move in ten: "
        f"{braces(network.kept)}. Wide arrows, large gains; the paper shows the last {one - 1} pairs."
    )
    pictures.append(
        Picture("prisoners-network", "Bayesian network", words, partial(figures.bayesian_network, network))
    )
    drawn = [("fast", "our settings"), ("paper", "the printed 40,000 steps")]
    for preset, said in drawn if scale.every_length else drawn[:1]:
        rewards = {t: store[f"prisoners/{t}/lengths-{preset}"]["rewards"] for t in scale.tats}
        words = (
            f"Reward of the learnt play over 1,000 steps, as a share of the best; Q-learning with {said}. "
            "The star marks a history of N - 1, lines span the learners; marks: lengths tried."
        )
        title = f"Reward against length of history, {said}"
        pictures.append(
            Picture(f"prisoners-lengths-{preset}", title, words, partial(reward_by_history, rewards))
        )
    quarters = quarter_selections(store, f"prisoners/{one}/0")
    words = through_training(quarters)
    pictures.append(
        Picture(
            "prisoners-quarters",
            f"TF{one}T through training",
            words,
            partial(figures.quarter_gains, quarters),
        )
    )
    return pictures


EXPERIMENT = Experiment(
    "prisoners",
    "Iterated Prisoner's Dilemma",
    (_players, _selections),
    prisoners_claims.claims,
    _pictures,
)
