import sys
import warnings
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import terc
from terc.errors import BadValueError, TercWarning
from terc.playing import arena as arena_module
from terc.returns.play import Returns, mean_interval

sys.path.insert(0, str(Path(__file__).parent))
from signals import Signals, follows_a, three_choices


def test_a_perfect_policy_and_random_actions():
    returns = terc.play(Signals, follows_a, episodes=30)
    assert returns.mean == 20 and returns.interval == (20, 20) and len(returns.values) == 30
    assert returns.random.mean < 15 and returns.beats_random
    assert not terc.play(Signals, lambda s: np.arange(len(s)) % 8, episodes=30).beats_random


def test_same_seed_same_returns_in_whatever_form_the_environment_comes():
    follow = lambda s: (s[:, 2] > 0).astype(int)  # noqa: E731
    plain = terc.play(lambda: gym.make("CartPole-v1"), follow, episodes=12, seed=3).values
    assert np.array_equal(plain, terc.play(gym.make("CartPole-v1"), follow, episodes=12, seed=3).values)
    vector = gym.make_vec("CartPole-v1", 5, vectorization_mode="sync")
    assert np.array_equal(plain, terc.play(vector, follow, episodes=12, seed=3).values)
    assert not np.array_equal(plain, terc.play(gym.make("CartPole-v1"), follow, episodes=12, seed=4).values)


def test_sampled_actions_are_seeded_too():
    layers = ((np.array([[0.0, 1.0]] * 4, np.float32), np.zeros(2, np.float32)),)
    policy = terc.agents.NetworkPolicy(terc.agents.PolicySpec(None, 4, n_actions=2), layers)
    first, again = (
        terc.play("CartPole-v1", policy, episodes=6, greedy=False, random=False) for _ in range(2)
    )
    assert np.array_equal(first.values, again.values) and first.random is None
    assert not np.array_equal(first.values, terc.play("CartPole-v1", policy, episodes=6).values)


def test_random_actions_return_the_same_beside_play_ablate_and_distill():
    small = {"episodes": 12, "seed": 3}
    returns = terc.play(Signals, follows_a, **small).random.values
    ablated = terc.ablate(Signals, follows_a, steps=200, **small)
    taught = terc.distill(Signals, follows_a, ["a"], steps=200, rounds=1, hidden=(4,), **small)
    drawn = terc.play(Signals, follows_a, greedy=False, **small)
    for other in (ablated.returns.random, taught.teacher.random, taught.returns.random, drawn.random):
        assert np.array_equal(returns, other.values)


def test_bad_input():
    with pytest.raises(BadValueError, match="play: episodes must be a whole number of at least 1, got 0"):
        terc.play(Signals, follows_a, episodes=0)
    with pytest.raises(BadValueError, match="wants whole numbers of shape"):
        terc.play(Signals, three_choices, episodes=6)
    with pytest.raises(BadValueError, match="names: wanted 5, one per variable of the environment, got 2"):
        terc.play(Signals, follows_a, episodes=6, names=["a", "b"])
    names = ["one", "two", "three", "four", "five"]
    assert terc.play(Signals, follows_a, episodes=6, names=names).mean == 20


def test_an_episode_without_end_is_cut_and_said(monkeypatch):
    monkeypatch.setattr(arena_module, "LONGEST_EPISODE", 7)
    with pytest.warns(TercWarning, match="2 episodes had not ended after 7 steps"):
        assert terc.play(Signals, follows_a, episodes=2, random=False).mean == 7


def test_an_interval_of_returns_does_not_leave_what_was_seen():
    values = np.array([500.0] * 18 + [489.0, 430.0])
    assert mean_interval(values).high > 500
    found = Returns.of(values)
    assert found.interval.high == 500 and 430 < found.interval.low < found.mean
    same = Returns.of(np.full(11, 0.1))
    assert same.interval == (same.mean, same.mean)
    low, high = Returns.of(values[-2:]).interval  # of two returns the range says too much
    assert low < 430 and high > 489


@pytest.mark.parametrize("count", [5, 20])
def test_the_interval_holds_the_mean_of_a_skewed_distribution(count, seed):
    rng = np.random.default_rng(seed)
    inside = 0
    for _ in range(400):
        low, high = mean_interval(rng.exponential(1.0, count) + rng.normal(0, 0.3, count))
        inside += low <= 1 <= high
    assert inside / 400 > 0.9


def test_of_one_episode_nothing_is_known():
    returns = terc.play(Signals, follows_a, episodes=1)
    assert returns.interval == (-np.inf, np.inf)
    assert returns.to_dict()["interval"] == [None, None]
    assert type(returns).from_dict(returns.to_dict()).interval == returns.interval
    assert str(Returns.of(np.ones(1))).endswith(" over 1 episode")
    assert str(Returns.of(np.ones(2))).endswith(" over 2 episodes")


def test_a_policy_that_needs_its_state_loses_without_it():
    seeing = terc.play("CartPole-v1", lambda s: (s[:, 2] + s[:, 3] > 0).astype(int), episodes=20, blind=True)
    assert seeing.needs_its_state and seeing.has_learned and seeing.blind.mean < seeing.mean
    always = terc.play("CartPole-v1", lambda s: np.zeros(len(s), int), episodes=20, blind=True)
    assert not always.needs_its_state and not always.has_learned
    again = type(seeing).from_dict(seeing.to_dict())
    assert again.blind.mean == seeing.blind.mean and again.has_learned


class Unseeded(Signals):
    """A world with a luck of its own."""

    luck = np.random.default_rng(0)

    def _observe(self):
        self.np_random = self.luck
        return super()._observe()


def test_an_environment_that_ignores_its_seed_is_said():
    with pytest.warns(TercWarning, match="two episodes from the same seed begin differently"):
        terc.play(Unseeded, follows_a, episodes=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        terc.play(Signals, follows_a, episodes=3)


def test_statistics_that_change_with_every_beginning_are_no_ignored_seed():
    env = gym.wrappers.NormalizeObservation(gym.make("CartPole-v1"))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        terc.play(env, lambda s: np.zeros(len(s), int), episodes=3)
    assert not [one for one in seen if "same seed" in str(one.message)]


class Broken(Signals):
    """A world whose sensor or reward fails in the third step."""

    def __init__(self, what):
        super().__init__()
        self.what, self.count = what, 0

    def step(self, action):
        state, reward, *rest = super().step(action)
        self.count += 1
        if self.count == 3:
            state, reward = (state * np.nan, reward) if self.what == "state" else (state, np.nan)
        return state, reward, *rest


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("state", "an observation holds NaN, in column 0"),
        ("reward", "the return of . of 3 episodes is no finite"),
    ],
)
def test_numbers_that_are_none_are_refused(what, said):
    with pytest.raises(BadValueError, match=said):
        terc.play(lambda: Broken(what), lambda states: np.zeros(len(states), int), episodes=3)


def test_more_episodes_than_memory_holds_are_refused_at_once():
    with pytest.raises(BadValueError, match="episodes must be at most 100,000,000, got 1,000,000,000,000"):
        terc.play(Signals, lambda states: np.zeros(len(states), int), episodes=10**12)
