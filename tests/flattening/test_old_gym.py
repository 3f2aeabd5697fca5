"""Environments as old `gym` had them, and environments that do not do what they should."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

import terc
from terc.errors import BadValueError, TercError
from terc.flattening.old_gym import FromOldGym
from terc.pipeline.config import RunConfig
from terc.pipeline.worlds import open_world

BOX = spaces.Box(-9, 9, (2,), np.float32)


class Room(gym.Env):
    """Two numbers; an episode has ten steps."""

    observation_space, action_space, variable_names = BOX, spaces.Discrete(2), ("near", "far")

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 10
        return self.look(), {}

    def look(self):
        return self.np_random.normal(size=2).astype(np.float32)

    def step(self, action):
        self.left -= 1
        return self.look(), float(action), False, self.left == 0, {}


class Old:
    """The same as a class of its own, seeded as one did then."""

    observation_space, action_space, variable_names = BOX, spaces.Discrete(2), ("near", "far")

    def seed(self, seed=None):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.left = 10
        return self.rng.normal(size=2).astype(np.float32)

    def step(self, action):
        self.left -= 1
        return (
            self.rng.normal(size=2).astype(np.float32),
            float(action),
            self.left == 0,
            {"TimeLimit.truncated": self.left == 0},
        )


class Unseeded(Room):
    """A class of Gymnasium whose `reset` is still the old one."""

    def reset(self):
        self.left = 10
        return self.look()

    def step(self, action):
        return *super().step(action)[:2], self.left == 0, {}


class OldBox:
    """A space of another package."""

    low, high, dtype = BOX.low, BOX.high, BOX.dtype


OldBox.__name__ = "Box"


class OtherSpaces(Old):
    observation_space = OldBox()


def far(states):
    return (states[:, 1] > 0).astype(int)


@pytest.mark.parametrize("env", [Old, lambda: Unseeded(), OtherSpaces, lambda: FromOldGym(Old())])
def test_an_old_environment_plays_like_a_new_one(env):
    data, same = terc.rollout(env, far, steps=200, seed=3), terc.rollout(Room, far, steps=200, seed=3)
    assert data.names == ("near", "far") and np.array_equal(data.episodes, same.episodes)
    assert data == terc.rollout(env, far, steps=200, seed=3)
    returns = terc.play(env, far, episodes=20, seed=0)
    assert np.array_equal(returns.values, terc.play(env, far, episodes=20, seed=0).values)


def test_the_world_of_a_run_may_be_old():
    world = open_world(RunConfig("rooms:Old", noise=1), Old)
    assert world.names == ("near", "far", "noise_0")
    assert world.one(["far"]).reset(seed=0)[0].shape == (1,)


class FourParts(Room):
    def step(self, action):
        return self.look(), 0.0, False, {}


class Alone(Room):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed)[0]


class Wide(Room):
    def step(self, action):
        return np.zeros(5, np.float32), 0.0, False, True, {}


class Narrow(Room):
    def step(self, action):
        return np.zeros(1, np.float32), 0.0, False, self.np_random.random() < 0.1, {}


class Paired(Room):
    observation_space = spaces.Tuple([spaces.Box(0, 1, (1,)), spaces.Box(0, 1, (1,))])

    def reset(self, *, seed=None, options=None):
        return self.observation_space.sample(), super().reset(seed=seed)[1]

    def step(self, action):
        return np.zeros(9), 0.0, False, False, {}


class Listed(Room):
    def step(self, action):
        return self.look(), np.array([1.0, 2.0]), False, True, {}


class Free(Room):
    def step(self, action):
        return self.look(), None, False, True, {}


class Hot(Room):
    def step(self, action):
        raise RuntimeError("motor overheated.\nsecond line")


class Gaps(Room):
    def step(self, action):
        return self.look() * np.nan, 0.0, False, False, {}


class Spaceless(gym.Env):
    action_space = spaces.Discrete(2)


@pytest.mark.parametrize(
    ("env", "line"),
    [
        (FourParts, r"FourParts.step should return \(observation, reward, .*got 4.*FromOldGym"),
        (Alone, r"Alone.reset should return \(observation, info\), the observation of shape \(2,\)"),
        (Wide, r"Wide.step should return .* the observation of shape \(2,\)"),
        (Narrow, r"Narrow.step should return .*shape \(2,\) \(got an observation of shape \(1,\)\)"),
        (Paired, r"Paired.step should return .*got 9 parts, not 2"),
        (Free, r"Free.step should return .*got the reward None, which is not a number"),
        (Listed, r"Listed.step should return .*got the reward array\(\[1., 2.\]\), which is not a number"),
        (Hot, r"Hot.step raised RuntimeError \(motor overheated\) in test_old_gym.py, line \d+"),
        (Gaps, "(an observation holds NaN|missing or infinite values).*ObservationWrapper that fills"),
        (Spaceless, "Spaceless has no observation_space; give it one of gymnasium.spaces"),
        (lambda: 3, "must make a Gymnasium environment, it made int"),
    ],
)
def test_what_goes_wrong_is_one_line(env, line):
    for play, length in ((terc.play, {"episodes": 3}), (terc.rollout, {"steps": 30})):
        with pytest.raises(TercError, match=line) as caught:
            play(env, far, **length)
        assert "\n" not in str(caught.value)


class Cold(Room):
    def reset(self, *, seed=None, options=None):
        raise ConnectionError("no controller")


@pytest.mark.parametrize(
    ("env", "line"),
    [
        (Cold, r"SyncVectorEnv.reset raised ConnectionError \(no controller\) in test_old_gym.py, line \d+"),
        (Hot, r"SyncVectorEnv.step raised RuntimeError \(motor overheated\) in test_old_gym.py, line \d+"),
        (Wide, r"SyncVectorEnv.step should return .*wrong shape"),
        (FourParts, "SyncVectorEnv.step should return .*got 4.*FromOldGym"),
    ],
)
def test_in_a_vector_environment_it_is_one_line_too(env, line):
    made = lambda: gym.vector.SyncVectorEnv([env, env])  # noqa: E731
    for play, length in ((terc.play, {"episodes": 3}), (terc.rollout, {"steps": 30})):
        with pytest.raises(TercError, match=line):
            play(made, far, **length)


@pytest.mark.filterwarnings("ignore:.*ERROR")
def test_in_another_process_it_is_one_line_too():
    made = lambda: gym.vector.AsyncVectorEnv([Hot, Hot])  # noqa: E731
    with pytest.raises(TercError, match="AsyncVectorEnv.step raised RuntimeError .* in one of its processes"):
        terc.rollout(made, far, steps=30)


@pytest.mark.parametrize("env", [Hot, Cold])
def test_in_a_vec_env_of_stable_baselines3_it_is_one_line_too(env):
    vec_env = pytest.importorskip("stable_baselines3.common.vec_env")
    with pytest.raises(TercError, match=r"DummyVecEnv.(step|reset) raised .* in test_old_gym.py"):
        terc.rollout(vec_env.DummyVecEnv([env]), far, steps=30)


@pytest.mark.parametrize("env", [FourParts, Alone, Wide, Free, Hot])
def test_it_is_one_line_in_the_training_of_another_library_too(env):
    pytest.importorskip("stable_baselines3")
    from terc.agents.sb3_training import train_sb3

    with pytest.raises(TercError, match=f"{env.__name__}.(step|reset) (should return|raised)"):
        train_sb3(env, steps=64, seed=0)


def test_missing_values_are_one_line_there_too():
    pytest.importorskip("stable_baselines3")
    from terc.agents.sb3_training import train_sb3

    with pytest.raises(BadValueError, match="an observation holds NaN, in column 0 of 2.*ObservationWrapper"):
        train_sb3(Gaps, steps=64, seed=0)
