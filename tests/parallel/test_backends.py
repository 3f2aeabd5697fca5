import os
import signal
import time
from concurrent.futures import Future
from functools import partial
from importlib.util import find_spec

import numpy as np
import pytest

import terc
from terc.errors import BadTypeError, BadValueError, MissingExtraError, TercError, UnknownNameError
from terc.parallel import BACKENDS, Processes, RayCluster, Serial, choose_backend, opened
from terc.parallel import ray as ray_backend
from terc.parallel.workers import Workers
from terc.seeding import generator, spawn
from terc.trajectories import Trajectories

LOCAL = ["serial", "processes"]


def mean_draw(rng, data):
    return float(data.mean() + rng.normal())


def square(task):
    return task * task


def scaled_sum(values, task, *, factor):
    return factor * values.sum() + task


def fails_at_two(task):
    if task == 2:
        raise BadValueError("task: two is not allowed.")
    return task


def fails_at_an_index(task):
    return [0, 1][task]


def process_of(_task):
    return os.getpid()


def kind_of_array(_task, shared):
    return type(shared.states).__name__, bool(shared.states.flags.writeable)


def kind_of_held_array(held, _task):
    return type(held).__name__


def test_workers_map_large_data_into_memory_and_do_not_copy_it():
    large = Trajectories(np.zeros((50_000, 4)), np.arange(50_000) % 2)
    assert Processes(2).map(kind_of_array, [0, 1], shared=large) == [("memmap", False)] * 2
    assert Processes(2).map(partial(kind_of_held_array, large.states), [0, 1]) == ["memmap"] * 2


def threads_and_process(_task):
    import torch

    return torch.get_num_threads(), os.getpid()


def tasks(n=5):
    return spawn(generator(3), n)


@pytest.fixture(scope="module")
def truth():
    return Serial().map(mean_draw, tasks(), shared=np.arange(200_000.0))


def test_serial_keeps_the_order_of_the_tasks():
    assert Serial().map(square, [3, 1, 2]) == [9, 1, 4]


@pytest.mark.parametrize("backend", [Processes(2), Processes(3)])
def test_results_do_not_depend_on_the_workers(backend, truth):
    assert backend.map(mean_draw, tasks(), shared=np.arange(200_000.0)) == truth


