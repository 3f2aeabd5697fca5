"""Gates: variables that act only together, or only where another one lets them."""

import numpy as np

from terc.synthetic.columns import by_odds, logistic, two_sided
from terc.synthetic.labelled import singles
from terc.synthetic.series import Acted, Rng, distractors, in_order, kind, mostly, moving, runs


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
