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


def do_all(
    experiments: Sequence[Experiment],
    scale: Scale,
    store: Store,
    *,
    n_jobs: int,
    listen: Listener,
    expected: int = 0,
) -> list[Task]:
    """Do all tasks of the experiments that the store does not hold yet; all tasks.

    Args:
        expected: How many tasks all waves have together, so that the progress of the first ones counts them.
    """
    done: list[Task] = []
    waves_of_all = list(itertools.zip_longest(*(experiment.waves for experiment in experiments)))
    for number, waves in enumerate(waves_of_all, 1):
        tasks = {task.key: task for wave in waves if wave for task in wave(scale, store)}
        known = {task.key for task in done}
        fresh = [task for key, task in tasks.items() if key not in known]
        least = expected if number < len(waves_of_all) else 0
        _do_wave(fresh, range(len(done), max(len(done) + len(fresh), least)), store, n_jobs, listen)
        done += fresh
    return done


def _do_wave(tasks: Sequence[Task], places: range, store: Store, n_jobs: int, listen: Listener) -> None:
    """The tasks are begun in their order; those that measure time come last, one by one."""
    numbers, total = itertools.count(places.start + 1), places.stop
    waiting = {task.key: task for task in tasks if not store.is_done(task)}

    def said(task: Task, **how: Any) -> None:
        listen(Event(task.words, next(numbers), total, 1, 1, finished=True, **how))

    def notice(_done: int, _total: int) -> None:
        for task in [task for task in waiting.values() if store.is_done(task)]:
            said(waiting.pop(task.key), cpu_seconds=store.seconds(task.key))

    for task in tasks:
        if task.key not in waiting:
            said(task, kept_from_before=True)
    for alone, jobs in ((False, n_jobs), (True, 1)):
        work = [(store, task) for task in waiting.values() if task.alone is alone]
        choose_backend(None, jobs).map(do_task, work, progress=notice)


def do_task(work: tuple[Store, Task]) -> None:
    """Do one task on one thread, in whatever process: sums in another order would give other results."""
    store, task = work
    with one_thread():
        store.do(task)
