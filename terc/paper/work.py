"""Doing the units of a reproduction: those that are not done yet, over processes, with progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from terc.paper.experiment import Experiment
from terc.paper.scale import Scale
from terc.paper.shelf import Shelf, Unit
from terc.parallel.choose import choose_backend
from terc.pipeline.run import Event, Listener
from terc.threads import one_thread, one_torch_thread

Task = tuple[Shelf, Unit]


def do_all(
    experiments: Sequence[Experiment], scale: Scale, shelf: Shelf, *, n_jobs: int, tell: Listener
) -> None:
    """Do every wave of every experiment; what lies on the shelf already is not done again.

    Args:
        experiments: Their waves are done side by side: the first of all, then the second of all.
        scale: How large.
        shelf: Where results go.
        n_jobs: Worker processes; the results do not depend on it.
        tell: Called for each unit.
    """
    done: list[Unit] = []
    for waves in zip_longest(*(experiment.waves for experiment in experiments)):
        units = {unit.key: unit for wave in waves if wave for unit in wave(scale, shelf)}
        known = {unit.key for unit in done}
        fresh = [unit for key, unit in units.items() if key not in known]
        _do_wave(fresh, len(done), shelf, n_jobs, tell)
        done += fresh


def _do_wave(units: Sequence[Unit], before: int, shelf: Shelf, n_jobs: int, tell: Listener) -> None:
    waiting = [unit for unit in units if not shelf.is_done(unit)]
    total = before + len(units)
    numbers = {unit.key: before + place for place, unit in enumerate([*_others(units, waiting), *waiting], 1)}
    for unit in _others(units, waiting):
        tell(Event(unit.words, numbers[unit.key], total, 1, 1, finished=True, kept_from_before=True))
    for beside, jobs in ((False, n_jobs), (True, 1)):
        tasks = [(shelf, unit) for unit in waiting if unit.alone is beside]
        _spread(tasks, jobs, lambda unit: tell(_finished(unit, numbers[unit.key], total, shelf)))


def _others(units: Sequence[Unit], waiting: Sequence[Unit]) -> list[Unit]:
    keys = {unit.key for unit in waiting}
    return [unit for unit in units if unit.key not in keys]


def _finished(unit: Unit, number: int, total: int, shelf: Shelf) -> Event:
    return Event(unit.words, number, total, 1, 1, finished=True, cpu_seconds=shelf.seconds(unit.key))


def _spread(tasks: Sequence[Task], n_jobs: int, said: Callable[[Unit], None]) -> None:
    """The tasks in their order; `said` hears of each as soon as it and those before it are done."""
    backend = choose_backend(None, n_jobs)
    backend.map(do_unit, tasks, progress=lambda done, total: said(tasks[done - 1][1]))


def do_unit(task: Task) -> None:
    """One unit, held to one thread whoever runs it: sums in another order would be other results."""
    shelf, unit = task
    with one_thread(), one_torch_thread():
        shelf.do(unit)
