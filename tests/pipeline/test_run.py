import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from html import unescape
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import terc
from terc import fingerprint, work_folder
from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import PolicySpec, load_policy
from terc.errors import BadTypeError, BadValueError, DataFileError, TercWarning, UnknownNameError
from terc.pipeline.config import RunConfig
from terc.pipeline.export import export
from terc.pipeline.model_identity import model_identity
from terc.pipeline.run import Run, run
from terc.pipeline.stages import RunTasks
from terc.pipeline.worlds import World
from terc.reporting.material import read_run_folder
from terc.return_comparison import TOO_FEW
from terc.returns.verdict import RunVerdict, as_sentence
from terc.store import Store

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent


sys.path.insert(0, str(HERE))
small_world = importlib.import_module("small_world")
TINY = small_world.TINY


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A run that nothing happened to; tests copy it before they touch it."""
    return run(small_world.make, out=tmp_path_factory.mktemp("run") / "r", **TINY)


@pytest.fixture(autouse=True)
def no_page(undisturbed, monkeypatch):
    """One page is drawn for all tests: it is a third of the cost of such a small run."""
    monkeypatch.setattr("terc.pipeline.run._write_page", lambda folder: None)


def results(folder):
    """Everything that must not depend on interruptions: all but times."""
    folder = Path(folder)
    found = {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.glob("agents/*"))}
    for name in (
        "config.json",
        "curves.parquet",
        "trajectories.parquet",
        "learning.json",
        "returns.json",
        "ablation.json",
    ):
        found[name] = (folder / name).read_bytes()
    selection = json.loads((folder / "selection.json").read_text())
    return found | {"selection": {k: v for k, v in selection.items() if k != "timings"}}


def test_a_run_keeps_what_the_agent_uses_and_compares(undisturbed):
    assert undisturbed.selection.kept == ("left", "right")
    assert [note.code for note in undisturbed.selection.notes if note.kind == "fact"][-1] == "actions-taken"
    assert undisturbed.comparison.verdict == TOO_FEW
    assert undisturbed.comparison["reduced"].final.value == pytest.approx(4.0, abs=0.3)
    assert set(read_run_folder(undisturbed.folder).curves) == {"full", "reduced"}
    assert {row.state for row in undisturbed.inference.rows} == {"full", "reduced"}
    text = str(undisturbed)
    assert "2 of 4 variables: left, right" in text
    assert "Retrained with actor-critic" in text
    assert "can do without" not in text
    assert "times as fast" in text
    assert str(undisturbed.report) in text
    assert undisturbed.report.stat().st_size > 10_000


def test_terminal_summary_and_page_show_one_verdict(undisturbed):
    verdict, page = undisturbed.verdict, unescape(undisturbed.report.read_text(encoding="utf8"))
    summary = json.loads((undisturbed.folder / "summary.json").read_text())
    assert RunVerdict.from_dict(summary["verdict"]) == verdict
    assert f"<h1>{as_sentence(verdict.headline)}</h1>" in page
    titles = [title for title, _ in verdict.parts]
    assert titles == ["The smaller agent", "What it reads", "What unplugging does", "What to doubt"]
    for _, sentences in verdict.parts:
        for one in sentences:
            assert as_sentence(one) in str(undisturbed)
            assert f"<li>{as_sentence(one)}</li>" in page


def test_the_folder_holds_everything(undisturbed):
    folder = undisturbed.folder
    config = json.loads((folder / "config.json").read_text())
    assert config["agent_seeds"] == [0]
    assert config["versions"]["numpy"] == np.__version__
    assert len(terc.load(folder / "trajectories.parquet")) == 2000
    assert Run.load(folder).to_dict() == undisturbed.to_dict()
    assert undisturbed.distilled.variables == ("left", "right")
    assert undisturbed.returns.has_learned
    assert len(undisturbed.ablation.rows) == 5
    assert list((folder / "unfinished").iterdir()) == []


def test_a_finished_run_is_not_done_again(undisturbed):
    before = {p: p.stat().st_mtime_ns for p in undisturbed.folder.glob("agents/*")}
    events = []
    again = run(out=undisturbed.folder, env=small_world.make, progress=events.append, **TINY)
    assert again.to_dict() == undisturbed.to_dict()
    assert all(e.kept_from_before for e in events if e.task != "report")
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


def test_another_world_or_seed_is_refused_with_the_difference(undisturbed):
    with pytest.raises(BadValueError, match="other settings .noise: 0 there, 2 here.*--restart"):
        run(small_world.make, out=undisturbed.folder, **TINY, noise=2)
    with pytest.raises(BadValueError, match="seed: 0 there, 1 here"):
        run(small_world.make, out=undisturbed.folder, **TINY, seed=1)
    assert undisturbed.report.exists()


def done_again(folder, **changes):
    """Tasks that are done when the run is asked for once more."""
    events = []
    run(small_world.make, out=folder, **{**TINY, **changes}, progress=events.append)
    return [e.task for e in events if e.finished and not e.kept_from_before and e.task != "report"]


def test_a_task_whose_options_changed_is_done_again_and_the_others_are_not(undisturbed, tmp_path):
    shutil.copytree(undisturbed.folder, tmp_path / "r")
    with pytest.warns(TercWarning, match="continues with other settings .*timing_calls: 20 there, 30 here"):
        assert done_again(tmp_path / "r", timing_calls=30) == ["time inference"]
    with pytest.warns(TercWarning, match="alpha: 0.05 there, 0.01 here"):
        again = done_again(tmp_path / "r", timing_calls=30, alpha=0.01)
    assert again == ["select", "ablate", "distill", "time inference"]
    with pytest.warns(TercWarning, match="goal"):
        assert done_again(tmp_path / "r", timing_calls=30, alpha=0.01, goal=3.0) == ["compare"]


def test_a_task_whose_code_changed_is_done_again_and_the_others_are_not(undisturbed, tmp_path, monkeypatch):
    shutil.copytree(undisturbed.folder, tmp_path / "r")
    real = fingerprint._read

    def edited(path):
        digest, names = real(path)
        return (f"{digest} edited" if path.name == "inference.py" else digest), names

    monkeypatch.setattr(fingerprint, "_read", edited)
    fingerprint.code_digest.cache_clear()
    assert done_again(tmp_path / "r") == ["time inference"]
    fingerprint.code_digest.cache_clear()


def test_restart_deletes_the_earlier_run_and_nothing_else(undisturbed, tmp_path):
    folder = tmp_path / "r"
    shutil.copytree(undisturbed.folder, folder)
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(Stop):
        run(small_world.make, out=folder, **{**TINY, "seed": 7}, restart=True, progress=stop_at(1))
    assert list((folder / "agents").iterdir()) == []
    left = {p.name for p in folder.iterdir() if p.is_file()} - {".lock"}
    assert left == {"config.json", "notes.txt"}
    assert Store(folder, "run").saved()["seed"] == 7


@pytest.mark.parametrize("config", ['{"environment": "a"}', '{"format": 1}'])
def test_a_run_of_version_0_1_is_refused_and_may_be_replaced(config, tmp_path):
    (tmp_path / "r" / "stages").mkdir(parents=True)
    (tmp_path / "r" / "config.json").write_text(config)
    with pytest.raises(BadValueError, match="from another version of terc and cannot be .*restart"):
        run(small_world.make, out=tmp_path / "r", **TINY)
    with pytest.raises(Stop):
        run(small_world.make, out=tmp_path / "r", **TINY, restart=True, progress=stop_at(1))
    assert Store(tmp_path / "r", "run").saved()["noise"] == 0


def begin(folder, *arguments, **settings):
    """Only as far as the folder is accepted and the first stage would begin."""
    with pytest.raises(Stop):
        run(*arguments, out=folder, **{**TINY, **settings}, progress=stop_at(1))


def unnamed():
    return lambda: small_world.Bits()


def test_an_environment_in_memory_begins_with_a_warning_and_is_not_continued(tmp_path):
    with pytest.warns(TercWarning, match="lambda>. exists in memory only, so that this run cannot be"):
        begin(tmp_path / "r", unnamed())
    with pytest.raises(BadValueError, match="a run already, and .*lambda>. exists in memory only.*restart"):
        begin(tmp_path / "r", unnamed())
    with pytest.raises(UnknownNameError, match="in memory: .*lambda>; such a run cannot be continued"):
        run(out=tmp_path / "r")
    with pytest.warns(TercWarning, match="exists in memory only"):
        begin(tmp_path / "r", unnamed(), restart=True)


def network(weight):
    layers = ((np.full((4, 2), weight, np.float32), np.zeros(2, np.float32)),)
    return NetworkPolicy(PolicySpec(None, 4, n_actions=2), layers)


def test_models_are_known_by_their_file_or_their_name(tmp_path):
    network(1.0).save(tmp_path / "one.npz")
    network(2.0).save(tmp_path / "two.npz")
    assert model_identity(tmp_path / "one.npz") != model_identity(tmp_path / "two.npz")
    assert model_identity(np.argmax) == "numpy:argmax"
    assert model_identity(network(1.0)) == "in memory: NetworkPolicy"


def test_another_model_is_not_taken_for_the_one_the_run_began_with(tmp_path):
    for name, weight in (("one", 1.0), ("two", 2.0)):
        network(weight).save(tmp_path / f"{name}.npz")
    begin(tmp_path / "r", small_world.make, model=tmp_path / "one.npz")
    begin(tmp_path / "r", small_world.make, model=tmp_path / "one.npz")
    with pytest.raises(BadValueError, match=r"other settings .model: .* there, .* here"):
        begin(tmp_path / "r", small_world.make, model=tmp_path / "two.npz")
    with pytest.raises(BadValueError, match="NetworkPolicy. exists in memory only"):
        begin(tmp_path / "r", small_world.make, model=network(1.0))


def test_options_of_the_environment_are_those_of_the_run_that_is_continued(tmp_path):
    begin(tmp_path / "r", small_world.shaped, environment_options={"shape": (3, 4)})
    begin(tmp_path / "r", small_world.shaped, environment_options={"shape": (3, 4)})


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
    with pytest.raises(BadValueError, match=r"holds files but no config.json of terc run"):
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
    run(small_world.make, out=out, **TINY)
    assert results(out) == results(undisturbed.folder)


def test_two_processes_do_not_share_a_folder(tmp_path):
    with (
        Store(tmp_path / "r", "run").locked(),
        pytest.raises(BadValueError, match="another process is working"),
    ):
        run(small_world.make, out=tmp_path / "r", **TINY)


def test_other_versions_are_noted(undisturbed, tmp_path, monkeypatch):
    folder = tmp_path / "r"
    shutil.copytree(undisturbed.folder, folder)
    monkeypatch.setattr(work_folder, "versions", lambda: {"numpy": "9.9"})
    with pytest.warns(TercWarning, match=r"other settings or versions \(numpy: .* there, '9.9' here\)"):
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


@pytest.mark.parametrize("loss, name", [(0, "policy_distilled.py"), (1000, "policy_reduced.py")])
def test_the_agent_that_the_verdict_calls_as_good_is_exported(loss, name, undisturbed, tmp_path):
    """A retrained agent is another one, and what is said of its return is not said of it."""
    shutil.copytree(undisturbed.folder, tmp_path / "r")
    whole = undisturbed.distilled.teacher
    returns = replace(whole, mean=whole.mean - loss, values=whole.values - loss)
    replace(undisturbed.distilled, returns=returns).save(tmp_path / "r/agents/distilled.npz")
    assert export(tmp_path / "r").name == name
    assert export(tmp_path / "r", state="reduced").name == "policy_reduced.py"


def test_a_model_from_elsewhere_is_explained(tmp_path):
    """A policy of the user's own: the first bit alone."""
    seen = run(small_world.make, model=lambda s: s[:, 0].astype(int), out=tmp_path / "r", **TINY)
    assert seen.selection.kept == ("left",)
    assert "actions-taken" not in {note.code for note in seen.selection.notes}  # it has no probabilities
    assert seen.comparison is None and not (seen.folder / "learning.json").exists()
    assert "The model taught it in" in str(seen) and seen.distilled.returns.mean == pytest.approx(
        3.0, abs=0.6
    )
    assert {row.state for row in seen.inference.rows} == {"reduced"}
    assert export(seen.folder).name == "policy_distilled.py"
    with pytest.raises(DataFileError, match="no retrained agent; repeat its `terc run` with --retrain"):
        export(seen.folder, state="reduced")


