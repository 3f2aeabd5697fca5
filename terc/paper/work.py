"""Doing the units of a reproduction: those that are not done yet, over processes, with progress."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

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
    for waves in itertools.zip_longest(*(experiment.waves for experiment in experiments)):
        units = {unit.key: unit for wave in waves if wave for unit in wave(scale, shelf)}
        known = {unit.key for unit in done}
        fresh = [unit for key, unit in units.items() if key not in known]
        _do_wave(fresh, len(done), shelf, n_jobs, tell)
        done += fresh


def _do_wave(units: Sequence[Unit], before: int, shelf: Shelf, n_jobs: int, tell: Listener) -> None:
    waiting = [unit for unit in units if not shelf.is_done(unit)]
    places, total = itertools.count(before + 1), before + len(units)

    def said(unit: Unit, **how: Any) -> None:
        tell(Event(unit.words, next(places), total, 1, 1, finished=True, **how))

    keys = {unit.key for unit in waiting}
    for unit in units:
        if unit.key not in keys:
            said(unit, kept_from_before=True)
    for alone, jobs in ((False, n_jobs), (True, 1)):
        tasks = [unit for unit in waiting if unit.alone is alone]
        _spread(tasks, shelf, jobs, lambda unit: said(unit, cpu_seconds=shelf.seconds(unit.key)))


def _spread(units: Sequence[Unit], shelf: Shelf, n_jobs: int, said: Callable[[Unit], None]) -> None:
    """The units are begun in their order; `said` hears of each when it is done, whichever that is."""
    waiting = {unit.key: unit for unit in units}

    def look(_done: int, _total: int) -> None:
        for unit in [unit for unit in waiting.values() if shelf.is_done(unit)]:
            said(waiting.pop(unit.key))

    choose_backend(None, n_jobs).map(do_unit, [(shelf, unit) for unit in units], progress=look)


def do_unit(task: Task) -> None:
    """One unit, held to one thread whoever runs it: sums in another order would be other results."""
    shelf, unit = task
    with one_thread(), one_torch_thread():
        shelf.do(unit)
