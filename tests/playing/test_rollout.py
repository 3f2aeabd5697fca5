"""Rollouts: exactly what was played, whole and apart, repeatable, and clear about what does not fit."""

import gymnasium as gym
import numpy as np
import pytest

from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import PolicySpec
from terc.environments import Doped, SelectVariables
from terc.environments.secret_key import secret_of
from terc.errors import BadTypeError, BadValueError, TercWarning
from terc.playing.rollout import rollout


def leans(states):
    """Push where the pole falls: a few hundred steps."""
    return (states[:, 2] + 0.5 * states[:, 3] > 0).astype(int)


def wobbly(states):
    """Push where the pole leans: some forty steps."""
    return (states[:, 2] > 0).astype(int)


def network(n_variables=4, environment="CartPole-v1"):
    rng = np.random.default_rng(0)
    layers = ((rng.standard_normal((n_variables, 2), dtype=np.float32), np.zeros(2, np.float32)),)
    return NetworkPolicy(PolicySpec(environment, n_variables, n_actions=2), layers)


def doped():
    return Doped(gym.make("CartPole-v1"), n=2)


FORMS = {
    "id": lambda: "CartPole-v1",
    "environment": lambda: gym.make("CartPole-v1"),
    "vector": lambda: gym.make_vec("CartPole-v1", 3),
    "sync": lambda: gym.make_vec("CartPole-v1", 3, vectorization_mode="sync"),
    "function": lambda: lambda: gym.make("CartPole-v1"),
    "vector function": lambda: lambda num_envs: gym.make_vec("CartPole-v1", num_envs),
}


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_the_transitions_of_the_environment(form):
    """A plain Cart Pole set to each state and given the action goes to the next state of the episode."""
    data = rollout(FORMS[form](), network(), steps=700, seed=1, n_envs=1 if form == "environment" else 3)
    assert len(data) == 700 and data.names[2] == "pole_angle" and (data.rewards == 1).all()
    plain = gym.make("CartPole-v1").unwrapped
    plain.reset(seed=0)
    checked = 0
    for i in range(699):
        plain.state, plain.steps_beyond_terminated = data.states[i], None
        after, _, terminated, _, _ = plain.step(int(data.actions[i]))
        if data.episodes[i + 1] == data.episodes[i]:
            np.testing.assert_allclose(after, data.states[i + 1], atol=1e-5)
            assert not terminated
            checked += 1
        else:
            assert np.abs(data.states[i + 1]).max() <= 0.05  # an episode begins near zero
    assert checked > 500


@pytest.mark.parametrize("env", ["CartPole-v1", "Pendulum-v1", doped])
def test_same_seed_same_trajectories(env):
    acting = leans if env != "Pendulum-v1" else (lambda states: states[:, 2:])
    first, again, other = (rollout(env, acting, steps=2500, seed=s) for s in (5, 5, 6))
    assert first == again and first != other


def test_sampling_is_seeded_too_and_probabilities_are_told():
    first, again = (rollout("CartPole-v1", network(), steps=2000, seed=2) for _ in range(2))
    assert first == again
    np.testing.assert_allclose(first.probabilities, network().probabilities(first.states), atol=1e-6)
    taken = first.probabilities[np.arange(2000), first.actions]
    assert 0.5 < taken.mean() < 1 and (taken < 0.5).any()


def test_greedy_takes_the_likeliest_and_tells_no_probabilities():
    data = rollout("CartPole-v1", network(), steps=300, greedy=True)
    assert data.probabilities is None
    np.testing.assert_array_equal(data.actions, network().probabilities(data.states).argmax(axis=1))


def test_expert_episodes_only_and_whole():
    data = rollout("CartPole-v1", wobbly, steps=1500, seed=0, expert=45)
    lengths = np.bincount(data.episodes)
    assert (lengths[:-1] >= 45).all() and len(data) == 1500
    ordinary = np.bincount(rollout("CartPole-v1", wobbly, steps=1500, seed=0).episodes)
    assert ordinary[:-1].min() < 45
    assert len(np.unique(data.states, axis=0)) == 1500


def test_the_beginning_of_an_episode_is_not_an_expert_episode():
    """A hanging pendulum collects minus a thousand or so, but not yet in its first steps."""
    with pytest.raises(BadValueError, match="no whole episode"):
        rollout("Pendulum-v1", lambda states: np.zeros((len(states), 1)), steps=20, expert=-400)


def test_no_expert_episode_is_an_error_with_the_best_return():
    with pytest.raises(BadValueError, match=r"return of at least expert=475; the best of \d+ returned \d+"):
        rollout("CartPole-v1", lambda states: np.zeros(len(states), int), steps=50, expert=475)


def test_few_expert_episodes_warn():
    returns = np.bincount(rollout("CartPole-v1", wobbly, steps=3000, seed=0, n_envs=1).episodes)
    with pytest.warns(TercWarning, match=r"only \d+ of 100 steps: .*% of the episodes"):
        data = rollout("CartPole-v1", wobbly, steps=100, seed=0, n_envs=1, expert=float(returns.max()))
    assert 0 < len(data) < 100


