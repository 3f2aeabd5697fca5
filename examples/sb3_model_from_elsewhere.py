"""A Stable-Baselines3 model that was trained elsewhere: which variables do its actions depend on?

Train and save it as you always do, then

    terc run CartPole-v1 --model cart_pole.zip --allow-pickle --out runs/my_model

or from Python, as below, with the model itself. A .zip of Stable-Baselines3 holds pickles, which can run any
code when opened: say --allow-pickle only for files that you trust. Needs `pip install 'terc[sb3]'`.
"""

import sys

from stable_baselines3 import PPO

import terc

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000

if __name__ == "__main__":
    model = PPO("MlpPolicy", "CartPole-v1", n_steps=512, seed=0, device="cpu")
    model.learn(STEPS)
    model.save("cart_pole.zip")

    run = terc.run("CartPole-v1", model=model, seeds=2, out="runs/my_model")
    print(run)
    print("policy for deployment: terc export runs/my_model --to numpy")
