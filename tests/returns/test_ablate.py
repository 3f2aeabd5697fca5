import dataclasses
import sys
from pathlib import Path
from types import SimpleNamespace

import gymnasium as gym
import numpy as np
import pytest

import terc
from terc.errors import BadTypeError, BadValueError, TercWarning, UnknownNameError
from terc.playing.arena import Turn
from terc.returns.replacement import expectation
from terc.selection.result import Interval, Selection, Verdict

sys.path.insert(0, str(Path(__file__).parent))
from signals import (
    Choices,
    Dial,
    Signals,
    follows_a,
    heeds_the_alarm,
    reads_b_for_nothing,
    reads_both_copies,
    three_choices,
    turns_the_dials,
)  # fmt: skip

OPTIONS = {"episodes": 60, "steps": 3000}


@pytest.mark.parametrize(
    ("policy", "env", "matter"),
    [
        (follows_a, Signals, {"a"}),
        (reads_b_for_nothing, Signals, {"a"}),
        (heeds_the_alarm, Signals, {"a", "alarm"}),
        (reads_both_copies, Signals, {"a", "copy"}),
        (three_choices, Choices, {"a", "alarm"}),
        (turns_the_dials, Dial, {"a", "b"}),
    ],
)
def test_exactly_the_variables_that_change_the_return(policy, env, matter, seed):
    assert set(terc.ablate(env, policy, seed=seed, **OPTIONS).matter) == matter


def test_read_often_and_worth_nothing():
    answer = terc.ablate(Signals, reads_b_for_nothing, **OPTIONS)
    row = answer["b"]
    assert row.acts_otherwise == pytest.approx(0.5, abs=0.05)
    assert (row.low, row.high) == (0, 0) and not row.matters
    assert "* the return changes" in str(answer)
    assert "\nNo change of the return is sure;" in str(dataclasses.replace(answer, rows=(row,)))


def test_an_agent_that_is_worse_than_random_actions_has_little_to_lose():
    answer = terc.ablate("CartPole-v1", lambda states: np.zeros(len(states), int), episodes=30, steps=300)
    assert str(answer).endswith("worse than random actions: what it loses says little.")


def test_read_rarely_and_worth_much():
    answer = terc.ablate(Signals, heeds_the_alarm, ["a"], **OPTIONS)
    assert answer["alarm"].acts_otherwise < 0.1
    assert answer["alarm"].high < -5
    assert answer["removed"].matters and answer["removed"].variables == ("copy", "b", "alarm", "noise")


def test_a_copy_is_redundant_by_expectation_and_needed_by_moments():
    moments = terc.ablate(Signals, reads_both_copies, ["a"], **OPTIONS)
    expected = terc.ablate(Signals, reads_both_copies, ["a"], replace="expectation", **OPTIONS)
    assert moments["removed"].high < 0 and moments["copy"].high < 0
    assert not expected["removed"].matters or expected["removed"].difference > -0.5
    assert np.array_equal(moments.returns.values, expected.returns.values)


def test_the_mean_of_an_alarm_is_silence():
    row = terc.ablate(Signals, heeds_the_alarm, replace="mean", **OPTIONS)["alarm"]
    assert row.high < -5 and row.acts_otherwise == pytest.approx(0.03, abs=0.02)


def test_rows_of_a_selection_and_of_names():
    rows = [Verdict(n, 0.1, 0, 0.2, 0.01, 0.0, n == "a", "needed") for n in Signals.variable_names]
    chosen = Selection(tuple(rows), retained=Interval(1, 1, 1))
    by_selection = terc.ablate(Signals, follows_a, chosen, episodes=5, steps=200)
    assert [row.name for row in by_selection.rows] == [*Signals.variable_names, "removed"]
    by_names = terc.ablate(Signals, follows_a, ["a"], episodes=5, steps=200)
    assert [row.name for row in by_names.rows] == [*Signals.variable_names, "removed", "kept"]
    frame = by_names.to_frame()
    assert list(frame.columns) == ["name", "return", "difference", "low", "high"]
    assert frame.loc["removed", "difference"] == 0 and frame.loc["kept", "high"] < 0
    assert "* the return changes" in str(by_names)


def selection_of(names, kept=()):
    rows = [Verdict(n, 0.1, 0, 0.2, 0.01, 0.0, n in kept, "needed") for n in names]
    return Selection(tuple(rows), retained=Interval(1, 1, 1))


@pytest.mark.parametrize("ask", [terc.ablate, terc.distill, terc.frontier])
def test_a_selection_of_other_variables_is_refused(ask):
    with pytest.raises(UnknownNameError, match=r"shows \['a', .*the selection is of 'x', 'y'. Pass names="):
        ask(Signals, follows_a, selection=selection_of(["x", "y"]), episodes=2, steps=50)


