"""`distill`: a policy on the chosen variables alone, taught by the one that reads them all.

First it learns from recorded steps of the teacher; then it plays, the teacher says what it would have done
in the states that the student came to, and the student learns from these too (DAgger, Ross, Gordon and
Bagnell 2011). No reward is used to learn; it only decides when to stop.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from terc.agents.policy import Policy
from terc.agents.stepping import EnvLike
from terc.playing.arena import Arena
from terc.progress import Report
from terc.returns.classroom import Classroom, Course
from terc.returns.distilled import Distilled
from terc.returns.student import Schooling
from terc.returns.teacher import chosen_columns, record, recorded_states
from terc.seeding import generator
from terc.trajectories.data import Trajectories


def distill(  # noqa: PLR0913  (the public contract; all but three are keywords)
    env: EnvLike,
    policy: Any,
    selection: Any,
    *,
    hidden: Sequence[int] = (64, 64),
    tolerance: float = 0.05,
    rounds: int = 6,
    data: Trajectories | None = None,
    steps: int = 10_000,
    episodes: int = 100,
    seed: int = 0,
    greedy: bool | None = None,
    names: Sequence[str] | None = None,
    folder: str | Path | None = None,
    progress: Report | None = None,
) -> Distilled:
    """A policy on the chosen variables alone that acts like `policy`.

    Args:
        env: A Gymnasium id, an environment, a vector environment, a function that makes one; it shows all
            variables.
        policy: The teacher: anything `terc.rollout` accepts.
        selection: A Selection, or the names that the student may read.
        hidden: Widths of the student's hidden layers.
        tolerance: Share of the teacher's return that may be lost (of its gain over random actions where the
            return is next to zero); teaching ends when no loss is seen, or it is certainly within this.
        rounds: Lessons at most.
        data: A recording of the teacher; by default it is made here.
        steps: Of the recording, and at most of each round's play.
        episodes: That measure the student in the end, on seeds that no lesson has seen.
        greedy: Whether the student takes its likeliest actions (True) or draws them (False); None for the
            likeliest, and drawn ones where only these are good enough (`Distilled.draws`).
        names: Of the variables; by default what `terc.environments.variable_names` knows.
        folder: Keeps each lesson; the same call continues there if interrupted, to the same student.

    Returns:
        A policy with its `returns`; not reaching the tolerance is no error, see `Distilled.as_good`.

    Example:
        >>> small = distill("CartPole-v1", lambda s: (s[:, 2] + s[:, 3] > 0).astype(int),
        ...                 ["pole_angle", "pole_velocity"], hidden=(16, 16), steps=2000, episodes=20)
        >>> small.as_good, small.variables
        (True, ('pole_angle', 'pole_velocity'))
    """
    began = time.process_time()
    course = Course(rounds, tolerance, episodes, steps, greedy, Schooling(tuple(hidden)))
    with Arena(env, int(episodes), names) as arena:
        columns = chosen_columns("distill", selection, arena.names)
        file = None if folder is None else Path(folder) / "lessons.npz"
        acting = arena.policy(policy)
        small = taught_alone(arena, acting, columns, course, data, seed=seed, progress=progress, file=file)
    return replace(small, seconds=time.process_time() - began)


def taught_alone(  # noqa: PLR0913  (what a distillation is made of; all but five are keywords)
    arena: Arena,
    teacher: Policy,
    columns: Sequence[int],
    course: Course,
    data: Trajectories | None,
    *,
    seed: int,
    progress: Report | None = None,
    file: Path | None = None,
) -> Distilled:
    """A student that shares nothing with another but the teacher, and `data` where they are given."""
    rng = generator(seed)
    given = record(arena, teacher, course.steps, greedy=False, seed=seed) if data is None else data
    classroom = Classroom(arena, teacher, recorded_states("distill", given, arena.names), course, rng=rng)
    return classroom.teach(columns, rng=rng, progress=progress, checkpoint=file)
