"""`distill`: a policy on the chosen variables alone, taught by the one that reads them all.

First it learns from recorded steps of the teacher; then it plays, the teacher says what it would have done
in the states that the student came to, and the student learns from these too (DAgger, Ross, Gordon and
Bagnell 2011). No reward is used to learn; it only decides when to stop.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import Policy
from terc.agents.stepping import EnvLike
from terc.arrays import Array
from terc.checks import called_rightly, share, whole_number
from terc.errors import BadValueError
from terc.fingerprint import array_digest
from terc.playing.arena import Arena, Turn, seeds
from terc.progress import Report, reporting, silent
from terc.returns.distilled import Distilled, Round
from terc.returns.lessons import Lessons
from terc.returns.play import Returns, as_act, mean_interval, random_returns
from terc.returns.student import Schooling, Student
from terc.returns.teacher import Teacher, chosen_columns, record, recorded_states, same_actions, some_rows
from terc.seeding import generator
from terc.trajectories.data import Trajectories


@called_rightly
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
    progress: bool | Report = False,
) -> Distilled:
    """A policy on the chosen variables alone that acts like `policy`.

    Args:
        env: A Gymnasium id, an environment, a vector environment, a function that makes one; it shows all
            variables.
        policy: The teacher: anything `terc.rollout` accepts.
        selection: A Selection, or the names that the student may read.
        hidden: Widths of the student's hidden layers.
        tolerance: Share of the teacher's return (or of its gain over random actions, see `Returns.worth`)
            that may be lost; teaching ends when no loss is seen, or it is certainly within this.
        rounds: Lessons at most.
        data: A recording of the teacher; by default it is made here.
        steps: Of the recording, and at most of each round's play.
        episodes: That measure the student in the end, on seeds that no lesson has seen.
        greedy: Whether the student takes its likeliest actions (True) or draws them (False); None for the
            likeliest, and drawn ones where only these are good enough (`Distilled.draws`).
        names: Of the variables; by default those of `data`, or what `terc.environments.variable_names` knows.
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
    course = Course(rounds, tolerance, episodes, steps, greedy, Schooling(hidden))
    with Arena(env, int(episodes), names) as arena, reporting(progress) as report:
        acting = arena.policy(policy)
        arena.named_by(data)
        columns = chosen_columns("distill", selection, arena.names)
        if not columns:
            raise BadValueError(f"distill: no variable is kept; name at least one of {list(arena.names)}.")
        file = None if folder is None else Path(folder) / "lessons.npz"
        small = taught_alone(arena, acting, columns, course, data, seed=seed, report=report, file=file)
    return replace(small, seconds=time.process_time() - began)


def taught_alone(  # noqa: PLR0913  (what a distillation is made of; all but five are keywords)
    arena: Arena,
    teacher: Policy,
    columns: Sequence[int],
    course: Course,
    data: Trajectories | None,
    *,
    seed: int,
    report: Report = silent,
    file: Path | None = None,
) -> Distilled:
    """A student that shares nothing with another but the teacher, and `data` where they are given."""
    rng = generator(seed)
    given = record(arena, teacher, course.steps, greedy=False, seed=seed) if data is None else data
    classroom = Classroom(arena, teacher, recorded_states("distill", given, arena.names), course, rng=rng)
    return classroom.teach(columns, rng=rng, report=report, checkpoint=file)


@dataclass(frozen=True)
class Course:
    """How long a student is taught, and when it is good enough.

    Attributes:
        rounds: Lessons at most: one on the recording, the others on the student's own play.
        episodes: Played on fresh seeds in the end.
        steps: Of the recording, and at most of each round's play.
        greedy: Whether students take their likeliest actions or draw; None for the way that holds the return.
    """

    rounds: int = 6
    tolerance: float = 0.05
    episodes: int = 100
    steps: int = 10_000
    greedy: bool | None = None
    schooling: Schooling = field(default_factory=Schooling)

    def __post_init__(self) -> None:
        for name, least in (("rounds", 1), ("episodes", 2), ("steps", 1)):
            whole_number("distill", name, getattr(self, name), least)
        share("distill", "tolerance", self.tolerance)


