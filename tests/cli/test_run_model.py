"""`terc run --model` ends with agents that were trained elsewhere, behind their own wrappers."""

import json
from functools import partial

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
import stable_baselines3 as sb3
import torch
from agents import sb3_zoo
from agents.test_sb3_matrix import ALGORITHMS, KINDS

from terc.agents import load_policy
from terc.cli.main import main
from terc.errors import BadTypeError, MissingExtraError, TercWarning, UnknownNameError
from terc.pipeline.config import RunConfig
from terc.pipeline.run import run
from terc.pipeline.worlds import open_world
from terc.returns.student import Schooling

SMALL = {"seeds": 1, "steps": 200, "rollout_steps": 200, "timing_calls": 5, "evaluation_episodes": 2}
SMALL |= {"play_episodes": 2, "lessons": 1}
FLAGS = ["--rollout-steps=100", "--calls=5", "--play-episodes=2", "--lessons=1", "--keep=wanted"]
FLAGS += ["--min-effect=0.99", "--json", "--quiet"]


@pytest.fixture
def short_lessons(monkeypatch):
    """A twentieth of the updates of a lesson: that it ends is asked, not how well."""
    monkeypatch.setattr("terc.returns.distill.Schooling", partial(Schooling, updates=150))


@pytest.mark.usefixtures("short_lessons")
@pytest.mark.parametrize(
    ("name", "kind"),
    [("PPO", "VecNormalize"), ("SAC", "plain"), ("DQN", "Dict"), ("A2C", "VecFrameStack")],
)
def test_agents_are_trained_like_the_model(name, kind, tmp_path):
    model, _ = sb3_zoo.trained(name, kind)
    make = sb3_zoo.DictValve if kind == "Dict" else sb3_zoo.Valve
    done = run(
        partial(sb3_zoo.world, kind, name) if kind == "VecFrameStack" else partial(make, name == "SAC"),
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
    other = sb3.PPO("MlpPolicy", sb3_zoo.Valve(), policy_kwargs={"activation_fn": torch.nn.ELU}, device="cpu")
    for model, match in [
        (sb3_zoo.trained("MaskablePPO")[0], "cannot train another MaskablePPO: it reads which actions"),
        (other, "dense layers with tanh or ReLU.*this PPO has others. Train with terc.agents.train_like"),
        (lambda states: states[:, 0] > 0, "like a Stable-Baselines3 model.*not FunctionPolicy"),
    ]:
        with pytest.raises(BadTypeError, match=match):
            run(sb3_zoo.Valve, model=model, agent="model", out=tmp_path / "run")
        assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.usefixtures("short_lessons")
def test_the_run_ends(name, kind, tmp_path, capsys):
    model, envs = sb3_zoo.trained(name, kind)
    model.save(tmp_path / "m.zip")
    scaling = []
    if kind == "VecNormalize":
        envs.save(str(tmp_path / "v.pkl"))
        scaling = ["--vecnormalize", str(tmp_path / "v.pkl")]
    world = ["--option", f"kind={kind}", "--option", f"name={name}"]
    given = tmp_path if kind == "plain" else tmp_path / "m"  # a folder as Hugging Face lays it out
    found = ran("agents.sb3_zoo:world", given, tmp_path / "run", capsys, *scaling, *world)
    assert load_policy(tmp_path / "run" / "agents" / "distilled.npz").spec.n_variables == len(found["kept"])
    assert (tmp_path / "run" / "report.html").exists()
    names = {*found["kept"], *(one["name"] for one in found["removed"])}
    assert ("action_allowed.0" in names) == (name == "MaskablePPO")


def ran(environment, model, out, capsys, *flags):
    """What `terc run --model` printed in the end."""
    with pytest.raises(SystemExit) as end:
        main(["run", environment, "--model", str(model), "--allow-pickle", *FLAGS, "--out", str(out), *flags])
    found = capsys.readouterr()
    assert end.value.code == 0, found.err
    return json.loads(found.out)


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
        (["agents.sb3_zoo:Valve", "--vecnormalize", "no.pkl"], "(--vecnormalize): there is no file 'no.pkl'"),
        (
            ["agents.sb3_zoo:Valve", "--vecnormalize", "m.zip"],
            "m.zip is a model, not the statistics of a VecNormalize",
        ),
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


@pytest.mark.usefixtures("short_lessons")
def test_variables_without_names_are_noticed(tmp_path):
    def make():
        env = sb3_zoo.Valve()
        env.variable_names = None
        return env

    with pytest.warns(TercWarning, match="does not name its variables.*variable_names = "):
        run(make, model=lambda s: (s[:, 0] > 0).astype(int), out=tmp_path / "run", **SMALL)


@pytest.mark.parametrize(
    ("missing", "way_out"),
    [
        ("Box2D is not installed, you can", r"\(Box2D is not installed\); run: pip install 'terc\[gym\]'"),
        ("MuJoCo is not installed, run", r"terc\[mujoco\]"),
        ("frobnicator", "see `terc doctor`"),
    ],
)
def test_a_missing_package_names_the_extra_that_brings_it(missing, way_out):
    def make():
        raise gym.error.DependencyNotInstalled(missing)

    with pytest.raises(MissingExtraError, match=way_out):
        open_world(RunConfig("in memory: lander"), make)


def test_an_environment_in_a_file_of_its_own(tmp_path):
    (tmp_path / "my_pole.py").write_text(
        "import gymnasium\ndef make():\n    return gymnasium.make('CartPole-v1')"
    )
    assert open_world(RunConfig(f"{tmp_path / 'my_pole.py'}:make")).names[2] == "pole_angle"
    for name in ("my_pole.py", "my_pole"):
        with pytest.raises(UnknownNameError, match=r"without the function .*my_pole.py:make"):
            open_world(RunConfig(f"{tmp_path / name}"))


def test_a_function_may_make_a_vector_environment():
    world = open_world(RunConfig("in memory: many"), lambda: gym.make_vec("CartPole-v1", 2))
    assert world.names[2] == "pole_angle" and world.spec.n_actions == 2
