"""What every back-end can do, and the two of this machine: tasks in this process, or spread over several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from terc.parallel.workers import Progress, Tasks, Work, Workers, call, started
from terc.progress import silent


class Backend(Protocol):
    """Runs independent tasks, anywhere, and returns their results in the order of the tasks.

    What is random in a task must come with it (a generator spawned before dispatch), so that the results do
    not depend on the number of workers or on which of them was first.
    """

    def map(
        self, function: Work, tasks: Tasks, *, shared: Any = None, progress: Progress = silent
    ) -> list[Any]:
        """`function(task)` for every task, or `function(task, shared)` when `shared` is given.

        Args:
            function: Defined at the top of a module, so that another process can find it.
            tasks: Small; they travel one by one.
            shared: Data that all tasks read; large arrays in it are sent once, not once per task.
            progress: Called in this process after each finished task.
        """
        ...


@contextmanager
def opened(backend: Backend, loading: Sequence[str] = ()) -> Iterator[None]:
    """What the back-end starts stays for all calls of `map` within; a back-end of one's own need not care.

    Args:
        backend: Any.
        loading: Modules that processes of this machine begin to import at once, before they have a task.
    """
    own = getattr(backend, "opened", nullcontext)
    with backend.opened(loading) if isinstance(backend, Processes) else own():
        yield


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


@dataclass(frozen=True)
class Processes:
    """Runs tasks in `n_jobs` processes of this machine; -1 is one per core.

    Every worker keeps torch and BLAS to one thread: several workers with several threads each get in each
    other's way. Large arrays in `shared`, and in what `function` holds, are written to a file that all
    workers map into memory, read-only: they are not copied for each worker. Between `opened()` and its end an
    array is written once, whatever the number of calls, and this process is one of the `n_jobs`: it does
    tasks itself instead of waiting.
    """

    n_jobs: int = -1
    _open: list[Workers] = field(default_factory=list, repr=False, compare=False)

    def map(
        self, function: Work, tasks: Tasks, *, shared: Any = None, progress: Progress = silent
    ) -> list[Any]:
        """See `Backend.map`."""
        if self._open:
            return self._open[-1].map(function, tasks, shared, progress=progress)
        if not tasks:
            return []
        with started(self._count(), (), helped=False) as workers:
            return workers.map(function, tasks, shared, progress=progress)

    def begin(self, function: Work, tasks: Tasks) -> Callable[[], list[Any]]:
        """The results once what is returned is called; within `opened()` idle workers begin now."""
        if not self._open:
            return partial(self.map, function, tasks)
        workers = self._open[-1]
        return partial(workers.finish, workers.begin(function, tasks))

    @contextmanager
    def opened(self, loading: Sequence[str] = ()) -> Iterator[None]:
        """The same workers for all calls of `map` within; they begin to import some modules at once."""
        already = nullcontext(self._open[-1]) if self._open else None
        with already or started(self._count() - 1, loading, helped=True) as workers:
            self._open.append(workers)
            try:
                yield
            finally:
                self._open.pop()

    def _count(self) -> int:
        import joblib

        return int(joblib.effective_n_jobs(self.n_jobs))
