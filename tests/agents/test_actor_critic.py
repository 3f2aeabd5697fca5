"""The one-step actor-critic: its update against the formula, learning, sameness, going on after a stop."""

from dataclasses import replace
from types import SimpleNamespace

import gymnasium as gym
import numpy as np
import pytest

from terc.agents.actor_critic import PRESETS, ActorCriticConfig, ActorCriticLearner
from terc.agents.heads import SoftmaxHead
from terc.agents.learner import choose_config, train_agent
from terc.agents.policy import PolicySpec
from terc.agents.stepping import StepResult
from terc.environments import Doped
from terc.errors import BadTypeError, BadValueError, DataFileError, UnknownNameError
from terc.networks.heads import softmax

SHORT = ActorCriticConfig(steps=3_000, n_envs=8)


def cart_pole(num_envs):
    return Doped(gym.make_vec("CartPole-v1", num_envs, vectorization_mode="vector_entry_point"), n=2)


def learner(**settings):
    config = ActorCriticConfig(**{"gamma": 0.5, "hidden": (4,), "scale_states": False, **settings})
    five = SimpleNamespace(n=5, action_space=gym.spaces.Discrete(3))
    return ActorCriticLearner(config, PolicySpec(None, 2, n_actions=3), five, rng=np.random.default_rng(0))


def a_step(rng, terminated):
    return StepResult(
        next_states=rng.standard_normal((5, 2)).astype(np.float32),
        rewards=rng.standard_normal(5),
        terminated=terminated,
        truncated=~terminated,
        played=np.ones(5, bool),
    )


def test_delta_is_the_textbooks_and_does_not_look_past_the_end():
    rng, agent = np.random.default_rng(1), learner()
    states = rng.standard_normal((5, 2)).astype(np.float32)
    ended = np.array([True, False, True, False, False])
    step = a_step(rng, ended)
    v, ahead = agent.critic.forward(states)[:, 0], agent.critic.forward(step.next_states)[:, 0]
    wanted = step.rewards + 0.5 * np.where(ended, 0, ahead) - v
    np.testing.assert_allclose(agent._delta(states, step), wanted, rtol=1e-5)


def test_slope_of_the_policy_by_finite_differences():
    rng, head = np.random.default_rng(2), SoftmaxHead(3, 0)
    logits = rng.standard_normal((5, 3))
    actions, delta, weight = rng.integers(0, 3, 5), rng.standard_normal(5), np.full(5, 0.7)

    def loss(values):
        chances = softmax(values)
        chosen = np.log(chances[np.arange(5), actions])
        return -(delta * chosen + weight * (-chances * np.log(chances)).sum(axis=1)).sum()

    slope, small = head.slope(logits, np.zeros(0), actions, -delta, weight)[0], 1e-5
    for place in np.ndindex(5, 3):
        moved = logits.copy()
        moved[place] += small
        assert slope[place] == pytest.approx((loss(moved) - loss(logits)) / small, abs=1e-3)


def test_no_action_dies_for_good():
    logits = np.array([[100.0, 0.0, 99.0]], np.float32)
    assert SoftmaxHead(3, 0).log_chance(logits, np.zeros(0), np.array([1])) < -60
    assert -6 < SoftmaxHead(3, 0, 5.0).log_chance(logits, np.zeros(0), np.array([1])) < -5


def test_a_restarting_copy_teaches_nothing():
    rng = np.random.default_rng(3)
    states, step = rng.standard_normal((5, 2)).astype(np.float32), a_step(rng, np.zeros(5, bool))
    moved = []
    for wrong in (0.0, 100.0):
        agent = learner()
        played = np.array([True, True, True, True, False])
        rewards = step.rewards.copy()
        rewards[4] += wrong
        outputs, actions = agent.actor.forward(states), np.array([0, 1, 2, 0, 1])
        agent.learn(states, outputs, actions, replace(step, rewards=rewards, played=played), 0)
        moved.append(np.concatenate([agent.actor.parameters, agent.critic.parameters]))
    np.testing.assert_array_equal(*moved)


def test_gamma_to_the_t_as_printed():
    agent, rng = learner(discount_updates=True), np.random.default_rng(0)
    states = rng.standard_normal((5, 2)).astype(np.float32)
    for _ in range(2):
        step, outputs = a_step(rng, np.zeros(5, bool)), agent.actor.forward(states)
        agent.learn(states, outputs, np.zeros(5, int), replace(step, truncated=np.arange(5) == 0), 0)
    np.testing.assert_array_equal(agent.discount, [1, 0.25, 0.25, 0.25, 0.25])


def test_entropy_falls_geometrically_to_its_end_and_stays():
    config = ActorCriticConfig(steps=1000, entropy=4.0, entropy_end=0.04)
    assert [round(config.entropy_at(s), 3) for s in (0, 400, 800, 1000)] == [4.0, 0.4, 0.04, 0.04]


