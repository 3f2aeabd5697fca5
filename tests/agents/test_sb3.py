"""Stable-Baselines3 models as policies: the actions of their own `predict`, and the record of a training."""

import base64
import json
import sys
import tempfile
import zipfile

import gymnasium as gym
import numpy as np
import pytest

from terc.agents import load_policy
from terc.agents.sb3 import SB3Policy
from terc.environments import Doped
from terc.errors import BadTypeError, BadValueError, DataFileError, MissingExtraError, UnknownNameError

sb3 = pytest.importorskip("stable_baselines3")
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize  # noqa: E402

from terc.agents.sb3_training import Recipe, RecordTraining, train_sb3  # noqa: E402


def small(**kwargs):
    """Settings of a tiny model; made afresh, because Stable-Baselines3 changes them."""
    return {"policy_kwargs": {"net_arch": [8], **kwargs}, "device": "cpu", "seed": 0}


def model(name, environment=None, **settings):
    if environment is None:
        environment = "CartPole-v1" if name in ("PPO", "A2C", "DQN") else "Pendulum-v1"
    if name in ("DQN", "SAC", "TD3"):
        settings |= {"buffer_size": 100}
    return getattr(sb3, name)("MlpPolicy", environment, **small(), **settings)


def states_of(made, n=64):
    space = made.observation_space
    return np.random.default_rng(1).normal(size=(n, *space.shape)).astype(np.float32)


CASES = [("PPO", None), ("A2C", None), ("DQN", None), ("SAC", None), ("TD3", None), ("PPO", "Pendulum-v1")]


@pytest.mark.parametrize(("name", "environment"), CASES)
def test_greedy_actions_are_the_models_own(name, environment):
    made = model(name, environment)
    states = states_of(made)
    np.testing.assert_allclose(
        SB3Policy(made).act(states), made.predict(states, deterministic=True)[0], atol=1e-5
    )


@pytest.mark.parametrize(("name", "environment"), CASES)
def test_sampled_actions_come_from_the_given_rng(name, environment):
    policy = SB3Policy(model(name, environment))
    policy.model.exploration_rate = 0.5  # of DQN; 0 before training
    states = states_of(policy.model)
    one, same, other = (policy.act(states, rng=np.random.default_rng(s), greedy=False) for s in (3, 3, 4))
    np.testing.assert_array_equal(one, same)
    if name != "TD3":  # which has no randomness of its own
        assert (one != other).any()
    assert one.shape == policy.act(states).shape


def test_probabilities_where_there_are_some():
    ppo, dqn = SB3Policy(model("PPO")), SB3Policy(model("DQN"))
    states = np.repeat(states_of(ppo.model, 1), 20_000, axis=0)
    chances = ppo.probabilities(states)
    drawn = ppo.act(states, rng=np.random.default_rng(0), greedy=False)
    assert np.mean(drawn == 1) == pytest.approx(chances[0, 1], abs=0.015)
    dqn.model.exploration_rate = 0.2
    np.testing.assert_allclose(np.sort(dqn.probabilities(states[:1])), [[0.1, 0.9]])
    dqn.model.exploration_rate = 0.0  # nothing is drawn, and rounding alone decides a tie
    assert dqn.probabilities(states[:1]) is None
    drawn = dqn.act(states[:9], rng=np.random.default_rng(0), greedy=False)
    np.testing.assert_array_equal(drawn, dqn.act(states[:9]))
    assert SB3Policy(model("SAC")).probabilities(np.zeros((1, 3))) is None


@pytest.mark.parametrize("name", ["SAC", "PPO"])
def test_sampled_continuous_actions_have_the_models_distribution(name):
    made = model(name, "Pendulum-v1")
    states = np.repeat(states_of(made, 1), 4000, axis=0)
    ours = SB3Policy(made).act(states, rng=np.random.default_rng(0), greedy=False)
    theirs = made.predict(states, deterministic=False)[0]
    assert ours.mean() == pytest.approx(theirs.mean(), abs=0.1)
    assert ours.std() == pytest.approx(theirs.std(), rel=0.1)


def test_gsde_and_its_squashing():
    for settings in ({}, {"squash_output": True}):
        made = sb3.PPO("MlpPolicy", "Pendulum-v1", use_sde=True, **small(**settings))
        states = states_of(made)
        np.testing.assert_allclose(
            SB3Policy(made).act(states), made.predict(states, deterministic=True)[0], atol=1e-5
        )
    sac = model("SAC", use_sde=True)
    sampled = [SB3Policy(sac).act(states_of(sac), rng=np.random.default_rng(s), greedy=False) for s in (0, 0)]
    np.testing.assert_array_equal(*sampled)


