"""`distill`: a policy on the chosen variables alone, taught by the one that reads them all.

First it learns from recorded steps of the teacher; then it plays, the teacher says what it would have done
in the states that the student came to, and the student learns from these too (DAgger, Ross, Gordon and
Bagnell 2011). No reward is used to learn; it only tells when to stop.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import Policy, PolicySpec
from terc.agents.stepping import EnvLike
from terc.errors import BadValueError
from terc.returns.arena import Arena, Turn, seeds
from terc.returns.distilled import Distilled, Round, holds
from terc.returns.play import Returns, as_act, check_count, random_returns
from terc.returns.recording import Progress, chosen_columns, record, recorded_states, silent
from terc.returns.student import Schooling, Student
from terc.returns.teacher import Teacher, same_actions
from terc.seeding import generator
from terc.trajectories.data import Trajectories

Array = NDArray[Any]


@dataclass(frozen=True)
class Course:
    """How long a student is taught, and when it is good enough.

    Attributes:
        rounds: Lessons at most: one on the recording, the others on the student's own play.
        tolerance: Share of the teacher's return that may be lost.
        episodes: Played on fresh seeds in the end; half as many after each lesson.
        steps: Of the recording, and at most of each round's play.
        greedy: Whether the student is to take its likeliest action.
        schooling: The student's network.
    """

    rounds: int = 6
    tolerance: float = 0.05
    episodes: int = 100
    steps: int = 10_000
    greedy: bool = True
    schooling: Schooling = field(default_factory=Schooling)

    def __post_init__(self) -> None:
        check_count("distill", "rounds", self.rounds)
        check_count("distill", "episodes", self.episodes, least=2)
        check_count("distill", "steps", self.steps)
        if not 0 <= self.tolerance < 1:
            raise BadValueError(
                f"distill: tolerance is a share of the teacher's return, from 0 to below 1; got "
                f"{self.tolerance!r}."
            )


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
    greedy: bool = True,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Distilled:
    """A policy on the chosen variables alone that acts like `policy`.

    Args:
        env: A Gymnasium id, an environment, a vector environment, a function that makes one; it shows all
            variables.
        policy: The teacher: anything `terc.rollout` accepts.
        selection: A Selection, or the names that the student may read.
        hidden: Widths of the student's hidden layers.
        tolerance: Stop when the student's mean return is within this share of the teacher's, or inside the
            interval of the teacher's.
        rounds: Lessons at most.
        data: A recording of the teacher; by default it is made here.
        steps: Of the recording, and at most of each round's play.
        episodes: That measure the student in the end, on seeds that no round has seen.
        seed: Same seed, same student.
        greedy: Whether the student is to take its likeliest action, as deployed, or to draw.
        names: Of the variables; by default what `terc.environments.variable_names` knows.
        progress: Called with how much is done, of how much, and what.

    Returns:
        A policy with its `returns`, its teacher's and their agreement; not reaching the tolerance is no
        error, see `Distilled.as_good`.

    Raises:
        UnknownNameError: A name that the environment does not have.

    Example:
        >>> small = distill("CartPole-v1", lambda s: (s[:, 2] + s[:, 3] > 0).astype(int),
        ...                 ["pole_angle", "pole_velocity"], hidden=(16, 16), steps=2000, episodes=20)
        >>> small.as_good, small.variables
        (True, ('pole_angle', 'pole_velocity'))
    """
    course = Course(rounds, tolerance, episodes, steps, greedy, Schooling(tuple(hidden)))
    rng = generator(seed)
    with Arena(env, int(episodes), names) as arena:
        acting = arena.policy(policy)
        columns = chosen_columns("distill", selection, arena.names)
        recording = recorded_states(
            "distill",
            data,
            arena.names,
            lambda: record(env, acting, steps, arena.names, greedy=False, seed=seed),
        )
        classroom = Classroom(arena, acting, recording, course, rng=rng)
        return classroom.teach(columns, rng=rng, progress=progress)


class Classroom:
    """One teacher and its recorded steps, for one student or for several one after another.

    States that a student came to stay, with the teacher's answers, for those who come after.

    Args:
        arena: Where they play.
        policy: The teacher.
        recording: States `[n, d]`.
        course: How long.
        rng: Draws the seeds on which each student is measured in the end.
    """

    def __init__(
        self, arena: Arena, policy: Policy, recording: Array, course: Course, *, rng: np.random.Generator
    ) -> None:
        self.arena, self.course = arena, course
        self.teacher = Teacher(policy, arena.action_space)
        self.states = recording.astype(arena.observation_space.dtype)
        self.targets = self.teacher.targets(self.states)
        self.seeds = seeds(int(rng.integers(2**31)), course.episodes)  # those of `play` with the same seed
        theirs = arena.play(as_act(policy, course.greedy, rng=rng), self.seeds)[0]
        self.random = random_returns(arena, self.seeds, rng=rng)
        self.returns = Returns.of(theirs, self.random, rng=rng)

    def teach(
        self, columns: Sequence[int], *, rng: np.random.Generator, progress: Progress | None = None
    ) -> Distilled:
        """A student on these columns, after as many rounds as it needs."""
        began, course, tell = time.process_time(), self.course, progress or silent
        student = Student(len(columns), self.teacher.heads, course.schooling, rng=rng)
        best: tuple[float, NetworkPolicy] | None = None
        history: list[Round] = []
        for number in range(course.rounds):
            tell(number, course.rounds, "teaching")
            student.learn(self.states[:, list(columns)], self.targets, rng=rng)
            network = student.policy(self._spec(columns), self.teacher.bounds, self.teacher.first_action)
            lesson, teacher, seen = self._examine(network, columns, rng=rng)
            history.append(lesson)
            short = lesson.mean - lesson.teacher
            if best is None or short > best[0]:
                best = short, network
            if holds(lesson.mean, teacher, course.tolerance):
                break
            if number < course.rounds - 1:
                self.states = np.concatenate([self.states, seen])
                self.targets = np.concatenate([self.targets, self.teacher.targets(seen)])
        tell(course.rounds, course.rounds, "playing")
        network = (best or (0.0, network))[1]
        return self._result(network, columns, tuple(history), began, rng=rng)

    def _spec(self, columns: Sequence[int]) -> PolicySpec:
        whole = self.arena.spec
        return PolicySpec(whole.environment, len(columns), whole.n_actions, whole.action_size, whole.levels)

    def _examine(
        self, network: NetworkPolicy, columns: Sequence[int], *, rng: np.random.Generator
    ) -> tuple[Round, Returns, Array]:
        """Teacher and student on fresh seeds, and the states that the student came to."""
        course = self.course
        chosen = seeds(int(rng.integers(2**31)), max(2, course.episodes // 2))
        watched: list[Array] = []
        mine = self._student_returns(network, columns, chosen, watched, rng=rng)
        theirs = self.arena.play(as_act(self.teacher.policy, course.greedy, rng=rng), chosen)[0]
        seen = np.concatenate(watched)
        if len(seen) > course.steps:
            seen = seen[np.sort(rng.choice(len(seen), course.steps, replace=False))]
        alike = self._agreement(network, columns, seen)
        lesson = Round(len(self.states), float(mine.mean()), float(theirs.mean()), alike)
        return lesson, Returns.of(theirs, rng=rng), seen

    def _student_returns(
        self,
        network: NetworkPolicy,
        columns: Sequence[int],
        chosen: Array,
        watched: list[Array],
        *,
        rng: np.random.Generator,
    ) -> Array:
        """Returns on the seeds `chosen`; the full states on the way are added to `watched`."""

        def act(states: Array, turn: Turn) -> Array:
            watched.append(states)
            return network.act(states[:, list(columns)], rng=rng, greedy=self.course.greedy)

        values: Array = self.arena.play(act, chosen)[0]
        return values

    def _agreement(self, network: NetworkPolicy, columns: Sequence[int], states: Array) -> float:
        theirs = self.teacher.policy.act(states, greedy=True)
        mine = network.act(states[:, list(columns)], greedy=True)
        return same_actions(mine, theirs, self.arena.action_space)

    def _result(
        self,
        network: NetworkPolicy,
        columns: Sequence[int],
        history: tuple[Round, ...],
        began: float,
        *,
        rng: np.random.Generator,
    ) -> Distilled:
        """The student measured on seeds that no round has seen, beside its teacher and random actions."""
        arena = self.arena
        watched: list[Array] = []
        mine = self._student_returns(network, columns, self.seeds, watched, rng=rng)
        seen = np.concatenate(watched)[:: max(1, len(watched) // 1000)]
        return Distilled(
            network=network,
            variables=tuple(arena.names[column] for column in columns),
            columns=tuple(columns),
            n_full=len(arena.names),
            returns=Returns.of(mine, self.random, rng=rng),
            teacher=self.returns,
            agreement=self._agreement(network, columns, seen),
            tolerance=self.course.tolerance,
            rounds=history,
            seconds=time.process_time() - began,
        )
