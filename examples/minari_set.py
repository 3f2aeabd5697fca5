"""A Minari data set: `terc.load("minari:<id>")`, or `terc select minari:<id>` on the command line.

Makes a small local set first, so that nothing is downloaded. Needs `pip install 'terc[minari]'`.
"""

import os
import sys
import tempfile

import numpy as np

import terc

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000


def rule(states: np.ndarray) -> np.ndarray:
    """Push to the side to which the pole falls."""
    return (states[:, 2] + states[:, 3] > 0).astype(int)


def store(played: terc.Trajectories, name: str) -> None:
    """Write recorded steps as a Minari data set; each episode ends with a state without an action."""
    import minari
    from minari.data_collector import EpisodeBuffer

    buffers = []
    for number in range(played.n_episodes):
        rows = np.flatnonzero(played.episodes == number)
        states = played.states[rows].astype(np.float32)
        buffers.append(
            EpisodeBuffer(
                id=number,
                observations=np.concatenate([states, states[-1:]]),
                actions=played.actions[rows],
                rewards=played.rewards[rows].tolist(),
                terminations=[False] * len(rows),
                truncations=[False] * (len(rows) - 1) + [True],
                infos={},
            )
        )
    minari.create_dataset_from_buffers(name, buffers, env="CartPole-v1")  # by which terc knows the names


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MINARI_DATASETS_PATH"] = folder
        store(terc.rollout("CartPole-v1", rule, steps=STEPS), "cartpole/rule-v0")
        data = terc.load("minari:cartpole/rule-v0")
    print(data)
    print(terc.select(data))
