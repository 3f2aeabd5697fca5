"""How an agent's use of its variables grows: a selection in each quarter of one's own SB3 training.

The five lines at the end are all there is to add to a script. Needs `pip install 'terc[sb3]'`.
"""

import sys

import gymnasium
from stable_baselines3 import PPO

import terc
from terc.agents import RecordTraining
from terc.environments import Doped, variable_names

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60_000

if __name__ == "__main__":
    env = Doped(gymnasium.make("CartPole-v1"), n=2)
    model = PPO("MlpPolicy", env, n_steps=512, seed=0, device="cpu")

    record = RecordTraining()
    model.learn(STEPS, callback=record)
    training = record.trajectories(names=variable_names(env))
    for number, quarter in enumerate(training.quarters(), 1):
        print(f"quarter {number}:", ", ".join(terc.select(quarter).kept) or "nothing yet")
