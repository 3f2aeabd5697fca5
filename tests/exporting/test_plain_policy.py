import numpy as np
import pytest

from terc.agents.policy import load_policy
from terc.agents.sb3 import SB3Policy
from terc.exporting.plain_policy import plain_policy

pytest.importorskip("stable_baselines3")
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecNormalize


def scaled_ppo(environment):
    """Untrained, but with the scaling of a VecNormalize that has seen some states."""
    envs = VecNormalize(make_vec_env(environment, 2, seed=0))
    model = PPO("MlpPolicy", envs, seed=0, device="cpu")
    envs.reset()
    for _ in range(20):
        envs.step(np.array([envs.action_space.sample() for _ in range(2)]))
    return model


@pytest.mark.parametrize("environment", ["CartPole-v1", "Pendulum-v1"])
def test_a_ppo_model_acts_the_same_as_a_plain_network(environment, tmp_path, seed):
    original = SB3Policy(scaled_ppo(environment))
    plain_policy(original).save(tmp_path / "policy.npz")
    plain = load_policy(tmp_path / "policy.npz")
    states = np.random.default_rng(seed).normal(0, 3, (2000, original.spec.n_variables)).astype(np.float32)
    np.testing.assert_allclose(plain.act(states), original.act(states), atol=1e-5)
    if environment == "CartPole-v1":
        np.testing.assert_allclose(plain.probabilities(states), original.probabilities(states), atol=1e-5)
    else:
        drawn = [p.act(states, rng=np.random.default_rng(5), greedy=False) for p in (plain, original)]
        np.testing.assert_allclose(*drawn, atol=1e-4)


def test_a_model_without_such_a_form_is_told_apart():
    assert plain_policy(SB3Policy(DQN("MlpPolicy", "CartPole-v1", device="cpu", buffer_size=10))) is None
