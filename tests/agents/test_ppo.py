"""PPO: its slopes and advantages against definitions, learning with both kinds of action, and going on."""

from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest

from terc.agents.heads import PlayedSteps, gae, head_for
from terc.agents.learner import train_agent
from terc.agents.ppo import PRESETS, PPOConfig
from terc.agents.stepping import make_stepper
from terc.environments import Doped
from terc.errors import BadValueError, UnknownNameError

SHORT = PPOConfig(steps=1_500, n_envs=4, horizon=64, epochs=2, batch=64)


class Hill(gym.Env):
    """Ten steps; the reward is highest where the action is half of the one variable shown."""

    def __init__(self, discrete=False):
        self.observation_space = gym.spaces.Box(-1, 1, (1,), np.float32)
        numbers = gym.spaces.Box(-3, 1, (1,), np.float32)
        self.action_space = gym.spaces.Discrete(3, start=5) if discrete else numbers
        self.discrete = discrete

    def _draw(self):
        self.x = self.np_random.uniform(-1, 1, 1).astype(np.float32)
        return self.x

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        return self._draw(), {}

    def step(self, action):
        best = np.digitize(self.x[0], [-0.3, 0.3]) + 5 if self.discrete else self.x[0] / 2
        reward = -float(np.abs(np.asarray(action).item() - best))
        self.t += 1
        return self._draw(), reward, False, self.t >= 10, {}


def clipped_loss(log_chance, old, advantages, clip):
    ratio = np.exp(log_chance - old)
    return -np.minimum(ratio * advantages, np.clip(ratio, 1 - clip, 1 + clip) * advantages).sum()


def by_differences(loss, point, small=1e-5):
    slope = np.zeros_like(point)
    for place in np.ndindex(point.shape):
        up, down = point.copy(), point.copy()
        up[place] += small
        down[place] -= small
        slope[place] = (loss(up) - loss(down)) / (2 * small)
    return slope


@pytest.mark.parametrize("space", [gym.spaces.Discrete(3), gym.spaces.Box(-1, 1, (3,))])
def test_slope_of_the_clipped_objective(space):
    rng, entropy, head = np.random.default_rng(0), 0.3, head_for(space)
    discrete = head.n_free == 0
    outputs, free = rng.standard_normal((6, 3)), rng.standard_normal(3) * 0.3
    actions = rng.integers(0, 3, 6) if discrete else rng.standard_normal((6, 3))
    old = head.log_chance(outputs, free, actions) + rng.normal(0, 0.4, 6)
    advantages = rng.standard_normal(6)

    def loss(values, spread):
        if discrete:
            chances = np.exp(values) / np.exp(values).sum(axis=1, keepdims=True)
            uncertainty = -(chances * np.log(chances)).sum() / 6
        else:
            uncertainty = spread.sum()
        chosen = head.log_chance(values, spread, actions)
        return clipped_loss(chosen, old, advantages, 0.2) - entropy * uncertainty

    ratio = np.exp(head.log_chance(outputs, free, actions) - old)
    flat = ((advantages > 0) & (ratio > 1.2)) | ((advantages < 0) & (ratio < 0.8))
    assert 0 < flat.sum() < 6
    evenly = np.full(6, entropy / 6)
    by_outputs, by_free = head.slope(outputs, free, actions, np.where(flat, 0, -advantages * ratio), evenly)
    np.testing.assert_allclose(by_outputs, by_differences(lambda v: loss(v, free), outputs), atol=1e-6)
    if not discrete:
        np.testing.assert_allclose(by_free, by_differences(lambda v: loss(outputs, v), free), atol=1e-6)


def test_advantages_by_brute_force():
    rng = np.random.default_rng(1)
    shape, gamma, lam = (7, 3), 0.9, 0.8
    rewards, values, ahead = (rng.standard_normal(shape) for _ in range(3))
    terminated = rng.random(shape) < 0.2
    done = terminated | (rng.random(shape) < 0.2)
    delta = rewards + gamma * np.where(terminated, 0, ahead) - values
    wanted = np.zeros(shape)
    for t, i in np.ndindex(shape):
        for later in range(t, 7):
            wanted[t, i] += (gamma * lam) ** (later - t) * delta[later, i]
            if done[later, i]:
                break
    np.testing.assert_allclose(gae(rewards, values, ahead, terminated, done, gamma, lam), wanted, rtol=1e-4)