class Classroom:
    """One teacher and its recorded steps, for one student or for several one after another.

    After each lesson a student is examined on episodes that no lesson draws on, the same after every lesson.
    It has learned enough when it earns no less than its teacher there, or when its loss is certainly within
    the tolerance (95 % interval, paired by episode): a small loss on few episodes alone is no proof. States
    that a student came to stay, with the teacher's answers, for those who come after.

    What a student does not read may vary the actions of its teacher, and that may serve it: the likeliest of
    them, always the same, can get stuck where they cancel out. So where likeliest actions are not enough,
    drawn ones are examined too. Where all that is not read is noise, a student whose actions are distributed
    as its teacher's, given what it reads, has the same returns.
    """

    def __init__(
        self, arena: Arena, policy: Policy, recording: Array, course: Course, *, rng: np.random.Generator
    ) -> None:
        self.arena, self.course = arena, course
        self.teacher = Teacher(policy, arena.action_space)
        self.states = recording.astype(arena.observation_space.dtype)
        self.targets = self.teacher.targets(self.states)
        self.seeds = seeds(int(rng.integers(2**31)), course.episodes)  # those of `play` with the same seed
        acting = as_act(policy, course.greedy is not False, rng=rng)
        theirs = arena.play(acting, self.seeds)[0]
        self.random = random_returns(arena, self.seeds)
        self.returns = Returns.of(theirs, self.random)
        self.exam = self._fresh_seeds(rng=rng)
        self.to_beat = arena.play(acting, self.exam)[0]

    def teach(
        self,
        columns: Sequence[int],
        *,
        rng: np.random.Generator,
        report: Report = silent,
        checkpoint: Path | None = None,
    ) -> Distilled:
        """A student on these columns, after as many rounds as it needs.

        Args:
            checkpoint: File in which each lesson is kept, and from which an interrupted call goes on.
        """
        began, course = time.process_time(), self.course
        identity = self._identity(columns, rng)
        labels = self.arena.labels(columns)
        student = Student(len(columns), self.teacher.heads, course.schooling, rng=rng, labels=labels)
        spec = replace(self.arena.spec, n_variables=len(columns))
        lessons = Lessons.begin(student, checkpoint, identity, spec=spec, rng=rng)
        self._remember(lessons.states, lessons.targets)
        while len(lessons.rounds) < course.rounds and not lessons.over:
            report(len(lessons.rounds), course.rounds, "teaching")
            student.learn(self.states[:, list(columns)], self.targets, rng=rng)
            if course.greedy is False:
                student.vary(self.states[:, list(columns)], self.teacher.drawn(self.states, rng=rng))
            lesson, network, enough = self._examine(student.policy(spec), columns, rng=rng)
            lessons.add(lesson, network, over=enough)
            if not lessons.over and len(lessons.rounds) < course.rounds:
                # States that the student comes to in other episodes, and the teacher's answers.
                _, watched = self._student_returns(network, columns, self._fresh_seeds(rng=rng), rng=rng)
                seen = some_rows(np.concatenate(watched), course.steps, rng=rng)
                answers = self.teacher.targets(seen)
                lessons.collect(seen, answers)
                self._remember(seen, answers)
            lessons.save(rng=rng)
        report(course.rounds, course.rounds, "playing")
        return self._result(lessons, columns, began, rng=rng)

    def _remember(self, states: Array, targets: Array) -> None:
        """For this student's later lessons, and for those who come after it."""
        if not len(states):
            return
        self.states = np.concatenate([self.states, states.astype(self.states.dtype)])
        self.targets = np.concatenate([self.targets, targets])

    def _identity(self, columns: Sequence[int], rng: np.random.Generator) -> str:
        """Digest of everything that a student depends on: the teacher by its answers and its returns."""
        arrays = [self.states, self.targets, self.returns.values]
        settings = [list(columns), list(self.arena.names), str(self.course), str(rng.bit_generator.state)]
        return array_digest(*arrays, words=settings)

    def _fresh_seeds(self, *, rng: np.random.Generator) -> Array:
        return seeds(int(rng.integers(2**31)), int(self.course.episodes))

    def _examine(
        self, network: NetworkPolicy, columns: Sequence[int], *, rng: np.random.Generator
    ) -> tuple[Round, NetworkPolicy, bool]:
        """How the student does in the exam, by its better way of acting, and whether that is enough."""
        first = replace(network, drawn=self.course.greedy is False)
        found, enough = self._exam_of(first, columns, rng=rng)
        if enough or self.course.greedy is not None:
            return found, first, enough
        drawing = replace(network, drawn=True)
        other, enough = self._exam_of(drawing, columns, rng=rng)
        better = enough or other.mean > found.mean
        return (other, drawing, enough) if better else (found, first, False)

    def _exam_of(
        self, network: NetworkPolicy, columns: Sequence[int], *, rng: np.random.Generator
    ) -> tuple[Round, bool]:
        mine, watched = self._student_returns(network, columns, self.exam, rng=rng)
        seen = some_rows(np.concatenate(watched), self.course.steps, rng=rng)
        alike = self._agreement(network, columns, seen, rng=rng)
        gained = mine - self.to_beat
        certain = mean_interval(gained).low >= -self.returns.tolerated(self.course.tolerance)
        lesson = Round(len(self.states), float(mine.mean()), float(self.to_beat.mean()), alike)
        return lesson, bool(gained.mean() >= 0 or certain)

    def _student_returns(
        self, network: NetworkPolicy, columns: Sequence[int], chosen: Array, *, rng: np.random.Generator
    ) -> tuple[Array, list[Array]]:
        """Returns on the seeds `chosen`, and the full states at each turn on the way."""
        watched: list[Array] = []

        def act(states: Array, turn: Turn) -> Array:
            watched.append(states)
            return network.act(states[:, list(columns)], rng=rng)

        return self.arena.play(act, chosen)[0], watched

    def _agreement(
        self, network: NetworkPolicy, columns: Sequence[int], states: Array, *, rng: np.random.Generator
    ) -> float:
        theirs = self.teacher.policy.act(states, rng=rng, greedy=True)
        mine = network.act(states[:, list(columns)], rng=rng, greedy=True)
        return same_actions(mine, theirs, self.arena.action_space)

    def _result(
        self, lessons: Lessons, columns: Sequence[int], began: float, *, rng: np.random.Generator
    ) -> Distilled:
        """The best student on seeds that no round has seen, beside its teacher and random actions."""
        arena, network = self.arena, lessons.best
        mine, watched = self._student_returns(network, columns, self.seeds, rng=rng)
        seen = np.concatenate(watched)[:: max(1, len(watched) // 1000)]
        return Distilled(
            network=network,
            variables=tuple(arena.names[column] for column in columns),
            columns=tuple(columns),
            n_full=len(arena.names),
            returns=Returns.of(mine, self.random),
            teacher=self.returns,
            agreement=self._agreement(network, columns, seen, rng=rng),
            tolerance=self.course.tolerance,
            rounds=tuple(lessons.rounds),
            seconds=time.process_time() - began,
        )
