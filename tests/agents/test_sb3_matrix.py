"""Anybody's Stable-Baselines3 agent: rollout plays exactly as `predict` does behind the user's wrappers."""

import sys
from pathlib import Path

import numpy as np
import pytest

import terc
from terc.agents import SB3Policy, load_policy, train_like
from terc.errors import BadTypeError, BadValueError, DataFileError, MissingExtraError

pytest.importorskip("sb3_contrib")
import gymnasium as gym
import sb3_contrib
import stable_baselines3 as sb3
from agents.sb3_zoo import NAMES, DictValve, Valve, settings, trained, world
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack, VecNormalize

ALGORITHMS = ("PPO", "A2C", "DQN", "SAC", "TD3", "TQC", "MaskablePPO")
KINDS = ("plain", "VecNormalize", "VecFrameStack", "Dict")


def their_actions(model, envs, seed, steps):
    """What the user's own loop plays, copy after copy."""
    if isinstance(envs, VecNormalize):
        envs.training = False
    envs.seed(seed)
    observations, played = envs.reset(), []
    for _ in range(steps):
        masks = {"action_masks": np.stack(envs.env_method("action_masks"))} if masked(model) else {}
        action = model.predict(observations, deterministic=True, **masks)[0]
        observations = envs.step(action)[0]
        played.append(action.reshape(len(action), -1))
    return np.stack(played, axis=1).reshape(steps * envs.num_envs, -1)


def masked(model):
    return isinstance(model, sb3_contrib.MaskablePPO)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_rollout_plays_as_the_model_does(name, kind):
    model, envs = trained(name, kind)
    data = terc.rollout(envs, model, steps=500, seed=3, greedy=True)
    first = int(np.random.default_rng(3).integers(2**31))
    np.testing.assert_array_equal(data.actions.reshape(500, -1), their_actions(model, envs, first, 100))
    assert "wanted" in data.names and data.n_episodes == 25
    pressure = {"Dict": "weather.0"}.get(kind, "pressure")
    assert data.states[-1, data.column(pressure)] > 90_000  # in its own units
    assert len(terc.rollout(envs, model, steps=20, seed=0)) == 20  # sampled


@pytest.mark.parametrize("name", ["QRDQN", "TRPO", "DDPG"])
def test_the_other_algorithms(name, tmp_path):
    model, envs = trained(name)
    policy, states = SB3Policy(model), np.random.default_rng(0).normal(size=(500, 3)).astype(np.float32)
    np.testing.assert_array_equal(
        policy.act(states).reshape(500, -1), model.predict(states, deterministic=True)[0].reshape(500, -1)
    )
    model.save(tmp_path / "m.zip")
    loaded = load_policy(tmp_path / "m.zip", allow_pickle=True, vec_normalize=Path("none"))
    assert type(loaded.model).__name__ == name


def test_names_of_frames_and_of_dictionaries():
    stacked = terc.environments.variable_names(world("VecFrameStack", "PPO"))
    assert stacked == tuple(f"{name}{lag}" for lag in ("[t-2]", "[t-1]", "") for name in NAMES)
    assert terc.environments.variable_names(DictValve()) == ("gear", "wanted", "weather.0", "weather.1")
    env = DictValve()
    env.variable_names = {"weather": ["pressure", "noise"]}
    assert terc.environments.variable_names(env)[2:] == ("weather.pressure", "weather.noise")
    data = terc.rollout(DictValve(), lambda states: (states[:, 1] > 0).astype(int), steps=30)
    assert data.nominal == {"gear"}
    reduced = terc.environments.SelectVariables(DictValve(), ["wanted"])
    assert reduced.reset(seed=0)[0].shape == (1,)


def test_statistics_inside_a_frame_stack_belong_to_the_environment():
    envs = VecFrameStack(VecNormalize(DummyVecEnv([Valve] * 5)), n_stack=2)
    model = sb3.PPO("MlpPolicy", envs, **settings("PPO")).learn(64)
    before = envs.venv.obs_rms.mean.copy()
    data = terc.rollout(envs, model, steps=200, seed=0, greedy=True)
    envs.venv.training = False
    first = int(np.random.default_rng(0).integers(2**31))
    np.testing.assert_array_equal(data.actions[:, None], their_actions(model, envs, first, 40))
    np.testing.assert_array_equal(envs.venv.obs_rms.mean, before)