def normalised_model():
    envs = VecNormalize(DummyVecEnv([lambda: gym.make("CartPole-v1")]))
    made = sb3.PPO("MlpPolicy", envs, n_steps=64, batch_size=64, **small())
    made.learn(128)
    return made, envs


def test_states_are_scaled_as_in_training(tmp_path):
    made, envs = normalised_model()
    states = states_of(made)
    own = made.predict(envs.normalize_obs(states), deterministic=True)[0]
    np.testing.assert_array_equal(SB3Policy(made).act(states), own)
    made.save(tmp_path / "model.zip")
    envs.save(tmp_path / "scale.pkl")
    with pytest.raises(BadValueError, match="trained behind VecNormalize.*--vecnormalize FILE"):
        load_policy(tmp_path / "model.zip", allow_pickle=True)
    loaded = load_policy(tmp_path / "model.zip", allow_pickle=True, vec_normalize=tmp_path / "scale.pkl")
    np.testing.assert_allclose(loaded.probabilities(states), SB3Policy(made).probabilities(states), atol=1e-6)
    bare = load_policy(tmp_path / "model.zip", allow_pickle=True, vec_normalize="none")
    assert np.abs(bare.probabilities(states) - loaded.probabilities(states)).max() > 1e-6


@pytest.mark.parametrize("name", ["PPO", "A2C", "DQN", "SAC", "TD3"])
def test_the_algorithm_is_told_from_the_file(tmp_path, name):
    model(name).save(tmp_path / "m.zip")
    assert type(load_policy(tmp_path / "m.zip", allow_pickle=True).model).__name__ == name


def test_a_file_that_needs_pickle_is_refused_without_the_flag(tmp_path):
    model("PPO").save(tmp_path / "m.zip")
    with pytest.raises(DataFileError, match=r"load_policy\('m.zip', allow_pickle=True\), or --allow"):
        load_policy(tmp_path / "m.zip")
    (tmp_path / "bad.zip").write_bytes(b"no zip")
    with pytest.raises(DataFileError, match="not a Stable-Baselines3 model"):
        load_policy(tmp_path / "bad.zip", allow_pickle=True)
    with pytest.raises(UnknownNameError, match="no algorithm named 'QR'"):
        load_policy(tmp_path / "m.zip", allow_pickle=True, algorithm="QR")
    with pytest.raises(BadTypeError, match=r"model.save\(path\)"):
        SB3Policy(model("PPO")).save(tmp_path / "p.npz")


def test_without_the_extra_the_pip_line_is_told(monkeypatch, tmp_path):
    model("PPO").save(tmp_path / "m.zip")
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'terc\[sb3\]'"):
        load_policy(tmp_path / "m.zip", allow_pickle=True)
    monkeypatch.delitem(sys.modules, "terc.agents.sb3_training")
    with pytest.raises(MissingExtraError, match=r"pip install 'terc\[sb3\]'"):
        import terc.agents.sb3_training  # noqa: F401


def test_wrong_input():
    policy = SB3Policy(model("PPO"))
    with pytest.raises(BadValueError, match=r"wanted states \[n, 4\]"):
        policy.act(np.zeros((3, 5)))
    with pytest.raises(BadValueError, match="needs rng="):
        policy.act(np.zeros((3, 4)), greedy=False)


class Remembers:
    class policy:
        lstm_actor = None


def test_a_recurrent_model_is_refused():
    with pytest.raises(BadTypeError, match="recurrent"):
        SB3Policy(Remembers())


