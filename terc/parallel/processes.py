"""Tasks spread over processes of this machine (joblib's loky), each with one thread for its arithmetic."""

from dataclasses import dataclass
from typing import Any

from terc.parallel.backend import Progress, Tasks, Work, call_in_worker
from terc.progress import silent


@dataclass(frozen=True)
class Processes:
    """Runs tasks in `n_jobs` processes of this machine; -1 is one per core.

    Every worker keeps torch and BLAS to one thread: several workers with several threads each get in each
    other's way. Large arrays in `shared`, and in what `function` holds, are written to a file that all
    workers map into memory, read-only: they are not copied for each worker.
    """

    n_jobs: int = -1

    def map(
        self, function: Work, tasks: Tasks, *, shared: Any = None, progress: Progress = silent
    ) -> list[Any]:
        """See `Backend.map`."""
        import joblib

        if not tasks:
            return []
        results: list[Any] = [None] * len(tasks)
        with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
            # One task at a time: in a batch, short tasks would wait for the long one among them.
            workers = joblib.Parallel(n_jobs=self.n_jobs, batch_size=1, return_as="generator_unordered")
            jobs = (joblib.delayed(_placed)(i, function, task, shared) for i, task in enumerate(tasks))
            for done, (place, result) in enumerate(workers(jobs), 1):
                results[place] = result
                progress(done, len(tasks))
        return results


def _placed(place: int, function: Work, task: Any, shared: Any) -> tuple[int, Any]:
    """The result with the place of its task: they come back in the order in which they are finished."""
    return place, call_in_worker(function, task, shared)
