"""`terc run --model` ends with agents that were trained elsewhere, behind their own wrappers."""

import json

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
from agents import sb3_zoo

from terc.agents import load_policy
from terc.cli.main import main
from terc.errors import BadTypeError
from terc.pipeline.config import RunConfig
from terc.pipeline.run import run
from terc.pipeline.worlds import open_world
from terc.selection.result import Selection

SMALL = {"seeds": 1, "steps": 200, "rollout_steps": 600, "timing_calls": 20, "evaluation_episodes": 2}
SMALL |= {"play_episodes": 4, "lessons": 1}
FLAGS = ["--seeds", "1", "--steps", "200", "--rollout-steps", "600", "--episodes", "2", "--calls", "20"]
FLAGS += ["--play-episodes", "4", "--lessons", "1", "--json", "--quiet"]


@pytest.mark.parametrize(("name", "kind"), [("PPO", "VecNormalize"), ("SAC", "plain"), ("DQN", "Dict")])
def test_agents_are_trained_like_the_model(name, kind, tmp_path):
    model, _ = sb3_zoo.trained(name, kind)
    make = sb3_zoo.DictValve if kind == "Dict" else sb3_zoo.Valve
    done = run(
        lambda: make(name == "SAC"),
        model=model,
        agent="model",
        out=tmp_path / "run",
        keep=["wanted"],
        **SMALL,
    )
    statistics = done.folder / "agents" / "reduced-0.vecnormalize.pkl"
    again = load_policy(
        done.folder / "agents" / "reduced-0.zip",
        allow_pickle=True,
        vec_normalize=statistics if statistics.exists() else "none",
    )
    assert type(again.model) is type(model) and again.model.gamma == model.gamma
    assert statistics.exists() == (kind == "VecNormalize")
    states = np.random.default_rng(0).normal(size=(200, len(done.selection.kept))).astype(np.float32)
    plain = load_policy(done.folder / "agents" / "reduced-0.npz")
    np.testing.assert_allclose(plain.act(states), again.act(states), atol=1e-3)
    assert {row.state for row in done.inference.rows} >= {"reduced"}
    assert "variables kept" in done._repr_html_() and str(done.report) in done._repr_html_()


def test_what_cannot_be_trained_like_the_model(tmp_path):
    for name, make, match in [
        ("MaskablePPO", sb3_zoo.Valve, "MaskablePPO has others, or reads which actions are allowed"),
        ("PPO", stacked, "agent 'model' needs a function that makes one environment"),
    ]:
        model = sb3_zoo.trained(name, "VecFrameStack" if make is stacked else "plain")[0]
        with pytest.raises(BadTypeError, match=match):
            run(make, model=model, agent="model", out=tmp_path / name)
        assert not (tmp_path / name).exists()


def stacked():
    """A world with the user's own frame stack."""
    return sb3_zoo.world("VecFrameStack", "PPO")


@pytest.mark.parametrize(
    ("name", "kind", "environment"),
    [
        ("PPO", "VecFrameStack", "cli.test_run_model:stacked"),
        ("MaskablePPO", "plain", "agents.sb3_zoo:Valve"),
    ],
)
def test_the_run_ends(name, kind, environment, tmp_path, capsys):
    sb3_zoo.trained(name, kind)[0].save(tmp_path / "models" / "m.zip")
    given = tmp_path / "models" / "m" if name == "PPO" else tmp_path / "models"  # as a folder of Hugging Face
    with pytest.raises(SystemExit) as end:
        main(["run", environment, "--model", str(given), "--allow-pickle", "--vecnormalize", "none", *FLAGS,
              "--out", str(tmp_path / "run")])  # fmt: skip
    found = capsys.readouterr()
    assert end.value.code == 0, found.err
    assert json.loads(found.out)
    assert (tmp_path / "run" / "report.html").exists()
    names = Selection.load(tmp_path / "run" / "selection.json").names
    assert ("action_allowed.0" in names) == (name == "MaskablePPO")


def needs_a_size(size):
    """An environment that cannot be made without being told something."""
    return sb3_zoo.Valve(length=size)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["cli.test_run_model:needs_a_size"],
            "needs_a_size() missing 1 required positional argument: 'size'",
        ),
        (
            ["cli.test_run_model:needs_a_size", "--option", "size=3", "--noise", "2"],
            "without noise; leave out",
        ),
        (["CartPole-v1"], "made for states of 3 variables, but these have 4"),
        (["agents.sb3_zoo:Valve", "--model", "other"], "no file 'other'"),
    ],
)
def test_refused_in_one_line_before_there_is_a_folder(arguments, line, tmp_path, capsys, monkeypatch):
    sb3_zoo.trained("PPO")[0].save(tmp_path / "m.zip")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["run", "--model", "m", "--allow-pickle", "--out", "run", *arguments])
    said = capsys.readouterr().err.strip()
    assert end.value.code == 2 and line in said and len(said.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_function_may_make_a_vector_environment():
    world = open_world(RunConfig("in memory: many"), lambda: gym.make_vec("CartPole-v1", 2))
    assert world.names[2] == "pole_angle" and world.spec.n_actions == 2
