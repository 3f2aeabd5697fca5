"""From the arguments `backend` and `n_jobs` of a public call to a back-end."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from terc.errors import BadTypeError, BadValueError, unknown_name
from terc.parallel.backend import Backend, Processes, Serial, opened
from terc.parallel.ray import RayCluster
from terc.parallel.workers import Tasks, Work

BACKENDS: dict[str, Callable[[int], Backend]] = {
    "serial": lambda _n_jobs: Serial(),
    "processes": Processes,
    "ray": RayCluster,
}


# More processes than any machine has cores only fail, late.
MOST_WORKERS = 10_000


def checked_n_jobs(n_jobs: object) -> int:
    """`n_jobs` if it is a number of workers: at least 1, or -1 for one per core."""
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)):
        raise BadTypeError(f"n_jobs: wanted a whole number of workers, got {n_jobs!r}.")
    if n_jobs < 1 and n_jobs != -1:
        raise BadValueError(f"n_jobs: wanted at least 1 worker, or -1 for one per core, got {n_jobs}.")
    if n_jobs > MOST_WORKERS:
        raise BadValueError(
            f"n_jobs: wanted at most {MOST_WORKERS:,} workers, got {n_jobs:,}; -1 is one per core."
        )
    return int(n_jobs)


def choose_backend(backend: str | Backend | None, n_jobs: int = 1) -> Backend:
    """The back-end named `backend`, or the caller's own; None means processes when `n_jobs` is not 1.

    Example:
        >>> choose_backend(None), choose_backend(None, 4), choose_backend("ray", 2)
        (Serial(), Processes(n_jobs=4), RayCluster(n_jobs=2, address=None))
    """
    n_jobs = checked_n_jobs(n_jobs)
    if backend is None:
        return Serial() if n_jobs == 1 else Processes(n_jobs)
    if isinstance(backend, str):
        if backend not in BACKENDS:
            raise unknown_name("backend", "back-end", backend, BACKENDS)
        return BACKENDS[backend](n_jobs)
    if isinstance(backend, type) or not callable(getattr(backend, "map", None)):
        raise BadTypeError(
            f"backend: wanted one of {list(BACKENDS)} or an object with map(), not {backend!r}."
        )
    return backend


@dataclass(frozen=True)
class SpreadOver:
    """Applies a function to many tasks in the workers of a back-end.

    Attributes:
        backend: Whose workers they are.
    """

    backend: Backend

    def __call__(self, function: Work, tasks: Tasks) -> list[Any]:
        """The results in the order of the tasks."""
        return self.backend.map(function, tasks)

    def begin(self, function: Work, tasks: Tasks) -> Callable[[], list[Any]]:
        """The same once what is returned is called; processes that are idle begin now."""
        if isinstance(self.backend, Processes):
            return self.backend.begin(function, tasks)
        return partial(self, function, tasks)


@contextmanager
def spread_over(
    backend: str | Backend | None, n_jobs: int, loading: Sequence[str] = ()
) -> Iterator[SpreadOver | None]:
    """What applies a function to many tasks in the workers of a back-end; None to do them in this process.

    Args:
        backend: As the user gave it.
        n_jobs: Workers.
        loading: Modules that the tasks will need, which workers may import at once.

    Example:
        >>> with spread_over(None, 1) as spread:
        ...     print(spread)
        None
    """
    workers = choose_backend(backend, n_jobs)
    if isinstance(workers, Serial):
        yield None
    else:
        with opened(workers, loading):
            yield SpreadOver(workers)