def test_it_learns_the_secret_of_three_keys():
    config = replace(PRESETS["terc/SecretKey-v0", "fast"], steps=256 * 800)
    training = train_agent(
        lambda num_envs: gym.make_vec("terc/SecretKey-v0", num_envs, keys=3), agent=config, seed=0
    )
    # a constant guess is 11 off on average
    assert training.curve[-1, 1] > -4
    assert training.curve[0, 1] < -10 and training.curve[-1, 0] == training.steps == config.steps
    assert training.reached is None and len(training.data) <= 200_000


def test_it_reaches_a_goal_and_stops():
    config = replace(PRESETS["CartPole-v1", "fast"], goal=60.0)
    training = train_agent(cart_pole, agent=config, seed=0)
    assert training.reached and training.curve[-1, 1] >= 60 and training.steps < 100_000


def test_the_record_covers_the_training():
    data = train_agent(cart_pole, agent=SHORT, seed=0, names=["x", "v", "angle", "spin", "a", "b"]).data
    assert data.names[2] == "angle" and data.action_kind == "discrete"
    assert data.progress.min() == 0 and data.progress.max() > 0.99
    assert all(len(quarter) > 200 for quarter in data.quarters())


def test_same_seed_same_training_other_seed_another():
    first, again, other = (train_agent(cart_pole, agent=SHORT, seed=s) for s in (4, 4, 5))
    assert first.data == again.data and (first.curve == again.curve).all()
    for (a, b), (c, d) in zip(first.policy.layers, again.policy.layers, strict=True):
        assert (a == c).all() and (b == d).all()
    assert first.data != other.data


class Interrupted(Exception):
    pass


def interrupt_at(share):
    def progress(steps, total, mean_return):
        if steps > share * total:
            raise Interrupted

    return progress


@pytest.mark.parametrize("share", [0.3, 0.75])
def test_an_interrupted_training_goes_on_to_the_same_end(tmp_path, share):
    config = replace(SHORT, decay=True, discount_updates=True)
    whole = train_agent(cart_pole, agent=config, seed=7)
    with pytest.raises(Interrupted):
        train_agent(
            cart_pole, agent=config, seed=7, checkpoint=tmp_path / "a.npz", progress=interrupt_at(share)
        )
    rest = []
    resumed = train_agent(
        cart_pole,
        agent=config,
        seed=7,
        checkpoint=tmp_path / "a.npz",
        progress=lambda *now: rest.append(now[0]),
    )
    assert min(rest) > 0.2 * config.steps  # it did not begin again
    assert resumed.data == whole.data and (resumed.curve == whole.curve).all()
    assert resumed.steps == whole.steps
    for (a, b), (c, d) in zip(whole.policy.layers, resumed.policy.layers, strict=True):
        assert (a == c).all() and (b == d).all()
    # finished: asked again, it only reads
    assert train_agent(cart_pole, agent=config, seed=7, checkpoint=tmp_path / "a.npz").data == whole.data


def test_a_checkpoint_of_another_training_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    train_agent(cart_pole, agent=replace(SHORT, steps=200), seed=0, checkpoint=path)
    for config, seed, what in [(SHORT, 0, "config"), (replace(SHORT, steps=200), 1, "seed")]:
        with pytest.raises(DataFileError, match=f"another training.*its {what} is"):
            train_agent(cart_pole, agent=config, seed=seed, checkpoint=path)


class Unseeded(gym.ObservationWrapper):
    def observation(self, observation):
        return observation + np.random.default_rng().normal(size=4).astype(np.float32)


def test_an_environment_that_cannot_be_replayed_is_told(tmp_path):
    def env():
        return Unseeded(gym.make("CartPole-v1"))

    config = replace(SHORT, steps=200)
    train_agent(env, agent=config, seed=0, checkpoint=tmp_path / "a.npz")
    with pytest.raises(DataFileError, match="not determined by its seed"):
        train_agent(env, agent=config, seed=0, checkpoint=tmp_path / "a.npz")


def test_bad_settings():
    with pytest.raises(BadTypeError, match="wanted discrete actions.*ppo"):
        train_agent("Pendulum-v1", agent=SHORT, seed=0)
    with pytest.raises(UnknownNameError, match="no preset named 'quick'"):
        choose_config("CartPole-v1", preset="quick")
    with pytest.raises(BadValueError, match="n_envs must be a whole number of at least 1, got 0"):
        ActorCriticConfig(n_envs=0)


def test_more_keys_train_longer():
    short, long = (choose_config("terc/SecretKey-v0", n_variables=n).steps for n in (3, 50))
    assert (short, long) == (16_000 * 256, 40_000 * 256)
