"""What the paper says about the three physics worlds, beside what we measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from terc.paper.claims import Claim, braces, different, updates_of
from terc.paper.gains import MINE, OURS, PI, UMFI, selection_of
from terc.paper.quarter_claims import quarter_claims
from terc.paper.scale import Scale
from terc.paper.states import FULL, mean_area, records_of, state_of
from terc.paper.worlds import PAPER_WORLDS, PaperWorld
from terc.selection.result import Selection
from terc.store import Store

BARS, QUARTERS_AT = "Fig. 5", {"cart-pole": "Fig. 6", "lunar-lander": "Fig. 7", "pendulum": "Fig. 8"}
# Below this share of the information something was missed, whatever the agents use.
MISSED = 0.9
RULE = "The rule has neither a floor nor a bound on how often noise is kept."


def claims(scale: Scale, store: Store) -> list[Claim]:
    """All of them, world by world."""
    found = []
    for name in scale.worlds:
        world = PAPER_WORLDS[name]
        found += _sets(scale, store, world)
        found.append(_faster(scale, store, world))
        found += quarter_claims(store, name, QUARTERS_AT[name])
        found.append(_experts(scale, store, world))
    if "lunar-lander" in scale.worlds:
        found.append(_printed_actor_critic(scale, store))
    return found


def originals(names: Sequence[str]) -> tuple[str, ...]:
    """The variables that are no noise.

    Example:
        >>> originals(["x", "noise_0"])
        ('x',)
    """
    return tuple(name for name in names if not name.startswith("noise_"))


def _sets(scale: Scale, store: Store, world: PaperWorld) -> list[Claim]:
    key, title, seeds = world.name, world.title, range(scale.agents_in(world.name))
    ours = [selection_of(store, f"{key}/{seed}") for seed in seeds]
    wanted = originals(ours[0].names)
    kept = [selection.kept for selection in ours]
    mine, other = selection_of(store, f"{key}/0", MINE), f"kept {different(kept)}"
    umfi = [selection_of(store, f"{key}/{seed}", UMFI).kept for seed in seeds]
    permuted = [selection_of(store, f"{key}/{seed}", PI).kept for seed in seeds]
    return [
        Claim.counted(
            BARS,
            f"{title}: TERC removes the three noise variables ({OURS}).",
            [originals(names) == names for names in kept],
            "all removed",
            "",
            other,
        ),
        Claim.counted(
            BARS,
            f"{title}: TERC keeps all original variables ({OURS}).",
            [set(names) >= set(wanted) for names in kept],
            "all kept",
            why_not_all(ours, wanted),
            other,
        ),
        Claim.checked(
            BARS,
            f"{title}: TERC keeps the original variables alone ({MINE}).",
            f"kept {braces(mine.kept)}",
            mine.kept == wanted,
            " ".join([updates_of(mine.config), *_amiss([mine.kept], wanted, RULE)]),
        ),
        Claim.counted(
            BARS,
            f"{title}: UMFI keeps the original variables alone.",
            [names == wanted for names in umfi],
            "right",
            " ".join(_amiss(umfi, wanted)),
            f"kept {different(umfi)}",
        ),
        Claim.counted(
            BARS,
            f"{title}: PI misses informative variables.",
            [set(wanted) - set(names) != set() for names in permuted],
            "some missed",
            _why_pi(permuted, wanted),
            f"kept {different(permuted)}",
        ),
    ]


def _amiss(kept: Sequence[Sequence[str]], wanted: Sequence[str], reason: str = "") -> list[str]:
    """Which originals were missed and which noise was kept, each with how often, and the reason if any was.

    Example:
        >>> _amiss([("x", "noise_0"), ("x",)], ["x", "y"])
        ['Missed: y (2).', 'Kept beyond them: noise_0 (1).']
    """
    missed = Counter(name for names in kept for name in wanted if name not in names)
    noise = Counter(name for names in kept for name in names if name not in wanted)
    found = [
        f"{what}: {', '.join(f'{name} ({count})' for name, count in sorted(found.items()))}."
        for what, found in (("Missed", missed), ("Kept beyond them", noise))
        if found
    ]
    return [*found, reason] if found and reason else found


def _why_pi(kept: Sequence[Sequence[str]], wanted: Sequence[str]) -> str:
    if any(set(wanted) - set(names) for names in kept):
        return " ".join(_amiss(kept, wanted))
    return " ".join(
        ["A ridge regression on so many steps sees a slope in each of them.", *_amiss(kept, wanted)]
    )


def why_not_all(selections: Sequence[Selection], wanted: Sequence[str]) -> str:
    """What became of the wanted variables that were removed; empty if none was."""
    removed = [one for selection in selections for one in selection.removed if one.name in wanted]
    if not removed:
        return ""
    share = min(selection.retained.value for selection in selections)
    if share < MISSED:
        return (
            f"A miss of ours: the kept variables hold but {100 * share:.0f} % of the information, and so few "
            "episodes do not make the test sure. `terc run` plays more."
        )
    reasons = Counter(f"{one.name} as {one.reason}" for one in removed)
    each = ", ".join(f"{words} ({count})" for words, count in reasons.items())
    return (
        f"Removed: {each}. These agents' actions can be predicted without: the kept variables hold "
        f"{100 * share:.1f} % of the information or more."
    )


def _faster(scale: Scale, store: Store, world: PaperWorld) -> Claim:
    area = mean_area(scale, store, world.name)
    chosen = state_of(scale, store, world.name, "terc")
    by_state = {label.rsplit(" (", 1)[0]: value for label, value in area.items()}
    each = ", ".join(f"{label}: {value:.0f}" for label, value in area.items())
    finals = {
        state: np.mean([record["final"] for record in records_of(scale, store, world.name, state)])
        for state in dict.fromkeys((chosen, FULL))
    }
    ends = ", ".join(f"{state} {value:.0f}" for state, value in finals.items())
    count = scale.learners_in(world.name)
    learners = "one learner" if count == 1 else f"{count} learners"
    seeds = f"An ordering of the means of {learners} per chosen state, without a test."
    return Claim.checked(
        f"{BARS}, right",
        f"{world.title}: learning is faster on the state chosen by TERC than on all variables.",
        f"mean return over the training, by state: {each}; fresh episodes at the end: {ends}",
        chosen != FULL and by_state[chosen] > by_state[FULL],
        seeds if chosen != FULL else "TERC kept every variable, so there is no smaller state to compare.",
    )


def _experts(scale: Scale, store: Store, world: PaperWorld) -> Claim:
    records = [store[f"{world.name}/{seed}/agent"] for seed in range(scale.agents_in(world.name))]
    reached = [record["expert_steps"] > 0 for record in records]
    finals = ", ".join(f"{record['final']:.0f}" for record in records)
    notes = {
        "pendulum": "A return of -10 is reached only by episodes that begin upright, whatever the agent."
    }
    return Claim.counted(
        "Appendix",
        f"{world.title}: trained agents produce expert episodes (return of at least {world.expert:g}).",
        reached,
        "some found",
        notes.get(world.name, ""),
        f"mean return of the likeliest actions {finals}",
    )


def _printed_actor_critic(scale: Scale, store: Store) -> Claim:
    seeds = range(scale.agents_in("lunar-lander"))
    records = [store[f"lunar-lander/learners/paper-{FULL}-{seed}"] for seed in seeds]
    returns = ", ".join(f"{record['late']:.0f}" for record in records)
    return Claim.counted(
        "Appendix, Lunar Lander",
        "The one-step actor-critic with the printed settings learns to land (200).",
        [record["late"] >= 200 for record in records],
        "reached",
        f"After {records[0]['steps']:,} steps; our trajectories come from PPO.",
        f"return at the end of training {returns}",
    )
