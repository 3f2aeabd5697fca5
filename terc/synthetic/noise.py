"""Noise: data sets in which nothing, or nothing but three variables, may be kept."""

import numpy as np

from terc.seeding import generator
from terc.synthetic.columns import equal_episodes, labelled, mixed_noise, one_hot, walk
from terc.synthetic.labelled import Labelled, singles


def pure_noise(n: int = 10_000, *, seed: int = 0, noise: int = 25) -> Labelled:
    """Independent columns of mixed kinds (numbers, bits, heavy tails, labels) beside a random action."""
    rng = generator(seed)
    columns, nominal = mixed_noise(n, noise, rng=rng)
    return labelled(columns, rng.integers(0, 4, n), (), nominal=nominal)


def drifting_noise(n: int = 10_000, *, seed: int = 0, noise: int = 25, episodes: int = 50) -> Labelled:
    """Random walks that begin anew in each episode, beside a sticky action that knows nothing of them.

    The action repeats the one before in 95 % of steps, so within an episode it goes along with some walk
    by chance: only a test that counts episodes instead of steps is not misled.
    """
    rng = generator(seed)
    number = equal_episodes(n, episodes)
    first = np.diff(number, prepend=-1) > 0
    steps = rng.standard_normal((n, noise)) * np.where(first, 3.0, 1.0)[:, None]
    walks = walk(steps, number)
    # A sticky bit: each episode draws its first action, later steps switch with probability 0.05.
    switches = np.where(first, rng.random(n) < 0.5, rng.random(n) < 0.05)
    actions = walk(switches.astype(np.float64), number).astype(np.int64) % 2
    return labelled({f"walk_{k}": walks[:, k] for k in range(noise)}, actions, (), episodes=number)


def noise_beside_deterministic(
    n: int = 10_000, *, seed: int = 0, noise: int = 25, with_probabilities: bool = False
) -> Labelled:
    """A policy without any randomness of its own on three normal variables, beside `noise` mixed columns."""
    rng = generator(seed)
    x = rng.standard_normal((n, 3))
    scores = np.column_stack([x[:, 0] + 0.5 * x[:, 1], x[:, 1] - x[:, 2], x[:, 0] * x[:, 2]])
    actions = scores.argmax(axis=1)
    columns = {f"x{k}": x[:, k] for k in range(3)}
    others, nominal = mixed_noise(n, noise, rng=rng)
    return labelled(
        columns | others,
        actions,
        singles(f"x{k}" for k in range(3)),
        rng=rng,
        nominal=nominal,
        probabilities=one_hot(actions, 3) if with_probabilities else None,
    )
