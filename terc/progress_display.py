"""How progress is shown: a bar on a terminal, with the time left; else lines on stderr.

There is a line per finished task, and one every ten seconds.
"""

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from terc.progress import Event, Listener, facts, is_quiet, silent

SECONDS_BETWEEN_LINES = 10.0
# The bar is drawn a few times a second; an update per training step would cost more than the training.
LEAST_SECONDS = 0.1


@contextmanager
def listening() -> Iterator[Listener]:
    """What shows the events of a command on stderr: a bar on a terminal, else lines."""
    if is_quiet.get():
        yield silent
    elif sys.stderr.isatty():
        with _bar() as listen:
            yield listen
    else:
        with _lines() as listen:
            yield listen


@contextmanager
def listening_until_stopped(how_to_continue: str) -> Iterator[Listener]:
    """`listening`, for what can be continued: Ctrl-C inside says how before it ends the command."""
    try:
        with listening() as listen:
            yield listen
    except KeyboardInterrupt:
        _say(f"terc: what is finished is kept; {how_to_continue}")
        raise


@dataclass
class Watched:
    """The last event, and when it came, its task began and the whole began.

    The time left is that of the last event: a part that lasts longer than the ones before it shows none.

    Example:
        >>> times = iter([0.0, 5.0, 20.0, 22.0, 70.0])
        >>> watched = Watched(lambda: next(times))
        >>> new = watched.see(Event("train", 1, 9))
        >>> new = watched.see(Event("train", 1, 9, done=2000, total=8000, what="return 101.3"))
        >>> watched.line()
        '[1/9] train: 2,000 of 8,000, return 101.3; 17 s, about 43 s left'
        >>> watched.line()
        '[1/9] train: 2,000 of 8,000, return 101.3; 65 s'
    """

    clock: Callable[[], float]
    event: Event | None = None
    start: float = field(init=False)
    began: float = field(init=False)
    seen: float = field(init=False)
    before: float = 0.0
    share: float = 0.0

    def __post_init__(self) -> None:
        self.start = self.began = self.seen = self.clock()

    def see(self, event: Event) -> bool:
        """Take note of an event; whether its task is a new one."""
        new = self.event is None or event.number != self.event.number
        self.seen = self.clock()
        self.began = self.seen if new else self.began
        last, counted = self.share, event.number / event.of if event.finished else self.share
        self.share = event.share if math.isfinite(event.share) else counted
        self.before += self.share - last if event.kept_from_before else 0.0
        self.event = event
        return new

    def line(self) -> str:
        """How far it is and how long it will take; empty before the first event."""
        if (event := self.event) is None:
            return ""
        passed, left = self.times()
        times = _span(passed) + (f", about {_span(left)} left" if left > 0 else "")
        if event.finished:
            return f"{event.number} of {event.of} tasks; {times}"
        head = f"[{event.number}/{event.of}] {event.task}" if event.task else ""
        said = ": ".join(part for part in (head, facts(event)) if part)
        return f"{said}; {times}"

    def times(self) -> tuple[float, float]:
        """Seconds since the task began, or the whole where a task has just ended, and those left, or 0."""
        if (event := self.event) is None:
            return self.clock() - self.start, 0.0
        if event.finished:  # what was done before took no time here
            return self._seconds(self.start, round(self.share - self.before, 9), 1 - self.before)
        return self._seconds(self.began, event.done, event.total)

    def _seconds(self, since: float, done: float, total: float) -> tuple[float, float]:
        now = self.clock()
        left = (self.seen - since) * total / done - (now - since) if 0 < done < total else 0.0
        return now - since, max(left, 0.0)


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 180 else f"{seconds / 60:.0f} min"


def clock_times(passed: float, left: float) -> str:
    """How long it took and how long it will take, as on a clock; `left` is 0 where that is not known.

    Example:
        >>> clock_times(3.2, 1.0), clock_times(3700.0, 0.0)
        ('0:00:03, 0:00:01 left', '1:01:40')
    """
    shown = [str(timedelta(seconds=round(seconds))) for seconds in (passed, left)]
    return f"{shown[0]}, {shown[1]} left" if left > 0 else shown[0]


def finished(event: Event, seconds: float) -> str:
    """The line about a task that is done, `seconds` after it began.

    Example:
        >>> finished(Event("roll out", 2, 9, finished=True), 1.25)
        '[2/9] roll out: 1.2 s'
        >>> finished(Event("UMFI", 7, 198, finished=True, cpu_seconds=70.0), 0.0)
        '[7/198] UMFI: 70.0 s of CPU'
    """
    if event.kept_from_before:
        took = event.what or "was done before"
    elif math.isfinite(event.cpu_seconds):
        took = f"{event.cpu_seconds:.1f} s of CPU"
    else:
        took = f"{seconds:.1f} s"
    return f"[{event.number}/{event.of}] {event.task}: {took}"


@contextmanager
def _lines() -> Iterator[Listener]:
    """A line for each finished task, and one every ten seconds."""
    watched, stop = Watched(time.monotonic), threading.Event()

    def listen(event: Event) -> None:
        watched.see(event)
        if event.finished:
            _say(finished(event, time.monotonic() - watched.began))
            watched.began = time.monotonic()

    def beat() -> None:
        while not stop.wait(SECONDS_BETWEEN_LINES):
            _say(watched.line())

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield listen
    finally:
        stop.set()
        thread.join()


def _say(line: str) -> None:
    if line:
        sys.stderr.write(f"{line}\n")


@contextmanager
def _bar() -> Iterator[Listener]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task
    from rich.table import Column
    from rich.text import Text

    class Words(ProgressColumn):
        """Words on one line, cut at the end where the terminal is too narrow unless they are `whole`."""

        def __init__(self, words: Callable[[Task], str], *, whole: bool = False) -> None:
            super().__init__(Column(no_wrap=whole))
            self.words = words

        def render(self, task: Task) -> Text:
            return Text(self.words(task), no_wrap=True, overflow="ellipsis")

    watched = Watched(time.monotonic)
    columns = (
        Words(lambda task: task.description),
        BarColumn(bar_width=20),
        Words(lambda task: str(task.fields["facts"])),
        Words(lambda _: clock_times(*watched.times()), whole=True),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=None, facts="")
        yield _bar_listener(bar, task, console, watched)


def _bar_listener(bar: Any, task: Any, console: Any, watched: Watched) -> Listener:
    shown = [-math.inf]

    def listen(event: Event) -> None:
        new = watched.see(event)
        if event.finished:
            console.print(finished(event, time.monotonic() - watched.began), markup=False, highlight=False)
            known = math.isfinite(event.share)
            part = {"total": 1.0, "completed": event.share} if known else {}
            counted = {"total": event.of, "completed": event.number} | part
            facts_ = f"{event.number} of {event.of}" if known else ""
            bar.update(task, **counted, description="all tasks", facts=facts_)
            return
        if new:
            words = f"[{event.number}/{event.of}] {event.task}" if event.task else ""
            bar.reset(task, total=None, description=words, facts="")
        now = time.monotonic()
        if new or now - shown[0] >= LEAST_SECONDS or event.done == event.total:
            shown[0] = now
            bar.update(task, completed=event.done, total=event.total or None, facts=facts(event))

    return listen