def test_secret_keys_of_the_expert_are_exact():
    positions = gym.make("terc/SecretKey-v0", keys=4).unwrapped.positions

    def every_other(states):
        return (secret_of(states, positions) + 40 + states[:, 0] % 2).astype(int)

    def games(num_envs):
        return gym.make_vec("terc/SecretKey-v0", num_envs, keys=4)

    data = rollout(games, every_other, 100, expert=0)
    assert data.names[0] == "key_0" and (data.rewards == 0).all() and data.n_episodes == 100
    assert (rollout(games, every_other, 100).rewards < 0).any()


def test_continuous_actions_and_nominal_states():
    data = rollout("Pendulum-v1", lambda states: -states[:, 2:], steps=450)
    assert data.action_kind == "continuous" and data.actions.shape == (450,) and data.n_episodes == 3
    prisoners = rollout("terc/TitForNTats-v0", lambda states: (states[:, 0] < 2).astype(int), steps=50)
    assert prisoners.nominal == frozenset(prisoners.names)


def test_wrapped_environments_keep_their_names():
    assert rollout(doped, leans, steps=20).names[-1] == "noise_1"
    chosen = ["pole_velocity", "pole_angle"]
    seen = rollout(SelectVariables(doped(), chosen), lambda s: (s[:, 0] > 0).astype(int), steps=20)
    assert list(seen.names) == chosen
    assert rollout("CartPole-v1", leans, steps=20, names=["a", "b", "c", "d"]).names == ("a", "b", "c", "d")


def test_a_ready_environment_is_stepped_as_it_is():
    env = gym.make("CartPole-v1")
    env.unwrapped.gravity = 0.0
    env.unwrapped.force_mag = 0.0
    data = rollout(env, leans, steps=600)
    assert data.n_episodes == 2 and np.bincount(data.episodes)[0] > 300  # it only drifts
    env.reset(seed=0)  # still open


class Pixels(gym.Env):
    observation_space = gym.spaces.Box(0, 255, (8, 8, 3), np.uint8)
    action_space = gym.spaces.Discrete(2)


class Named(gym.Env):
    observation_space = gym.spaces.Dict(speed=gym.spaces.Box(-1, 1, (2,), np.float32))
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, False, {}


def test_dictionaries_are_flat_rows():
    assert rollout(Named(), lambda states: np.zeros(len(states), int), steps=5).names == (
        "speed.0",
        "speed.1",
    )
    flat = gym.wrappers.FlattenObservation(Named())
    assert rollout(flat, lambda states: np.zeros(len(states), int), steps=5).names == ("speed_0", "speed_1")


@pytest.mark.parametrize(
    ("env", "policy", "options", "error", "match"),
    [
        (Pixels(), leans, {}, BadTypeError, "like an image"),
        ("CartPole-v1", lambda s: np.full(len(s), 2), {}, BadValueError, "the action 2, but.* has 0 to 1"),
        ("CartPole-v1", lambda s: s[:, 0], {}, BadValueError, "wants whole numbers of shape"),
        ("Pendulum-v1", lambda s: s[:, :2], {}, BadValueError, r"wants numbers of shape \(7, 1\)"),
        ("Acrobot-v1", network(6), {}, BadValueError, "made for.* 'CartPole-v1', but this is 'Acrobot-v1'"),
        (doped, network(4), {}, BadValueError, "states of 4 variables, but these have 6"),
        ("CartPole-v1", 7, {}, BadTypeError, "wanted a terc policy"),
        ("CartPole-v1", leans, {"steps": 0}, BadValueError, "steps must be a whole number of at least 1"),
        ("CartPole-v1", leans, {"n_envs": 0}, BadValueError, "n_envs must be a whole number"),
        ("CartPole-v1", leans, {"names": ["a"]}, BadValueError, "wanted 4"),
    ],
)
def test_what_does_not_fit(env, policy, options, error, match):
    with pytest.raises(error, match=match):
        rollout(env, policy, **{"steps": 10, **options})


def test_missing_values_in_an_observation_are_refused_with_the_way_out():
    def broken(state):
        return np.where(state > 0.03, np.nan, state)

    env = gym.make("CartPole-v1")
    env = gym.wrappers.TransformObservation(env, broken, env.observation_space)
    with pytest.raises(BadValueError, match=r"'cart_velocity' \(\d+ of 50 steps\).*ObservationWrapper"):
        rollout(env, lambda states: np.arange(len(states)) % 2, steps=50)


@pytest.mark.parametrize("options", [{}, {"expert": 5}])
def test_rewards_that_are_no_number_are_refused_with_the_way_out(options):
    env = gym.wrappers.TransformReward(gym.make("CartPole-v1"), lambda reward: np.nan)
    with pytest.raises(BadValueError, match="reward of 50 of 50 steps is no finite .* Correct the rewards"):
        rollout(env, leans, steps=50, **options)


def test_more_steps_than_memory_holds_are_refused_at_once():
    with pytest.raises(BadValueError, match="steps must be at most 1,000,000,000, got 1,000"):
        rollout("CartPole-v1", lambda states: states[:, 0] > 0, steps=10**30)
