"""Policies: saved and loaded without pickle, of one environment, from anything that acts."""

import pickle

import gymnasium as gym
import numpy as np
import pytest

from terc.agents import as_policy, choose_config, load_policy, train_agent
from terc.agents.actor_critic import ActorCriticConfig
from terc.agents.function_policy import FunctionPolicy
from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import PolicySpec, check_fits, write_arrays
from terc.agents.ppo import PPOConfig
from terc.agents.tabular_q import TabularQConfig
from terc.errors import BadTypeError, BadValueError, DataFileError, UnknownNameError
from terc.trajectories.data import Trajectories


def policy(continuous=False, environment="CartPole-v1"):
    rng = np.random.default_rng(0)
    shapes = [(3, 5), (5, 2)]
    layers = tuple((rng.standard_normal(s, dtype=np.float32), np.ones(s[1], np.float32)) for s in shapes)
    extra = {"center": np.ones(3), "scale": np.full(3, 2, np.float32), "clip": 10.0}
    if continuous:
        extra |= {"log_std": np.full(2, -1, np.float32), "bounds": np.array([[-1, -1], [1, 1]], np.float32)}
    spec = PolicySpec(environment, 3, **({"action_size": 2} if continuous else {"n_actions": 2}))
    return NetworkPolicy(spec, layers, "tanh", **extra)


STATES = np.random.default_rng(1).standard_normal((50, 3))


@pytest.mark.parametrize("continuous", [False, True])
def test_a_loaded_policy_acts_the_same(tmp_path, continuous):
    saved = policy(continuous)
    saved.save(tmp_path / "p.npz")
    loaded = load_policy(tmp_path / "p.npz")
    assert loaded.spec == saved.spec
    for greedy in (True, False):
        ours = [p.act(STATES, rng=np.random.default_rng(2), greedy=greedy) for p in (saved, loaded)]
        np.testing.assert_array_equal(*ours)
    assert (loaded.probabilities(STATES) is None) == continuous


def test_torch_twin_gives_the_same_outputs():
    torch = pytest.importorskip("torch")
    twin = policy().to_torch()
    ours = policy().outputs(STATES)
    np.testing.assert_allclose(
        twin(torch.from_numpy(STATES.astype(np.float32))).detach().numpy(), ours, atol=1e-4
    )


def test_sampling_follows_the_probabilities_and_greedy_takes_the_likeliest():
    state = np.zeros((20_000, 3))
    chances = policy().probabilities(state)[0]
    drawn = policy().act(state, rng=np.random.default_rng(0), greedy=False)
    assert np.mean(drawn == 1) == pytest.approx(chances[1], abs=0.015)
    assert (policy().act(state) == chances.argmax()).all()


def test_continuous_samples_have_the_spread_and_the_bounds():
    acting = policy(continuous=True)
    actions = acting.act(np.zeros((20_000, 3)), rng=np.random.default_rng(0), greedy=False)
    assert actions.shape == (20_000, 2) and np.abs(actions).max() <= 1
    mean = acting.outputs(np.zeros((1, 3)))[0]
    inside = np.abs(mean) < 0.2
    if inside.any():
        assert actions[:, inside].std() == pytest.approx(np.exp(-1), rel=0.1)


@pytest.mark.parametrize(
    ("wanted", "match"),
    [
        (PolicySpec("Acrobot-v1", 3, n_actions=2), "environment 'CartPole-v1', but this is 'Acrobot-v1'"),
        (PolicySpec("CartPole-v1", 4, n_actions=2), "states of 3 variables, but these have 4"),
        (PolicySpec("CartPole-v1", 3, n_actions=5), "2 discrete actions, but here there are 5"),
        (PolicySpec("CartPole-v1", 3, action_size=1), "2 discrete actions.*continuous actions of 1 number"),
    ],
)
def test_a_policy_of_another_environment(wanted, match):
    with pytest.raises(BadValueError, match=match):
        check_fits(policy(), wanted)


