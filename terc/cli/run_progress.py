"""How a run shows its progress: a bar per stage on a terminal, one line per finished stage in a pipe."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from terc.pipeline.run import Event, Listener

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
            seconds = time.monotonic() - began[0]
            words = "was done before" if event.kept_from_before else f"{seconds:.1f} s"
            typer.echo(f"[{event.number}/{event.of}] {event.stage}: {words}", err=True)
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
    state: dict[str, Any] = {"shown": 0.0, "stage": 0, "began": time.monotonic()}

    def listen(event: Event) -> None:
        now = time.monotonic()
        if event.number != state["stage"]:
            state.update(stage=event.number, began=now, shown=0.0)
            bar.reset(task, total=None, description=f"[{event.number}/{event.of}] {event.stage}", facts="")
        if event.finished:
            words = "was done before" if event.kept_from_before else f"{now - state['began']:.1f} s"
            console.print(
                f"[{event.number}/{event.of}] {event.stage}: {words}", markup=False, highlight=False
            )
        elif now - state["shown"] >= LEAST_SECONDS and event.total:
            state["shown"] = now
            bar.update(task, completed=event.done, total=event.total, facts=facts(event))

    return listen


def facts(event: Event) -> str:
    """Steps and return, as far as they are known.

    Example:
        >>> from terc.pipeline.run import Event
        >>> facts(Event("train", 1, 9, done=2000, total=8000, value=101.26))
        '2,000 of 8,000, return 101.3'
    """
    counted = f"{event.done:,} of {event.total:,}"
    return f"{counted}, return {event.value:.1f}" if math.isfinite(event.value) else counted
