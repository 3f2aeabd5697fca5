"""A Stable-Baselines3 model trained behind VecNormalize: which variables does it need, in their own units?

Its statistics belong to it. In memory they are found around its environment; from files they are given:

    terc run Pendulum-v1 --model pendulum.zip --vecnormalize pendulum.pkl --allow-pickle

and a model that was trained with them is refused without them. Needs `pip install 'terc[sb3]'`.
"""

import sys
import tempfile
from pathlib import Path

import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

import terc
from terc.agents import load_policy
from terc.environments import Doped

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60_000


def world() -> gymnasium.Env:
    """Two more columns, in other units."""
    return Doped(gymnasium.make("CartPole-v1"), n=2, low=-5000, high=5000)


if __name__ == "__main__":
    envs = VecNormalize(DummyVecEnv([world] * 8))
    model = PPO("MlpPolicy", envs, n_steps=128, batch_size=256, seed=0, device="cpu")
    model.learn(STEPS)

    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model.zip")
        envs.save(str(Path(folder) / "vecnormalize.pkl"))
        # you wrote these files yourself; allow_pickle is for files that you trust
        policy = load_policy(
            Path(folder) / "model.zip",
            allow_pickle=True,
            vec_normalize=Path(folder) / "vecnormalize.pkl",
        )

    data = terc.rollout(world, policy, steps=max(400, STEPS // 6), seed=0)
    print(terc.select(data))
    print(terc.ablate(world, policy, data=data, episodes=20))
