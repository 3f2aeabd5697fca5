"""Gains in each quarter of the training and of the expert, and what happened, in words made from the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from terc.paper.gains import OURS, Gains, selection_of
from terc.paper.scale import Scale
from terc.paper.sources import of_task
from terc.selection.result import Selection
from terc.store import Store, Task

QUARTERS = ("1", "2", "3", "4")
EXPERT = "expert"


def quarter_tasks(gains: Gains, scale: Scale, *, expert: str = "rollout.npz") -> list[Task]:
    """Selections by our estimator in each quarter of the recorded training, and of the trained agent."""
    agent, scale = gains.needs[0].key, replace(scale, steps=scale.quarter_steps)
    tasks = []
    for number, name in enumerate(QUARTERS):
        source = of_task(agent, "training.npz", quarter=number)
        part = Gains(
            f"{gains.key}/quarter-{name}",
            f"{gains.words}, quarter {name}",
            source,
            gains.world,
            needs=gains.needs,
        )
        tasks.append(part.task(OURS, scale))
    last = Gains(
        f"{gains.key}/expert",
        f"{gains.words}, expert",
        of_task(agent, expert),
        gains.world,
        needs=gains.needs,
    )
    return [*tasks, last.task(OURS, scale)]


def quarter_selections(store: Store, key: str) -> dict[str, Selection]:
    """Stage of training -> what the actions depended on."""
    found = {name: selection_of(store, f"{key}/quarter-{name}") for name in QUARTERS}
    return found | {EXPERT: selection_of(store, f"{key}/{EXPERT}")}


def gain(stage: Selection, names: Sequence[str]) -> float:
    """Summed gain of some variables."""
    return sum(max(0.0, stage[name].gain) for name in names)


def share(stage: Selection, names: Sequence[str]) -> float:
    """Their share of the summed gains of all variables; 0 where nothing has a gain.

    Example:
        >>> from example_data import cart_pole
        >>> round(share(cart_pole(), ["theta", "theta_dot"]), 2)
        0.81
    """
    total = gain(stage, stage.names)
    return gain(stage, names) / total if total > 0 else 0.0


def through_training(stages: Mapping[str, Selection]) -> str:
    """What the stages show, in sentences that know nothing but the numbers.

    Example:
        >>> from example_data import quarters
        >>> through_training(quarters()).split(". ")[0]
        'Quarter 1: theta_dot 0.022, theta 0.009'
    """
    sentences = [_stage(name, stage) for name, stage in stages.items()]
    quarters = [stages[name] for name in QUARTERS if name in stages]
    if len(quarters) > 1:
        sentences += _trends(quarters[0], quarters[-1])
    return " ".join(sentences)


def _stage(name: str, stage: Selection) -> str:
    kept = sorted((v for v in stage.verdicts if v.kept), key=lambda v: -v.gain)
    listed = ", ".join(f"{v.name} {v.gain:.3f}" for v in kept[:4])
    more = f" and {len(kept) - 4} more" if len(kept) > 4 else ""
    start = "Expert" if name == EXPERT else f"Quarter {name}"
    return f"{start}: {listed}{more}." if kept else f"{start}: nothing is kept."


def _trends(first: Selection, last: Selection) -> list[str]:
    """Which gains grew or fell by more than their intervals from the first quarter to the last."""
    grown, fallen = [], []
    for verdict in last.verdicts:
        before = first[verdict.name]
        if verdict.kept and verdict.low > before.high:
            grown.append(verdict.name)
        elif before.kept and verdict.high < before.low:
            fallen.append(verdict.name)
    sentences = []
    if grown:
        sentences.append(
            f"From the first to the last quarter the gain of {_named(grown)} grew beyond its interval."
        )
    if fallen:
        sentences.append(f"That of {_named(fallen)} fell.")
    return sentences


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
