"""`terc run --model` ends with agents that were trained elsewhere, behind their own wrappers."""

import json

import pytest

pytest.importorskip("sb3_contrib")
from agents import sb3_zoo

from terc.agents import load_policy
from terc.cli.main import main
from terc.errors import BadTypeError
from terc.pipeline.run import run

SMALL = [
    "--seeds",
    "1",
    "--steps",
    "300",
    "--rollout-steps",
    "600",
    "--episodes",
    "2",
    "--calls",
    "20",
    "--json",
]


def test_agents_are_trained_like_the_model(tmp_path):
    model, _ = sb3_zoo.trained("PPO", "VecNormalize")
    done = run(
        sb3_zoo.Valve, model=model, agent="model", steps=200, seeds=1, rollout_steps=400, timing_calls=20,
        evaluation_episodes=2, out=tmp_path / "run", keep=["wanted"],
    )  # fmt: skip
    again = load_policy(
        done.folder / "agents" / "full-0.zip",
        allow_pickle=True,
        vec_normalize=done.folder / "agents" / "full-0.vecnormalize.pkl",
    )
    assert type(again.model) is type(model) and again.model.n_steps == model.n_steps
    wrong = sb3_zoo.trained("SAC")[0]
    with pytest.raises(BadTypeError, match="PPO, A2C and TRPO.*for SAC train with terc.agents.train_like"):
        run(lambda: sb3_zoo.Valve(True), model=wrong, agent="model", out=tmp_path / "wrong")


def stacked():
    """A world with the user's own frame stack."""
    return sb3_zoo.world("VecFrameStack", "PPO")


@pytest.mark.parametrize(
    ("name", "kind", "environment"),
    [("DQN", "Dict", "agents.sb3_zoo:DictValve"), ("PPO", "VecFrameStack", "cli.test_run_model:stacked")],
)
def test_the_run_ends(name, kind, environment, tmp_path, capsys):
    sb3_zoo.trained(name, kind)[0].save(tmp_path / "m.zip")
    with pytest.raises(SystemExit) as end:
        main(["run", environment, "--model", str(tmp_path / "m.zip"), "--allow-pickle", *SMALL,
              "--calls", "20", "--json", "--out", str(tmp_path / "run")])  # fmt: skip
    found = capsys.readouterr()
    assert end.value.code == 0, found.err
    assert json.loads(found.out)
    assert (tmp_path / "run" / "report.html").exists()