class Ramp(gym.Env):
    """The state is the number of the step; episodes of 5."""

    observation_space = gym.spaces.Box(0, 100, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        return np.array([0], np.float32), {}

    def step(self, action):
        self.t += 1
        return np.array([self.t], np.float32), float(self.t), self.t == 5, False, {}


@pytest.mark.parametrize("name", ["PPO", "DQN"])
@pytest.mark.parametrize("scaled", [False, True])
def test_the_callback_records_what_was_played(name, scaled):
    envs = DummyVecEnv([Ramp])
    envs = VecNormalize(envs) if scaled else envs
    off_policy = {"buffer_size": 100, "learning_starts": 10}
    settings = {"n_steps": 32, "batch_size": 32} if name == "PPO" else off_policy
    record = RecordTraining()
    getattr(sb3, name)("MlpPolicy", envs, **small(), **settings).learn(64, callback=record)
    data = record.trajectories(["t"])
    np.testing.assert_array_equal(data.states.ravel(), np.arange(64) % 5)
    np.testing.assert_array_equal(data.rewards, np.arange(64) % 5 + 1)
    assert data.n_episodes == 13 and data.progress[0] == 0 and data.progress[-1] == pytest.approx(63 / 64)
    assert record.returns.mean == 15


def test_train_sb3_is_seeded_and_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    settings = {"n_steps": 32, "batch_size": 64}
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    runs = [
        train_sb3(lambda: Doped(gym.make("CartPole-v1"), n=1), seed=s, steps=128, n_envs=2, settings=settings)
        for s in (0, 0, 1)
    ]
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002
    assert not any(tmp_path.iterdir())
    assert runs[0].data == runs[1].data != runs[2].data
    assert runs[0].steps == 128 and runs[0].policy.spec.n_variables == 5
    assert runs[0].policy.spec.environment == "CartPole-v1"


def test_what_train_sb3_does_not_take():
    with pytest.raises(UnknownNameError, match="no algorithm named 'TRPPO'"):
        train_sb3("CartPole-v1", seed=0, algorithm="TRPPO")
    with pytest.raises(BadTypeError, match="spends a step on each restart.*SAME_STEP"):
        train_sb3(gym.make_vec("CartPole-v1", 2), seed=0)
    with pytest.raises(BadTypeError, match="pass it to model.learn"):
        RecordTraining().trajectories()


@pytest.mark.parametrize(("place", "value"), [(6, 1), (8, 99)], ids=["encrypted", "unknown compression"])
def test_a_damaged_archive_is_no_model(place, value, tmp_path):
    path = tmp_path / "model.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data", "{}")
    content = bytearray(path.read_bytes())
    content[place] = content[content.index(b"PK\x01\x02") + place + 2] = value
    path.write_bytes(bytes(content))
    with pytest.raises(DataFileError, match="is not a Stable-Baselines3 model"):
        load_policy(path, allow_pickle=True)


def test_a_model_of_packages_that_are_not_here_says_what_it_was_saved_with(tmp_path):
    sb3.PPO("MlpPolicy", "CartPole-v1", device="cpu").save(tmp_path / "m.zip")
    missing = base64.b64encode(b"cgym.spaces.box\nBox\n.").decode()  # the pickle of a class of a package
    with zipfile.ZipFile(tmp_path / "m.zip") as new, zipfile.ZipFile(tmp_path / "old.zip", "w") as old:
        for name in new.namelist():
            content = new.read(name)
            if name == "data":
                settings = json.loads(content)
                settings["observation_space"][":serialized:"] = missing
                content = json.dumps(settings).encode()
            old.writestr(name, content)
    with pytest.raises(DataFileError, match=r"No module named 'gym.*saved with OS: .*Stable-Baselines3: \d"):
        load_policy(tmp_path / "old.zip", allow_pickle=True)


class Goals(gym.Env):
    """The observations of a `GoalEnv`."""

    observation_space = gym.spaces.Dict(
        {name: gym.spaces.Box(-1, 1, (2,)) for name in ("observation", "achieved_goal", "desired_goal")}
    )
    action_space = gym.spaces.Box(-1, 1, (2,))

    def reset(self, *, seed=None, options=None):
        self.observation_space.seed(seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, bool(action.sum() > 0.5), {}

    def compute_reward(self, achieved_goal, desired_goal, info):
        return -np.linalg.norm(achieved_goal - desired_goal, axis=-1)


def test_a_file_of_hindsight_replay_needs_no_environment_to_act(tmp_path):
    options = {"replay_buffer_kwargs": {"n_sampled_goal": 2}, "buffer_size": 100, "device": "cpu"}
    model = sb3.SAC("MultiInputPolicy", Goals(), replay_buffer_class=sb3.HerReplayBuffer, **options)
    model.save(tmp_path / "her.zip")
    policy = load_policy(tmp_path / "her.zip", allow_pickle=True)
    states = np.random.default_rng(0).uniform(-1, 1, (9, 6)).astype(np.float32)
    assert np.array_equal(policy.act(states), SB3Policy(model).act(states))
    assert "replay_buffer_kwargs" not in Recipe.of(policy).settings
