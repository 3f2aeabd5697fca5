"""Four questions about one world, and the picture of docs/which-question.md.

Given a file name, such as which-question.png, the picture is saved. A mass is pushed left or right, and by
the wind; near zero is good. Three policies play: the first reads the position, the second the velocity too,
the third has the habit of looking at a light.
"""

import sys

import numpy as np

import terc
from terc.selection.result import Selection, Verdict

NAMES = ["position", "velocity", "wind", "light", "noise"]
READS = {"first": [1.5, 0, 0, 0, 0], "second": [1.5, 1.5, 0, 0, 0], "third": [1.5, 0, 0, 1.0, 0]}


def record(weights: list[float], seed: int, n_episodes: int = 60, length: int = 25) -> terc.Trajectories:
    """What one policy records, with one random action in five."""
    rng, scale = np.random.default_rng(seed), np.array([0.05, 0.1, 0.6, 0.6, 1.0])
    states, actions = np.empty((length, n_episodes, 5)), np.empty((length, n_episodes), dtype=int)
    state = rng.standard_normal((n_episodes, 5))
    for t in range(length):
        right = rng.random(n_episodes) < 1 / (1 + np.exp(state @ np.array(weights)))
        action = np.where(rng.random(n_episodes) < 0.2, rng.integers(0, 2, n_episodes), right)
        states[t], actions[t] = state, action
        position, velocity, wind, light, _ = state.T
        pushed = 0.7 * velocity + action - 0.5 + 0.5 * wind
        moved = [0.95 * position + 0.4 * velocity, pushed, 0.8 * wind, 0.8 * light, 0 * wind]
        state = np.stack(moved, axis=1) + scale * rng.standard_normal((n_episodes, 5))
    table, episodes = states.transpose(1, 0, 2).reshape(-1, 5), np.repeat(np.arange(n_episodes), length)
    acted, rewards = actions.T.reshape(-1), -(table[:, 0] ** 2)
    return terc.Trajectories(table, acted, names=NAMES, episodes=episodes, rewards=rewards)


def main() -> None:
    """Ask all four, print the answers, draw them."""
    recordings = [record(weights, seed) for seed, weights in enumerate(READS.values())]
    first, this = recordings[0], terc.select(recordings[0])
    audit = terc.audit(first, this)
    answers = {
        "this policy": this.kept,
        "any of three": terc.select(terc.Trajectories.concat(recordings)).kept,
        "the reward": terc.select(first, target="reward").kept,
        "the task": audit.state,
    }
    print(*(f"{asked}: {', '.join(names)}" for asked, names in answers.items()), audit, sep="\n")
    if len(sys.argv) > 1:
        shown = {
            asked: Selection(tuple(Verdict(n, 0, 0, 0, 0, 1, n in kept, "") for n in NAMES))
            for asked, kept in answers.items()
        }
        terc.figures.save(terc.figures.method_agreement(shown), sys.argv[1])


if __name__ == "__main__":
    main()
