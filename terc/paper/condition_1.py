"""Condition 1 in every world (appendix): the paper's R, and whether all sets that suffice have one size."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from terc import figures
from terc.paper.agents import agent_task
from terc.paper.claims import AGREES, DIFFERS, OPEN, Claim, Side, both, braces, counted, shortened
from terc.paper.dilemma import FILES, player_task
from terc.paper.experiment import Experiment, Pictures
from terc.paper.redundant_pairs import MANY, redundancy, sizes
from terc.paper.scale import PRESETS, Scale
from terc.paper.worlds import PAPER_WORLDS, PaperWorld, of_task, secret_key_world
from terc.records import restored
from terc.redundancy.condition_1 import HOLDS, NOT_DECIDED, VIOLATED, WHOLE, Condition1
from terc.redundancy.redundancy_index import MostRedundant
from terc.reporting.pictures import Picture
from terc.store import Store, Task

WHERE = "Fig. 11"
NO_LIMIT = "H(A) of a density depends on the unit of the action and is not a limit for R."
CODE = ("terc.redundancy.condition_1", "terc.paper.worlds")


def _worlds(scale: Scale) -> list[PaperWorld]:
    return [*(secret_key_world(keys) for keys in scale.keys), *(PAPER_WORLDS[name] for name in scale.worlds)]


def _sources(scale: Scale) -> dict[tuple[str, str], Task]:
    """World or opponent and preset -> the task that plays."""
    found = {(w.name, p): agent_task(w, scale, p, 0) for w in _worlds(scale) for p in PRESETS}
    return found | {(f"TF{t}T", p): player_task(scale, t, p, 0) for t in scale.tats for p in PRESETS}


def _checks(scale: Scale, store: Store) -> list[Task]:
    tasks = []
    for (name, preset), needs in _sources(scale).items():
        file = FILES[preset] if name.startswith("TF") else "rollout.npz"
        source, whose = of_task(needs.key, file), PRESETS[preset]
        options: dict[str, Any] = {"source": source, "steps": scale.steps}
        words, key = f"condition 1, {name}, {whose}", f"condition-1/{name}-{whose}"
        counts = name.startswith(("secret", "TF"))
        given = options | {"rows": None if counts else scale.neighbour_steps}
        tasks.append(Task(f"{key}/pairs", f"{words}: R", redundancy, given, (needs,), code=CODE))
        if preset == "fast" or name.startswith("TF"):
            given = options | {"seconds": scale.search_seconds}
            tasks.append(Task(f"{key}/sizes", f"{words}: sizes", sizes, given, (needs,), code=CODE))
    return tasks


def _pairs_side(store: Store, name: str, preset: str) -> Side:
    record = store[f"condition-1/{name}-{PRESETS[preset]}/pairs"]
    found, many = restored(MostRedundant, record["found"]), record["many"]
    top, entropy = found.pairs[0].value, found.action_entropy
    how = "counting" if many is not None else "KSG"
    who = f"1 agent, seed 0, {found.searched}, {how}"
    text = f"largest R {top} of H(A) = {entropy:.3f} nats"
    if found.action_kind == "discrete" and not entropy:
        return Side("all actions are the same: H(A) = 0", OPEN, who).by("R")
    if not found.entropy_is_a_limit:
        return Side(shortened(f"largest R {top}"), OPEN, who, NO_LIMIT).by("R")
    reached = top.value >= WHOLE * entropy
    cause = ""
    if many is not None:
        text += f"; {MANY[0]} against {MANY[1]} weak keys {many['as played']:.3f}"
        reached = reached or many["as played"] >= 0.99 * entropy
        cause = (
            f"Counting is not corrected, and {MANY[0]} keys hardly ever come twice alike: with shuffled "
            f"actions the same two sets have R = {many['shuffled']:.3f}."
        )
    return Side(shortened(text), DIFFERS if reached else AGREES, who, cause if reached else "").by("R")


def _sizes_side(found: Condition1, scale: Scale) -> Side:
    verdict = {HOLDS: AGREES, VIOLATED: DIFFERS, NOT_DECIDED: OPEN}[found.verdict]
    pair = found.violation
    cause = f"{braces(pair.first)} stands in for {braces(pair.second)}." if pair else ""
    low, high = found.sizes
    text = f"sets that are enough have {low}{f' to {high}' * (low != high)} variables"
    if found.verdict == NOT_DECIDED:
        cause = found.searched[-1]
        text = f"the search ended undecided (at most {scale.search_seconds:g} s)"
    return Side(text, verdict, f"1 agent, {scale.steps:,} steps, seed 0", cause).by("terc.check_condition_1")


def _claims(scale: Scale, store: Store) -> list[Claim]:
    found = []
    for world in _worlds(scale):
        name, title = world.name, world.title
        words = f"{title}: no pair of different size reaches R = H(A)"
        found.append(both(WHERE, words, partial(_pairs_side, store, name)))
        side = replace(_sizes_side(_condition(store, f"{name}-ours"), scale), agent="ours")
        found.append(Claim(WHERE, f"{title}: all sets that are enough have one size.", None, side))
    rows: tuple[tuple[str, Callable[..., Side]], ...] = (
        ("Prisoner's Dilemma: no pair of different size reaches R = H(A), for every N", _dilemma_pairs),
        ("Prisoner's Dilemma: all sets that are enough have one size, for every N", _dilemma_sizes),
    )
    return found + [both(WHERE, words, partial(side, scale, store)) for words, side in rows]


def _condition(store: Store, name: str) -> Condition1:
    return Condition1.from_dict(store[f"condition-1/{name}/sizes"])


def _dilemma_who(scale: Scale, preset: str) -> str:
    kind = "optimal play after the start" if preset == "paper" else "one random move in ten"
    return f"1 Q-learner per N, {scale.steps:,} steps, seed 0, {kind}"


def _dilemma_pairs(scale: Scale, store: Store, preset: str) -> Side:
    found = {
        t: restored(MostRedundant, store[f"condition-1/TF{t}T-{PRESETS[preset]}/pairs"]["found"])
        for t in scale.tats
    }
    share = {t: one.pairs[0].value.value / max(one.action_entropy, 1e-12) for t, one in found.items()}
    reached = {t: found[t].pairs[0] for t in found if share[t] >= WHOLE}
    first = next(iter(reached.items()), None)
    cause = f"TF{first[0]}T: R({braces(first[1].first)}; {braces(first[1].second)}) = H(A)." if first else ""
    extra = f"largest R / H(A) between {min(share.values()):.2f} and {max(share.values()):.2f}"
    held = [t not in reached for t in found]
    return counted(held, _dilemma_who(scale, preset), cause=cause, extra=extra).by("R")


def _dilemma_sizes(scale: Scale, store: Store, preset: str) -> Side:
    found = {t: _condition(store, f"TF{t}T-{PRESETS[preset]}") for t in scale.tats}
    broken = [t for t, one in found.items() if one.verdict == VIOLATED]
    unsure = [t for t, one in found.items() if one.verdict == NOT_DECIDED]
    first = 4 if 4 in broken else next(iter(broken), 0)
    pair = found[first].violation if broken else None
    cause = f"TF{first}T: {braces(pair.first)} stands in for {braces(pair.second)}." if pair else ""
    extra = "; ".join(
        f"{words} for N = {', '.join(map(str, tats))}"
        for words, tats in (("violated", broken), ("not decided", unsure))
        if tats
    )
    held = [None if one.verdict == NOT_DECIDED else one.verdict == HOLDS for one in found.values()]
    return counted(held, _dilemma_who(scale, preset), cause=cause, extra=extra).by("terc.check_condition_1")


def _pictures(scale: Scale, store: Store) -> Pictures:
    shown = {world.name: world.title for world in _worlds(scale)}
    one = 4 if 4 in scale.tats else scale.tats[0]
    shown[f"TF{one}T"] = f"TF{one}T"
    made: Pictures = []
    for name, title in shown.items():
        for whose in PRESETS.values():
            found = restored(MostRedundant, store[f"condition-1/{name}-{whose}/pairs"]["found"])
            if found.action_kind == "discrete" and not found.action_entropy:
                continue  # all actions are the same: every bar would be 0
            words = f"The ten most redundant pairs: {found.searched}. "
            words += "In the shaded region R would reach H(A)." if found.entropy_is_a_limit else NO_LIMIT
            draw = partial(figures.condition_1_bars, found)
            made.append((WHERE, Picture(f"condition-1-{name}-{whose}", f"{title}, {whose}", words, draw)))
    return made


EXPERIMENT = Experiment(
    "condition-1",
    (lambda scale, store: list(_sources(scale).values()), _checks),
    _claims,
    _pictures,
)