def test_a_model_behind_vecnormalize_is_refused_without_its_statistics(tmp_path):
    for name in ("PPO", "SAC"):
        model, envs = trained(name, "VecNormalize")
        folder = tmp_path / name
        folder.mkdir()
        model.save(folder / "m.zip")
        with pytest.raises(BadValueError, match=r"VecNormalize.*--vecnormalize none"):
            load_policy(folder / "m.zip", allow_pickle=True)
        envs.save(folder / "vec_normalize.pkl")
        with pytest.raises(DataFileError, match=r"such as vec_normalize.pkl near m.zip, and none was given"):
            load_policy(folder / "m.zip", allow_pickle=True)
        states = np.float32([[1, 101_000, 0], [-1, 102_000, 1]])
        for policy in (
            load_policy(folder / "m.zip", allow_pickle=True, vec_normalize=folder / "vec_normalize.pkl"),
            load_policy(folder / "m.zip", allow_pickle=True, vec_normalize=envs),
            load_policy(folder, allow_pickle=True),  # as Hugging Face lays it out
        ):
            np.testing.assert_array_equal(policy.act(states), SB3Policy(model).act(states))
    trained("PPO")[0].save(tmp_path / "PPO" / "m.zip")  # surely not behind it, whatever lies beside
    assert load_policy(tmp_path / "PPO" / "m.zip", allow_pickle=True).vec_normalize is None


@pytest.mark.parametrize("name", ["PPO", "SAC"])
def test_a_model_in_memory_behind_vecnormalize_has_a_way(tmp_path, name):
    """The message names a call that works, and playing it in its VecNormalize needs no call at all."""
    model, envs = trained(name, "VecNormalize")
    model.save(tmp_path / "m.zip")
    envs.save(str(tmp_path / "v.pkl"))
    bare = type(model).load(tmp_path / "m.zip", device="cpu")

    def make():
        return Valve(name == "SAC")

    for call in (terc.rollout, terc.play):
        with pytest.raises(BadValueError, match=r"terc\.agents\.SB3Policy\(model, vec_normalize=") as found:
            call(make, bare)
        assert "--vecnormalize" not in str(found.value)
    venv = VecNormalize.load(str(tmp_path / "v.pkl"), DummyVecEnv([make] * 2))
    wanted = terc.rollout(make, SB3Policy(bare, vec_normalize=venv), steps=60, n_envs=2, greedy=True)
    seen = terc.rollout(venv, bare, steps=60, greedy=True)
    np.testing.assert_array_equal(seen.actions, wanted.actions)
    np.testing.assert_allclose(seen.states, wanted.states)
    np.testing.assert_array_equal(venv.obs_rms.mean, envs.obs_rms.mean)
    assert terc.play(venv, bare, episodes=2).values.shape == (2,)
    fresh = VecNormalize(DummyVecEnv([make]))  # has seen nothing: not the one of the training
    with pytest.raises(BadValueError, match="statistics are missing"):
        terc.rollout(fresh, bare)


def test_a_model_that_was_trained_without_vecnormalize_is_not_scaled_by_that_of_an_environment():
    model, _ = trained("PPO")
    _, envs = trained("PPO", "VecNormalize")
    np.testing.assert_array_equal(
        terc.rollout(envs, model, steps=50, greedy=True).actions,
        terc.rollout(envs.venv, model, steps=50, greedy=True).actions,
    )


