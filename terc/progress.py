"""How a long call says how far it is: `Report`, or `Event` for a command of many tasks."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Self

from terc.errors import BadTypeError

Report = Callable[[int, int, str], None]
"""Called with (done, total, what is being done or seen, in words)."""


class Seen(str):
    """Words that carry the numbers in them, for those who want these (`terc.loggers`).

    Example:
        >>> seen = Seen("return 12.5", {"return": 12.5})
        >>> f"{seen}", seen.values
        ('return 12.5', {'return': 12.5})
    """

    values: Mapping[str, float]

    def __new__(cls, words: str, values: Mapping[str, float]) -> Self:  # noqa: D102
        made = super().__new__(cls, words)
        made.values = values
        return made


@dataclass(frozen=True)
class Event:
    """How far a command is.

    Attributes:
        task: What is being done, in words; empty where there is but one thing to do.
        number: Its place, from 1.
        of: Tasks in all, as far as known.
        done: What is done of the task (training steps, ...); equal to `total` when it ends.
        total: All there is to do of it.
        what: What is seen meanwhile, in words.
        finished: Whether the task is done.
        kept_from_before: Whether it was found done already.
        cpu_seconds: What it took, where several are done at once; else NaN, and the clock shows it.
        share: Of the work of all tasks, what is done by now, where lengths differ and are known; else NaN.
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
    share: float = float("nan")


Listener = Callable[[Event], None]
is_quiet: ContextVar[bool] = ContextVar("terc_quiet", default=False)
"""Set within `quietly`: nothing is shown."""


def silent(*_: object) -> None:
    """A `Report` or a `Listener` that does nothing."""


@contextmanager
def quietly(quiet: bool = True) -> Iterator[None]:
    """Nothing is shown inside."""
    before = is_quiet.set(quiet)
    try:
        yield
    finally:
        is_quiet.reset(before)


@contextmanager
def heard(progress: bool | Listener | None) -> Iterator[Listener]:
    """The listener that a caller gave, one that shows events for True, or one that does nothing."""
    if progress is True:
        from terc.progress_display import listening

        with listening() as listen:
            yield listen
    elif callable(progress):
        yield progress
    elif progress is None or progress is False:
        yield silent
    else:
        raise BadTypeError(f"progress: wanted True, False or a function, got {progress!r}.")


def within(event: Event, listen: Listener) -> Report:
    """What one call of a task reports, as events of that task."""
    return lambda done, total, what: listen(replace(event, done=done, total=total, what=what))


@contextmanager
def following(progress: bool | Report) -> Iterator[Listener]:
    """The function to call with the events of a call that consists of tasks.

    A `Report` hears how many of the tasks are done, and in words how far the present one is.

    Example:
        >>> with following(print) as listen:
        ...     listen(Event("umfi", 2, 3, done=6, total=90))
        1 3 umfi: 6 of 90
    """
    if callable(progress):
        yield lambda event: progress(event.number - (not event.finished), event.of, _in_words(event))
    else:
        with heard(progress) as listen:
            yield listen


def facts(event: Event) -> str:
    """How much of a task is done, and what is seen meanwhile."""
    counted = f"{event.done:,} of {event.total:,}" if event.total else ""
    return ", ".join(part for part in (counted, event.what) if part)


def _in_words(event: Event) -> str:
    return ": ".join(part for part in (event.task, facts(event)) if part)


@contextmanager
def reporting(progress: bool | Report) -> Iterator[Report]:
    """The function to call after each step of a long call."""
    if callable(progress):
        yield progress
    else:
        with heard(progress) as listen:
            yield within(Event("", 1, 1), listen)