def test_a_selection_of_some_other_variables_is_warned_of():
    chosen = selection_of(["a", "copy", "b", "alarm", "log"], kept=["a"])
    with pytest.warns(TercWarning) as caught:
        answer = terc.ablate(Signals, follows_a, chosen, episodes=2, steps=50)
    texts = [str(one.message) for one in caught]
    assert "ablate: the environment does not show 'log' of the selection." in texts
    assert "ablate: the selection says nothing of 'noise', which counts as removed." in texts
    assert answer["removed"].variables == ("copy", "b", "alarm", "noise")


def test_a_given_recording_is_used_and_the_answer_is_seeded():
    data = terc.rollout(Signals, follows_a, steps=500)
    first, again = (terc.ablate(Signals, follows_a, data=data, episodes=10, seed=2) for _ in range(2))
    assert first.rows == again.rows
    with pytest.raises(UnknownNameError, match="data lacks"):
        terc.ablate(Signals, follows_a, data=data.only(["a", "b"]), episodes=10)


def test_whole_numbers_stay_whole():
    env = lambda: gym.make("terc/TitForNTats-v0", n=2, history=2)  # noqa: E731
    settings = terc.agents.TabularQConfig(steps=2000)
    policy = terc.agents.train_agent(env, seed=0, agent=settings, record=0).policy
    for replace in ("expectation", "mean"):
        answer = terc.ablate(env, policy, episodes=2, steps=200, replace=replace)
        assert len(answer.rows) == 2


def test_an_expectation_is_none_that_was_never_recorded():
    rng = np.random.default_rng(0)
    recording = np.repeat(rng.random((300, 1)), 2, axis=1)
    shown = expectation(recording, [(), (1,)], (0, 1), whole=False, rng=rng)
    found = shown(np.array([[1e3, 0.5], [-1e3, 0.5], [0.5, 0.0]]), Turn.at_once(1, 3))[:, 1]
    assert found.min() >= recording.min() and found.max() <= recording.max()
    assert found == pytest.approx([1.0, 0.0, 0.5], abs=0.05)


@pytest.mark.filterwarnings("ignore:policy. asked twice")
def test_false_alarms_are_as_rare_as_promised():
    """A policy with luck of its own: every row's difference is luck."""
    rng = np.random.default_rng(0)
    lucky = lambda s: rng.integers(8, size=len(s))  # noqa: E731
    alarms = sum(
        bool(terc.ablate(Signals, lucky, episodes=10, steps=100, seed=seed).matter) for seed in range(16)
    )
    assert alarms <= 3


def test_bad_input():
    with pytest.raises(UnknownNameError, match="ablate: no replacement named 'zero'"):
        terc.ablate(Signals, follows_a, replace="zero")
    with pytest.raises(UnknownNameError, match=r"ablate: wanted \['x'\].*missing \['x'\]"):
        terc.ablate(Signals, follows_a, ["x"], episodes=2, steps=50)
    with pytest.raises(BadTypeError, match="to keep, got list of int. The names are .'a', 'copy'"):
        terc.ablate(Signals, follows_a, [2, 3], episodes=2, steps=50)
    with pytest.raises(BadTypeError, match="ablate: wanted a Selection or the names"):
        terc.ablate(Signals, follows_a, 7, episodes=2, steps=50)
    with pytest.raises(BadValueError, match="episodes must be a whole number of at least 2"):
        terc.ablate(Signals, follows_a, episodes=1)
    with pytest.raises(BadTypeError, match="data must be Trajectories, got ndarray"):
        terc.ablate(Signals, follows_a, data=np.zeros((3, 5)), episodes=2)


def test_a_selection_that_keeps_nothing_has_all_variables_removed():
    answer = terc.ablate(Signals, heeds_the_alarm, SimpleNamespace(kept=()), **OPTIONS)
    assert answer["removed"].variables == tuple(row.name for row in answer.rows[:-1])
    assert answer["removed"].difference < 0


def test_an_array_is_no_word():
    with pytest.raises(UnknownNameError, match="no replacement named array"):
        terc.ablate(Signals, heeds_the_alarm, replace=np.array(["mean", "moments"]), **OPTIONS)


def test_the_names_of_a_recording_are_taken_and_need_not_be_repeated():
    names = ["one", "two", "three", "alarm", "five"]
    data = terc.rollout(Signals, follows_a, steps=500, names=names)
    small = {"data": data, "episodes": 8}
    found = terc.ablate(Signals, follows_a, ["one"], **small)
    assert [row.name for row in found.rows[:5]] == names and found["one"].matters
    taught = terc.distill(Signals, follows_a, ["one"], rounds=1, hidden=(4,), **small)
    assert taught.variables == ("one",)
    front = terc.frontier(Signals, follows_a, {"two": 3.0}, rounds=1, hidden=(4,), budget=1, **small)
    assert front.order[-1] == "one"


def test_a_recording_in_which_known_names_stand_elsewhere_does_not_rename():
    data = terc.rollout(Signals, follows_a, steps=500, names=["copy", "two", "three", "four", "five"])
    with pytest.raises(UnknownNameError, match=r"data lacks \['a', 'b', 'alarm', 'noise'\]"):
        terc.ablate(Signals, follows_a, data=data, episodes=8)