def test_files_that_are_no_policy(tmp_path):
    policy().save(tmp_path / "p.npz")
    with pytest.raises(DataFileError, match="there is no file"):
        load_policy(tmp_path / "none.npz")
    for name in ("p.pkl", "p.joblib"):
        (tmp_path / name).write_bytes(pickle.dumps([1]))
        with pytest.raises(DataFileError, match="is a pickle, which can run any code"):
            load_policy(tmp_path / name)
    (tmp_path / "bad.npz").write_bytes(b"nonsense")
    with pytest.raises(DataFileError, match="not a readable terc-policy file"):
        load_policy(tmp_path / "bad.npz")
    np.savez(tmp_path / "object.npz", header=np.array({"a": 1}, dtype=object))
    with pytest.raises(DataFileError, match="not a readable terc-policy file"):
        load_policy(tmp_path / "object.npz")
    write_arrays(tmp_path / "other.npz", {"format": "terc-training"}, {})
    with pytest.raises(DataFileError, match="wanted a terc-policy file, this is 'terc-training'"):
        load_policy(tmp_path / "other.npz")
    write_arrays(tmp_path / "kind.npz", {"format": "terc-policy", "kind": "oracle"}, {})
    with pytest.raises(DataFileError, match="unknown kind 'oracle'"):
        load_policy(tmp_path / "kind.npz")
    Trajectories(STATES, [0, 1] * 25).save(tmp_path / "steps.npz")
    with pytest.raises(DataFileError, match=r"steps.npz: .*it is a recording, which terc.load reads"):
        load_policy(tmp_path / "steps.npz")


def test_anything_that_acts_is_a_policy(tmp_path):
    policy().save(tmp_path / "p.npz")
    assert as_policy(tmp_path / "p.npz").spec == policy().spec
    assert as_policy(policy()).spec == policy().spec
    assert as_policy(lambda states: states[:, 0]).act(STATES).shape == (50,)
    assert FunctionPolicy(lambda state: int(state[0] > 0), one_by_one=True).act(STATES).shape == (50,)
    with pytest.raises(BadTypeError, match="wanted a terc policy.*got int"):
        as_policy(3)
    with pytest.raises(BadTypeError, match="cannot be saved without pickle"):
        as_policy(lambda states: states).save(tmp_path / "f.npz")


def test_a_class_and_an_environment_are_no_policy():
    with pytest.raises(BadTypeError, match=r"got the class object; make one of it first, object\(\.\.\.\)"):
        as_policy(object)
    with pytest.raises(BadValueError, match="'CartPole-v1' is an environment; it comes first, the policy"):
        as_policy("CartPole-v1")


def test_wrong_states_and_a_missing_rng():
    with pytest.raises(BadValueError, match=r"wanted states \[n, 3\], got an array of shape \(5, 2\)"):
        policy().act(np.zeros((5, 2)))
    with pytest.raises(BadValueError, match="needs rng="):
        policy().act(STATES, greedy=False)


def test_the_agent_that_fits():
    assert isinstance(choose_config("LunarLander-v3"), PPOConfig)
    assert isinstance(choose_config("LunarLander-v3", preset="paper"), ActorCriticConfig)
    assert isinstance(choose_config("terc/TitForNTats-v0"), TabularQConfig)
    assert choose_config("Acrobot-v1") is None and choose_config("CartPole-v1", agent="sb3") is None
    assert choose_config("Acrobot-v1", agent="ppo") == PPOConfig()
    assert choose_config("terc/SecretKey-v0", n_variables=50).steps == 40_000 * 256
    with pytest.raises(UnknownNameError, match="no agent named 'dreamer'"):
        choose_config("CartPole-v1", agent="dreamer")


def test_training_in_one_call():
    config = TabularQConfig(steps=500, n_envs=4)
    by_config = train_agent(lambda: gym.make("terc/TitForNTats-v0", n=2, history=3), seed=0, agent=config)
    assert by_config.steps >= 500
    cart = train_agent("CartPole-v1", seed=0, agent=ActorCriticConfig(steps=200, n_envs=2))
    assert cart.policy.spec.n_actions == 2
    assert train_agent("Pendulum-v1", seed=0, agent=PPOConfig(steps=64, n_envs=2, horizon=16)).steps == 64


def test_a_file_that_is_no_policy_is_answered_with_those_that_are(tmp_path):
    (tmp_path / "steps.csv").write_text("a,b")
    with pytest.raises(DataFileError, match=r"steps.csv: not a readable .* Policies are .npz files of terc"):
        load_policy(tmp_path / "steps.csv")


def test_statistics_of_vecnormalize_belong_to_a_zip(tmp_path):
    (tmp_path / "p.cleanrl_model").write_bytes(b"")
    with pytest.raises(BadValueError, match="belongs to a Stable-Baselines3 .zip, but .* p.cleanrl"):
        load_policy(tmp_path / "p.cleanrl_model", allow_pickle=True, vec_normalize="v.pkl")
    policy().save(tmp_path / "p.npz")
    assert load_policy(tmp_path / "p.npz", vec_normalize="none").spec == policy().spec
