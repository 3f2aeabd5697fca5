"""`frontier`: how few variables, or how cheap ones, still give the return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from terc.agents.stepping import EnvLike
from terc.errors import BadTypeError, unknown_name
from terc.playing.arena import Arena
from terc.returns.ablate import Unplug, unplug
from terc.returns.classroom import Classroom, Course
from terc.returns.elimination import (
    checked_costs,
    checked_order,
    nested_sets,
    order_by_cost,
    order_by_gain,
    order_by_return,
    set_cost,
)
from terc.returns.front import Frontier, Point
from terc.returns.recording import Progress, record, recorded_states, silent
from terc.returns.student import Schooling
from terc.seeding import generator
from terc.trajectories.data import Trajectories

ORDERS = ("return", "gain", "cost")


def frontier(  # noqa: PLR0913  (the public contract; all but three are keywords)
    env: EnvLike,
    policy: Any,
    costs: Mapping[str, float] | None = None,
    *,
    selection: Any = None,
    order: str | Sequence[str] | None = None,
    budget: float | None = None,
    hidden: Sequence[int] = (64, 64),
    tolerance: float = 0.05,
    rounds: int = 4,
    data: Trajectories | None = None,
    steps: int = 10_000,
    episodes: int = 100,
    seed: int = 0,
    greedy: bool = True,
    names: Sequence[str] | None = None,
    folder: str | Path | None = None,
    progress: Progress | None = None,
) -> Frontier:
    """An agent for each of a row of nested sets of variables, and what it returns.

    The agents are distilled from `policy` on shared recorded steps: no retraining. The sets are nested along
    one order, so that a smaller set which is not on the way can be better than those shown.

    Args:
        env: A Gymnasium id, an environment, a vector environment, a function that makes one.
        policy: The teacher: anything `terc.rollout` accepts.
        costs: What each variable costs; without them their number counts.
        selection: What it removed goes first. Without one, copies of one variable both rank high.
        order: "return" (by ablation; the default), "gain" (the selection's removed ones first; the default
            with a selection), "cost" (the most expensive first), or names from the first to go to the last.
        budget: Try only sets that cost at most this, or have at most so many variables.
        hidden: Widths of the students' hidden layers.
        tolerance: Of each distillation, see `distill`.
        rounds: Lessons of each student at most.
        data: A recording of the policy; by default it is made here.
        steps: Of the recording, and at most of each round's play.
        episodes: That measure each student; all play the same.
        seed: Same seed, same answer.
        greedy: Whether students take their likeliest action.
        names: Of the variables; by default what `terc.environments.variable_names` knows.
        folder: Where each lesson is kept as soon as it is over; the same call continues there if it was
            interrupted, and ends with the same answer.
        progress: Called with how much is done, of how much, and what.

    Raises:
        UnknownNameError: Costs or an order of other variables than the environment's.
    """
    course = Course(rounds, tolerance, episodes, steps, greedy, Schooling(tuple(hidden)))
    rng, tell = generator(seed), progress or silent
    with Arena(env, int(episodes), names) as arena:
        acting, prices = arena.policy(policy), checked_costs(costs, arena.names)
        kind = _kind(order, selection, prices)
        tell(0, len(arena.names), "recording")
        recording = recorded_states(
            "frontier",
            data,
            arena.names,
            lambda: record(env, acting, steps, arena.names, greedy=False, seed=seed),
        )
        classroom = Classroom(arena, acting, recording, course, rng=rng)
        tell(0, len(arena.names), "ordering")
        if kind == "given":
            ranked = checked_order(list(order or ()), arena.names)
        elif kind == "cost":
            ranked = order_by_cost(arena.names, prices)
        else:
            how = Unplug(episodes=int(episodes), greedy=greedy)
            ablation = unplug(arena, acting, recording, None, how, rng=rng)
            ranked = order_by_return(ablation, prices)
            ranked = ranked if kind == "return" else order_by_gain(selection, ablation, prices)
        sets = nested_sets(ranked, prices, budget)
        place = None if folder is None else Path(folder)
        points = _points(classroom, sets, prices, tell, rng=rng, folder=place)
    return Frontier(points, classroom.returns, ranked, prices, budget)


def _points(
    classroom: Classroom,
    sets: Sequence[tuple[str, ...]],
    costs: Mapping[str, float],
    tell: Progress,
    *,
    rng: np.random.Generator,
    folder: Path | None,
) -> tuple[Point, ...]:
    """A student for each set, from the largest on; what one saw, the next learns from."""
    points, names = [], classroom.arena.names
    for number, (chosen, stream) in enumerate(zip(sets, rng.spawn(len(sets)), strict=True)):
        tell(number, len(sets), f"distilling onto {len(chosen)} variables")
        columns = sorted(names.index(name) for name in chosen)
        file = None if folder is None else folder / f"lessons-{len(chosen)}.npz"
        taught = classroom.teach(columns, rng=stream, checkpoint=file)
        cost = set_cost(chosen, costs)
        points.append(Point(taught.variables, cost, taught.returns, taught.agreement, taught))
    tell(len(sets), len(sets), "done")
    return tuple(points)


def _kind(order: Any, selection: Any, costs: Mapping[str, float]) -> str:
    if order is None:
        return "return" if selection is None else "gain"
    if not isinstance(order, str):
        return "given"
    if order not in ORDERS:
        raise unknown_name("frontier", "order", order, ORDERS)
    if order == "gain" and not hasattr(selection, "removed"):
        raise BadTypeError("frontier: order='gain' needs selection=, the answer of terc.select.")
    if order == "cost" and not costs:
        raise BadTypeError("frontier: order='cost' needs costs=, a mapping name -> cost.")
    return order