@pytest.mark.parametrize("discrete", [True, False])
def test_it_learns_with_both_kinds_of_action(discrete):
    config = PPOConfig(steps=12_000, n_envs=8, horizon=32, batch=64, gamma=0.5, rate=5e-3, log_std=-0.5)
    training = train_agent(lambda: Hill(discrete), agent=config, seed=0)
    assert training.curve[-1, 1] > (-1.5 if discrete else -2.5) > training.curve[0, 1] + 1.5
    states = np.array([[-0.9], [0.0], [0.9]], np.float32)
    wanted = [5, 6, 7] if discrete else [-0.45, 0, 0.45]
    np.testing.assert_allclose(training.policy.act(states).ravel(), wanted, atol=0.15)
    assert training.data.action_kind == ("discrete" if discrete else "continuous")
    if not discrete:
        assert training.data.actions.min() >= -3 and training.data.actions.max() <= 1


def test_an_unbounded_action_is_not_cut():
    class Free(Hill):
        def __init__(self):
            super().__init__()
            self.action_space = gym.spaces.Box(-np.inf, np.inf, (1,), np.float32)

    policy = train_agent(Free, agent=SHORT, seed=0).policy
    assert np.isfinite(policy.act(np.zeros((2, 1)))).all() and not np.isfinite(policy.bounds).any()


class NoisyHill(Hill):
    """The same beside two variables of noise; the height depends on the first variable too."""

    def __init__(self):
        super().__init__(discrete=True)
        self.observation_space = gym.spaces.Box(-1, 1, (3,), np.float32)

    def _draw(self):
        self.x = self.np_random.uniform(-1, 1, 3).astype(np.float32)
        return self.x

    def step(self, action):
        height = 2 * float(self.x[0])
        states, reward, *ends = super().step(action)
        return states, reward + height, *ends


@pytest.mark.parametrize(("sparsity", "unused"), [(0.0, 0), (0.5, 2)])
def test_sparsity_makes_the_actor_forget_noise(sparsity, unused):
    config = PPOConfig(steps=12_000, n_envs=8, horizon=64, batch=64, gamma=0.5, rate=5e-3, sparsity=sparsity)
    policy = train_agent(NoisyHill, agent=config, seed=0).policy
    lengths = np.linalg.norm(policy.layers[0][0], axis=1)
    assert lengths[0] > 0.5 and np.count_nonzero(lengths[1:] == 0) == unused
    assert (policy.act(np.array([[-0.9, 0, 0], [0, 0, 0], [0.9, 0, 0]])) == [5, 6, 7]).all()


def pendulum():
    return Doped(gym.make("Pendulum-v1"), n=1)


def test_same_seed_same_training_and_an_interrupted_one_ends_the_same(tmp_path):
    whole, again = (train_agent(pendulum, agent=SHORT, seed=3) for _ in range(2))
    assert whole.data == again.data

    class Interrupted(Exception):
        pass

    def stop(steps, total, mean_return):
        if steps > 0.6 * total:
            raise Interrupted

    with pytest.raises(Interrupted):
        train_agent(pendulum, agent=SHORT, seed=3, checkpoint=tmp_path / "p.npz", progress=stop)
    resumed = train_agent(pendulum, agent=SHORT, seed=3, checkpoint=tmp_path / "p.npz")
    assert resumed.data == whole.data and resumed.policy.log_std == whole.policy.log_std
    for (a, b), (c, d) in zip(whole.policy.layers, resumed.policy.layers, strict=True):
        assert (a == c).all() and (b == d).all()


def test_restarting_rows_are_not_learnt_from():
    from terc.agents.ppo import PPOLearner, collect
    from terc.agents.spaces import spec_of
    from terc.agents.training import Session

    stepper = make_stepper("CartPole-v1", 4)  # restarts in the step after the end
    spec = spec_of("CartPole-v1", stepper.observation_space, stepper.action_space)
    rng = np.random.default_rng(0)
    config = replace(SHORT, horizon=100)
    agent, session = PPOLearner(config, spec, stepper, rng=rng), Session(stepper, config, seed=0, record=1000)
    session.begin(agent.parts, rng)
    steps = collect(agent, session, rng=rng)
    assert isinstance(steps, PlayedSteps) and len(steps.states) == session.returns.steps < 400
    assert {len(getattr(steps, name)) for name in steps.__dataclass_fields__} == {len(steps.states)}


def test_presets_and_bad_settings():
    assert PRESETS["Pendulum-v1", "paper"].horizon == 2048
    with pytest.raises(UnknownNameError, match="no activation named 'gelu'"):
        PPOConfig(activation="gelu")
    with pytest.raises(BadValueError, match="batch must be a whole number of at least 1"):
        PPOConfig(batch=0)
