"""`terc run --model` ends with agents that were trained elsewhere, behind their own wrappers."""

import json

import pytest

pytest.importorskip("sb3_contrib")
from agents import sb3_zoo

from terc.cli.main import main

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
