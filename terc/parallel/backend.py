"""What every back-end can do, and the two of this machine: tasks in this process, or spread over several."""

import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from terc.progress import silent

Work = Callable[..., Any]
Tasks = Sequence[Any]
Progress = Callable[[int, int], None]
"""Called with (tasks finished, tasks in all) each time a task has finished."""


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


def call(function: Work, task: Any, shared: Any) -> Any:
    """`function(task)`, or with the shared data where there are some."""
    return function(task) if shared is None else function(task, shared)


def call_in_worker(function: Work, task: Any, shared: Any) -> Any:
    """`call` in a process of its own, where torch is kept to one thread: the workers share the cores."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.get_num_threads() != 1:
        torch.set_num_threads(1)
    return call(function, task, shared)


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
    array is written once, whatever the number of calls.
    """

    n_jobs: int = -1
    _open: list[Any] = field(default_factory=list, repr=False, compare=False)

    def map(
        self, function: Work, tasks: Tasks, *, shared: Any = None, progress: Progress = silent
    ) -> list[Any]:
        """See `Backend.map`."""
        if not tasks:
            return []
        with self.opened() as (workers, beginning):
            deque(beginning, maxlen=0)
            results: list[Any] = [None] * len(tasks)
            jobs: list[Any] = [(_placed, (i, function, task, shared), {}) for i, task in enumerate(tasks)]
            for done, (place, result) in enumerate(workers(jobs), 1):
                results[place] = result
                progress(done, len(tasks))
        return results

    @contextmanager
    def opened(self, loading: Sequence[str] = ()) -> Iterator[tuple[Any, Iterator[Any]]]:
        """The processes, and what ends when they have begun; those of an outer `opened()` if there is one."""
        if self._open:
            yield self._open[-1]
            return
        import joblib

        with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
            # One task at a time: in a batch, short tasks would wait for the long one among them.
            workers = joblib.Parallel(n_jobs=self.n_jobs, batch_size=1, return_as="generator_unordered")
        with workers:
            count = joblib.effective_n_jobs(self.n_jobs) if loading else 0
            beginning = workers([(_load, (loading,), {})] * count)
            self._open.append((workers, beginning))
            try:
                yield self._open[-1]
            finally:
                deque(beginning, maxlen=0)
                self._open.pop()


def _load(modules: Sequence[str]) -> None:
    """In a worker: import what its tasks will need, while the caller still prepares them."""
    for module in modules:
        import_module(module)


def _placed(place: int, function: Work, task: Any, shared: Any) -> tuple[int, Any]:
    """The result with the place of its task: they come back in the order in which they are finished."""
    return place, call_in_worker(function, task, shared)
