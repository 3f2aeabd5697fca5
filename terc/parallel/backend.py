"""What every back-end can do, and the two of this machine: tasks in this process, or spread over several."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from queue import SimpleQueue
from typing import Any, Protocol

from terc.progress import silent

Work = Callable[..., Any]
Tasks = Sequence[Any]
Progress = Callable[[int, int], None]
"""Called with (tasks finished, tasks in all) each time a task has finished."""
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS",
     "VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS"),
    "1",
)  # fmt: skip
"""The environment of a worker: workers share the cores."""


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
    array is written once, whatever the number of calls, and this process is one of the `n_jobs`: it does
    tasks itself instead of waiting.
    """

    n_jobs: int = -1
    _open: list[_Workers] = field(default_factory=list, repr=False, compare=False)

    def map(
        self, function: Work, tasks: Tasks, *, shared: Any = None, progress: Progress = silent
    ) -> list[Any]:
        """See `Backend.map`."""
        if self._open:
            return self._open[-1].map(function, tasks, shared, progress)
        if not tasks:
            return []
        with _started(self._count(), (), helped=False) as workers:
            return workers.map(function, tasks, shared, progress)

    @contextmanager
    def opened(self, loading: Sequence[str] = ()) -> Iterator[None]:
        """The same workers for all calls of `map` within; they begin to import some modules at once."""
        already = nullcontext(self._open[-1]) if self._open else None
        with already or _started(self._count() - 1, loading, helped=True) as workers:
            self._open.append(workers)
            try:
                yield
            finally:
                self._open.pop()

    def _count(self) -> int:
        import joblib

        return int(joblib.effective_n_jobs(self.n_jobs))


@dataclass(frozen=True)
class _Workers:
    """Processes that do tasks.

    Attributes:
        processes: Run what is submitted; None where this process does everything.
        started: One future for each, done when a process has started and could take a task.
        helped: Whether this process does tasks, too; then it hears of theirs only between two of its own.
    """

    processes: Any
    started: Sequence[Future[Any]]
    helped: bool

    def map(self, function: Work, tasks: Tasks, shared: Any, progress: Progress) -> list[Any]:
        """See `Backend.map`. Workers take the next task from the front, this process the last one."""
        results = dict[int, Any]()
        work = _Shared(self.processes, partial(call_in_worker, function, shared=shared), tasks)
        # The last task is this process's own, if it does any.
        for one in self.started[: len(tasks) - self.helped]:
            one.add_done_callback(work.begin)
        while len(results) < len(tasks):
            place, task = work.last() if self.helped and work.finished.empty() else NOTHING
            if place is not None:
                results[place] = call(function, task, shared)
            else:
                place, future = work.finished.get()
                results[place] = future.result()
            progress(len(results), len(tasks))
        return [results[place] for place in range(len(tasks))]


class _Shared:
    """Tasks that several processes share.

    Attributes:
        processes: Run what is submitted.
        work: What is done with a task there.
        waiting: Tasks that nobody has begun, with their places.
        finished: What came of those that were handed over.
    """

    def __init__(self, processes: Any, work: Work, tasks: Tasks) -> None:
        self.processes, self.work, self.waiting = processes, work, deque(enumerate(tasks))
        self.finished: SimpleQueue[tuple[int, Future[Any]]] = SimpleQueue()

    def last(self) -> tuple[int | None, Any]:
        """The last task that waits, if there is one: another thread may have taken it."""
        return _taken(self.waiting.pop)

    def begin(self, started: Future[Any]) -> None:
        """A worker has started and gets its first task, or could not be started."""
        if started.exception():
            self.finished.put((0, started))
        else:
            self.hand_over()

    def hand_over(self) -> None:
        """A worker gets a task when it has done its last one: none waits behind a long one."""
        place, task = _taken(self.waiting.popleft)
        if place is None:
            return
        try:
            self.processes.submit(self.work, task).add_done_callback(partial(self.ended, place))
        except RuntimeError as error:  # The workers died, or are being ended.
            failed = Future[Any]()
            failed.set_exception(error)
            self.finished.put((place, failed))

    def ended(self, place: int, done: Future[Any]) -> None:
        """A worker has done a task."""
        self.finished.put((place, done))
        self.hand_over()


NOTHING = (None, None)


def _taken(take: Callable[[], tuple[int, Any]]) -> tuple[int | None, Any]:
    """A task with its place, if there is one: another thread may have taken the last."""
    try:
        return take()
    except IndexError:
        return NOTHING


@contextmanager
def _started(count: int, loading: Sequence[str], *, helped: bool) -> Iterator[_Workers]:
    """So many processes, to the end of the context; what they may still do is not waited for."""
    if count == 0:
        yield _Workers(None, (), helped)
        return
    from joblib.executor import get_memmapping_executor

    processes = get_memmapping_executor(count, env=ONE_THREAD)
    try:
        yield _Workers(processes, [processes.submit(_load, tuple(loading)) for _ in range(count)], helped)
    finally:
        # To ask them to end takes a third of a second.
        processes.terminate(kill_workers=True)


def _load(modules: Sequence[str]) -> None:
    """In a worker: import what its tasks will need, while the caller still prepares them."""
    for module in modules:
        import_module(module)
