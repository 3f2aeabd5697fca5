"""All tasks in this process, one after the other."""

from dataclasses import dataclass
from typing import Any

from terc.parallel.backend import Progress, Tasks, Work, call
from terc.progress import silent


@dataclass(frozen=True)
class Serial:
    """Runs tasks one after the other in this process.

    Example:
        >>> Serial().map(abs, [-3, 1, -2])
        [3, 1, 2]
    """

    def map(
        self, function: Work, tasks: Tasks, *, shared: Any = None, progress: Progress = silent
    ) -> list[Any]:
        """See `Backend.map`."""
        results = []
        for task in tasks:
            results.append(call(function, task, shared))
            progress(len(results), len(tasks))
        return results
