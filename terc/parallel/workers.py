"""Processes that do tasks, each the next one when it has done its last: none waits in line."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from queue import SimpleQueue
from shutil import which
from threading import Lock
from typing import Any

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


def call(function: Work, task: Any, shared: Any) -> Any:
    """`function(task)`, or with the shared data where there are some."""
    return function(task) if shared is None else function(task, shared)


def call_in_worker(function: Work, task: Any, shared: Any) -> Any:
    """`call` in a process of its own, where torch is kept to one thread: the workers share the cores."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.get_num_threads() != 1:
        torch.set_num_threads(1)
    return call(function, task, shared)


class Begun:
    """Tasks that were given to workers together.

    Attributes:
        count: How many there are.
        here: What is done with each, in this process.
        in_worker: The same in another.
        waiting: Those that nobody has begun, with their places.
        own: The first one that the caller does.
        finished: What came of those that workers did.
    """

    def __init__(self, function: Work, tasks: Tasks, shared: Any = None, *, helped: bool = False) -> None:
        self.count = len(tasks)
        self.here = partial(call, function, shared=shared)
        self.in_worker = partial(call_in_worker, function, shared=shared)
        self.waiting = deque(enumerate(tasks))
        self.own = self.waiting.pop() if helped and tasks else None
        self.finished: SimpleQueue[tuple[int, Future[Any]]] = SimpleQueue()


@dataclass(eq=False)
class Workers:
    """Processes that do tasks, and what there is for them to do.

    Attributes:
        processes: Run what is submitted; None where this process does everything.
        helped: Whether this process does tasks, too; then it hears of theirs only between two of its own.
        idle: Processes that have started and have no task.
        failed: What kept one from starting.
        begun: What may have tasks left, the oldest first.
    """

    processes: Any
    helped: bool
    idle: int = 0
    failed: Future[Any] | None = None
    begun: list[Begun] = field(default_factory=list, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def map(
        self, function: Work, tasks: Tasks, shared: Any = None, *, progress: Progress = silent
    ) -> list[Any]:
        """See `Backend.map`. Workers take the next task from the front, this process the last one."""
        return self.finish(self._hand_out(Begun(function, tasks, shared, helped=self.helped)), progress)

    def begin(self, function: Work, tasks: Tasks) -> Begun:
        """Idle workers do these tasks, while this process does something else."""
        return self._hand_out(Begun(function, tasks))

    def finish(self, work: Begun, progress: Progress = silent) -> list[Any]:
        """The results of the tasks, in their order."""
        results = dict[int, Any]()
        try:
            while len(results) < work.count:
                place, task = self._own(work)
                if place is None:
                    place, future = work.finished.get()
                    results[place] = future.result()
                else:
                    results[place] = work.here(task)
                progress(len(results), work.count)
        finally:
            with self._lock:
                self.begun.remove(work)
        return [results[place] for place in range(work.count)]

    def free(self, started: Future[Any] | None = None) -> None:
        """A worker has nothing to do, or, if `started` says so, could not be started."""
        with self._lock:
            if started is not None and started.exception():
                self.failed = started
                for work in self.begun:
                    work.finished.put((0, started))
                return
            self.idle += 1
        self._give()

    def _hand_out(self, work: Begun) -> Begun:
        with self._lock:
            self.begun.append(work)
            if self.failed is not None and work.waiting:
                work.finished.put((0, self.failed))
        self._give()
        return work

    def _own(self, work: Begun) -> tuple[int | None, Any]:
        """The caller's next task, the last that waits, unless there is a result to look at first."""
        if work.own is not None:
            (place, task), work.own = work.own, None
            return place, task
        with self._lock:
            able = self.helped and work.waiting and work.finished.empty()
            return work.waiting.pop() if able else (None, None)

    def _give(self) -> None:
        """Each idle worker gets a task, if there is one."""
        while (given := self._next()) is not None:
            work, (place, task) = given
            try:
                doing = self.processes.submit(work.in_worker, task)
            except Exception as error:  # The workers died, are being ended, or no new one can be started.
                doing = Future()
                doing.set_exception(error)
                work.finished.put((place, doing))
            else:
                doing.add_done_callback(partial(self._ended, work, place))

    def _next(self) -> tuple[Begun, tuple[int, Any]] | None:
        with self._lock:
            work = next((one for one in self.begun if one.waiting), None)
            if work is None or not self.idle:
                return None
            self.idle -= 1
            return work, work.waiting.popleft()

    def _ended(self, work: Begun, place: int, done: Future[Any]) -> None:
        work.finished.put((place, done))
        self.free()


@contextmanager
def started(count: int, loading: Sequence[str], *, helped: bool) -> Iterator[Workers]:
    """So many processes, to the end of the context; what they may still do is not waited for.

    Args:
        count: How many.
        loading: Modules that they begin to import at once.
        helped: Whether this process does tasks, too.
    """
    if count == 0:
        yield Workers(None, helped)
        return
    from joblib.executor import get_memmapping_executor

    processes = get_memmapping_executor(count, env=ONE_THREAD)
    workers = Workers(processes, helped)
    try:
        for _ in range(count):
            processes.submit(_load, tuple(loading)).add_done_callback(workers.free)
        yield workers
    finally:
        # To ask them to end takes a third of a second; to kill them joblib needs one of these two.
        processes.terminate(kill_workers=find_spec("psutil") is not None or which("pgrep") is not None)


def _load(modules: Sequence[str]) -> None:
    """In a worker: import what its tasks will need, while the caller still prepares them."""
    for module in modules:
        import_module(module)
