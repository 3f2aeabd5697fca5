"""History length of an environment: a wrapper shows the past, a rollout records it, the data answer."""

import gymnasium
import numpy as np

import terc
from terc.environments import HistoryOf, variable_names


class FreshNumbers(gymnasium.Env):
    """Two fresh numbers each step, nothing to win."""

    observation_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 50
        return self._see(), {}

    def step(self, action):
        self.left -= 1
        return self._see(), 0.0, False, self.left == 0, {}

    def _see(self):
        return self.np_random.uniform(-1, 1, 2).astype(np.float32)


def world():
    return HistoryOf(FreshNumbers(), 5)


def test_the_length_of_history_that_a_policy_uses_in_an_environment():
    names = variable_names(world())
    now, before = (names.index(f"{names[0]}{lag}") for lag in ("", "[t-2]"))

    def policy(states):
        return (states[:, now] + states[:, before] > 0).astype(int)

    data = terc.rollout(world, policy, steps=4000, seed=0)
    assert terc.history_length(data, max_length=5).length == 2
