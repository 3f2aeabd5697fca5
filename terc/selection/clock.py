"""The time limit of a search."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Clock:
    """A time limit in seconds that can be asked whether it is over.

    By default CPU seconds of this process, so that other work on the machine does not change an answer. A
    search that runs into its limit still depends on how fast the machine is.

    Attributes:
        limit: Seconds; None for no limit.
        now: Tells the time; `time.monotonic` where worker processes do the work, which this one only awaits.

    Example:
        >>> Clock(0.0).over(), Clock(None).over()
        (True, False)
    """

    limit: float | None
    now: Callable[[], float] = time.process_time
    started: float = field(init=False)

    def __post_init__(self) -> None:
        """Start."""
        self.started = self.now()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return self.now() - self.started

    def over(self) -> bool:
        """Whether the limit has passed."""
        return self.limit is not None and self.seconds >= self.limit
