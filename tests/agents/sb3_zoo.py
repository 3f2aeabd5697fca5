"""Tiny agents of every kind on a small world with a known answer, each trained once per session."""

from functools import cache

import gymnasium as gym
import numpy as np
import sb3_contrib
import stable_baselines3 as sb3
from gymnasium import spaces
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack, VecNormalize

CONTINUOUS = ("SAC", "TD3", "DDPG", "TQC")
OFF_POLICY = ("DQN", "QRDQN", *CONTINUOUS)
COPIES = 5
NAMES = ("wanted", "pressure", "noise")


class Valve(gym.Env):
    """The right action is the sign of `wanted`; a pressure in pascal and noise say nothing."""

    variable_names = NAMES

    def __init__(self, continuous=False, length=20):
        self.observation_space = spaces.Box(-np.inf, np.inf, (3,), np.float32)
        self.action_space = spaces.Box(-2, 2, (1,), np.float32) if continuous else spaces.Discrete(2)
        self.continuous, self.length = continuous, length

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        return self.draw(), {}

    def draw(self):
        one, two, three = self.np_random.normal(size=3)
        self.wanted = one
        return np.array([one, 101_325 + 500 * two, three], np.float32)

    def step(self, action):
        right = np.sign(self.wanted) == np.sign(np.ravel(action)[0] - (0 if self.continuous else 0.5))
        self.t += 1
        return self.draw(), float(right), False, self.t >= self.length, {}

    def action_masks(self):
        """A half of the time only the second action is allowed."""
        return np.array([self.t % 2 == 0, True])


class DictValve(Valve):
    """The same in a dictionary of a dictionary, a number and a choice."""

    variable_names = None

    def __init__(self, continuous=False, length=20):
        super().__init__(continuous, length)
        one = spaces.Box(-np.inf, np.inf, (1,), np.float32)
        self.observation_space = spaces.Dict(
            gear=spaces.Discrete(3), wanted=one, weather=spaces.Box(-9e9, 9e9, (2,))
        )

    def draw(self):
        wanted, pressure, noise = super().draw()
        weather = np.array([pressure, noise], np.float32)
        return {"gear": np.int64(self.t % 3), "wanted": np.array([wanted], np.float32), "weather": weather}


def world(kind, name):
    make = DictValve if kind == "Dict" else Valve
    envs = DummyVecEnv([lambda: make(name in CONTINUOUS)] * COPIES)
    if kind == "VecFrameStack":
        return VecFrameStack(envs, n_stack=3)
    return VecNormalize(envs) if kind == "VecNormalize" else envs


def settings(name):
    found = {"policy_kwargs": {"net_arch": [8]}, "device": "cpu", "seed": 0}
    if name in OFF_POLICY:
        found |= {"buffer_size": 300, "learning_starts": 20, "batch_size": 16, "train_freq": 8}
    elif name != "A2C":
        found |= {"n_steps": 20, "batch_size": 50}
    return found


@cache
def trained(name, kind="plain"):
    """The model, and the environments around it."""
    envs = world(kind, name)
    algorithm = getattr(sb3, name, None) or getattr(sb3_contrib, name)
    model = algorithm("MultiInputPolicy" if kind == "Dict" else "MlpPolicy", envs, **settings(name))
    model.learn(200)
    return model, envs
