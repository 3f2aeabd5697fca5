"""The counting test in `select` and by itself."""

import numpy as np
import pytest
from scipy import stats

import terc
from terc.entropy.counted_test import CountedTest
from terc.entropy.evidence import Question, Terms


def test_one_bit_is_found_where_every_state_is_unique():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (2000, 16))
    action = x[:, 3] ^ x[:, 7] ^ (rng.random(2000) < 0.2)
    data = terc.Trajectories(x, action, episodes=np.arange(2000))
    found = terc.select(data, "plugin")
    assert found.kept == ("x_3", "x_7")
    assert found["x_3"].gain == pytest.approx(0.19, abs=0.04)
    assert found["x_3"].low < 0.193 < found["x_3"].high
    assert found.retained.value > 0.95


@pytest.mark.parametrize("episodes", [12, 40, 300])
def test_columns_that_are_constant_within_an_episode_are_not_kept(episodes):
    kept, trials = 0, 40
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        owner = np.arange(1200) * episodes // 1200
        x = rng.integers(0, 2, (episodes, 3))[owner]
        drift = rng.random(episodes)[owner]
        data = terc.Trajectories(x, (rng.random(1200) < drift).astype(int), episodes=owner)
        kept += bool(terc.select(data, "plugin", min_effect=0.0).kept)
    assert kept <= stats.binom.isf(0.01, trials, 0.05)


def test_gains_of_several_removed_are_those_of_the_joint_table():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (4000, 3))
    data = terc.Trajectories(x, x[:, 0] ^ x[:, 1], episodes=np.arange(4000))
    test = CountedTest.of(data, Terms(units=3))
    (both,) = test.ask([Question(((0,), (1,)), ((2,),))])
    assert (both.needed, both.instrument) == (True, "counts")
    assert both.gain == pytest.approx(np.log(2), abs=0.01)
    held = test.held(((0,), (1,)))
    assert (held.lost.needed, held.information) == (False, pytest.approx(np.log(2), abs=0.01))


def test_soft_probabilities_are_not_counted_as_draws():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (400, 3))
    soft = np.where(x[:, :1] == 1, [[0.55, 0.45]], [[0.5, 0.5]])
    data = terc.Trajectories(
        x, (rng.random(400) < soft[:, 1]).astype(int), probabilities=soft, episodes=np.arange(400)
    )
    found = terc.select(data, "plugin")
    assert found.kept == ("x_0",)
    assert found["x_0"].instrument == "plugin"
