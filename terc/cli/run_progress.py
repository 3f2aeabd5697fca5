"""How a run shows its progress: a bar per task on a terminal, one line per finished task in a pipe."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from terc.progress import Event, Listener

# The bar is drawn a few times a second; an update per training step would cost more than the training.
LEAST_SECONDS = 0.1


@contextmanager
def run_progress(how_to_continue: str) -> Iterator[Listener]:
    """A listener for `terc.run`; Ctrl-C inside says how to go on before it ends the command."""
    show = _bar if sys.stderr.isatty() else _lines
    try:
        with show() as listener:
            yield listener
    except KeyboardInterrupt:
        typer.echo(f"terc: what is finished is kept; {how_to_continue}", err=True)
        raise


@contextmanager
def _lines() -> Iterator[Listener]:
    began = [time.monotonic()]

    def listen(event: Event) -> None:
        if event.finished:
            typer.echo(finished(event, time.monotonic() - began[0]), err=True)
            began[0] = time.monotonic()

    yield listen


@contextmanager
def _bar() -> Iterator[Listener]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[facts]}", markup=False),
        TimeElapsedColumn(),
        TextColumn("left", style="dim"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=None, facts="")
        yield _bar_listener(bar, task, console)


def _bar_listener(bar: Any, task: Any, console: Any) -> Callable[[Event], None]:
    state: dict[str, Any] = {"shown": 0.0, "number": 0, "began": time.monotonic()}

    def listen(event: Event) -> None:
        now = time.monotonic()
        if not event.finished and event.number != state["number"]:
            state.update(number=event.number, began=now, shown=0.0)
            bar.reset(task, total=None, description=f"[{event.number}/{event.of}] {event.task}", facts="")
        if event.finished:
            console.print(finished(event, now - state["began"]), markup=False, highlight=False)
            bar.update(task, total=event.of, completed=event.number, description="all tasks", facts="")
        elif now - state["shown"] >= LEAST_SECONDS and event.total:
            state["shown"] = now
            bar.update(task, completed=event.done, total=event.total, facts=facts(event))

    return listen


def finished(event: Event, seconds: float) -> str:
    """The line about a task that is done, `seconds` after the one before.

    Example:
        >>> from terc.progress import Event
        >>> finished(Event("roll out", 2, 9, finished=True), 1.25)
        '[2/9] roll out: 1.2 s'
        >>> finished(Event("UMFI", 7, 198, finished=True, cpu_seconds=70.0), 0.0)
        '[7/198] UMFI: 70.0 s of CPU'
    """
    if event.kept_from_before:
        took = "was done before"
    elif math.isfinite(event.cpu_seconds):
        took = f"{event.cpu_seconds:.1f} s of CPU"
    else:
        took = f"{seconds:.1f} s"
    return f"[{event.number}/{event.of}] {event.task}: {took}"


def facts(event: Event) -> str:
    """How much of a task is done, and what is seen meanwhile.

    Example:
        >>> from terc.progress import Event
        >>> facts(Event("train", 1, 9, done=2000, total=8000, what="return 101.3"))
        '2,000 of 8,000, return 101.3'
    """
    counted = f"{event.done:,} of {event.total:,}"
    return f"{counted}, {event.what}" if event.what else counted
