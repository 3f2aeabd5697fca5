"""The record of a training: whole episodes, evenly spread, within its cap."""

import numpy as np
import pytest

from terc.agents.recording import Recorder
from terc.errors import BadValueError


def play(recorder, steps, lengths):
    """Copies whose episodes have the given lengths; the state tells copy, episode and step within it."""
    n = len(lengths)
    episode, t = np.zeros(n), np.zeros(n)
    for _ in range(steps):
        states = np.stack([np.arange(n), episode, t], axis=1)
        done = t + 1 >= lengths
        recorder.add(states, np.zeros(n, int), np.ones(n), done, np.ones(n, bool))
        episode, t = episode + done, np.where(done, 0, t + 1)
    return recorder


def test_below_the_cap_everything_is_kept_in_order():
    data = play(Recorder(2, 1000), 30, np.array([3, 5])).trajectories(["copy", "episode", "t"], "discrete")
    assert len(data) == 60
    for label in range(data.n_episodes):
        rows = data.states[data.episodes == label]
        assert len(np.unique(rows[:, :2], axis=0)) == 1 and (np.diff(rows[:, 2]) == 1).all()
    assert data.progress.min() == 0 and data.progress.max() == pytest.approx(29 / 30)


@pytest.mark.parametrize("steps", [700, 5000])
@pytest.mark.parametrize("lengths", [[3, 5], [1, 1], [40, 7], [10_000, 10_000]])
def test_a_full_record_is_thinned_to_whole_episodes_all_along(steps, lengths):
    cap = 400
    longest = max(lengths)
    recorder = play(Recorder(2, cap), steps, np.array(lengths))
    data = recorder.trajectories(["copy", "episode", "t"], "discrete")
    assert len(data) <= cap
    if longest < 100:
        assert len(data) > cap / 3
        quarters = np.bincount((data.progress * 4).astype(int), minlength=4) / len(data)
        assert quarters.min() > 0.15
    for label in range(data.n_episodes - 2):  # all but the running ones are whole
        t = data.states[data.episodes == label, 2]
        assert (np.diff(t) == 1).all()
        if longest < 100:
            assert t[0] == 0


def test_steps_that_were_not_played_are_left_out():
    recorder = Recorder(2, 100)
    for t in range(4):
        played = np.array([True, t % 2 == 0])
        recorder.add(np.full((2, 1), t), np.zeros((2, 1)), np.zeros(2), np.zeros(2, bool), played)
    data = recorder.trajectories(None, "continuous")
    assert data.states.ravel().tolist() == [0, 1, 2, 3, 0, 2] and data.actions.shape == (6,)


def test_an_empty_record_says_so():
    with pytest.raises(BadValueError, match="nothing was recorded"):
        Recorder(1, 0).trajectories(None, "discrete")
