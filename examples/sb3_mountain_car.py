"""A Stable-Baselines3 DQN on a doped Mountain Car: adapter, rollout, selection.

Needs `pip install 'terc[sb3]'`.

DQN gives no distribution, only its best action; the rollout explores with the model's own epsilon.
Episodes may last 1000 steps: in 200 it meets the goal too seldom to learn with noise among its inputs.
"""

import argparse

import gymnasium as gym
from stable_baselines3 import DQN
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecNormalize

import terc
from terc.agents import RecordTraining
from terc.environments import Doped


def world() -> gym.Env:
    """Mountain Car with three columns of noise."""
    return Doped(gym.make("MountainCar-v0", max_episode_steps=1000), n=3)


def main() -> None:
    """Train, roll out, select."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=120_000, help="training steps")
    parser.add_argument("--rollout-steps", type=int, default=10_000)
    chosen = parser.parse_args()
    envs = VecNormalize(make_vec_env(world, seed=0), norm_reward=False)
    settings = {"learning_rate": 4e-3, "batch_size": 128, "buffer_size": 10_000, "learning_starts": 1000}
    settings |= {"gamma": 0.98, "target_update_interval": 600, "train_freq": 16, "gradient_steps": 8}
    settings |= {"exploration_fraction": 0.2, "exploration_final_eps": 0.07}
    model = DQN("MlpPolicy", envs, seed=0, device="cpu", policy_kwargs={"net_arch": [64, 64]}, **settings)
    record = RecordTraining()
    model.learn(chosen.steps, callback=record)
    print(f"mean return of the last 100 training episodes: {record.returns.mean:.0f}")
    data = terc.rollout(world, model, steps=chosen.rollout_steps, seed=1)
    print(data)
    print(terc.select(data))


if __name__ == "__main__":
    main()
