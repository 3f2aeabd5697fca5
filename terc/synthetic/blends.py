"""Blends: weak effects of many variables, and policies of which each part suits another kind of model."""

import numpy as np

from terc.synthetic.columns import by_odds
from terc.synthetic.labelled import singles
from terc.synthetic.series import Acted, Rng, distractors, in_order, kind, mostly, moving, runs, smooth


@kind
def many_weak(n: int, rng: Rng, variables: int = 16, slope: float = 0.34, noise: int = 10) -> Acted:
    """Sixteen variables add `slope` each to the log-odds: about 0.01 nats each given the others."""
    x = rng.standard_normal((n, variables))
    columns = {f"weak_{k}": x[:, k] for k in range(variables)}
    return Acted(
        columns | distractors(n, 1, noise, rng=rng),
        by_odds(slope * x @ rng.choice([-1.0, 1.0], variables)),
        singles(columns),
    )


@kind
def comb_and_velocity(n: int, rng: Rng, noise: int = 6) -> Acted:
    """Two bits: one by eight teeth of `place`, one by a velocity that two stacked positions show.

    Trees follow the teeth and networks on whitened inputs the velocity; neither follows both.
    """
    length, step = 50, 0.02
    count, episodes = runs(n, length)
    velocity = smooth((length + 2, count, 1), 0.5, rng=rng)[:, :, 0]
    path = rng.standard_normal(count) + step * np.cumsum(velocity, axis=0)
    place = rng.uniform(0, 8, n)
    now, before = in_order(path[2:], n), in_order(path[1:-1], n)
    first = mostly(place.astype(np.int64) % 2, 2, 0.1)
    second = by_odds(2.5 * (now - before) / step)
    columns = {"place": place, "position_0": now, "position_1": before, "position_2": in_order(path[:-2], n)}
    return Acted(
        columns | distractors(n, length, noise, rng=rng),
        (first[:, :, None] * second[:, None, :]).reshape(n, 4),
        singles(["place", "position_0", "position_1"]),
        episodes=episodes,
    )


@kind
def line_and_label(n: int, rng: Rng, noise: int = 6) -> Acted:
    """Log-odds that add a line over six variables, a label of nine levels in no order, and a sign product."""
    length = 50
    x = moving(n, length, 8, 0.6, rng=rng)
    label = rng.integers(0, 9, n)
    effect = rng.permutation(np.linspace(-1.5, 1.5, 9))[label]
    line = x[:, :6] @ np.array([1.0, -0.9, 0.8, -0.8, 0.7, -0.7])
    columns = {f"x{k}": x[:, k] for k in range(8)} | {"label": label.astype(np.float64)}
    return Acted(
        columns | distractors(n, length, noise, rng=rng),
        by_odds(line + effect + 1.2 * np.sign(x[:, 6] * x[:, 7])),
        singles(columns),
        episodes=runs(n, length)[1],
    )


@kind
def switched_lines(n: int, rng: Rng, noise: int = 8) -> Acted:
    """Above a level of `height` the policy is one line over three variables, below it the opposite line.

    On the whole no variable is associated with the action, and the products with `height` are weak.
    """
    length = 40
    x = moving(n, length, 4, 0.6, rng=rng)
    side = np.where(np.abs(x[:, 3]) < 0.6745, 1.0, -1.0)
    columns = {"height": x[:, 3]} | {f"x{k}": x[:, k] for k in range(3)}
    return Acted(
        columns | distractors(n, length, noise, rng=rng),
        by_odds(side * (x[:, :3] @ np.array([1.8, -1.4, 1.1]))),
        singles(columns),
        episodes=runs(n, length)[1],
    )
