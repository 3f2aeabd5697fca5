"""Tasks on a Ray cluster, or on a Ray of their own on this machine (extra `terc[ray]`)."""

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from terc.errors import BadValueError, MissingExtraError, TercError
from terc.parallel.workers import Progress, Tasks, Work, call_in_worker
from terc.progress import silent
from terc.trajectories.columns import one_line

MOST_RETRIES = 10
"""How often a task whose worker or machine died is begun again."""
MOST_SENT = 16
"""Values that Ray keeps for later calls; what was not used for longest goes, and its memory with it."""
LOOPBACK_SETTING = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"


@dataclass(frozen=True)
class RayCluster:
    """Runs tasks with Ray: on the cluster at `address`, or on this machine when that is None.

    What a function holds (the arguments of a `partial`) and the shared data are put into Ray's object store
    once, whatever the number of tasks, and between `opened()` and its end whatever the number of calls: they
    must not change in between. A worker that dies is replaced and its task done again, with the same result.
    A Ray started here listens on 127.0.0.1 only and is shut down after the call, or at the end of `opened()`;
    one that runs already (this process is connected) is used and left alone.
    """

    n_jobs: int = -1
    address: str | None = None
    _sent: dict[int, tuple[Any, Any]] = field(default_factory=dict, repr=False, compare=False)
    _open: list[Any] = field(default_factory=list, repr=False, compare=False)

    def map(
        self, function: Work, tasks: Tasks, *, shared: Any = None, progress: Progress = silent
    ) -> list[Any]:
        """See `Backend.map`."""
        if not tasks:
            return []
        with self.opened() as ray:
            args = function.args if isinstance(function, partial) else ()
            plain = partial(function.func, **function.keywords) if isinstance(function, partial) else function
            return _run(ray, plain, tasks, [self._put(ray, value) for value in (shared, *args)], progress)

    def _put(self, ray: Any, value: Any) -> Any:
        """Where Ray keeps a value; one that was sent not long ago is not sent again."""
        # Beside the value itself, so that no other can get its id.
        kept = self._sent.pop(id(value), None) or (value, ray.put(value))
        self._sent[id(value)] = kept
        while len(self._sent) > MOST_SENT:
            del self._sent[next(iter(self._sent))]
        return kept[1]

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """Ray, connected; a Ray that was started for this is shut down at the end, not after each `map`."""
        ray, ours = connect(self.n_jobs, self.address)
        self._open.append(ray)
        try:
            yield ray
        finally:
            self._open.pop()
            if not self._open:
                self._sent.clear()
            if ours:
                ray.shutdown()


def connect(n_jobs: int, address: str | None) -> tuple[Any, bool]:
    """The module `ray`, connected, and whether this call connected it."""
    with _kept_to_this_machine(address is None):
        ray = _import_ray()
        if ray.is_initialized():
            return ray, False
        _start(ray, n_jobs, address)
    return ray, True


@contextmanager
def _kept_to_this_machine(wanted: bool) -> Iterator[None]:
    """The setting with which Ray listens on 127.0.0.1 and not everywhere, while it is imported and started.

    Named for Windows and macOS, where it is the default (to spare users the firewall's questions), it does
    the same on Linux. `_node_ip_address` does not: Ray replaces 127.0.0.1 by an address others can reach.
    """
    before = os.environ.get(LOOPBACK_SETTING)
    if wanted:
        os.environ[LOOPBACK_SETTING] = "0"
    try:
        yield
    finally:
        if wanted:
            os.environ.pop(LOOPBACK_SETTING)
        if before is not None:
            os.environ[LOOPBACK_SETTING] = before


def _import_ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("backend: 'ray' needs the extra: pip install 'terc[ray]'.") from error
    return ray


def _start(ray: Any, n_jobs: int, address: str | None) -> None:
    own = {"num_cpus": None if n_jobs == -1 else n_jobs} if address is None else {}
    try:
        silence = {"include_dashboard": False, "log_to_driver": False, "logging_level": logging.ERROR}
        ray.init(address=address or "local", **silence, **own)
    except Exception as error:  # Ray raises RuntimeError, ConnectionError, its own, ...
        raise _startup_error(address, error) from error
    if address is None and not ray.util.get_node_ip_address().startswith("127."):
        ray.shutdown()
        raise BadValueError(
            "backend: Ray would listen to other machines, because it was imported before terc could prevent "
            f"it; set {LOOPBACK_SETTING}=0 before importing it, or call ray.init() yourself."
        )


def _startup_error(address: str | None, error: Exception) -> TercError:
    where = address or "this machine"
    reason = one_line(error)
    hint = ""
    if "auth" in f"{type(error).__name__} {error}".lower() or "token" in str(error).lower():
        hint = "; if the cluster asks for a token set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN, here as there"
    return BadValueError(f"backend: Ray could not be started on {where} ({reason}){hint}.")


def _run(ray: Any, function: Work, tasks: Tasks, held: Sequence[Any], progress: Progress) -> list[Any]:
    remote = ray.remote(num_cpus=1, max_retries=MOST_RETRIES)(_call_with)
    waiting = [remote.remote(function, task, *held) for task in tasks]
    place = {reference: i for i, reference in enumerate(waiting)}
    results: list[Any] = [None] * len(tasks)
    try:
        for done in range(1, len(tasks) + 1):
            (reference,), waiting = ray.wait(waiting, num_returns=1)
            results[place[reference]] = ray.get(reference)
            progress(done, len(tasks))
    except ray.exceptions.RayTaskError as error:
        for reference in waiting:
            ray.cancel(reference)
        raise (error.cause if isinstance(error.cause, Exception) else error) from error
    except ray.exceptions.RayError as error:
        raise BadValueError(
            f"backend: Ray gave up on a task after {MOST_RETRIES} attempts ({one_line(error)}); look for "
            "workers that run out of memory, or use fewer with n_jobs=."
        ) from error
    return results


def _call_with(function: Work, task: Any, shared: Any, *held: Any) -> Any:
    return call_in_worker(partial(function, *held), task, shared)
