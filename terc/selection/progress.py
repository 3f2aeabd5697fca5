"""Where a long call says how far it is: nowhere, to the caller's function, or to a bar on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[int, int, str], None]
"""Called with (stages done, stages in all, what comes next)."""


@contextmanager
def reporting(progress: bool | Report) -> Iterator[Report]:
    """The function to call after each stage.

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
        yield _silent


def _silent(done: int, total: int, what: str) -> None:
    del done, total, what


@contextmanager
def _bar() -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)
        yield lambda done, total, what: bar.update(task, completed=done, total=total, description=what)
