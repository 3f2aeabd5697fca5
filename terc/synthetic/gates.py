"""Gates and blends: variables that act only together, only where another lets them, or weakly beside many."""

import numpy as np

from terc.synthetic.columns import by_odds, logistic, mostly, numbered, two_sided
from terc.synthetic.labelled import Labelled
from terc.synthetic.series import Steps, kind


@kind()
def rare_gate(steps: Steps, noise: int = 8) -> Labelled:
    """High `pressure`, in 2.5 % of the steps, hands the decision from `speed` over to a `lever`.

    With the gate open the action is the lever's position in 95 % of the steps; otherwise the lever does
    nothing. Lever and pressure are each worth a little over 0.01 nats.
    """
    pressure, speed = steps.rng.standard_normal((2, steps.n))
    lever = steps.rng.integers(0, 2, steps.n)
    p = np.where(pressure > 1.96, np.where(lever == 1, 0.95, 0.05), logistic(1.5 * speed))
    needed = {"pressure": pressure, "lever": lever, "speed": speed}
    return steps.drawn(needed | steps.noise(noise), needed, two_sided(p))


@kind()
def unbalanced_xor(steps: Steps, noise: int = 12) -> Labelled:
    """The exclusive or of a bit that is on in 14 % and one that is on in 72 % of the steps, and `drive`.

    Half of the noise are bits as unbalanced as the two.
    """
    n, rng = steps.n, steps.rng
    rare, common = rng.random(n) < 0.14, rng.random(n) < 0.72
    drive = rng.standard_normal(n)
    needed = {"rare": rare, "common": common, "drive": drive}
    bits = {f"bit_{k}": rng.random(n) < (0.14, 0.72)[k % 2] for k in range(6)}
    odds = np.where(rare ^ common, 2.6, -2.6) + 0.9 * drive
    return steps.drawn(needed | bits | steps.noise(noise - 6), needed, by_odds(odds))


@kind(60)
def mode_switch(steps: Steps, noise: int = 7) -> Labelled:
    """A `mode` of three levels, which lasts, chooses which of three sensors the policy follows."""
    switches = np.cumsum(steps.rng.random((steps.length, steps.count)) < 0.1, axis=0)
    mode = (steps.in_order(switches) + steps.rng.integers(0, 3, steps.count)[steps.episodes]) % 3
    sensors = steps.moving(3, 0.8)
    followed = sensors[np.arange(steps.n), mode]
    needed = {"mode": mode} | numbered("sensor_", sensors)
    return steps.drawn(needed | steps.noise(noise), needed, by_odds(2.5 * followed))


@kind()
def triple_sign(steps: Steps, noise: int = 8) -> Labelled:
    """The sign of the product of three normal variables, a slip in 10 %: no two of them show anything."""
    x = steps.rng.standard_normal((3, steps.n))
    needed = dict(zip("xyz", x, strict=True))
    others = {f"other_{k}": steps.rng.standard_normal(steps.n) for k in range(noise)}
    return steps.drawn(needed | others, needed, mostly((x.prod(axis=0) > 0).astype(np.int64), 2, 0.1))


@kind()
def same_label(steps: Steps, noise: int = 8) -> Labelled:
    """The agent presses when two labels of eight levels are the same; neither label alone shows anything.

    They are the same in 45 % of the steps. The noise are labels of four to nine levels.
    """
    n, rng = steps.n, steps.rng
    shown, other = rng.integers(0, 8, (2, n))
    asked = np.where(rng.random(n) < 0.37, shown, other)
    columns = {"shown": shown, "asked": asked}
    columns |= {f"label_{k}": rng.integers(0, 4 + k % 6, n) for k in range(noise)}
    chances = mostly((shown == asked).astype(np.int64), 2, 0.16)
    return steps.drawn(columns, ["shown", "asked"], chances, nominal=columns)


