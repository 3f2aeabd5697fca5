"""An environment of the user's own, small enough to run the whole pipeline on in two seconds."""

import gymnasium as gym
import numpy as np


class Bits(gym.Env):
    """Two bits whose OR is the right action, and two without information; episodes of four steps."""

    observation_space = gym.spaces.Box(0.0, 1.0, (4,), np.float64)
    action_space = gym.spaces.Discrete(2)
    variable_names = ("left", "right", "idle", "spare")

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = 0
        return self._draw(), {}

    def _draw(self):
        self.bits = self.np_random.integers(0, 2, 4)
        return self.bits.astype(np.float64)

    def step(self, action):
        reward = float(action == (self.bits[0] | self.bits[1]))
        self.count += 1
        return self._draw(), reward, self.count == 4, False, {}


def make():
    return Bits()


def shaped(shape):
    assert shape == [3, 4]
    return Bits()


TINY = {
    "agent": "actor_critic",
    "steps": 4000,
    "seeds": 1,
    "rollout_steps": 2000,
    "evaluation_episodes": 10,
    "timing_calls": 20,
    "play_episodes": 100,
    "lessons": 1,
}
