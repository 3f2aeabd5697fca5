"""`frontier`: how few variables, or how cheap ones, still give the return."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from terc.agents.stepping import EnvLike
from terc.checks import called_rightly
from terc.playing.arena import Arena
from terc.plurals import some
from terc.progress import Report, reporting
from terc.returns.ablate import unplug
from terc.returns.confirmation import AGENTS, Confirmation, episodes_needed, level_of
from terc.returns.distill import Classroom, Course, taught_alone
from terc.returns.distilled import Distilled
from terc.returns.elimination import checked_costs, nested_sets, ranking, set_cost
from terc.returns.front import Frontier, Point
from terc.returns.student import Schooling
from terc.returns.teacher import record, recorded_states
from terc.seeding import generator
from terc.trajectories.data import Trajectories


@called_rightly
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
    greedy: bool | None = None,
    names: Sequence[str] | None = None,
    folder: str | Path | None = None,
    progress: bool | Report = False,
) -> Frontier:
    """An agent for each of a row of nested sets of variables, and what it returns.

    The agents are distilled, on shared steps. A smaller set that is not on the way may be better than these.
    The smallest set that seems to hold the return is confirmed by agents distilled afresh, or the next larger
    one is tried.

    Args:
        env: As in `terc.distill`; so are `policy` and the arguments that are not listed here.
        costs: What a variable costs; 1 for those that are not named, so that without costs the number counts.
        selection: Makes "gain" the order. Without one, copies of one variable both rank high.
        order: "return" (by ablation), "gain" (what `selection` removed goes first), "cost", or all names.
        budget: Try only sets that cost at most this, or have at most so many variables.
        rounds: Lessons of each student at most.
        episodes: That measure each student; all play the same.
    """
    course = Course(rounds, tolerance, episodes, steps, greedy, Schooling(hidden))
    rng = generator(seed)
    with Arena(env, int(episodes), names) as arena, reporting(progress) as report:
        acting = arena.policy(policy)
        arena.named_by(data)
        prices = checked_costs(costs, arena.names)
        ranked_by = ranking(order, selection, prices, arena.names)
        report(0, len(arena.names), "recording")
        given = record(arena, acting, steps, greedy=False, seed=seed) if data is None else data
        recording = recorded_states("frontier", given, arena.names)
        classroom = Classroom(arena, acting, recording, course, rng=rng)
        report(0, len(arena.names), "ordering")
        how: dict[str, Any] = {"episodes": int(episodes), "greedy": greedy is not False, "rng": rng}
        ranked = ranked_by(lambda: unplug(arena, acting, recording, **how))
        points = _points(
            classroom, nested_sets(ranked, prices, budget), prices, report, rng=rng, folder=folder
        )
        front = Frontier(points, classroom.returns, ranked, prices, budget, tolerance)

        def afresh(columns: Sequence[int], episodes: int, file: Path | None) -> Distilled:
            longer, luck = replace(course, episodes=episodes), int(rng.integers(2**31))
            return taught_alone(arena, acting, columns, longer, data, seed=luck, file=file)

        tried = confirmations(front, arena.names, afresh, report, folder)
        report(len(points) + AGENTS, len(points) + AGENTS, "done")
    return replace(front, tried=tried)


def _points(
    classroom: Classroom,
    sets: Sequence[tuple[str, ...]],
    costs: Mapping[str, float],
    report: Report,
    *,
    rng: np.random.Generator,
    folder: str | Path | None,
) -> tuple[Point, ...]:
    """A student for each set, from the largest on; what one saw, the next learns from."""
    points, names = [], classroom.arena.names
    for number, (chosen, stream) in enumerate(zip(sets, rng.spawn(len(sets)), strict=True)):
        report(
            number, len(sets) + AGENTS, f"distilling onto {len(chosen)} variable{'s' * (len(chosen) != 1)}"
        )
        columns = sorted(names.index(name) for name in chosen)
        file = None if folder is None else Path(folder) / f"lessons-{len(chosen)}.npz"
        taught = classroom.teach(columns, rng=stream, checkpoint=file)
        cost = set_cost(chosen, costs)
        points.append(Point(taught.variables, cost, taught.returns, taught.agreement, taught))
    return tuple(points)


def confirmations(
    front: Frontier,
    names: Sequence[str],
    afresh: Callable[[Sequence[int], int, Path | None], Distilled],
    report: Report,
    folder: str | Path | None,
) -> tuple[Confirmation, ...]:
    """Agents distilled afresh onto the candidates, from the smallest on until one is confirmed."""
    tried: list[Confirmation] = []
    for number, point in enumerate(front.candidates):
        chosen, level = point.variables, level_of(number)
        room = front.teacher.tolerated(front.tolerance)
        episodes = episodes_needed(point.returns.values - front.teacher.values, room, level)
        agents = []
        for agent in range(AGENTS):
            report(
                len(front.points) + agent,
                len(front.points) + AGENTS,
                f"confirming {some(len(chosen), 'variable')}",
            )
            file = None if folder is None else Path(folder) / f"confirming-{len(chosen)}-{agent}.npz"
            agents.append(afresh([names.index(name) for name in chosen], episodes, file))
        differences = np.stack([agent.returns.values - agent.teacher.values for agent in agents])
        tried.append(Confirmation.of(chosen, differences, level, agents))
        if front.holds(tried[-1]):
            break
    return tuple(tried)
