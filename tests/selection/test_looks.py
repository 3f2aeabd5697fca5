"""Steps only as needed: samples of whole episodes, alpha shared, the same answer for the same seed."""

import numpy as np
import pytest

import terc
from terc.errors import BadValueError, UnknownNameError
from terc.selection.looks import looks
from terc.selection.result import Interval


def bits(n, length, *, weak=0.0):
    """The action is a bit with some noise, and a little of a second one; the third tells nothing."""
    rng = np.random.default_rng(5)
    x = rng.integers(0, 2, (n, 3))
    chance = 0.1 + 0.8 * x[:, 0] + weak * (x[:, 1] - 0.5)
    action = (rng.random(n) < chance).astype(int)
    return terc.Trajectories(x, action, episodes=np.arange(n) // length, names=["strong", "weak", "noise"])


def test_shares_of_alpha_add_up_and_samples_grow():
    found = list(looks(bits(150_000, 50), steps=None, rng=np.random.default_rng(0)))
    assert sum(look.share for look in found) == 1
    assert [len(look.data) for look in found] == [20_000, 80_000, 150_000]


def test_samples_are_whole_episodes():
    data = bits(90_000, 60)
    sample = next(looks(data, steps=None, rng=np.random.default_rng(0))).data
    assert np.unique(sample.episodes, return_counts=True)[1].tolist() == [60] * sample.n_episodes


def test_few_long_episodes_are_thinned():
    data = bits(90_000, 9_000)
    sample = next(looks(data, steps=None, rng=np.random.default_rng(0))).data
    assert (len(sample), sample.n_episodes) == (18_000, 10)


def test_thinned_steps_do_not_follow_a_clock():
    data = bits(90_000, 9_000)
    phase = terc.Trajectories(np.arange(90_000)[:, None] % 5, data.actions, episodes=data.episodes)
    sample = next(looks(phase, steps=None, rng=np.random.default_rng(0))).data
    assert np.bincount(sample.states[:, 0].astype(int)).min() > 3_000


def test_a_clear_case_is_decided_on_a_sample_and_says_so():
    data = bits(80_000, 50)
    found = terc.select(data, estimator="plugin")
    assert found.kept == ("strong",) and found.n_steps == 20_000
    assert [n.text for n in found.notes if n.code == "steps"] == [
        "decided on 20000 of 80000 steps (400 of 1600 episodes)."
    ]
    assert terc.select(data, estimator="plugin").verdicts == found.verdicts
    assert terc.select(data, estimator="plugin", steps="all").n_steps == 80_000
    assert terc.select(data, estimator="plugin", steps=10_000).n_steps == 10_000


def test_what_is_close_to_the_floor_gets_more_steps():
    data = bits(80_000, 50, weak=0.036)
    found = terc.select(data, estimator="plugin")
    assert found.n_steps == 80_000


def test_bad_numbers_of_steps_are_refused():
    data = bits(200, 10)
    with pytest.raises(BadValueError, match="steps must be a whole number of at least 100, got 7"):
        terc.select(data, steps=7)
    with pytest.raises(UnknownNameError, match="'al'.*all"):
        terc.select(data, steps="al")


@pytest.mark.parametrize(
    ("share", "steps"), [((1.0, 1.0, 1.0), 20_000), ((0.99, 0.97, 1.0), 80_000), ((0.999, 0.8, 1.0), 80_000)]
)
def test_what_the_kept_may_lose_asks_for_more_steps(share, steps, monkeypatch):
    monkeypatch.setattr("terc.selection.select.retained", lambda *_, **__: Interval(*share))
    assert terc.select(bits(80_000, 50), estimator="plugin").n_steps == steps
