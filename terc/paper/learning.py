"""Whether agents learn faster on TERC's state, and fresh learners where a difference needs to be repeated."""

import itertools
from collections.abc import Sequence

import numpy as np

from terc.arrays import Array
from terc.paper.agents import learner_task
from terc.paper.claims import (
    AGREES,
    DIFFERS,
    OPEN,
    Difference,
    Side,
    braces,
    difference,
    seeds,
    short,
    shortened,
)
from terc.paper.scale import PRESETS, Scale
from terc.paper.study import FULL, Study
from terc.paper.worlds import PaperWorld
from terc.return_comparison import on_one_grid
from terc.store import Store, Task


def learning_side(study: Study, preset: str, who: str) -> Side:
    """Mean return during training on TERC's state against that on all variables."""
    chosen, curves, state = study.states(preset), study.curves(preset), _state(study, preset)
    areas = {name: table.mean(1) for name, (_, _, table) in curves.items()}
    if state == FULL:
        text = "the majority of agents keeps every variable, or none: no smaller state"
        if not study.scale.learners_in(study.world.name, preset):
            text = f"not tried at scale {study.scale.name}"
        return Side(text, OPEN, who).by("learning")
    gap = difference(areas[state], areas[FULL], paired=False)
    counts = f"{len(areas[state])} and {len(areas[FULL])} learners"
    who = f"{counts}, {curves[FULL][1][-1]:,.0f} steps, {seeds(len(areas[state]))}"
    others = ", ".join(f"{short(a.mean())} on {n} ({curves[n][0]})" for n, a in areas.items())
    text = shortened(f"mean return in training {gap.words(1)}: {others}")
    if gap.larger is not False:
        return Side(text, AGREES if gap.larger else OPEN, who).by("learning")
    kept = chosen[state] or ()
    missing = [name for name in study.wanted if name not in kept]
    if missing:
        cause = f"Without {braces(missing)} they got {short(areas[state].mean())}, with it "
        return Side(text, DIFFERS, who, f"{cause}{short(areas[FULL].mean())}.").by("learning")
    again = _again(study, preset, state)
    cause = (
        f"Only noise or decoys were removed. As many fresh learners, with the next seeds: {again.words(1)}"
        f"{'' if again.larger is False else ', so that the difference is not repeated'}."
    )
    return Side(text, DIFFERS if again.larger is False else OPEN, who, cause).by("learning")


def again_tasks(scale: Scale, store: Store | None, worlds: Sequence[PaperWorld]) -> list[Task]:
    """Fresh learners where those on a state that lacks nothing learnt more slowly; a plan counts none."""
    if store is None:
        return []
    found: list[Task] = []
    for world, preset in itertools.product(worlds, PRESETS):
        study = Study(scale, store, world)
        state = _state(study, preset)
        if state == FULL:
            continue
        kept, tables = study.states(preset)[state], study.curves(preset)
        gap = difference(*(tables[name][2].mean(1) for name in (state, FULL)), paired=False)
        if gap.larger is False and set(kept or ()) >= set(study.wanted):
            found += [
                learner_task(world, name, variables, scale, preset=preset, seed=seed)
                for name, variables in ((state, kept), (FULL, None))
                for seed in _fresh(study, preset)
            ]
    return found


def _state(study: Study, preset: str) -> str:
    """Name of TERC's state; that of the full one where it is no smaller."""
    return next((name for name in study.states(preset) if "terc" in name.split("+")), FULL)


def _fresh(study: Study, preset: str) -> range:
    """Seeds that no learner has had."""
    count = study.scale.learners_in(study.world.name, preset)
    first = max(count, study.scale.agents_in(study.world.name, preset))
    return range(first, first + count)


def _again(study: Study, preset: str, state: str) -> Difference:
    """The difference once more, of fresh learners."""
    start = f"{study.world.name}/learners/{PRESETS[preset]}"
    curves = {
        name: [np.array(study.store[f"{start}-{name}-{k}"]["curve"], float) for k in _fresh(study, preset)]
        for name in (state, FULL)
    }
    tables: dict[str, Array] = on_one_grid(curves)[1]
    return difference(*(tables[name].mean(1) for name in (state, FULL)), paired=False)
