"""Whole episodes are held out together; few or drifting episodes make long stretches."""

import numpy as np
import pytest

from terc.predictors.splits import STRETCHES, split


@pytest.mark.parametrize("episodes", [8, 30, 400])
def test_an_episode_is_in_one_fold_and_is_one_cluster(episodes, rng):
    number = np.sort(rng.integers(0, episodes, 2000))
    number = np.unique(number, return_inverse=True)[1]
    splits = split(number, rng=rng)
    assert (splits.clusters == number).all()
    assert all(len(np.unique(splits.folds[number == e])) == 1 for e in np.unique(number))
    assert splits.stretched == ""
    assert np.bincount(splits.folds).max() < 2.5 * np.bincount(splits.folds).min()


@pytest.mark.parametrize("episodes", [1, 2, 7])
def test_few_episodes_make_stretches(episodes, rng):
    splits = split(np.arange(1200) * episodes // 1200, rng=rng)
    assert (splits.n_clusters, splits.stretched) == (STRETCHES, "episodes")
    assert (np.diff(splits.clusters) >= 0).all()


def drifting(rng, size):
    number = np.arange(4000) // 20
    walk = np.cumsum(rng.standard_normal(200)) * size
    return number, (walk[number] + rng.standard_normal(4000))[:, None]


def test_a_drift_makes_stretches_and_brings_time_in(rng):
    number, action = drifting(rng, 0.3)
    splits = split(number, rng=rng, action=action)
    assert (splits.n_clusters, splits.stretched) == (STRETCHES, "drift")
    assert splits.context.shape == (4000, 7)
    np.testing.assert_allclose(splits.context.std(0), 1, atol=0.2)


def test_independent_episodes_rarely_look_like_a_drift():
    alarms = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        number = np.arange(2000) // 20
        effect = rng.standard_normal(100)[number]
        alarms += split(number, rng=rng, action=(effect + rng.standard_normal(2000))[:, None]).stretched != ""
    assert alarms <= 8


def test_no_action_no_look(rng):
    number, _ = drifting(rng, 0.3)
    assert split(number, rng=rng).context.shape == (4000, 0)


def test_an_action_that_ends_its_episode_is_no_drift():
    lengths = np.random.default_rng(1).geometric(0.4, 500)
    episodes, action = np.repeat(np.arange(500), lengths), np.ones(lengths.sum())
    action[np.cumsum(lengths) - 1] = 0
    assert split(episodes, rng=np.random.default_rng(0), action=action[:, None]).stretched == ""


def test_long_episodes_that_are_unlike_the_others_are_no_drift():
    """A lander that hovers: few episodes of many steps, with other actions, anywhere in the recording."""
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(200):
        length = np.clip(np.exp(rng.normal(5, 0.7, 60)), 5, 1000).astype(int)
        odds = 0.3 * rng.standard_normal(60) + 1.5 * (length > 500)
        episodes = np.repeat(np.arange(60), length)
        action = rng.random(len(episodes)) < 1 / (1 + np.exp(-odds[episodes]))
        found += split(episodes, rng=rng, action=action[:, None].astype(float)).stretched == "drift"
    assert found <= 6
