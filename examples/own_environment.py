"""An environment of your own, in a file of your own, through the whole pipeline.

From the folder of this file, on the command line:

    terc run own_environment:make --out runs/thermostat

or from Python, as below. Of the six sensors the heater needs the first two. Variables get their names from
the attribute `variable_names`, else they are called x_0, x_1, ...
"""

from typing import Any

import gymnasium as gym
import numpy as np

import terc

NAMES = ("inside", "outside", "humidity", "light", "hour", "inside_again")


class Thermostat(gym.Env):
    """Keep the room at 20 degrees by heating (1) or not (0)."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (6,), np.float64)
    action_space = gym.spaces.Discrete(2)
    variable_names = NAMES

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begin with the room too cold or too warm."""
        super().reset(seed=seed)
        self.inside, self.outside = self.np_random.uniform([15, -5], [25, 15])
        self.time = 0
        return self._sensors(), {}

    def _sensors(self) -> np.ndarray:
        unused = self.np_random.normal(size=3)
        return np.array([self.inside, self.outside, *unused, self.inside + self.np_random.normal()])

    def step(self, action: int) -> Any:
        """One minute."""
        self.inside += 2.0 * action - 0.1 * (self.inside - self.outside) + self.np_random.normal(0, 0.3)
        self.time += 1
        return self._sensors(), -abs(self.inside - 20.0), False, self.time >= 50, {}


def make() -> gym.Env:
    """What `terc run own_environment:make` calls."""
    return Thermostat()


if __name__ == "__main__":
    run = terc.run(make, agent="ppo", steps=60_000, seeds=2, out="runs/thermostat")
    print(run)
