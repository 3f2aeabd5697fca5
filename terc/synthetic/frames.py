"""Stacked frames: what the policy reads is the difference of columns that are almost copies of each other."""

import numpy as np

from terc.synthetic.columns import by_odds, draw, softmax, two_sided
from terc.synthetic.labelled import Labelled
from terc.synthetic.series import Steps, kind


@kind(100)
def stacked_positions(steps: Steps, noise: int = 6) -> Labelled:
    """Four stacked positions of which the policy reads a velocity: the difference of the latest two.

    Steps are a fiftieth of the spread of the positions, so the difference has 0.02 % of their variance. The
    log-odds are 2.2 velocities plus `wind`.
    """
    step = 0.02
    velocity = steps.smooth(0.5, past=4)[:, :, 0]
    position = steps.rng.standard_normal(steps.count) + step * np.cumsum(velocity, axis=0)
    columns = steps.stack(4, position=position) | {"wind": steps.one(0.7)}
    speed = (columns["position_0"] - columns["position_1"]) / step
    chances = by_odds(2.2 * speed + columns["wind"])
    return steps.drawn(columns | steps.noise(noise), ["position_0", "position_1", "wind"], chances)


@kind(50)
def many_lags(steps: Steps) -> Labelled:
    """Five lags of five variables; two slow ones act through a difference, a fast one as it is.

    Three actions score 1.8 times the last change of `a`, 1.2 times `b` now, and 1.8 times the change of `c`
    over two steps (changes in units of their spread).
    """
    lags, keep = 5, 0.998
    a, c, d = np.moveaxis(steps.smooth(keep, 3, past=lags), 2, 0)
    b, e = np.moveaxis(steps.smooth(0.5, 2, past=lags), 2, 0)
    columns = steps.stack(lags, a=a, b=b, c=c, d=d, e=e)
    one, two = np.sqrt(2 * (1 - keep)), np.sqrt(2 * (1 - keep**2))
    scores = [
        1.8 * (columns["a_0"] - columns["a_1"]) / one,
        1.2 * columns["b_0"],
        1.8 * (columns["c_0"] - columns["c_2"]) / two,
    ]
    return steps.drawn(columns, ["a_0", "a_1", "b_0", "c_0", "c_2"], softmax(np.column_stack(scores)))


@kind(100, probabilities=None)
def setpoint_error(steps: Steps, noise: int = 6) -> Labelled:
    """A controller's output: proportional to setpoint - measurement, damped by the measurement's last change.

    The measurement follows the setpoint, so the columns are near copies and only their differences act.
    """
    rng, count, lags = steps.rng, steps.count, 4
    goal = 3 * rng.standard_normal(count)
    measured = goal + 0.3 * rng.standard_normal(count)
    goals, all_measured = np.empty((2, steps.length + lags, count))
    for t in range(steps.length + lags):
        goal = np.where(rng.random(count) < 0.04, 3 * rng.standard_normal(count), goal)
        measured = measured + 0.3 * (goal - measured) + 0.15 * rng.standard_normal(count)
        goals[t], all_measured[t] = goal, measured
    columns = steps.stack(lags, measured=all_measured) | {"setpoint": steps.in_order(goals)}
    error = columns["setpoint"] - columns["measured_0"]
    output = error - 1.5 * (columns["measured_0"] - columns["measured_1"])
    columns |= steps.noise(noise)
    jitter = 0.12 * rng.standard_normal(steps.n)
    return steps.taken(columns, ["setpoint", "measured_0", "measured_1"], output + jitter)


@kind(80)
def delayed_sensor(steps: Steps, noise: int = 5) -> Labelled:
    """The policy reads a slow variable three steps late, among its eight latest values, and `load`."""
    level = steps.smooth(0.9, past=8)[:, :, 0]
    columns = steps.stack(8, level=level) | {"load": steps.one(0.6)}
    odds = 3.5 * columns["level_3"] + 1.3 * columns["load"]
    return steps.drawn(columns | steps.noise(noise), ["level_3", "load"], by_odds(odds))


@kind(60, probabilities=None)
def memory_lags(steps: Steps, slip: float = 0.1) -> Labelled:
    """The action is the previous action, switched when the cue two steps ago was on; a slip in 10 %.

    Columns are the last five actions and the last seven cues (`cue_0` is now), all bits.
    """
    lags = 7
    cue = steps.sticky(0.7, past=lags)[:, :, 0]
    action = np.zeros((steps.length + lags, steps.count), dtype=np.int64)
    for t in range(2, steps.length + lags):
        right = np.where(cue[t - 2] == 1, 1 - action[t - 1], action[t - 1])
        action[t] = draw(two_sided(np.where(right == 1, 1 - slip / 2, slip / 2)), rng=steps.rng)
    columns = steps.stack(lags, cue=cue) | steps.stack(6, action=action)
    taken = columns.pop("action_0")
    return steps.taken(columns, ["action_1", "cue_2"], taken)


@kind(100)
def acceleration(steps: Steps, noise: int = 4) -> Labelled:
    """Five stacked positions of two bodies; the policy reads the acceleration of one, and `wind`.

    The acceleration is x_0 - 2 x_1 + x_2, a hundredth of the spread of the positions.
    """
    lags, step, keep = 5, 0.03, 0.9
    velocity = steps.smooth(keep, 2, past=lags)
    place = steps.rng.standard_normal((steps.count, 2)) + step * np.cumsum(velocity, axis=0)
    columns = steps.stack(lags, body=place[:, :, 0], other=place[:, :, 1]) | {"wind": steps.one(0.7)}
    change = columns["body_0"] - 2 * columns["body_1"] + columns["body_2"]
    push = 2.5 * change / (step * np.sqrt(2 * (1 - keep)))
    chances = by_odds(push + columns["wind"])
    return steps.drawn(columns | steps.noise(noise), ["body_0", "body_1", "body_2", "wind"], chances)


@kind(100)
def tracked_or_none(steps: Steps, noise: int = 6) -> Labelled:
    """A vehicle follows another within a thousandth of the road; where there is none, its place reads 0.

    The log-odds of braking are those of the gap against 25, or of `slope` where the road is free.
    """
    rng, shape = steps.rng, (steps.length, steps.count)
    own = rng.uniform(0, 20_000, steps.count) + np.cumsum(12 + 3 * rng.standard_normal(shape), axis=0)
    gap = np.exp(3.2 + 0.5 * steps.smooth(0.85)[:, :, 0])
    there = steps.sticky(0.9)[:, :, 0] == 1
    columns = {
        "own": steps.in_order(own),
        "other": steps.in_order(np.where(there, own + gap, 0)),
        "slope": steps.one(0.9),
    }
    close = steps.in_order(np.where(there, 5 * np.log(25 / gap), 0))
    odds = np.where(columns["other"] > 0, close, 2 * columns["slope"])
    return steps.drawn(columns | steps.noise(noise), list(columns), by_odds(odds))
