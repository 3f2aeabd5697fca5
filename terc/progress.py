"""How a long call says how far it is: `Report` for one call, `Event` for a command of many tasks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

Report = Callable[[int, int, str], None]
"""Called with (done, total, what is being done or seen, in words)."""


@dataclass(frozen=True)
class Event:
    """How far a command is.

    Attributes:
        task: What is being done, in words.
        number: Its place, from 1.
        of: Tasks in all, as far as known.
        done: What is done of the task (training steps, ...); equal to `total` when it ends.
        total: All there is to do of it.
        what: What is seen meanwhile, in words.
        finished: Whether the task is done.
        kept_from_before: Whether it was found done already.
        cpu_seconds: What it took, where several are done at once; else NaN, and the clock shows it.
    """

    task: str
    number: int
    of: int
    done: int = 0
    total: int = 0
    what: str = ""
    finished: bool = False
    kept_from_before: bool = False
    cpu_seconds: float = float("nan")


Listener = Callable[[Event], None]


def silent(*_: object) -> None:
    """A `Report` or a `Listener` that does nothing."""


def within(event: Event, listen: Listener) -> Report:
    """What one call of a task reports, as events of that task.

    Example:
        >>> within(Event("train", 1, 9), lambda event: print(event.done, event.total, event.what))(5, 10, "")
        5 10
    """
    return lambda done, total, what: listen(replace(event, done=done, total=total, what=what))


@contextmanager
def reporting(progress: bool | Report) -> Iterator[Report]:
    """The function to call after each step of a long call.

    Args:
        progress: False for silence, True for a bar on stderr if that is a terminal, or the caller's own
            function.
    """
    if callable(progress):
        yield progress
    elif progress and sys.stderr.isatty():
        with _bar() as report:
            yield report
    else:
        yield silent


@contextmanager
def _bar() -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)
        yield lambda done, total, what: bar.update(task, completed=done, total=total, description=what)
