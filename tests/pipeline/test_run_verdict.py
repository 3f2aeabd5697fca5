"""What a run says of policies whose dependence is known: information and return, each in its own words."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import example_data
import numpy as np
import pytest

from terc.errors import TercWarning
from terc.pipeline.export import export
from terc.pipeline.run import run
from terc.reporting.report import report
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
    alone = replace(
        found.selection, verdicts=tuple(replace(v, kept=v.name == "b") for v in found.selection.verdicts)
    )
    text = told(replace(found, selection=alone))
    assert "The actions follow b, but" in text and "--frontier" not in text
    nothing = replace(found.selection, verdicts=(replace(alone.verdicts[0], kept=False),))
    assert "None of 1 variable (" in told(replace(found, selection=nothing))
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
    assert "Not confirmed for theta, theta_dot: 3 agents" in text


def test_rarely_read_and_decisive(tmp_path):
    """Information below the floor, return falls: the alarm is removed, and the run says what that costs."""
    found = run(RareAlarm, model=heeds_the_alarm, out=tmp_path, play_episodes=100, **QUICK)
    assert "alarm" not in found.selection.kept
    assert found.verdict.as_good is False and found.verdict.headline == "the smaller agent is not as good"
    codes = {note.code: note.text for note in found.verdict.doubts}
    assert "the actions hardly depend on alarm, but the return does" in codes["removed-but-worth"]
    assert "distilled-worse" in codes and "removed-but-worth" in codes
    assert "The recorded actions show no sure dependence on" in told(found)
    rows = tuple(replace(row, undecided=not row.kept) for row in found.selection.verdicts)
    text = told(replace(found, selection=replace(found.selection, verdicts=rows)))
    assert "no sure dependence on" not in text and "so far)" in text
    assert "Undecided whether the recorded actions depend on" in text


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


def test_the_frontier_finds_a_smaller_agent_where_every_variable_was_kept(tmp_path):
    """Headline, terminal, summary.json, page and export all offer the agent that the frontier confirmed."""
    names = list(Signals.variable_names)
    given = {"out": tmp_path, "play_episodes": 60, "keep": names, **QUICK}
    found = run(Signals, model=reads_b_for_nothing, frontier=True, **given)
    kept = found.frontier.confirmed().variables
    assert found.distilled is None and found.verdict.as_good and len(kept) < 5
    assert str(found).startswith(f"A smaller agent on {len(kept)} of 5 variables is as good.")
    assert "no smaller agent" not in str(found)
    assert found.verdict.reads[0] == f"{len(kept)} of 5 variables: {', '.join(kept)}"
    assert found.verdict.reads[1].startswith("the actions of the model depend on 5 of 5 variables: a, copy")
    assert f"smaller agent: {tmp_path / 'agents' / 'smallest.npz'}" in str(found)
    saved = json.loads((tmp_path / "summary.json").read_text())
    assert saved["verdict"]["headline"] == found.verdict.headline and saved["smallest"]["as_good"]
    assert saved["verdict"]["agent"] == "agents/smallest.npz"
    assert tuple(saved["verdict"]["variables"]) == kept
    assert {row.state for row in found.inference.rows} == {"reduced"}  # a function is not timed
    written = export(tmp_path)
    assert written.name == "policy_smallest.py" and str(names.index(kept[0])) in written.read_text()
    page = report(tmp_path).read_text()
    assert "agents/smallest.npz" in page and f"columns = [{names.index(kept[0])}" in page


def test_the_smaller_of_two_good_agents_is_offered(tmp_path):
    found = run(Signals, model=reads_b_for_nothing, out=tmp_path, play_episodes=60, **QUICK)
    small = found.distilled
    fewer = replace(small, variables=small.variables[:1], columns=small.columns[:1])
    both = replace(found, smallest=fewer, frontier=example_data.front())
    assert both.smaller is fewer and both.verdict.headline == "a smaller agent on 1 of 5 variables is as good"
    kept = f"the agent distilled onto the {len(small.variables)} kept variables returns"
    assert any(line.startswith(kept) and line.endswith(": as good") for line in both.verdict.smaller)
    assert replace(found, smallest=replace(small)).smaller is small
    assert replace(found, frontier=example_data.front()).verdict.headline == "the smaller agent is as good"