@kind()
def modular_sum(steps: Steps, noise: int = 7) -> Labelled:
    """The action is (left + 2 right) modulo 5 of two digits, a slip in 15 %; the noise are digits too."""
    digits = steps.rng.integers(0, 10, (2 + noise, steps.n))
    needed = {"left": digits[0], "right": digits[1]}
    chances = mostly((digits[0] + 2 * digits[1]) % 5, 5, 0.15)
    return steps.drawn(needed | numbered("digit_", digits[2:].T), needed, chances)


@kind()
def deep_tree(steps: Steps, noise: int = 10) -> Labelled:
    """A decision tree of eight leaves and three actions over five of fifteen uniform variables; slip 6 %."""
    u = steps.rng.random((5 + noise, steps.n))
    left = np.where(u[1] < 0.45, np.where(u[2] < 0.5, 0, 1), np.where(u[3] < 0.55, 2, 0))
    right = np.where(u[4] < 0.4, np.where(u[1] < 0.6, 1, 2), np.where(u[2] < 0.35, 0, u[3] < 0.5))
    chances = mostly(np.where(u[0] < 0.55, left, right).astype(np.int64), 3, 0.06)
    return steps.drawn(numbered("u", u.T), [f"u{k}" for k in range(5)], chances)


@kind()
def many_weak(steps: Steps, variables: int = 16, slope: float = 0.34, noise: int = 10) -> Labelled:
    """Sixteen variables add `slope` each to the log-odds: about 0.01 nats each given the others."""
    x = steps.rng.standard_normal((steps.n, variables))
    needed = numbered("weak_", x)
    columns = needed | steps.noise(noise)
    return steps.drawn(columns, needed, by_odds(slope * x @ steps.rng.choice([-1.0, 1.0], variables)))


@kind(50)
def comb_and_velocity(steps: Steps, noise: int = 6) -> Labelled:
    """Two bits: one by eight teeth of `place`, one by a velocity that two stacked positions show.

    Trees follow the teeth and networks on whitened inputs the velocity; neither follows both.
    """
    step = 0.02
    velocity = steps.smooth(0.5, past=2)[:, :, 0]
    path = steps.rng.standard_normal(steps.count) + step * np.cumsum(velocity, axis=0)
    place = steps.rng.uniform(0, 8, steps.n)
    columns = {"place": place} | steps.stack(3, position=path)
    first = mostly(place.astype(np.int64) % 2, 2, 0.1)
    second = by_odds(2.5 * (columns["position_0"] - columns["position_1"]) / step)
    return steps.drawn(
        columns | steps.noise(noise),
        ["place", "position_0", "position_1"],
        (first[:, :, None] * second[:, None, :]).reshape(steps.n, 4),
    )


@kind(50)
def line_and_label(steps: Steps, noise: int = 6) -> Labelled:
    """Log-odds that add a line over six variables, a label of nine levels in no order, and a sign product."""
    x = steps.moving(8, 0.6)
    label = steps.rng.integers(0, 9, steps.n)
    effect = steps.rng.permutation(np.linspace(-1.5, 1.5, 9))[label]
    line = x[:, :6] @ np.array([1.0, -0.9, 0.8, -0.8, 0.7, -0.7])
    needed = numbered("x", x) | {"label": label}
    odds = line + effect + 1.2 * np.sign(x[:, 6] * x[:, 7])
    return steps.drawn(needed | steps.noise(noise), needed, by_odds(odds))


@kind(40)
def switched_lines(steps: Steps, noise: int = 8) -> Labelled:
    """Above a level of `height` the policy is one line over three variables, below it the opposite line.

    On the whole no variable is associated with the action, and the products with `height` are weak.
    """
    x = steps.moving(4, 0.6)
    side = np.where(np.abs(x[:, 3]) < 0.6745, 1.0, -1.0)
    needed = {"height": x[:, 3]} | numbered("x", x[:, :3])
    odds = side * (x[:, :3] @ np.array([1.8, -1.4, 1.1]))
    return steps.drawn(needed | steps.noise(noise), needed, by_odds(odds))
