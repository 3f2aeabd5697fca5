"""Tit-For-N-Tats: the opponent's rule and the best answer, checked by brute force and value iteration."""

from __future__ import annotations

import itertools

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from terc.environments import TitForNTats, TitForNTatsVector, best_answer, best_mean_reward, register
from terc.errors import BadTypeError, BadValueError

register()
OPPONENTS = range(2, 11)


@pytest.mark.filterwarnings("error")
def test_gymnasium_accepts_it() -> None:
    check_env(gym.make("terc/TitForNTats-v0", n=3).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("n", OPPONENTS)
def test_the_opponent_defects_exactly_after_n_defections(n: int) -> None:
    """On random play: its move is a defection iff the n own moves before it all were."""
    env = TitForNTats(n=n, history=2)
    env.reset(seed=0)
    moves = (np.random.default_rng(n).random(1_500) < 0.85).astype(int)
    own = [0] * n
    for move in moves:
        state, reward, *_ = env.step(int(move))
        opponent = int(all(own[-n:]))
        own.append(int(move))
        assert state[0] == move + 2 * opponent
        assert reward == {(0, 0): 2, (0, 1): 0, (1, 0): 3, (1, 1): 1}[(int(move), opponent)]


def test_every_short_game_by_hand() -> None:
    """All 2^6 games against Tit-For-Two-Tats, rewards written out from the rule."""
    for moves in itertools.product((0, 1), repeat=6):
        env = TitForNTats(n=2, history=6)
        env.reset(seed=0)
        seen = [env.step(move) for move in moves]
        opponent = [int(k >= 2 and moves[k - 1] == moves[k - 2] == 1) for k in range(6)]
        pairs = [own + 2 * other for own, other in zip(moves, opponent, strict=True)]
        assert seen[-1][0].tolist() == pairs[::-1]


def value_iteration(n: int, discount: float) -> list[int]:
    """Best moves from a fresh game, by value iteration on the number of own defections in a row.

    Rewards and successors are read off the environment itself.
    """
    rewards, successor = np.zeros((n + 1, 2)), np.zeros((n + 1, 2), dtype=int)
    for streak, move in itertools.product(range(n + 1), (0, 1)):
        env = TitForNTats(n=n, history=1)
        env.reset(seed=0)
        for _ in range(streak):
            env.step(1)
        rewards[streak, move] = env.step(move)[1]
        successor[streak, move] = min(streak + 1, n) if move else 0
    values = np.zeros(n + 1)
    for _ in range(3_000):
        values = (rewards + discount * values[successor]).max(axis=1)
    best = (rewards + discount * values[successor]).argmax(axis=1)
    played, streak = [], 0
    for _ in range(4 * n):
        played.append(int(best[streak]))
        streak = int(successor[streak, best[streak]])
    return played


@pytest.mark.parametrize("n", OPPONENTS)
def test_the_best_cycle_is_n_minus_one_defections_and_one_cooperation(n: int) -> None:
    assert value_iteration(n, 0.99) == ([1] * (n - 1) + [0]) * 4


@pytest.mark.parametrize("n", OPPONENTS)
def test_best_answer_plays_that_cycle(n: int) -> None:
    env = TitForNTats(n=n, history=9)
    state, _ = env.reset(seed=0)
    moves, rewards = [], []
    for _ in range(10 * n):
        moves.append(int(best_answer(state[None], n)[0]))
        state, reward, *_ = env.step(moves[-1])
        rewards.append(reward)
    assert moves == ([1] * (n - 1) + [0]) * 10
    assert np.mean(rewards) == pytest.approx(best_mean_reward(n))


@pytest.mark.parametrize("n", [1, 3, 10])
def test_the_vector_form_plays_the_same_game(n: int) -> None:
    vector = gym.make_vec("terc/TitForNTats-v0", 20, n=n, history=5)
    assert isinstance(vector, TitForNTatsVector)
    singles = [TitForNTats(n=n, history=5) for _ in range(20)]
    states, _ = vector.reset(seed=0)
    for env in singles:
        env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(60):
        actions = (rng.random(20) < 0.9).astype(int)
        states, rewards, *_ = vector.step(actions)
        each = [env.step(int(action)) for env, action in zip(singles, actions, strict=True)]
        assert np.array_equal(states, [step[0] for step in each])
        assert np.array_equal(rewards, [step[1] for step in each])
        assert vector.observation_space.contains(states)


def test_a_cut_game_begins_anew() -> None:
    env = TitForNTatsVector(2, n=2, history=3, max_episode_steps=4)
    env.reset(seed=0)
    defect = np.ones(2, int)
    truncated = [env.step(defect)[3].all() for _ in range(3)]
    states, _, terminated, cut, info = env.step(defect)
    assert truncated == [False] * 3
    assert cut.all()
    assert not terminated.any()
    assert not states.any()
    assert info["final_obs"].tolist() == [[3, 3, 1]] * 2
    assert env.step(defect)[1].tolist() == [3.0, 3.0]
    assert gym.make("terc/TitForNTats-v0").spec.max_episode_steps == 1000  # type: ignore[union-attr]


def test_bad_arguments() -> None:
    with pytest.raises(BadValueError, match="n must be a whole number of at least 1, got 0"):
        TitForNTats(n=0)
    with pytest.raises(BadTypeError, match="history must be a whole number .* got 2.5"):
        TitForNTats(history=2.5)  # type: ignore[arg-type]
    env = TitForNTats()
    env.reset(seed=0)
    with pytest.raises(BadValueError, match=r"must be 0 \(cooperate\) or 1 \(defect\), got 2"):
        env.step(2)
