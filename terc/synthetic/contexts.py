"""Episodes: one long or few, drifting, with contexts, moods and offsets that last a whole episode."""

import numpy as np

from terc.arrays import Floats, Integers
from terc.seeding import generator
from terc.synthetic.columns import by_odds, softmax
from terc.synthetic.labelled import Labelled, singles
from terc.synthetic.series import Acted, Rng, acted, distractors, in_order, kind, moving, runs, smooth, sticky


def held_noise(episodes: Integers, count: int, *, rng: np.random.Generator) -> dict[str, Floats]:
    """`count` columns that are constant within an episode and independent of everything."""
    values = rng.standard_normal((int(episodes.max()) + 1, count))
    return {f"held_{k}": values[episodes, k] for k in range(count)}


@kind
def one_long_episode(n: int, rng: Rng, noise: int = 10) -> Acted:
    """A single episode of slow variables, of which three act; the noise is as slow."""
    x = smooth((n, 1, 3 + noise), 0.97, rng=rng)[:, 0]
    names = ["depth", "heading", "fuel", *(f"noise_{k}" for k in range(noise))]
    scores = np.column_stack([1.8 * x[:, 0], 1.6 * x[:, 1], 1.4 * np.abs(x[:, 2])])
    return Acted(
        {name: x[:, k] for k, name in enumerate(names)},
        softmax(scores),
        singles(names[:3]),
        episodes=np.zeros(n, dtype=np.int64),
    )


@kind
def few_long_episodes(n: int, rng: Rng, episodes: int = 12, noise: int = 8) -> Acted:
    """Twelve long episodes of a policy on three variables, beside slow noise and four held columns."""
    length = -(-n // episodes)
    count, numbers = runs(n, length)
    x = moving(n, length, 3, 0.9, rng=rng)
    columns = {f"x{k}": x[:, k] for k in range(3)}
    columns |= held_noise(numbers, 4, rng=rng) | distractors(n, length, noise, rng=rng)
    return Acted(
        columns,
        by_odds(1.8 * x[:, 0] - 1.5 * x[:, 1] + 1.2 * x[:, 0] * x[:, 2]),
        singles(["x0", "x1", "x2"]),
        episodes=numbers,
    )


@kind
def context_per_episode(n: int, rng: Rng, episodes: int = 250, noise: int = 6) -> Acted:
    """The agent moves towards a `goal`, drawn for each of 250 episodes; other held columns do not act."""
    length = max(1, n // episodes)
    count, numbers = runs(n, length)
    goal = rng.uniform(-1.5, 1.5, count)[numbers]
    position = moving(n, length, 1, 0.8, rng=rng)[:, 0]
    columns = {"goal": goal, "position": position}
    columns |= held_noise(numbers, 4, rng=rng) | distractors(n, length, noise, rng=rng)
    return Acted(columns, by_odds(2.5 * (goal - position)), singles(["goal", "position"]), episodes=numbers)


@kind
def sticky_bits(n: int, rng: Rng, noise: int = 10) -> Acted:
    """The exclusive or of two bits that switch in 4 % of the steps, and `drive`, among other such bits."""
    length = 80
    count, numbers = runs(n, length)
    bits = in_order(sticky((length, count, 2 + noise), 0.96, rng=rng), n)
    drive = moving(n, length, 1, 0.8, rng=rng)[:, 0]
    columns = {f"bit_{k}": bits[:, k] for k in range(2 + noise)} | {"drive": drive}
    return Acted(
        columns,
        by_odds(1.8 * (1 - 2 * (bits[:, 0] != bits[:, 1])) + drive),
        singles(["bit_0", "bit_1", "drive"]),
        episodes=numbers,
    )


@kind
def drifting_world(n: int, rng: Rng, noise: int = 8) -> Acted:
    """Variables that drift from episode to episode, of which two act; the noise drifts as much.

    The action drifts too, but only through the two.
    """
    length = 125
    count, numbers = runs(n, length)
    drift = smooth((count, 1, 2 + noise), 0.95, rng=rng)[:, 0]
    x = moving(n, length, 2 + noise, 0.7, rng=rng) + drift[numbers]
    return Acted(
        {f"x{k}": x[:, k] for k in range(2 + noise)},
        by_odds(1.6 * x[:, 0] - 1.2 * x[:, 1]),
        singles(["x0", "x1"]),
        episodes=numbers,
    )


def unrecorded_mood(n: int = 10_000, *, seed: int = 0, episodes: int = 60, noise: int = 5) -> Labelled:
    """Two variables and a mood of the whole episode, which is not recorded, among columns held as long."""
    rng = generator(seed)
    length = -(-n // episodes)
    count, numbers = runs(n, length)
    x = moving(n, length, 2, 0.8, rng=rng)
    mood = rng.standard_normal(count)[numbers]
    columns = {"x0": x[:, 0], "x1": x[:, 1]} | held_noise(numbers, 6, rng=rng)
    columns |= distractors(n, length, noise, rng=rng)
    odds = 1.7 * x[:, 0] + 1.3 * np.abs(x[:, 1]) - 1 + mood
    return acted(Acted(columns, by_odds(odds), singles(["x0", "x1"]), numbers), rng=rng)


@kind
def sensor_offset(n: int, rng: Rng, episodes: int = 250, noise: int = 6) -> Acted:
    """A reading shifted by an offset of the episode; the agent corrects for the offset, a column of its own.

    The offset alone says nothing about the action.
    """
    length = max(1, n // episodes)
    count, numbers = runs(n, length)
    offset = 1.5 * rng.standard_normal(count)[numbers]
    truth = moving(n, length, 1, 0.7, rng=rng)[:, 0]
    columns = {"reading": truth + offset, "offset": offset} | held_noise(numbers, 3, rng=rng)
    return Acted(
        columns | distractors(n, length, noise, rng=rng),
        by_odds(2.2 * truth),
        singles(["reading", "offset"]),
        episodes=numbers,
    )
