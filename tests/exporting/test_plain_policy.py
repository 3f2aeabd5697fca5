import numpy as np
import pytest

from terc.agents.policy import load_policy
from terc.agents.sb3 import SB3Policy
from terc.exporting.numpy_policy import load_source, numpy_source
from terc.exporting.plain_policy import plain_policy

pytest.importorskip("stable_baselines3")
from agents import sb3_zoo
from stable_baselines3 import PPO
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
        ours, theirs = (np.abs(actions - plain.act(states)).mean() for actions in drawn)
        assert ours == pytest.approx(theirs, rel=0.1) and ours > 0.1


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "plain") for name in ("DQN", "QRDQN", "SAC", "TQC", "TD3", "DDPG")),
        ("DQN", "VecNormalize"),
        ("SAC", "VecNormalize"),
    ],
)
def test_off_policy_models_have_a_form_for_their_likeliest_actions(name, kind, tmp_path):
    model, envs = sb3_zoo.trained(name, kind)
    original = SB3Policy(model)
    assert plain_policy(original) is None
    plain_policy(original, sampling=False).save(tmp_path / "policy.npz")
    plain, rng = load_policy(tmp_path / "policy.npz"), np.random.default_rng(0)
    states = np.float32([0, 101_325, 0]) + np.float32([1, 500, 1]) * rng.normal(size=(500, 3))
    wanted = original.act(states.astype(np.float32))
    np.testing.assert_allclose(plain.act(states.astype(np.float32)), wanted, atol=1e-3)
    np.testing.assert_allclose(plain.act(states.astype(np.float32), rng=rng, greedy=False), wanted, atol=1e-3)
    assert plain.probabilities(states) is None
    source = load_source(numpy_source(plain, sb3_zoo.NAMES, range(3), "test"))
    np.testing.assert_allclose(source(states.astype(np.float32)), wanted, atol=1e-3)


def test_gsde_has_one_too_and_other_networks_have_none():
    model = PPO("MlpPolicy", "Pendulum-v1", use_sde=True, device="cpu")
    plain, states = (
        plain_policy(SB3Policy(model), sampling=False),
        np.random.default_rng(0).normal(size=(50, 3)),
    )
    np.testing.assert_allclose(plain.act(states), SB3Policy(model).act(states), atol=1e-5)
    assert plain_policy(SB3Policy(model)) is None
    for name in ("MaskablePPO", "PPO"):
        assert plain_policy(SB3Policy(sb3_zoo.trained(name, "Dict")[0]), sampling=False) is None
