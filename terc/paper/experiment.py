"""`Experiment`: one experiment of the paper as waves of tasks, claims and pictures; how tasks are done."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from terc.paper.claims import Claim
from terc.paper.scale import Scale
from terc.parallel.choose import choose_backend
from terc.progress import Event, Listener
from terc.reporting.pictures import Picture
from terc.store import Store, Task
from terc.threads import one_thread

Wave = Callable[[Scale, Store], list[Task]]
Pictures = list[tuple[str, Picture]]
"""Pictures, each with its place in the paper."""


@dataclass(frozen=True)
class Experiment:
    """One experiment.

    Attributes:
        waves: Functions that give tasks; each is asked when the tasks of the one before are done, because
            what comes next may depend on what was found.
    """

    name: str
    waves: tuple[Wave, ...]
    claims: Callable[[Scale, Store], list[Claim]]
    pictures: Callable[[Scale, Store], Pictures]


@dataclass(frozen=True)
class Expected:
    """How many tasks there are in all waves, at most, and what they and each of them should take."""

    tasks: int
    seconds: float
    cost: Callable[[Task], float]


@dataclass
class Progress:
    """What is told of the tasks as they end: how many of how many, and which share of the work."""

    expected: Expected
    listen: Listener
    of: int = 0
    number: int = 0
    seconds: float = 0.0

    def begins(self, task: Task) -> None:
        """Until the first task ends, there is something to say."""
        if self.number == 0:
            self.listen(Event(task.words, 1, self.of))

    def ended(self, task: Task, **how: Any) -> None:
        """One more is done."""
        self.number, self.seconds = self.number + 1, self.seconds + self.expected.cost(task)
        share = min(self.seconds / self.expected.seconds, 1.0) if self.expected.seconds else float("nan")
        self.listen(Event(task.words, self.number, self.of, 1, 1, finished=True, share=share, **how))


def do_all(
    experiments: Sequence[Experiment],
    scale: Scale,
    store: Store,
    *,
    n_jobs: int,
    listen: Listener,
    expected: Expected,
) -> list[Task]:
    """Do all tasks of the experiments that the store does not hold yet; all tasks.

    Args:
        expected: What all waves hold together, so that the progress of the first ones counts them.
    """
    done: list[Task] = []
    progress = Progress(expected, listen)
    waves_of_all = list(itertools.zip_longest(*(experiment.waves for experiment in experiments)))
    for number, waves in enumerate(waves_of_all, 1):
        tasks = {task.key: task for wave in waves if wave for task in wave(scale, store)}
        known = {task.key for task in done}
        fresh = [task for key, task in tasks.items() if key not in known]
        least = expected.tasks if number < len(waves_of_all) else 0
        progress.of = max(len(done) + len(fresh), least)
        _do_wave(fresh, store, n_jobs, progress)
        done += fresh
    return done


def _do_wave(tasks: Sequence[Task], store: Store, n_jobs: int, progress: Progress) -> None:
    """The tasks are begun in their order; those that measure time come last, one by one."""
    waiting = {task.key: task for task in tasks if not store.is_done(task)}

    def notice(_done: int, _total: int) -> None:
        for task in [task for task in waiting.values() if store.is_done(task)]:
            progress.ended(waiting.pop(task.key), cpu_seconds=store.seconds(task.key))

    for task in tasks:
        if task.key not in waiting:
            progress.ended(task, kept_from_before=True)
    for alone, jobs in ((False, n_jobs), (True, 1)):
        work = [(store, task) for task in waiting.values() if task.alone is alone]
        if work:
            progress.begins(work[0][1])
        choose_backend(None, jobs).map(do_task, work, progress=notice)


def do_task(work: tuple[Store, Task]) -> None:
    """Do one task on one thread, in whatever process: sums in another order would give other results."""
    store, task = work
    with one_thread():
        store.do(task)
