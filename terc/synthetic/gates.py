"""Gates and blends: variables that act only together, only where another lets them, or weakly beside many."""

import numpy as np

from terc.synthetic.columns import by_odds, logistic, two_sided
from terc.synthetic.labelled import singles
from terc.synthetic.series import Acted, Rng, distractors, in_order, kind, mostly, moving, runs, smooth


@kind
def rare_gate(n: int, rng: Rng, noise: int = 8) -> Acted:
    """High `pressure`, in 2.5 % of the steps, hands the decision from `speed` over to a `lever`.

    With the gate open the action is the lever's position in 95 % of the steps; otherwise the lever does
    nothing. Lever and pressure are each worth a little over 0.01 nats.
    """
    pressure, speed = rng.standard_normal((2, n))
    lever = rng.integers(0, 2, n)
    p = np.where(pressure > 1.96, np.where(lever == 1, 0.95, 0.05), logistic(1.5 * speed))
    columns = {"pressure": pressure, "lever": lever.astype(np.float64), "speed": speed}
    return Acted(columns | distractors(n, 1, noise, rng=rng), two_sided(p), singles(columns))


@kind
def unbalanced_xor(n: int, rng: Rng, noise: int = 12) -> Acted:
    """The exclusive or of a bit that is on in 14 % and one that is on in 72 % of the steps, and `drive`.

    Half of the noise are bits as unbalanced as the two.
    """
    rare, common = rng.random(n) < 0.14, rng.random(n) < 0.72
    drive = rng.standard_normal(n)
    columns = {"rare": rare.astype(np.float64), "common": common.astype(np.float64), "drive": drive}
    probabilities = by_odds(np.where(rare ^ common, 2.6, -2.6) + 0.9 * drive)
    answers = singles(columns)
    columns |= {f"bit_{k}": (rng.random(n) < (0.14, 0.72)[k % 2]).astype(np.float64) for k in range(6)}
    return Acted(columns | distractors(n, 1, noise - 6, rng=rng), probabilities, answers)


@kind
def mode_switch(n: int, rng: Rng, noise: int = 7) -> Acted:
    """A `mode` of three levels, which lasts, chooses which of three sensors the policy follows."""
    length = 60
    count, episodes = runs(n, length)
    mode = in_order(np.cumsum(rng.random((length, count)) < 0.1, axis=0), n).astype(np.int64)
    mode = (mode + rng.integers(0, 3, count)[episodes]) % 3
    sensors = moving(n, length, 3, 0.8, rng=rng)
    followed = sensors[np.arange(n), mode]
    columns = {"mode": mode.astype(np.float64)} | {f"sensor_{k}": sensors[:, k] for k in range(3)}
    return Acted(
        columns | distractors(n, length, noise, rng=rng),
        by_odds(2.5 * followed),
        singles(columns),
        episodes=episodes,
    )


@kind
def triple_sign(n: int, rng: Rng, noise: int = 8) -> Acted:
    """The sign of the product of three normal variables, a slip in 10 %: no two of them show anything."""
    x = rng.standard_normal((3, n))
    columns = dict(zip("xyz", x, strict=True))
    return Acted(
        columns | {f"other_{k}": rng.standard_normal(n) for k in range(noise)},
        mostly((x.prod(axis=0) > 0).astype(np.int64), 2, 0.1),
        singles(columns),
    )


@kind
def same_label(n: int, rng: Rng, noise: int = 8) -> Acted:
    """The agent presses when two labels of eight levels are the same; neither label alone shows anything.

    They are the same in 45 % of the steps. The noise are labels of four to nine levels.
    """
    shown, other = rng.integers(0, 8, (2, n))
    asked = np.where(rng.random(n) < 0.37, shown, other)
    columns = {"shown": shown.astype(np.float64), "asked": asked.astype(np.float64)}
    columns |= {f"label_{k}": rng.integers(0, 4 + k % 6, n).astype(np.float64) for k in range(noise)}
    return Acted(
        columns,
        mostly((shown == asked).astype(np.int64), 2, 0.16),
        singles(["shown", "asked"]),
        nominal=columns,
    )


@kind
def modular_sum(n: int, rng: Rng, noise: int = 7) -> Acted:
    """The action is (left + 2 right) modulo 5 of two digits, a slip in 15 %; the noise are digits too."""
    digits = rng.integers(0, 10, (2 + noise, n))
    names = ["left", "right", *(f"digit_{k}" for k in range(noise))]
    return Acted(
        {name: digits[k].astype(np.float64) for k, name in enumerate(names)},
        mostly((digits[0] + 2 * digits[1]) % 5, 5, 0.15),
        singles(["left", "right"]),
    )


@kind
def deep_tree(n: int, rng: Rng, noise: int = 10) -> Acted:
    """A decision tree of eight leaves and three actions over five of fifteen uniform variables; slip 6 %."""
    u = rng.random((5 + noise, n))
    left = np.where(u[1] < 0.45, np.where(u[2] < 0.5, 0, 1), np.where(u[3] < 0.55, 2, 0))
    right = np.where(u[4] < 0.4, np.where(u[1] < 0.6, 1, 2), np.where(u[2] < 0.35, 0, u[3] < 0.5))
    columns = {f"u{k}": u[k] for k in range(5 + noise)}
    return Acted(
        columns,
        mostly(np.where(u[0] < 0.55, left, right).astype(np.int64), 3, 0.06),
        singles(f"u{k}" for k in range(5)),
    )


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
