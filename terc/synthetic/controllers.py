"""Programmed controllers: nearest target, beams, deadband, thermostat."""

import numpy as np

from terc.synthetic.columns import draw, mostly, numbered, softmax
from terc.synthetic.labelled import Labelled
from terc.synthetic.series import Steps, kind


@kind(40)
def nearest_target(steps: Steps, targets: int = 6, noise: int = 8) -> Labelled:
    """The agent goes to the nearest of six targets by their distances; a slip in 6 %."""
    far = np.exp(0.5 * steps.moving(targets + noise, 0.7))
    needed = numbered("distance_", far[:, :targets])
    columns = needed | numbered("distance_of_wall_", far[:, targets:])
    return steps.drawn(columns, needed, mostly(far[:, :targets].argmin(axis=1), targets, 0.06))


@kind(100)
def lidar(steps: Steps, beams: int = 40) -> Labelled:
    """Distances along 40 beams; the agent turns left, goes straight or turns right by three of them.

    Neighbouring beams see almost the same wall, each with an error of its own.
    """
    waves = 4
    walls = steps.moving(2 * waves, 0.95)
    turn = 2 * np.pi * np.outer(np.arange(1, waves + 1), np.arange(beams)) / beams
    basis = np.concatenate([np.cos(turn), np.sin(turn)]) / np.sqrt(waves)
    distance = 3 + walls @ basis + 0.35 * steps.rng.standard_normal((steps.n, beams))
    read = [beams - 6, 0, 6]
    chances = softmax(2.5 * distance[:, read])
    return steps.drawn(numbered("beam_", distance), [f"beam_{k}" for k in read], chances)


@kind(60)
def deadband(steps: Steps, noise: int = 7) -> Labelled:
    """Cool, wait or heat: the agent acts when temperature - target leaves a tolerance, itself a column."""
    temperature, target = steps.moving(2, 0.9).T
    tolerance = steps.rng.uniform(0.3, 2.0, steps.n)
    error = temperature - target
    action = np.where(error > tolerance, 0, np.where(error < -tolerance, 2, 1))
    needed = {"temperature": 20 + 3 * temperature, "target": 20 + 3 * target, "tolerance": 3 * tolerance}
    return steps.drawn(needed | steps.noise(noise), needed, mostly(action, 3, 0.08))


@kind(80, probabilities=None)
def thermostat(steps: Steps, noise: int = 5) -> Labelled:
    """A thermostat with memory: on below one temperature, off above another, between them as before.

    Columns are the last four temperatures and the last three actions; the room follows the heating.
    """
    rng, count, lags = steps.rng, steps.count, 4
    warm, heating = np.zeros(count), rng.integers(0, 2, count)
    temperature = np.empty((steps.length + lags, count))
    action = np.empty(temperature.shape, dtype=np.int64)
    for t in range(len(temperature)):
        warm = 0.8 * warm + 0.35 * (2 * heating - 1) + 0.6 * rng.standard_normal(count)
        right = np.where(warm < -0.7, 1, np.where(warm > 0.7, 0, heating))
        heating = draw(mostly(right, 2, 0.1), rng=rng)
        temperature[t], action[t] = warm, heating
    columns = steps.stack(lags, temperature=temperature, action=action)
    taken = columns.pop("action_0")
    return steps.taken(columns | steps.noise(noise), ["temperature_0", "action_1"], taken)