@pytest.mark.parametrize("name", LOCAL)
def test_progress_is_told_once_per_task(name):
    told = []
    choose_backend(name, 2).map(square, [1, 2, 3], progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def waits_for(path):
    end = time.monotonic() + 60
    while path is not None and not path.exists() and time.monotonic() < end:
        time.sleep(0.01)
    return path is None or path.exists()


def test_progress_does_not_wait_for_a_long_task_in_front(tmp_path):
    sign = tmp_path / "told"
    found = Processes(2).map(waits_for, [sign, None, None], progress=lambda done, total: sign.touch())
    assert found == [True, True, True]  # the first ends only because the second was told of


@pytest.mark.parametrize("name", [*LOCAL, "ray"])
def test_no_tasks_no_results(name):
    assert choose_backend(name, 2).map(square, []) == []


@pytest.mark.parametrize("name", LOCAL)
def test_errors_of_a_task_reach_the_caller_unchanged(name):
    with pytest.raises(BadValueError, match="two is not allowed"):
        choose_backend(name, 2).map(fails_at_two, [1, 2, 3])


def test_workers_use_one_thread_in_other_processes():
    pytest.importorskip("torch")
    found = Processes(2).map(threads_and_process, [0, 1, 2, 3])
    assert {threads for threads, _ in found} == {1}
    assert os.getpid() not in {process for _, process in found}


def process_once_the_others_begin(folder, task):
    """The process, once tasks have begun in two of them: neither may do both."""
    (folder / f"{task}-{os.getpid()}").touch()
    end = time.monotonic() + 60
    while len(list(folder.iterdir())) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    return os.getpid()


def test_within_opened_the_caller_is_one_of_the_workers(tmp_path):
    with opened(Processes(2), ["math"]):
        backend = Processes(1)
        with opened(backend):
            assert backend.map(process_of, [0, 1]) == [os.getpid()] * 2
    backend = Processes(2)
    with opened(backend):
        found = backend.map(partial(process_once_the_others_begin, tmp_path), [0, 1])
        assert backend.map(square, list(range(40))) == [task * task for task in range(40)]
    assert len(set(found)) == 2
    assert os.getpid() in found


@pytest.mark.parametrize("function", ["fails_at_two", "fails_at_an_index"])
def test_errors_of_the_caller_s_own_tasks_reach_it_too(function):
    backend = Processes(2)
    wanted = {"fails_at_two": BadValueError, "fails_at_an_index": IndexError}[function]
    for order in ([2, 1], [1, 2]):  # the first is a worker's, the last the caller's
        with pytest.raises(wanted), opened(backend):
            backend.map(globals()[function], order)
    assert backend.map(square, [3]) == [9]


@pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed")
def test_ray_gives_the_same_results_and_the_same_errors_and_is_sent_data_once(truth, monkeypatch):
    told = []
    backend = RayCluster(2)
    ray, ours = ray_backend.connect(2, None)  # one start for both calls: it takes seconds
    try:
        assert ours
        found = backend.map(
            mean_draw, tasks(), shared=np.arange(200_000.0), progress=lambda *step: told.append(step)
        )
        assert found == truth
        assert told == [(i, 5) for i in range(1, 6)]
        with pytest.raises(BadValueError, match="two is not allowed"):
            backend.map(fails_at_two, [1, 2, 3])
        large, sent = np.arange(200_000.0), []
        put = ray.put
        monkeypatch.setattr(ray, "put", lambda value: sent.append(value) or put(value))
        with opened(backend):
            for factor in (2.0, 3.0):
                work = partial(scaled_sum, large, factor=factor)
                assert backend.map(work, [0, 1]) == [factor * large.sum(), factor * large.sum() + 1]
        assert sum(value is large for value in sent) == 1
        assert ray.is_initialized()
        assert ray.nodes()[0]["NodeManagerAddress"] == "127.0.0.1"
        assert ray_backend.LOOPBACK_SETTING not in os.environ
    finally:
        ray.shutdown()


@pytest.fixture
def two_nodes(monkeypatch):
    """Two Ray nodes with one core each, as two machines would be, on this machine's own address."""
    pytest.importorskip("ray")
    monkeypatch.setenv(ray_backend.LOOPBACK_SETTING, "0")
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()
    cluster.shutdown()


def meets_the_other(own, folder):
    """The node of this task, which ends only once a task on another node has begun."""
    import ray

    (folder / own).touch()
    waits_for(folder / {"one": "other", "other": "one"}[own])
    return ray.get_runtime_context().get_node_id()


def dies_once(task, folder):
    rng, number = task
    mark = folder / f"died-{number}"
    if number == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return float(rng.normal())


def test_two_ray_nodes_share_the_work_and_a_killed_worker_changes_nothing(two_nodes, tmp_path):
    backend = RayCluster()
    assert len(set(backend.map(meets_the_other, ["one", "other"], shared=tmp_path))) == 2
    numbered = list(zip(tasks(3), range(3), strict=True))
    found = backend.map(dies_once, numbered, shared=tmp_path)
    assert (tmp_path / "died-1").exists()
    assert found == [float(rng.normal()) for rng in tasks(3)]
    data = xor_data()
    assert terc.select(data, backend=backend).verdicts == terc.select(data).verdicts


def xor_data():
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (600, 4))
    return Trajectories(bits, bits[:, 0] ^ bits[:, 1], episodes=np.arange(600) // 6)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_a_selection_does_not_depend_on_the_workers(n_jobs):
    data = xor_data()
    assert terc.select(data, n_jobs=n_jobs).verdicts == terc.select(data).verdicts


def test_what_a_backend_starts_stays_for_several_calls(monkeypatch):
    starts = []

    class CountedRay:
        def put(self, value):
            return value

        def is_initialized(self):
            return bool(starts) and starts[-1] == "up"

        def shutdown(self):
            starts.append("down")

    ray = CountedRay()
    monkeypatch.setattr(ray_backend, "_import_ray", lambda: ray)
    monkeypatch.setattr(ray_backend, "_start", lambda *_: starts.append("up"))
    monkeypatch.setattr(ray_backend, "_run", lambda *_: [])
    backend = RayCluster(2)
    with opened(backend):
        backend.map(square, [1])
        backend.map(square, [1])
    assert starts == ["up", "down"]
    with opened(Serial()):
        assert Serial().map(square, [2]) == [4]


class RefusingRay:
    def __init__(self, error):
        self.error = error

    def is_initialized(self):
        return False

    def init(self, **_settings):
        raise self.error


class OpenRay:
    is_down = False

    def is_initialized(self):
        return False

    def init(self, **_settings):
        pass

    def shutdown(self):
        self.is_down = True

    @property
    def util(self):
        return self

    def get_node_ip_address(self):
        return "192.0.2.7"


def test_ray_token_error_names_the_variables_to_set(monkeypatch):
    refusing = RefusingRay(RuntimeError("Invalid auth token provided\nmore"))
    monkeypatch.setattr(ray_backend, "_import_ray", lambda: refusing)
    with pytest.raises(TercError, match="Invalid auth token.*RAY_AUTH_MODE=token and RAY_AUTH_TOKEN"):
        RayCluster(2, address="10.0.0.1:6379").map(square, [1])


def test_ray_start_error_is_one_line(monkeypatch):
    monkeypatch.setattr(ray_backend, "_import_ray", lambda: RefusingRay(ConnectionError("no such\nhost")))
    with pytest.raises(BadValueError) as caught:
        RayCluster(2, address="10.0.0.1:6379").map(square, [1])
    assert str(caught.value) == "backend: Ray could not be started on 10.0.0.1:6379 (no such)."


def test_ray_that_would_listen_to_other_machines_is_refused(monkeypatch):
    open_ray = OpenRay()
    monkeypatch.setattr(ray_backend, "_import_ray", lambda: open_ray)
    with pytest.raises(BadValueError, match="listen to other machines.*RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0"):
        RayCluster(2).map(square, [1])
    assert open_ray.is_down


def test_missing_ray_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'terc\[ray\]'"):
        RayCluster(2).map(square, [1])


@pytest.mark.parametrize("n_jobs", [0, -2, -7])
def test_n_jobs_must_be_a_number_of_workers(n_jobs):
    with pytest.raises(BadValueError, match="n_jobs: wanted at least 1 worker, or -1"):
        choose_backend(None, n_jobs)


@pytest.mark.parametrize("n_jobs", [1.5, "2", None, True])
def test_n_jobs_must_be_whole(n_jobs):
    with pytest.raises(BadTypeError, match="n_jobs: wanted a whole number"):
        choose_backend(None, n_jobs)


def test_choice():
    assert choose_backend(None, 1) == Serial()
    assert choose_backend(None, np.int64(2)) == Processes(2)
    assert choose_backend(None, -1) == Processes(-1)
    own = RayCluster(address="auto")
    assert choose_backend(own, 8) is own
    assert set(BACKENDS) == {"serial", "processes", "ray"}


def test_unknown_backend_lists_what_there_is():
    with pytest.raises(UnknownNameError, match="no back-end named 'dask'. Available: serial, processes, ray"):
        choose_backend("dask")
    with pytest.raises(BadTypeError, match="an object with map"):
        choose_backend(7)
    with pytest.raises(BadTypeError, match="an object with map"):
        choose_backend(Processes)


def test_more_workers_than_cores_anywhere_are_refused():
    with pytest.raises(BadValueError, match="n_jobs: wanted at most 10,000 workers, got 1,000,000,000"):
        choose_backend(None, 10**9)


class Pretended:
    """Processes that do what they are given at once, or never."""

    def __init__(self, does):
        self.given, self.does = [], does

    def submit(self, function, task):
        self.given.append(task)
        future = Future()
        if self.does:
            future.set_result(function(task))
        return future


def test_a_worker_that_is_late_does_not_keep_the_caller_waiting():
    processes = Pretended(does=False)
    assert Workers(processes, helped=True).map(abs, [-1, 2, -3]) == [1, 2, 3]
    assert processes.given == []


def test_a_worker_that_could_not_start_is_an_error_where_nobody_else_can_do_its_tasks():
    failed = Future()
    failed.set_exception(OSError("no more processes"))
    workers = Workers(None, helped=False)
    workers.free(failed)
    with pytest.raises(OSError, match="no more processes"):
        workers.map(abs, [-1])


def test_workers_that_died_between_two_calls_are_an_error_and_not_a_wait_for_ever():
    class Dead:
        def submit(self, *_):
            raise RuntimeError("the workers died")

    with pytest.raises(RuntimeError, match="died"):
        Workers(Dead(), helped=False, idle=1).map(abs, [-1, 2])


def test_workers_do_what_was_begun_first_and_the_caller_what_it_asks_for():
    processes = Pretended(does=False)
    workers = Workers(processes, helped=True, idle=1)
    begun = workers.begin(abs, [-1, -2, -3])
    assert workers.map(abs, [-4, -5]) == [4, 5]
    assert processes.given == [-1]
    begun.finished.put((0, done(10)))
    workers.free()
    assert processes.given == [-1, -2]
    begun.finished.put((1, done(20)))
    assert workers.finish(begun) == [10, 20, 3]


def done(result):
    future = Future()
    future.set_result(result)
    return future


def test_tasks_of_a_call_that_failed_are_not_begun_any_more():
    processes = Pretended(does=False)
    workers = Workers(processes, helped=True, idle=1)
    with pytest.raises(TypeError):
        workers.map(abs, [-1, -2, "three"])
    workers.free()
    assert processes.given == [-1]
