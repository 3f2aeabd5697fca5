import importlib.util
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import terc
from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import FunctionPolicy, PolicySpec, load_policy
from terc.agents.tabular_policy import TabularPolicy
from terc.errors import BadTypeError, BadValueError, DataFileError, TercWarning, UnknownNameError
from terc.pipeline import run_folder
from terc.pipeline.config import RunConfig
from terc.pipeline.export import export
from terc.pipeline.model_identity import model_identity
from terc.pipeline.run import Run, run
from terc.pipeline.run_folder import RunFolder
from terc.pipeline.stages import Bench

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent


def _small_world():
    spec = importlib.util.spec_from_file_location("small_world", HERE / "small_world.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


small_world = _small_world()
TINY = small_world.TINY


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A run that nothing happened to; tests copy it before they touch it."""
    return run(small_world.make, out=tmp_path_factory.mktemp("run") / "r", **TINY)


@pytest.fixture(autouse=True)
def no_page(undisturbed, monkeypatch):
    """One page is drawn for all tests: it is a third of the cost of such a small run."""
    monkeypatch.setattr("terc.pipeline.run._write_report", lambda folder: None)


def results(folder):
    """Everything that must not depend on interruptions: all but times."""
    folder = Path(folder)
    found = {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.glob("agents/*"))}
    for name in (
        "config.json",
        "curves.parquet",
        "trajectories.parquet",
        "learning.json",
        "state_lengths.json",
    ):
        found[name] = (folder / name).read_bytes()
    selection = json.loads((folder / "selection.json").read_text())
    return found | {"selection": {k: v for k, v in selection.items() if k != "timings"}}


def test_a_run_keeps_what_the_agent_uses_and_compares(undisturbed):
    assert undisturbed.selection.kept == ("left", "right")
    assert undisturbed.verdict in ("better", "the same within the interval")
    assert undisturbed.comparison["reduced"].final.value == pytest.approx(4.0, abs=0.3)
    assert set(undisturbed.curves) == {"full", "reduced"}
    assert {row.state for row in undisturbed.inference.rows} == {"full", "reduced"}
    text = str(undisturbed)
    assert "kept 2 of 4: left, right" in text
    assert "the agent can do without idle, spare; one trained without returns" in text
    assert "times as fast" in text
    assert str(undisturbed.report) in text
    assert undisturbed.report.stat().st_size > 10_000


def test_the_folder_holds_everything(undisturbed):
    folder = undisturbed.folder
    config = json.loads((folder / "config.json").read_text())
    assert config["agent_seeds"] == [0]
    assert config["versions"]["numpy"] == np.__version__
    assert len(terc.load(folder / "trajectories.parquet")) == 2000
    assert Run.load(folder).to_dict() == undisturbed.to_dict()
    assert json.loads((folder / "summary.json").read_text())["verdict"] == undisturbed.verdict
    assert list((folder / "unfinished").iterdir()) == []


def test_a_finished_run_is_not_done_again(undisturbed):
    before = {p: p.stat().st_mtime_ns for p in undisturbed.folder.glob("agents/*")}
    events = []
    again = run(out=undisturbed.folder, env=small_world.make, progress=events.append, **TINY)
    assert again.to_dict() == undisturbed.to_dict()
    assert all(e.kept_from_before for e in events if e.stage != "report")
    assert {p: p.stat().st_mtime_ns for p in undisturbed.folder.glob("agents/*")} == before


class Stop(Exception):
    pass


def stop_at(moment):
    count = [0]

    def listen(event):
        count[0] += 1
        if count[0] == moment:
            raise Stop

    return listen


@pytest.mark.parametrize("moment", [1, 30, 64, 68, 100, 140])
def test_stopped_at_any_event_it_continues_to_the_same_results(moment, undisturbed, tmp_path):
    with pytest.raises(Stop):
        run(small_world.make, out=tmp_path / "r", progress=stop_at(moment), **TINY)
    run(small_world.make, out=tmp_path / "r", **TINY)
    assert results(tmp_path / "r") == results(undisturbed.folder)


def test_killed_between_writing_and_moving_into_place(undisturbed, tmp_path, monkeypatch):
    """The k-th file is written but never gets its name, as when the power goes."""
    real, count = os.replace, [0]

    def replace(source, target):
        count[0] += 1
        if count[0] % 7 == 0:
            raise Stop
        return real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    for _ in range(40):
        try:
            run(small_world.make, out=tmp_path / "r", **TINY)
            break
        except Stop:
            continue
    assert count[0] > 20
    assert results(tmp_path / "r") == results(undisturbed.folder)


SCRIPT = """
import sys; sys.path[:0] = [{repository!r}, {here!r}]
from terc.pipeline.run import run
import small_world
print("ready", flush=True)
run(small_world.make, out={out!r}, **small_world.TINY)
"""


def test_sigkill_at_random_moments(undisturbed, tmp_path, seed):
    out = tmp_path / "r"
    script = SCRIPT.format(repository=str(REPOSITORY), here=str(HERE), out=str(out))
    draw = random.Random(seed)
    killed = 0
    for attempt in range(8):
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        process.stdout.readline()
        if attempt < 3:
            time.sleep(draw.uniform(0.05, 1.5))
            process.send_signal(signal.SIGKILL)
        code = process.wait()
        process.stdout.close()
        killed += code == -signal.SIGKILL
        if code == 0:
            break
    assert killed > 0
    theirs, ours = results(out), results(undisturbed.folder)
    del theirs["config.json"], ours["config.json"]  # it holds the name of the module, which differs
    assert theirs == ours


def test_changed_settings_are_refused_with_the_difference(undisturbed):
    with pytest.raises(BadValueError, match="other settings .noise: 0 there, 2 here.*--restart"):
        run(small_world.make, out=undisturbed.folder, **TINY, noise=2)
    with pytest.raises(BadValueError, match="seed: 0 there, 1 here"):
        run(small_world.make, out=undisturbed.folder, **TINY, seed=1)
    assert undisturbed.report.exists()


def test_restart_deletes_the_earlier_run_and_nothing_else(undisturbed, tmp_path):
    folder = tmp_path / "r"
    shutil.copytree(undisturbed.folder, folder)
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(Stop):
        run(small_world.make, out=folder, **{**TINY, "seed": 7}, restart=True, progress=stop_at(1))
    assert sorted(p.name for p in folder.iterdir()) == [
        ".lock", "agents", "config.json", "notes.txt", "stages", "unfinished",
    ]  # fmt: skip
    assert RunFolder(folder).saved_config().seed == 7


@pytest.mark.parametrize("config", ['{"environment": "a"}', "{half", "[]"])
def test_restart_replaces_a_run_that_cannot_be_read(config, tmp_path):
    (tmp_path / "r" / "stages").mkdir(parents=True)
    (tmp_path / "r" / "config.json").write_text(config)
    with pytest.raises(DataFileError, match="restart"):
        run(small_world.make, out=tmp_path / "r", **TINY)
    with pytest.raises(Stop):
        run(small_world.make, out=tmp_path / "r", **TINY, restart=True, progress=stop_at(1))
    assert RunFolder(tmp_path / "r").saved_config().noise == 0


def begin(folder, *arguments, **settings):
    """Only as far as the folder is accepted and the first stage would begin."""
    with pytest.raises(Stop):
        run(*arguments, out=folder, **{**TINY, **settings}, progress=stop_at(1))


def world_of(size):
    def make():
        world = small_world.Bits()
        world.size = size
        return world

    return make


@pytest.mark.parametrize(
    ("first", "same", "other"),
    [
        (world_of(5), world_of(5), world_of(6)),
        (partial(gym.make, "CartPole-v1"), partial(gym.make, "CartPole-v1"), partial(gym.make, "Acrobot-v1")),
    ],
)
def test_another_function_is_not_taken_for_the_one_the_run_began_with(first, same, other, tmp_path):
    begin(tmp_path / "r", first)
    begin(tmp_path / "r", same)
    with pytest.raises(BadValueError, match=r"other settings .environment: .*#.* there, .*#.* here.*restart"):
        begin(tmp_path / "r", other)
    with pytest.raises(UnknownNameError, match="function that this run began with; pass it again"):
        run(out=tmp_path / "r")


def test_unnamed_functions_do_not_share_a_default_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begin(None, world_of(5))
    begin(None, world_of(6))
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_a_function_that_cannot_be_known_again_begins_but_does_not_continue(tmp_path):
    with open(tmp_path / "log", "w") as log:

        def make():
            return small_world.Bits() if log else None

        with pytest.warns(TercWarning, match="make cannot be known again later"):
            begin(tmp_path / "r", make)
        with pytest.raises(BadValueError, match="nothing tells whether it is of the same .*make.*restart"):
            begin(tmp_path / "r", make)
        with pytest.warns(TercWarning, match="make cannot be known again later"):
            begin(tmp_path / "r", make, restart=True)


def network(weight):
    layers = ((np.full((4, 2), weight, np.float32), np.zeros(2, np.float32)),)
    return NetworkPolicy(PolicySpec(None, 4, n_actions=2), layers)


def table(value):
    return TabularPolicy(PolicySpec(None, 1, n_actions=2), (2,), (0,), np.array([[0.0, 1.0], [value, 0.0]]))


def acts_on(column):
    return lambda states: states[:, column].astype(int)


@pytest.mark.parametrize("make", [network, table, acts_on, lambda column: FunctionPolicy(acts_on(column))])
def test_models_are_known_by_what_they_do(make):
    assert model_identity(make(1)) == model_identity(make(1))
    assert model_identity(make(1)) != model_identity(make(2))


@pytest.mark.parametrize("algorithm", ["PPO", "DQN"])
def test_sb3_models_are_known_by_their_weights_and_scaling(algorithm):
    sb3 = pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

    from terc.agents.sb3 import SB3Policy

    def model(seed):
        return getattr(sb3, algorithm)("MlpPolicy", "CartPole-v1", seed=seed, device="cpu")

    assert model_identity(model(0)) == model_identity(SB3Policy(model(0))) != model_identity(model(1))
    scaled = VecNormalize(DummyVecEnv([lambda: gym.make("CartPole-v1")]))
    assert model_identity(SB3Policy(model(0), scaled)) != model_identity(model(0))


def test_another_model_is_not_taken_for_the_one_the_run_began_with(tmp_path):
    begin(tmp_path / "r", small_world.make, model=network(1.0))
    begin(tmp_path / "r", small_world.make, model=network(1.0))
    with pytest.raises(BadValueError, match=r"model: .*NetworkPolicy#.* there, .*NetworkPolicy#.* here"):
        begin(tmp_path / "r", small_world.make, model=network(2.0))


def test_options_of_the_environment_are_those_of_the_run_that_is_continued(tmp_path):
    def shaped(shape):
        assert shape == [3, 4]
        return small_world.Bits()

    begin(tmp_path / "r", shaped, environment_options={"shape": (3, 4)})
    begin(tmp_path / "r", shaped, environment_options={"shape": (3, 4)})


def test_a_damaged_file_is_made_again(undisturbed, tmp_path):
    folder = tmp_path / "r"
    shutil.copytree(undisturbed.folder, folder)
    (folder / "trajectories.parquet").write_bytes(b"half")
    (folder / "agents" / "reduced-0.npz").unlink()
    run(small_world.make, out=folder, **TINY)
    assert results(folder) == results(undisturbed.folder)


@pytest.mark.parametrize("name", ["thesis.tex", "config.json"])
def test_a_folder_of_something_else_is_left_alone(name, tmp_path):
    (tmp_path / name).write_text("mine")
    with pytest.raises(BadValueError, match=r"holds files but no config.json of a run"):
        run(small_world.make, out=tmp_path, restart=True, **TINY)
    assert (tmp_path / name).read_text() == "mine"


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataFileError, match="cannot write in .*file"):
        run(small_world.make, out=tmp_path / "file" / "r", **TINY)


FULL_DISK = """
import resource, sys
sys.path[:0] = [{repository!r}, {here!r}]
from terc.pipeline.run import run
import small_world
resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))
try:
    run(small_world.make, out={out!r}, **small_world.TINY)
