"""Tabular Q-learning: exact values where they are known, the best cycle where it is, and what it cannot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from terc.agents.learner import train_agent
from terc.agents.policy import Policy, load_policy
from terc.agents.tabular_q import ID, PRESETS, TabularPolicy, TabularQConfig, train_apart
from terc.agents.training import Training
from terc.errors import BadTypeError, BadValueError, DataFileError

SHORT = TabularQConfig(steps=4_000, n_envs=8)


def against(n: int, history: int = 9) -> Callable[[int], Any]:
    return lambda num_envs: gym.make_vec("terc/TitForNTats-v0", num_envs, n=n, history=history)


def table(training: Training) -> TabularPolicy:
    assert isinstance(training.policy, TabularPolicy)
    return training.policy


def moves(policy: Policy, n: int, history: int = 9, steps: int = 60) -> list[int]:
    """Greedy play once the first 100 moves are over."""
    env = gym.make("terc/TitForNTats-v0", n=n, history=history, max_episode_steps=-1)
    state, _ = env.reset(seed=0)
    played = []
    for _ in range(100 + steps):
        played.append(int(policy.act(state[None])[0]))
        state, *_ = env.step(played[-1])
    return played[100:]


def is_best(played: list[int], n: int) -> bool:
    cooperations = np.flatnonzero(np.array(played) == 0)
    return len(cooperations) > 1 and set(np.diff(cooperations).tolist()) == {n}


@pytest.mark.parametrize("n", [2, 4, 9])
def test_fast_learns_the_best_cycle(n: int) -> None:
    assert is_best(moves(train_agent(against(n), agent=TabularQConfig(), seed=n, record=0).policy, n), n)


def test_one_pair_more_of_history_learns_ten_tats() -> None:
    assert is_best(
        moves(train_agent(against(10, 10), agent=TabularQConfig(), seed=1, record=0).policy, 10, 10), 10
    )


def test_too_short_a_history_never_learns_it() -> None:
    assert not is_best(
        moves(train_agent(against(4, 2), agent=TabularQConfig(), seed=0, record=0).policy, 4, 2), 4
    )


def test_values_are_those_of_value_iteration() -> None:
    """On the frozen lake without slipping: exact, terminations and a single code as the state included."""
    lake: Any = gym.make("FrozenLake-v1", is_slippery=False).unwrapped
    config = TabularQConfig(steps=60_000, n_envs=16, gamma=0.9)
    policy = table(
        train_agent(lambda: gym.make("FrozenLake-v1", is_slippery=False), agent=config, seed=0, record=0)
    )
    values = np.zeros((16, 4))
    for _ in range(100):
        for state, action in np.ndindex(16, 4):
            [(_, after, reward, ended)] = lake.P[state][action]
            values[state, action] = reward + (0 if ended else 0.9 * values[after].max())
    visited = policy.values.any(axis=1)
    assert visited.sum() >= 10
    assert np.allclose(policy.values[visited], values[visited], atol=1e-6)
    assert policy.values[0].max() == pytest.approx(0.9**5)


def test_learners_apart_are_each_what_one_alone_is() -> None:
    config = TabularQConfig(steps=4_000, n_envs=1)
    [alone] = train_apart(config, against(2, 2), learners=1, seed=3)
    assert np.array_equal(
        alone.values, table(train_agent(against(2, 2), agent=config, seed=3, record=0)).values
    )
    four = train_apart(config, against(2, 2), learners=4, seed=3)
    assert len({policy.values.tobytes() for policy in four}) == 4
    assert sum(is_best(moves(policy, 2, 2), 2) for policy in four) >= 3
    short, long = train_apart(config, against(2, 3), learners=2, seed=3, read=[1, 3])
    assert (short.levels, long.levels) == ((4,), (4, 4, 4))
    assert all(is_best(moves(policy, 2, len(policy.levels)), 2) for policy in (short, long))
    with pytest.raises(BadValueError, match="each learner plays one game, got n_envs=32"):
        train_apart(TabularQConfig(), against(2, 2), learners=2, seed=0)


@pytest.fixture(scope="module")
def short() -> Training:
    return train_agent(against(3), agent=SHORT, seed=5, names=[f"pair_{k}" for k in range(1, 10)])


def test_the_whole_training_is_recorded(short: Training) -> None:
    data = short.data
    assert data is not None
    assert len(data) == short.steps == 4_000
    assert data.nominal == set(data.names) == {f"pair_{k}" for k in range(1, 10)}
    assert data.progress is not None
    assert 0 <= data.progress.min() < 0.01
    assert 0.99 < data.progress.max() <= 1
    assert data.actions[data.progress < 0.25].mean() == pytest.approx(0.5, abs=0.1)
    assert data.rewards is not None
    assert set(data.rewards.tolist()) == {0, 1, 2, 3}


def test_same_seed_same_training(short: Training) -> None:
    again, other = (train_agent(against(3), agent=SHORT, seed=seed) for seed in (5, 6))
    assert again.data is not None
    assert other.data is not None
    assert short.data is not None
    assert np.array_equal(again.data.states, short.data.states)
    assert np.array_equal(table(again).values, table(short).values)
    assert not np.array_equal(other.data.actions, short.data.actions)


def test_an_interrupted_training_continues_to_the_same_end(short: Training, tmp_path: Path) -> None:
    def stop(done: int, planned: int, mean: float) -> None:
        if done > planned / 2:
            raise KeyboardInterrupt

    file = tmp_path / "training.npz"
    with pytest.raises(KeyboardInterrupt):
        train_agent(against(3), agent=SHORT, seed=5, checkpoint=file, progress=stop)
    resumed = train_agent(against(3), agent=SHORT, seed=5, checkpoint=file)
    assert np.array_equal(table(resumed).values, table(short).values)
    with pytest.raises(DataFileError, match="belongs to another training"):
        train_agent(against(3), agent=SHORT, seed=6, checkpoint=file)


def test_a_policy_survives_its_file(short: Training, tmp_path: Path) -> None:
    policy = replace(table(short), epsilon=0.2)
    policy.save(tmp_path / "policy.npz")
    loaded = load_policy(tmp_path / "policy.npz")
    assert isinstance(loaded, TabularPolicy)
    assert loaded.spec == policy.spec
    assert loaded.epsilon == 0.2
    assert np.array_equal(loaded.values, policy.values)


def test_probabilities_are_those_of_sampling(short: Training) -> None:
    policy = replace(table(short), epsilon=0.2)
    assert isinstance(policy, Policy)
    states = np.zeros((20_000, 9), int)
    chance = policy.probabilities(states[:1])[0]
    assert sorted(chance.tolist()) == pytest.approx([0.1, 0.9])
    drawn = policy.act(states, rng=np.random.default_rng(0), greedy=False)
    assert drawn.mean() == pytest.approx(chance[1], abs=0.01)
    assert set(policy.act(states).tolist()) == {int(chance.argmax())}


def test_presets() -> None:
    paper = PRESETS[ID, "paper"]
    assert (paper.steps, paper.alpha, paper.gamma, paper.n_envs) == (40_000, 0.9, 0.99, 1)
    assert (paper.epsilon(0), paper.epsilon(20_000), paper.epsilon(40_000)) == (1, 0.5, 0)
    assert train_agent("terc/TitForNTats-v0", agent=replace(paper, steps=300), seed=0).steps == 300


def test_bad_input(short: Training) -> None:
    with pytest.raises(BadTypeError, match="wanted Discrete or MultiDiscrete observations"):
        train_agent("CartPole-v1", agent=SHORT, seed=0)
    with pytest.raises(BadTypeError, match="wanted discrete actions, got continuous actions of 1 number"):
        train_agent("Pendulum-v1", agent=SHORT, seed=0)
    with pytest.raises(BadValueError, match=r"20 variables make a table of 1e\+12 states; at most"):
        train_agent(against(3, 20), agent=SHORT, seed=0)
    with pytest.raises(BadValueError, match="alpha must lie in"):
        TabularQConfig(alpha=0)
    with pytest.raises(BadValueError, match="steps must be a whole number of at least 1"):
        TabularQConfig(steps=0)
    with pytest.raises(BadValueError, match=r"wanted states \[n, 9\]"):
        short.policy.act(np.zeros((2, 4)))
    with pytest.raises(BadValueError, match="a value that the table does not know"):
        short.policy.act(np.full((1, 9), 4))
    with pytest.raises(BadTypeError, match="needs rng"):
        replace(table(short), epsilon=0.5).act(np.zeros((1, 9)), greedy=False)