def test_a_finished_run_of_a_model_does_not_open_it_again(tmp_path, monkeypatch):
    """Every variable was kept: the places in the row of tasks do not change for that."""
    network(1.0).save(tmp_path / "one.npz")
    events, given = [], {"model": tmp_path / "one.npz", "keep": list(small_world.Bits.variable_names)}
    run(small_world.make, out=tmp_path / "r", progress=events.append, **given, **TINY)
    assert len({event.of for event in events}) == 1
    numbers = [event.number for event in events if event.finished]
    assert numbers == list(range(1, events[0].of + 1))
    assert any(event.what == "none, every variable was kept" for event in events)

    def refuse(self):
        raise AssertionError("opened")

    monkeypatch.setattr("terc.pipeline.model_identity.Model.policy", refuse)
    again = run(small_world.make, out=tmp_path / "r", **given, **TINY)
    assert again.to_dict() == Run.load(tmp_path / "r").to_dict()
    with pytest.raises(AssertionError, match="opened"):
        run(small_world.make, out=tmp_path / "r", restart=True, **given, **TINY)


def test_a_model_from_elsewhere_is_the_reference_of_agents_trained_anew(tmp_path):
    network(1.0).save(tmp_path / "one.npz")
    seen = run(small_world.make, model=tmp_path / "one.npz", retrain=True, out=tmp_path / "r", **TINY)
    assert "No verdict: the model has not learned" in str(seen), "it always guesses 0"
    assert seen.verdict.as_good is None and seen.verdict.warning.code == "not-learned"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"env": "CartPole-v9"}, UnknownNameError, "no environment 'CartPole-v9'.*Did you mean CartPole-v1"),
        ({"env": "Secretkey-v0"}, UnknownNameError, "Did you mean terc/SecretKey-v0"),
        ({"env": "no_such_module:make"}, UnknownNameError, "cannot import 'no_such_module'"),
        ({"env": "CartPole-v1", "model": []}, BadValueError, "model= is an empty list; give at least one"),
        ({"env": "Kiln-v0"}, UnknownNameError, "doesn't exist.. One of your own .* my_env.py:make"),
        ({"env": "json:lods"}, UnknownNameError, "no function of json named 'lods'. Did you mean 'loads'"),
        ({"env": 3}, BadTypeError, "a Gymnasium id or a function"),
        ({"env": dict}, BadTypeError, "must make a Gymnasium environment or a VecEnv, it made dict"),
        ({}, BadValueError, "name an environment"),
        ({"env": "CartPole-v1", "noise": -1}, BadValueError, "noise must be a whole number of at least 0"),
        ({"env": "CartPole-v1", "seeds": 0}, BadValueError, "seeds must be a whole number of at least 1"),
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
        (
            {"env": "CartPole-v1", "tolerance": 5},
            BadValueError,
            "tolerance must be a share from 0 to below 1",
        ),
        (
            {"env": "CartPole-v1", "play_episodes": 1},
            BadValueError,
            "play_episodes must be a whole number of",
        ),
        (
            {"env": "CartPole-v1", "model": len, "vec_normalize": "a.pkl"},
            BadValueError,
            "belongs to a Stable-Baselines3 .zip",
        ),
        ({"env": "CartPole-v1", "estimator": "mine", "alpha": 0.01}, BadValueError, "has no error rate"),
        ({"env": "CartPole-v1", "alpha": 2.0}, BadValueError, "alpha must lie between 0 and 1"),
        ({"env": "CartPole-v1", "keep": ["x"]}, UnknownNameError, "no variable named 'x'.*cart_position"),
        ({"env": "CartPole-v1", "costs": {"x": 1}}, UnknownNameError, "no variable named 'x'"),
        ({"env": "CartPole-v1", "stepps": 5}, UnknownNameError, "no setting named 'stepps'.*'steps'"),
        ({"env": "CartPole-v1", "model": "none.zip"}, DataFileError, "there is no file 'none.zip'"),
        (
            {"env": lambda: gym.make_vec("CartPole-v1", 2), "agent": "sb3"},
            BadTypeError,
            "spends a step on each restart",
        ),
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
    assert RunConfig.from_dict({"environment": "a", "versions": {}}) == RunConfig("a")
    with pytest.raises(DataFileError, match=r"lacks 'environment'"):
        RunConfig.from_dict({"noise": 3})


@pytest.mark.parametrize(
    ("asked", "floor"), [({}, 0.005), ({"estimator": "knn"}, 0.0), ({"min_effect": 0.1}, 0.1)]
)
def test_the_floor_is_that_of_select_unless_asked(asked, floor, undisturbed, tmp_path):
    store = Store(tmp_path, "run")
    shutil.copy(undisturbed.folder / "trajectories.parquet", tmp_path)
    tasks = RunTasks(store, RunConfig("a:b", **asked), World("", None, None, 0, None))
    tasks._select(store, "select", **tasks._selecting().options)
    assert json.loads((tmp_path / "selection.json").read_text())["config"]["min_effect"] == floor
