"""All tasks in this process, one after the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from terc.parallel.backend import Progress, Result, Task, call


@dataclass(frozen=True)
class Serial:
    """Runs tasks one after the other in this process.

    Example:
        >>> Serial().map(abs, [-3, 1, -2])
        [3, 1, 2]
    """

    def map(
        self,
        function: Callable[..., Result],
        tasks: Sequence[Task],
        *,
        shared: Any = None,
        progress: Progress | None = None,
    ) -> list[Result]:
        """See `Backend.map`."""
        results = []
        for task in tasks:
            results.append(call(function, task, shared))
            if progress is not None:
                progress(len(results), len(tasks))
        return results
