"""Programmed controllers: nearest target, beams, deadband, thermostat."""

import numpy as np

from terc.seeding import generator
from terc.synthetic.columns import draw, labelled, softmax
from terc.synthetic.labelled import Labelled, singles
from terc.synthetic.series import Acted, Rng, distractors, in_order, kind, lagged, mostly, moving, runs


@kind
def nearest_target(n: int, rng: Rng, targets: int = 6, noise: int = 8) -> Acted:
    """The agent goes to the nearest of six targets by their distances; a slip in 6 %."""
    length = 40
    far = np.exp(0.5 * moving(n, length, targets + noise, 0.7, rng=rng))
    names = [f"distance_{k}" for k in range(targets)] + [f"distance_of_wall_{k}" for k in range(noise)]
    return Acted(
        dict(zip(names, far.T, strict=True)),
        mostly(far[:, :targets].argmin(axis=1), targets, 0.06),
        singles(names[:targets]),
        episodes=runs(n, length)[1],
    )


@kind
def lidar(n: int, rng: Rng, beams: int = 40) -> Acted:
    """Distances along 40 beams; the agent turns left, goes on or turns right by three of them.

    Neighbouring beams see almost the same wall, each with an error of its own.
    """
    length = 100
    waves = 4
    walls = moving(n, length, 2 * waves, 0.95, rng=rng)
    turn = 2 * np.pi * np.outer(np.arange(1, waves + 1), np.arange(beams)) / beams
    basis = np.concatenate([np.cos(turn), np.sin(turn)]) / np.sqrt(waves)
    distance = 3 + walls @ basis + 0.35 * rng.standard_normal((n, beams))
    read = [beams - 6, 0, 6]
    return Acted(
        {f"beam_{k}": distance[:, k] for k in range(beams)},
        softmax(2.5 * distance[:, read]),
        singles(f"beam_{k}" for k in read),
        episodes=runs(n, length)[1],
    )


@kind
def deadband(n: int, rng: Rng, noise: int = 7) -> Acted:
    """Cool, wait or heat: the agent acts when temperature - target leaves a tolerance, itself a column."""
    length = 60
    temperature, target = moving(n, length, 2, 0.9, rng=rng).T
    tolerance = rng.uniform(0.3, 2.0, n)
    error = temperature - target
    action = np.where(error > tolerance, 0, np.where(error < -tolerance, 2, 1))
    columns = {"temperature": 20 + 3 * temperature, "target": 20 + 3 * target, "tolerance": 3 * tolerance}
    return Acted(
        columns | distractors(n, length, noise, rng=rng),
        mostly(action, 3, 0.08),
        singles(columns),
        episodes=runs(n, length)[1],
    )


def thermostat(n: int = 10_000, *, seed: int = 0, noise: int = 5) -> Labelled:
    """A thermostat with memory: on below one temperature, off above another, between them as before.

    Columns are the last four temperatures and the last three actions; the room follows the heating.
    """
    rng = generator(seed)
    length, lags = 80, 4
    count, episodes = runs(n, length)
    warm, heating = np.zeros(count), rng.integers(0, 2, count)
    temperature, action = np.empty((length + lags, count)), np.empty((length + lags, count))
    for t in range(length + lags):
        warm = 0.8 * warm + 0.35 * (2 * heating - 1) + 0.6 * rng.standard_normal(count)
        right = np.where(warm < -0.7, 1, np.where(warm > 0.7, 0, heating))
        heating = draw(mostly(right, 2, 0.1), rng=rng)
        temperature[t], action[t] = warm, heating
    columns = {f"temperature_{k}": in_order(lagged(temperature, k, length), n) for k in range(lags)}
    columns |= {f"action_{k}": in_order(lagged(action, k, length), n) for k in range(1, lags)}
    return labelled(
        columns | distractors(n, length, noise, rng=rng),
        in_order(lagged(action, 0, length), n).astype(np.int64),
        singles(["temperature_0", "action_1"]),
        rng=rng,
        episodes=episodes,
    )
