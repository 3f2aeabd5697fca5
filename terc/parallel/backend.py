"""What every back-end can do."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
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
def opened(backend: Backend) -> Iterator[None]:
    """What the back-end starts stays for all calls of `map` within; a back-end of one's own need not care."""
    own = getattr(backend, "opened", nullcontext)
    with own():
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
