"""Observations in a dictionary: variables are named `camera.x`, and the model sees its own dictionary.

Needs `pip install 'terc[sb3]'`.
"""

import sys

import gymnasium
import numpy as np
from gymnasium import spaces
from stable_baselines3 import PPO

import terc

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000


class Follow(gymnasium.Env):
    """Turn to the side on which the camera sees the ball; the microphone and the clock do not matter."""

    def __init__(self) -> None:
        number = spaces.Box(-5, 5, (1,), np.float32)
        self.observation_space = spaces.Dict(
            camera=spaces.Box(-5, 5, (2,), np.float32), microphone=number, hour=spaces.Discrete(24)
        )
        self.variable_names = {"camera": ["x", "y"]}  # names within a key, where you have them
        self.action_space = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple:
        """Begin a day."""
        super().reset(seed=seed)
        self.t = 0
        return self.seen(), {}

    def seen(self) -> dict:
        """What is seen and heard now."""
        self.ball = self.np_random.normal(size=2).astype(np.float32)
        sound = self.np_random.normal(size=1).astype(np.float32)
        return {"camera": self.ball, "microphone": sound, "hour": np.int64(self.t % 24)}

    def step(self, action: int) -> tuple:
        """Turn to one side."""
        reward, self.t = float((self.ball[0] > 0) == action), self.t + 1
        return self.seen(), reward, False, self.t == 24, {}


if __name__ == "__main__":
    model = PPO("MultiInputPolicy", Follow(), n_steps=256, seed=0, device="cpu").learn(STEPS)
    data = terc.rollout(Follow, model, steps=max(500, STEPS // 4), seed=0)
    print(terc.select(data))
    print(terc.ablate(Follow, model, data=data, episodes=20))
