"""A world of which every dependence is known, and policies that are functions."""

import gymnasium as gym
import numpy as np


class Signals(gym.Env):
    """Fresh signals in each step; the reward says which of them an action should have followed.

    `a` and `b` are uniform in -1..1, `copy` is `a` again, `alarm` is 1 in 3 % of the steps, `noise` is noise.
    One point per step for the right side of `a` (action odd where a > 0); an action below 4 at an alarm costs
    `damage`. Discrete(8): bit 0 side of a, bit 1 free, bit 2 heeds the alarm.
    """

    variable_names = ("a", "copy", "b", "alarm", "noise")

    def __init__(self, steps=20, damage=20.0):
        self.steps, self.damage = steps, damage
        self.observation_space = gym.spaces.Box(-1, 1, (5,), np.float64)
        self.action_space = gym.spaces.Discrete(8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = self.steps
        return self._observe(), {}

    def _observe(self):
        a, b, noise = self.np_random.uniform(-1, 1, 3)
        self.state = np.array([a, a, b, self.np_random.random() < 0.03, noise], np.float64)
        return self.state

    def step(self, action):
        reward = self.worth(action)
        self.left -= 1
        return self._observe(), reward, False, self.left == 0, {}

    def worth(self, action):
        right = float((action % 2 == 1) == (self.state[0] > 0))
        return right - self.damage * bool(self.state[3] and action < 4)


class Choices(Signals):
    """The same with an action of three choices."""

    def __init__(self):
        super().__init__()
        self.action_space = gym.spaces.MultiDiscrete([2, 3, 2])

    def worth(self, action):
        return super().worth(int(action[0] + 4 * action[2]))


class Dial(Signals):
    """The same with a dial that should stand at a - b / 2, and a second one at b."""

    def __init__(self):
        super().__init__()
        self.action_space = gym.spaces.Box(-2, 2, (2,), np.float32)

    def worth(self, action):
        a, _, b, _, _ = self.state
        return 1.0 - abs(action[0] - (a - b / 2)) - abs(action[1] - b)


class Codes(gym.Env):
    """One point per step for the letter that a code stands for; neighbouring codes have nothing in common."""

    letters = np.random.default_rng(0).integers(4, size=60)

    def __init__(self):
        self.observation_space, self.action_space = gym.spaces.Discrete(60), gym.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left, self.code = 20, int(self.np_random.integers(60))
        return self.code, {}

    def step(self, action):
        reward = float(action == self.letters[self.code])
        self.left, self.code = self.left - 1, int(self.np_random.integers(60))
        return self.code, reward, False, self.left == 0, {}


def reads_the_code(states):
    """The letter of each code."""
    return Codes.letters[states[:, 0].astype(int)]


def follows_a(states):
    """Reads `a` and nothing else."""
    return (states[:, 0] > 0).astype(int) + 4


def reads_b_for_nothing(states):
    """`b` decides half of the action, and the reward does not care."""
    return follows_a(states) + 2 * (states[:, 2] > 0)


def heeds_the_alarm(states):
    """The alarm, which is rarely on, decides the return."""
    return (states[:, 0] > 0).astype(int) + 4 * (states[:, 3] > 0.5)


def reads_both_copies(states):
    """`a` and its copy, half and half."""
    return (states[:, 0] + states[:, 1] > 0).astype(int) + 4


def three_choices(states):
    """Sides of a, thirds of b, the alarm."""
    thirds = np.digitize(states[:, 2], [-1 / 3, 1 / 3])
    return np.stack([states[:, 0] > 0, thirds, states[:, 3] > 0.5], axis=1).astype(int)


def turns_the_dials(states):
    """Two numbers."""
    return np.stack([states[:, 0] - states[:, 2] / 2, states[:, 2]], axis=1)


class RareAlarm(Signals):
    """An alarm in one of 2,000 steps, which costs 1,000 unheeded: too rare to be seen in records."""

    def __init__(self):
        super().__init__(steps=200, damage=1000.0)

    def _observe(self):
        super()._observe()
        self.state[3] = self.np_random.random() < 0.0005
        return self.state
