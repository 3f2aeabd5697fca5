"""What a run says of policies whose dependence is known: information and return, each in its own words."""

import sys
from dataclasses import replace
from pathlib import Path

import example_data
import numpy as np
import pytest

from terc.errors import TercWarning
from terc.pipeline.run import run
from terc.returns.play import Returns

sys.path.insert(0, str(Path(__file__).parent.parent / "returns"))
from signals import RareAlarm, Signals, heeds_the_alarm, reads_b_for_nothing

QUICK = {"lessons": 1, "timing_calls": 2, "rollout_steps": 2000}


@pytest.fixture(autouse=True)
def no_page(monkeypatch):
    monkeypatch.setattr("terc.pipeline.run._write_page", lambda folder: None)


def told(found):
    return " ".join(str(found).split())


def test_read_without_effect_on_the_return(tmp_path):
    """Information yes, return no: the selection keeps `b`, unplugging it shows no change."""
    found = run(Signals, model=reads_b_for_nothing, out=tmp_path, play_episodes=60, **QUICK)
    assert found.verdict.as_good and found.selection.kept[-1] == "b"
    text = told(found)
    falls = "The return falls when these take values from other moments:"
    assert f"{falls} a (-" in text or f"{falls} copy (-" in text
    said = "The actions follow b, but 60 episodes show no change of the return without it; --frontier"
    assert said in text and found.verdict.unplugged[1].startswith("the actions follow b, but")
    assert "can do without" not in text and found.comparison is None
    rows = [replace(row, difference=-1.0, low=-3.0, high=1.0) for row in found.ablation.rows]
    text = told(replace(found, ablation=replace(found.ablation, rows=tuple(rows))))
    assert "60 episodes show no certain change of the return without" in text and "b (-1 [-3, 1])" in text
    rows = [replace(row, difference=0.0, low=0.0, high=0.0, acts_otherwise=0.1) for row in rows]
    text = told(replace(found, ablation=replace(found.ablation, rows=tuple(rows))))
    assert "no change of the return without" in text and "noise (other actions in 10 % of the steps)" in text
    values = np.linspace(0.0, 100.0, 60)
    teacher, student = Returns.of(values, values - 60.0), Returns.of(values[::-1] - 6.0)
    lucky = replace(found, distilled=replace(found.distilled, teacher=teacher, returns=student))
    assert told(lucky).startswith("As far as 60 episodes show, the smaller agent is as good.")
    text = told(replace(found, frontier=example_data.front()))
    assert (
        "Smallest set that holds the return within 5 %: x_dot, theta, theta_dot (3). Confirmed: 3 agents"
        in text
    )
    assert "Not confirmed for theta, theta_dot: 3 agents" in text and "with 95 % certainty" in text


def test_rarely_read_and_decisive(tmp_path):
    """Information below the floor, return falls: the alarm is removed, and the run says what that costs."""
    found = run(RareAlarm, model=heeds_the_alarm, out=tmp_path, play_episodes=100, **QUICK)
    assert "alarm" not in found.selection.kept
    assert found.verdict.as_good is False and found.verdict.headline == "the smaller agent is not as good"
    codes = {note.code: note.text for note in found.verdict.doubts}
    assert "the actions hardly depend on alarm, but the return does" in codes["removed-but-worth"]
    assert "distilled-worse" in codes and "removed-but-worth" in codes
    assert "The recorded actions show no dependence on" in told(found)


def barely_moves(states):
    """What a network does before its training: next to nothing, whatever it sees."""
    return (0.01 * np.tanh(states[:, :2] @ np.array([[0.3], [-2.0]]))).astype(np.float32)


def test_an_untrained_agent_gets_a_warning_and_no_verdict(tmp_path):
    with pytest.warns(TercWarning, match="makes no use of what it reads .* will not say whether a smaller"):
        found = run(
            "MountainCarContinuous-v0", model=barely_moves, out=tmp_path, noise=1, play_episodes=4, **QUICK
        )
    assert found.verdict.as_good is None and found.verdict.warning.code == "not-learned"
    text = str(found)
    assert text.startswith("WARNING: The model makes no use of what it reads (it returns -")
    assert "No verdict: the model has not learned." in text
    assert "90 counts as solved" in text
    assert "The smaller agent is" not in text and "s good: " not in text