def test_what_the_guide_says_to_give_of_a_file_is_taken(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf8")
    rows = [
        line.split("|")[2] for line in page.splitlines() if line.startswith("| a ") and ".zip" not in line
    ]
    said = [cell for cell in rows if "allow_pickle" in cell]
    assert len(said) == 2
    assert all("`terc.agents.load_policy(file, allow_pickle=True)`" in cell for cell in said)
    file = tmp_path / "m.zip"
    trained("PPO")[0].save(file)
    assert len(terc.rollout(Valve, load_policy(file, allow_pickle=True), steps=20)) == 20
    with pytest.raises(DataFileError, match=r"terc\.agents\.load_policy\('m.zip', allow_pickle=True\)"):
        terc.rollout(Valve, file, steps=20)


def test_what_is_about_to_be_loaded_is_said(tmp_path):
    model, envs = trained("SAC", "VecNormalize")
    model.save(tmp_path / "m.zip")
    envs.save(tmp_path / "vecnormalize.pkl")
    with pytest.raises(DataFileError, match=r"\(SAC; .*policy_class.*vecnormalize.pkl, the pickle of its"):
        load_policy(tmp_path)
    model.save(tmp_path / "n.zip")
    with pytest.raises(DataFileError, match="found m.zip, n.zip; name one"):
        load_policy(tmp_path)


def test_the_package_is_missing(tmp_path, monkeypatch):
    model, envs = trained("PPO", "VecNormalize")
    model.save(tmp_path / "m.zip")
    envs.save(tmp_path / "v.pkl")
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'terc\[sb3\]'"):
        load_policy(tmp_path / "m.zip", allow_pickle=True, vec_normalize=tmp_path / "v.pkl")


def test_what_is_refused(tmp_path):
    recurrent = sb3_contrib.RecurrentPPO("MlpLstmPolicy", Valve(), n_steps=8, batch_size=8, device="cpu")
    recurrent.save(tmp_path / "r.zip")
    for given in (lambda: SB3Policy(recurrent), lambda: load_policy(tmp_path / "r.zip", allow_pickle=True)):
        with pytest.raises(BadTypeError, match="recurrent.*remembers earlier states.*VecFrameStack"):
            given()
    with pytest.raises(BadTypeError, match=r"no method action_masks\(\)"):
        terc.rollout("CartPole-v1", trained("MaskablePPO")[0], steps=5)
    with pytest.raises(BadValueError, match="statistics of Box.*but the model sees"):
        SB3Policy(trained("PPO", "VecFrameStack")[0], trained("PPO", "VecNormalize")[1])


def test_predict_and_its_like():
    model, _ = trained("PPO")
    data = [terc.rollout(Valve(), p, steps=50, greedy=True) for p in (model, model.predict)]
    assert data[0] == data[1]
    own = terc.rollout(Valve(), lambda s: model.predict(s, deterministic=True), steps=50, greedy=True)
    np.testing.assert_array_equal(own.actions, data[0].actions)
    with pytest.raises(BadTypeError, match=r"returned 2 values; .*give lambda states: f\(states\)\[0\]"):
        terc.rollout(Valve(), lambda s: (np.zeros(len(s), int), np.ones((2, 3))), steps=5)


@pytest.mark.parametrize(("name", "kind"), [("PPO", "VecNormalize"), ("SAC", "plain"), ("DQN", "Dict")])
def test_retraining_like_the_model(name, kind):
    model, _ = trained(name, kind)
    make = DictValve if kind == "Dict" else Valve
    small = lambda: terc.environments.SelectVariables(make(name == "SAC"), ["wanted"])  # noqa: E731
    training = train_like(model, small, seed=1, steps=64)
    assert type(training.policy.model) is type(model) and training.policy.spec.n_variables == 1
    assert training.policy.model.gamma == model.gamma and training.policy.model.policy_kwargs["net_arch"] == [
        8
    ]
    assert (training.policy.vec_normalize is None) == (kind != "VecNormalize")
    with pytest.raises(BadValueError, match="never trained; say how long with steps="):
        train_like(sb3.A2C("MlpPolicy", gym.make("CartPole-v1"), device="cpu"), "CartPole-v1", seed=0)


def test_frames_without_scaling_need_no_statistics(tmp_path):
    """The bounds of a VecFrameStack stand beside other columns than the values."""
    stack = VecFrameStack(DummyVecEnv([lambda: gym.make("MountainCar-v0")]), 4)
    sb3.DQN("MlpPolicy", stack, buffer_size=500, device="cpu", seed=0).learn(300).save(tmp_path / "m.zip")
    assert load_policy(tmp_path / "m.zip", allow_pickle=True).vec_normalize is None


def test_columns_that_are_zero_are_no_frames(tmp_path):
    """Behind VecNormalize such columns stay zero; the others are scaled."""
    world = gym.wrappers.TransformObservation(
        gym.make("MountainCar-v0"),
        lambda seen: np.r_[0, 0, 1e5 + seen].astype(np.float32),
        gym.spaces.Box(-1e6, 1e6, (4,)),
    )
    model = sb3.DQN("MlpPolicy", VecNormalize(DummyVecEnv([lambda: world])), buffer_size=500, device="cpu")
    model.learn(300).save(tmp_path / "m.zip")
    with pytest.raises(BadValueError, match="not in the environment's units, as after VecNormalize"):
        load_policy(tmp_path / "m.zip", allow_pickle=True)
