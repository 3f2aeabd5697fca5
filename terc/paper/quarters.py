"""Gains in each quarter of the training and of the expert, and what the paper reads from them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from terc.paper.claims import AGREES, DIFFERS, OPEN, Side, counted, difference, often, seeds, shortened
from terc.paper.gains import OURS, Gains, selection_of
from terc.paper.scale import Scale
from terc.paper.worlds import of_task
from terc.plurals import some
from terc.selection.result import Selection
from terc.store import Store, Task

QUARTERS = ("1", "2", "3", "4")
EXPERT = "expert"
Stages = dict[str, Selection]


def quarter_tasks(gains: Gains, scale: Scale, *, expert: str = "rollout.npz") -> list[Task]:
    """Selections by our engine in each quarter of the recorded training, and of the trained agent."""
    agent, steps = gains.needs[0].key, scale.quarter_steps
    scale = replace(scale, steps=steps, most_steps=steps)
    sources = {
        f"quarter-{name}": of_task(agent, "training.npz", quarter=number)
        for number, name in enumerate(QUARTERS)
    }
    sources[EXPERT] = of_task(agent, expert)
    tasks = []
    for name, source in sources.items():
        key, words = f"{gains.key}/{name}", f"{gains.words}, {name}"
        tasks.append(Gains(key, words, source, gains.world, needs=gains.needs).task(OURS, scale))
    return tasks


def quarter_selections(store: Store, key: str) -> Stages:
    """Stage of training -> what the actions depended on."""
    found = {name: selection_of(store, f"{key}/quarter-{name}") for name in QUARTERS}
    return found | {EXPERT: selection_of(store, f"{key}/{EXPERT}")}


def gain(stage: Selection, names: Sequence[str]) -> float:
    """Summed gain of some variables, in nats; what is below zero by estimation error counts as zero."""
    return sum(max(0.0, stage[name].gain) for name in names)


@dataclass(frozen=True)
class Rise:
    """The summed gain of `names` is larger in stage `later` than in stage `earlier`."""

    names: tuple[str, ...]
    earlier: str
    later: str


@dataclass(frozen=True)
class QuarterReading:
    """What the paper reads from the quarters of one world.

    Attributes:
        rises: Orderings that must all hold.
        kept: Or something about the variables kept in the first quarter, of each agent.
    """

    statement: str
    rises: tuple[Rise, ...] = ()
    kept: Callable[[tuple[str, ...]], bool] | None = None


CART = ("cart_position", "cart_velocity")
MOTION = ("x", "y", "x_velocity", "y_velocity")
LEGS = ("left_leg_contact", "right_leg_contact")
# Gymnasium calls the cosine x and the sine y; the paper is taken to do the same.
SINE, COSINE, SPEED, ANGLE = ("sin_angle",), ("cos_angle",), ("angular_velocity",), ("pole_angle",)
READINGS: dict[str, tuple[QuarterReading, ...]] = {
    "cart-pole": (
        QuarterReading("in the first quarter the actions depend on the angular velocity alone",
                kept=lambda kept: kept == ("pole_velocity",)),
        QuarterReading("the cart's position and velocity count more in the second quarter",
                (Rise(CART[:1], "1", "2"), Rise(CART[1:], "1", "2"))),
        QuarterReading("the position counts less in the fourth quarter than in the third",
                (Rise(CART[:1], "4", "3"),)),
        QuarterReading("the expert depends more on the angle than the fourth quarter",
                (Rise(ANGLE, "4", EXPERT),)),
        QuarterReading("the expert depends less on the other three than the fourth quarter",
                tuple(Rise((name,), EXPERT, "4") for name in ("pole_velocity", *CART))),
    ),
    "lunar-lander": (
        QuarterReading("in the first quarter the actions depend on the angle of the lander",
                kept=lambda kept: "angle" in kept),
        QuarterReading("position and speed count more in the second and third quarter",
                (Rise(MOTION, "1", "2"), Rise(MOTION, "1", "3"))),
        QuarterReading("the legs' contact counts more in the last quarter and for the expert",
                (Rise(LEGS, "3", "4"), Rise(LEGS, "3", EXPERT))),
    ),
    "pendulum": (
        QuarterReading("in the first quarter all gains are negligible", kept=lambda kept: not kept),
        QuarterReading("y and the angular velocity count more in the second and third quarter",
                tuple(Rise(names, "1", stage) for names in (SINE, SPEED) for stage in ("2", "3"))),
        QuarterReading("x counts more in the third quarter, and still more in the fourth",
                (Rise(COSINE, "2", "3"), Rise(COSINE, "3", "4"))),
    ),
}  # fmt: skip


def rising(names: tuple[str, ...]) -> tuple[Rise, ...]:
    """More in each quarter than in the one before."""
    return tuple(Rise(names, one, two) for one, two in zip(QUARTERS, QUARTERS[1:], strict=False))


def read(reading: QuarterReading, agents: Sequence[Stages], steps: int) -> Side:
    """The reading tested over agents: paired differences of gains with t intervals, or counts."""
    who = f"{some(len(agents), 'agent')}, {steps:,} steps a quarter, {seeds(len(agents))}"
    if reading.kept is not None:
        kept = [stages[QUARTERS[0]].kept for stages in agents]
        seen = often((name for names in kept for name in names), of=len(kept)) or "nothing"
        cause = _largest([stages[QUARTERS[0]] for stages in agents])
        return counted([reading.kept(k) for k in kept], who, cause=cause, extra=f"kept {seen}")
    gains = {
        rise: [[gain(stages[end], rise.names) for stages in agents] for end in (rise.earlier, rise.later)]
        for rise in reading.rises
    }
    found = {rise: difference(later, earlier, paired=True) for rise, (earlier, later) in gains.items()}
    larger = [value.larger for value in found.values()]
    end = "high" if False in larger else "low"  # of what decides the verdict
    least = min(found, key=lambda rise: np.nan_to_num(getattr(found[rise], end), nan=found[rise].value))
    several = f"least of {len(found)} changes: " if len(found) > 1 else ""
    ends = " to ".join(f"{np.mean(each):.3f}" for each in gains[least])
    words = shortened(f"{several}{_named(least)} {ends} nats, {found[least].words(3)}")
    if False in larger:
        return Side(words, DIFFERS, who, _other_way(least, agents))
    return Side(words, AGREES if all(larger) else OPEN, who)


def _other_way(rise: Rise, agents: Sequence[Stages]) -> str:
    """In how many agents the order is the other one, and how much the states hold of the actions at all."""
    ends = (rise.earlier, rise.later)
    more, less = ([gain(stages[end], rise.names) for stages in agents] for end in ends)
    whole = [float(np.mean([stages[end].information for stages in agents])) for end in ends]
    first, second = (f"quarter {end}" if end in QUARTERS else f"the {end}" for end in ends)
    count = sum(one > two for one, two in zip(more, less, strict=True))
    return (
        f"In {count} of {len(agents)} agents it is the other way round. All variables together hold "
        f"{whole[0]:.3f} nats of the actions of {first} and {whole[1]:.3f} of {second}."
    )


def _largest(found: Sequence[Selection]) -> str:
    """The largest gains of the first quarter, mean over agents, beside all that the states hold."""
    names = found[0].names
    means = {name: float(np.mean([max(0.0, one[name].gain) for one in found])) for name in names}
    first = ", ".join(f"{name} {means[name]:.4f}" for name in sorted(names, key=lambda n: -means[n])[:2])
    whole = float(np.mean([one.information for one in found]))
    return f"Largest gains in quarter 1, in nats: {first}; all variables together hold {whole:.4f}."


def _named(rise: Rise) -> str:
    stages = [f"Q{stage}" if stage in QUARTERS else stage for stage in (rise.earlier, rise.later)]
    what = rise.names[0] if len(rise.names) == 1 else "summed gain"
    return f"{what}, {' to '.join(stages)}:"
