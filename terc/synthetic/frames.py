"""Stacked frames: what the policy reads is the difference of columns that are almost copies of each other."""

import numpy as np

from terc.arrays import Floats
from terc.seeding import generator
from terc.synthetic.columns import by_odds, draw, labelled, softmax, two_sided
from terc.synthetic.labelled import Labelled, singles
from terc.synthetic.series import (
    Acted,
    Rng,
    distractors,
    in_order,
    kind,
    lagged,
    moving,
    runs,
    smooth,
    sticky,
)


def stack(series: dict[str, Floats], lags: int, length: int, n: int) -> dict[str, Floats]:
    """Columns `name_0` (now) .. `name_{lags-1}` of the last `length` steps of each `[T, episodes]` series."""
    return {
        f"{name}_{k}": in_order(lagged(values, k, length), n)
        for name, values in series.items()
        for k in range(lags)
    }


@kind
def stacked_positions(n: int, rng: Rng, noise: int = 6) -> Acted:
    """Four stacked positions of which the policy reads a velocity: the difference of the latest two.

    Steps are a fiftieth of the spread of the positions, so the difference has 0.02 % of their variance. The
    log-odds are 2.2 velocities plus `wind`.
    """
    length, lags, step = 100, 4, 0.02
    count, episodes = runs(n, length)
    velocity = smooth((length + lags, count, 1), 0.5, rng=rng)[:, :, 0]
    position = rng.standard_normal(count) + step * np.cumsum(velocity, axis=0)
    columns = stack({"position": position}, lags, length, n)
    columns["wind"] = moving(n, length, 1, 0.7, rng=rng)[:, 0]
    speed = (columns["position_0"] - columns["position_1"]) / step
    columns |= distractors(n, length, noise, rng=rng)
    return Acted(
        columns,
        by_odds(2.2 * speed + columns["wind"]),
        singles(["position_0", "position_1", "wind"]),
        episodes=episodes,
    )


@kind
def many_lags(n: int, rng: Rng) -> Acted:
    """Five lags of five variables; two slow ones act through a difference, a fast one as it is.

    Three actions score 1.8 times the last change of `a`, 1.2 times `b` now, and 1.8 times the change of `c`
    over two steps (changes in units of their spread).
    """
    length, lags, keep = 50, 5, 0.998
    count, episodes = runs(n, length)
    slow = smooth((length + lags, count, 3), keep, rng=rng)
    fast = smooth((length + lags, count, 2), 0.5, rng=rng)
    series = {"a": slow[:, :, 0], "b": fast[:, :, 0], "c": slow[:, :, 1]}
    columns = stack(series | {"d": slow[:, :, 2], "e": fast[:, :, 1]}, lags, length, n)
    one, two = np.sqrt(2 * (1 - keep)), np.sqrt(2 * (1 - keep**2))
    scores = np.column_stack(
        [
            1.8 * (columns["a_0"] - columns["a_1"]) / one,
            1.2 * columns["b_0"],
            1.8 * (columns["c_0"] - columns["c_2"]) / two,
        ]
    )
    return Acted(columns, softmax(scores), singles(["a_0", "a_1", "b_0", "c_0", "c_2"]), episodes=episodes)


def setpoint_error(n: int = 10_000, *, seed: int = 0, noise: int = 6) -> Labelled:
    """A controller's output: proportional to setpoint - measurement, damped by the measurement's last change.

    The measurement follows the setpoint, so the columns are near copies and only their differences act.
    """
    rng = generator(seed)
    length, lags = 100, 4
    count, episodes = runs(n, length)
    goal = 3 * rng.standard_normal(count)
    measured = goal + 0.3 * rng.standard_normal(count)
    series = np.empty((length + lags, count, 2))
    for t in range(length + lags):
        goal = np.where(rng.random(count) < 0.04, 3 * rng.standard_normal(count), goal)
        measured = measured + 0.3 * (goal - measured) + 0.15 * rng.standard_normal(count)
        series[t] = np.column_stack([goal, measured])
    columns = stack({"measured": series[:, :, 1]}, lags, length, n)
    columns["setpoint"] = in_order(lagged(series[:, :, 0], 0, length), n)
    error = columns["setpoint"] - columns["measured_0"]
    output = error - 1.5 * (columns["measured_0"] - columns["measured_1"])
    columns |= distractors(n, length, noise, rng=rng)
    return labelled(
        columns,
        output + 0.12 * rng.standard_normal(n),
        singles(["setpoint", "measured_0", "measured_1"]),
        rng=rng,
        episodes=episodes,
    )


@kind
def delayed_sensor(n: int, rng: Rng, noise: int = 5) -> Acted:
    """The policy reads a slow variable three steps late, among its eight latest values, and `load`."""
    length, lags = 80, 8
    count, episodes = runs(n, length)
    level = smooth((length + lags, count, 1), 0.9, rng=rng)[:, :, 0]
    columns = stack({"level": level}, lags, length, n)
    columns["load"] = moving(n, length, 1, 0.6, rng=rng)[:, 0]
    probabilities = by_odds(3.5 * columns["level_3"] + 1.3 * columns["load"])
    return Acted(
        columns | distractors(n, length, noise, rng=rng),
        probabilities,
        singles(["level_3", "load"]),
        episodes=episodes,
    )


def memory_lags(n: int = 10_000, *, seed: int = 0, slip: float = 0.1) -> Labelled:
    """The action is the previous action, switched when the cue two steps ago was on; a slip in 10 %.

    Columns are the last five actions and the last seven cues (`cue_0` is now), all bits.
    """
    rng = generator(seed)
    length, lags = 60, 7
    count, episodes = runs(n, length)
    cue = sticky((length + lags, count, 1), 0.7, rng=rng)[:, :, 0]
    action = np.zeros((length + lags, count))
    for t in range(2, length + lags):
        right = np.where(cue[t - 2] == 1, 1 - action[t - 1], action[t - 1])
        action[t] = draw(two_sided(np.where(right == 1, 1 - slip / 2, slip / 2)), rng=rng)
    columns = stack({"cue": cue}, lags, length, n)
    columns |= {f"action_{k}": in_order(lagged(action, k, length), n) for k in range(1, 6)}
    taken = in_order(lagged(action, 0, length), n).astype(np.int64)
    return labelled(columns, taken, singles(["action_1", "cue_2"]), rng=rng, episodes=episodes)


@kind
def acceleration(n: int, rng: Rng, noise: int = 4) -> Acted:
    """Five stacked positions of two bodies; the policy reads the acceleration of one, and `wind`.

    The acceleration is x_0 - 2 x_1 + x_2, a hundredth of the spread of the positions.
    """
    length, lags, step, keep = 100, 5, 0.03, 0.9
    count, episodes = runs(n, length)
    velocity = smooth((length + lags, count, 2), keep, rng=rng)
    place = rng.standard_normal((count, 2)) + step * np.cumsum(velocity, axis=0)
    columns = stack({"body": place[:, :, 0], "other": place[:, :, 1]}, lags, length, n)
    columns["wind"] = moving(n, length, 1, 0.7, rng=rng)[:, 0]
    change = columns["body_0"] - 2 * columns["body_1"] + columns["body_2"]
    push = 2.5 * change / (step * np.sqrt(2 * (1 - keep)))
    probabilities = by_odds(push + columns["wind"])
    return Acted(
        columns | distractors(n, length, noise, rng=rng),
        probabilities,
        singles(["body_0", "body_1", "body_2", "wind"]),
        episodes=episodes,
    )
