"""The Secret Key Game: its rule, its seeds, and the vector form against the single one."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from terc.environments import SecretKey, SecretKeyVector, register
from terc.environments.secret_key import secret_of
from terc.errors import BadTypeError, BadValueError

register()


@pytest.mark.filterwarnings("error")
def test_gymnasium_accepts_it() -> None:
    check_env(gym.make("terc/SecretKey-v0", keys=25).unwrapped, skip_render_check=True)


def test_the_secret_is_where_the_parabola_meets_the_axis() -> None:
    """For all 11^3 shares: the interpolating polynomial at 0, within the 81 guesses."""
    y = np.stack(np.meshgrid(*[np.arange(11.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    powers = np.vander([1.0, 2.0, 3.0], increasing=True)
    intercept = np.linalg.solve(powers, y.T)[0]
    secret = secret_of(y, np.array([0, 1, 2]))
    assert np.allclose(secret, intercept)
    assert (secret.min(), secret.max()) == (-30, 40)


def test_the_reward_is_minus_the_error_and_the_episode_ends() -> None:
    env = SecretKey(keys=10, game=3)
    keys, info = env.reset(seed=1)
    y1, y2, y3 = keys[env.positions]
    assert info["secret"] == 3 * y1 - 3 * y2 + y3
    for action in (0, 40, 80):
        env.reset(seed=1)
        shown, reward, terminated, truncated, _ = env.step(action)
        assert reward == -abs(action - 40 - info["secret"])
        assert (terminated, truncated) == (True, False)
        assert np.array_equal(shown, keys)


def test_positions_belong_to_the_game_not_to_the_reset() -> None:
    env = SecretKey(keys=25, game=2)
    before = env.positions.copy()
    env.reset(seed=9)
    assert np.array_equal(env.positions, before)
    assert len({tuple(SecretKey(keys=25, game=game).positions) for game in range(20)}) > 15
    assert np.array_equal(SecretKeyVector(3, keys=25, game=2).positions, before)


def test_same_seed_same_keys() -> None:
    env = SecretKey()
    first, again, other = (env.reset(seed=seed)[0] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_vector_form_plays_the_same_game() -> None:
    env = gym.make_vec("terc/SecretKey-v0", 400, keys=7, game=5)
    assert isinstance(env, SecretKeyVector)
    keys, info = env.reset(seed=0)
    assert env.observation_space.contains(keys)
    rng = np.random.default_rng(0)
    for _ in range(5):
        assert np.array_equal(info["secret"], secret_of(keys, env.positions))
        actions, secret = rng.integers(0, 81, 400), info["secret"]
        after, rewards, terminated, truncated, info = env.step(actions)
        assert np.array_equal(rewards, -np.abs(actions - 40 - secret))
        assert terminated.all()
        assert not truncated.any()
        assert np.array_equal(info["final_obs"], keys)
        keys = after
    shares = np.bincount(keys.astype(int).ravel(), minlength=11) / keys.size
    assert np.abs(shares - 1 / 11).max() < 0.02


def test_the_vector_form_is_seeded() -> None:
    env = SecretKeyVector(5)
    runs = []
    for seed in (3, 3, 4):
        keys, _ = env.reset(seed=seed)
        runs.append(np.concatenate([keys, env.step(np.zeros(5, int))[0]]))
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_bad_arguments() -> None:
    with pytest.raises(BadValueError, match="keys must be a whole number of at least 3, got 2"):
        SecretKey(keys=2)
    with pytest.raises(BadTypeError, match="game must be a whole number of at least 0, got 'a'"):
        SecretKey(game="a")  # type: ignore[arg-type]
    env = SecretKey()
    env.reset(seed=0)
    with pytest.raises(BadValueError, match="action must be a whole number 0..80, got 81"):
        env.step(81)
