"""Other people's agents go all the way: train, adapt, roll out, select."""

import runpy
import sys
from pathlib import Path

import pytest

pytest.importorskip("stable_baselines3")
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("name", "variable"), [("sb3_acrobot", "angular_velocity_2"), ("sb3_mountain_car", "velocity")]
)
def test_a_doped_world_from_training_to_selection(name, variable, monkeypatch, capsys):
    """Far too short to learn anything; docs/agents.md says what the examples find at full length."""
    monkeypatch.setattr(sys, "argv", [name, "--steps", "1500", "--rollout-steps", "400"])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "400 steps" in printed and variable in printed and "noise_2" in printed
