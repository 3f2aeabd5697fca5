"""The states that the methods chose in one world, and how agents learnt on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from terc.arrays import Array
from terc.paper.gains import OURS, PI, UMFI, selection_of
from terc.paper.scale import EXPENSIVE, Scale
from terc.return_comparison import on_one_grid
from terc.store import Store

FULL = "all"


def states(scale: Scale, store: Store, world: str) -> dict[str, tuple[str, ...] | None]:
    """Name of a state -> its variables, None for all of them; methods that chose the same share one."""
    first = {method: selection_of(store, f"{world}/0", method) for method in (OURS, UMFI, PI)}
    chosen: dict[tuple[str, ...], list[str]] = {}
    shorts = {OURS: "terc", UMFI: "umfi", PI: "pi"}
    for method, short in shorts.items():
        if (
            method != OURS
            and world in EXPENSIVE
            and not scale.expensive_states
            and first[method].kept != first[OURS].kept
        ):
            continue
        kept = first[method].kept
        if 0 < len(kept) < len(first[OURS].names):
            chosen.setdefault(kept, []).append(short)
    found: dict[str, tuple[str, ...] | None] = {"+".join(who): kept for kept, who in chosen.items()}
    return found | {FULL: None}


def state_of(scale: Scale, store: Store, world: str, short: str) -> str:
    """The name of the state that a method chose; the full one where it removed nothing or everything."""
    return next((state for state in states(scale, store, world) if short in state.split("+")), FULL)


def records_of(
    scale: Scale, store: Store, world: str, state: str, preset: str = "fast"
) -> list[dict[str, Any]]:
    """What the learners on a state did; on the full state with our settings the agents themselves."""
    if state == FULL and preset == "fast":
        return [store[f"{world}/{seed}/agent"] for seed in range(scale.agents_in(world))]
    return [store[f"{world}/learners/{preset}-{state}-{seed}"] for seed in range(scale.learners_in(world))]


def curves_of(scale: Scale, store: Store, world: str) -> dict[str, tuple[Array, Array]]:
    """State (with its length) -> steps and returns `[learners, points]`."""
    chosen = states(scale, store, world)
    count = len(selection_of(store, f"{world}/0").names)
    curves = {
        f"{state} ({len(kept) if kept else count})": [
            np.array(record["curve"], float) for record in records_of(scale, store, world, state)
        ]
        for state, kept in chosen.items()
    }
    grid, tables = on_one_grid(curves)
    return {state: (grid, table) for state, table in tables.items()}


def mean_area(scale: Scale, store: Store, world: str) -> dict[str, float]:
    """State -> mean return over the whole training: the larger, the faster it was learnt."""
    return {state: float(values.mean()) for state, (_, values) in curves_of(scale, store, world).items()}