except ValueError as error:
    print(type(error).__name__, error)
"""


def test_a_full_disk_is_one_sentence_and_nothing_is_half_written(undisturbed, tmp_path):
    """No file may grow beyond 6 kB: the trajectories cannot be written."""
    out = tmp_path / "r"
    script = FULL_DISK.format(repository=str(REPOSITORY), here=str(HERE), out=str(out))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("DataFileError ")
    assert "cannot write" in done.stdout
    assert not (out / "trajectories.parquet").exists()
    (out / "config.json").unlink()  # it holds the name of the module, which differs
    RunFolder(out).write_json("config.json", json.loads((undisturbed.folder / "config.json").read_text()))
    run(small_world.make, out=out, **TINY)
    assert results(out) == results(undisturbed.folder)


def test_two_processes_do_not_share_a_folder(tmp_path):
    with RunFolder(tmp_path / "r").locked(), pytest.raises(BadValueError, match="another process is working"):
        run(small_world.make, out=tmp_path / "r", **TINY)


def test_other_versions_are_told(undisturbed, tmp_path, monkeypatch):
    folder = tmp_path / "r"
    shutil.copytree(undisturbed.folder, folder)
    monkeypatch.setattr(run_folder, "versions", lambda: {"numpy": "9.9"})
    with pytest.warns(TercWarning, match=r"begun with other versions \(numpy .* -> 9.9\)"):
        run(small_world.make, out=folder, **TINY)


@pytest.mark.parametrize("state", ["full", "reduced"])
def test_the_exported_policy_acts_like_the_agent_on_10_000_states(state, undisturbed, tmp_path, seed):
    path = export(undisturbed.folder, "numpy", state=state, out=tmp_path / "policy.py")
    spec = importlib.util.spec_from_file_location("policy", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    states = np.random.default_rng(seed).normal(0.5, 2, (10_000, len(module.VARIABLES)))
    policy = load_policy(undisturbed.folder / f"agents/{state}-0.npz")
    np.testing.assert_array_equal(module.act(states), policy.act(states))
    assert (("left", "right") if state == "reduced" else small_world.Bits.variable_names) == module.VARIABLES
    assert tuple(range(len(module.VARIABLES))) == module.COLUMNS


def test_a_model_from_elsewhere_is_explained(tmp_path):
    """A policy of the user's own: the first bit alone."""
    seen = run(small_world.make, model=lambda s: s[:, 0].astype(int), out=tmp_path / "r", **TINY)
    assert seen.selection.kept == ("left",)
    assert seen.verdict == "worse"
    assert "what this agent had no need of another one could use" in str(seen)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"env": "CartPole-v9"}, UnknownNameError, "no environment 'CartPole-v9'.*Did you mean CartPole-v1"),
        ({"env": "Secretkey-v0"}, UnknownNameError, "Did you mean terc/SecretKey-v0"),
        ({"env": "no_such_module:make"}, UnknownNameError, "cannot import 'no_such_module'"),
        ({"env": "json:lods"}, UnknownNameError, "no function 'lods' in json. There is .*'loads'"),
        ({"env": 3}, BadTypeError, "a Gymnasium id or a function"),
        ({"env": dict}, BadTypeError, "must make a gymnasium environment, it made dict"),
        ({}, BadValueError, "name an environment"),
        ({"env": "CartPole-v1", "noise": -1}, BadValueError, "noise must be at least 0"),
        ({"env": "CartPole-v1", "seeds": 0}, BadValueError, "seeds must be at least 1"),
        ({"env": "CartPole-v1", "preset": "slow"}, UnknownNameError, "no preset named 'slow'"),
        ({"env": "CartPole-v1", "agent": "magic"}, UnknownNameError, "no agent named 'magic'"),
        ({"env": "CartPole-v1", "estimator": "knnn"}, UnknownNameError, "no estimator named 'knnn'"),
        ({"env": "CartPole-v1", "method": "best"}, UnknownNameError, "no method named 'best'"),
        (
            {"env": "CartPole-v1", "goal": float("inf")},
            BadValueError,
            "goal must be a finite number, got inf",
        ),
        ({"env": "CartPole-v1", "expert": float("nan")}, BadValueError, "expert must be a finite number"),
        ({"env": "CartPole-v1", "goal": "high"}, BadTypeError, "goal must be a number, got 'high'"),
        (
            {"env": "CartPole-v1", "environment_options": {"map": [{1: 2}]}},
            BadTypeError,
            r"environment_options\['map'\]\[0\] must be what a JSON file can hold.*got {1: 2} of type dict",
        ),
        (
            {"env": "CartPole-v1", "environment_options": {"speed": np.int64(3)}},
            BadTypeError,
            "of type int64; give a function that makes the environment",
        ),
        (
            {"env": "CartPole-v1", "environment_options": 3},
            BadTypeError,
            "must map keywords to values, got 3",
        ),
        ({"env": "CartPole-v1", "model": 3}, BadTypeError, "policy: wanted a terc policy"),
        ({"env": "CartPole-v1", "min_effect": 1.0}, BadValueError, "min_effect must be a share"),
        ({"env": "CartPole-v1", "estimator": "mine", "alpha": 0.01}, BadValueError, "has no error rate"),
        ({"env": "CartPole-v1", "alpha": 2.0}, BadValueError, "alpha must lie between 0 and 1"),
        ({"env": "CartPole-v1", "keep": ["x"]}, UnknownNameError, "no variable named 'x'.*cart_position"),
        ({"env": "CartPole-v1", "stepps": 5}, UnknownNameError, "no setting named 'stepps'.*'steps'"),
        ({"env": "CartPole-v1", "model": "none.zip"}, DataFileError, "cannot read none.zip"),
    ],
)
def test_bad_arguments(arguments, error, message, tmp_path):
    with pytest.raises(error, match=message):
        run(**arguments, out=tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_a_ready_made_environment_is_refused():
    with pytest.raises(BadTypeError, match="cannot be copied safely"):
        run(gym.make("CartPole-v1"))


def test_settings_survive_json():
    config = RunConfig("a:b", environment_options={"keys": 5}, noise=1, keep=["x"], goal=-3.5)
    assert RunConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config
    with pytest.raises(DataFileError, match=r"lacks 'noise'"):
        RunConfig.from_dict({"environment": "a", "environment_options": {}})


@pytest.mark.parametrize(
    ("asked", "floor"), [({}, 0.005), ({"estimator": "knn"}, 0.0), ({"min_effect": 0.1}, 0.1)]
)
def test_the_floor_is_that_of_select_unless_asked(asked, floor, undisturbed, tmp_path):
    folder = RunFolder(tmp_path)
    config = RunConfig("a:b", **asked)
    folder.prepare(config, restart=False)
    shutil.copy(undisturbed.folder / "trajectories.parquet", tmp_path)
    Bench(folder, config, None)._select(None)
    assert json.loads((tmp_path / "selection.json").read_text())["config"]["min_effect"] == floor
