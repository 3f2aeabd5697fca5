"""A Stable-Baselines3 PPO on a doped Acrobot: adapter, rollout, selection. Needs `pip install 'terc[sb3]'`.

Three columns of noise are added to Acrobot's six variables; the agent is trained on all nine, and the
selection has to find out which of them its actions depend on.
"""

import argparse

import gymnasium as gym
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecNormalize

import terc
from terc.agents import RecordTraining
from terc.environments import Doped


def world() -> gym.Env:
    """Acrobot with three columns of noise."""
    return Doped(gym.make("Acrobot-v1"), n=3)


def main() -> None:
    """Train, roll out, select."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100_000, help="training steps")
    parser.add_argument("--rollout-steps", type=int, default=10_000)
    chosen = parser.parse_args()
    envs = VecNormalize(make_vec_env(world, n_envs=16, seed=0))
    record = RecordTraining()
    model = PPO(
        "MlpPolicy", envs, n_steps=256, batch_size=256, gae_lambda=0.94, n_epochs=4, seed=0, device="cpu"
    )
    model.learn(chosen.steps, callback=record)
    print(f"mean return of the last 100 training episodes: {record.returns.mean:.0f} (solved: -100)")
    data = terc.rollout(world, model, steps=chosen.rollout_steps, seed=1)
    print(data)
    print(terc.select(data))


if __name__ == "__main__":
    main()
