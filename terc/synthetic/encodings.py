"""Encodings: labels written as numbers, one thing written twice, flags packed into a byte."""

import itertools

import numpy as np

from terc.synthetic.columns import by_odds, mostly, numbered, softmax
from terc.synthetic.labelled import Labelled
from terc.synthetic.series import Steps, kind


@kind()
def label_and_one_hot(steps: Steps, noise: int = 5) -> Labelled:
    """A label of six levels as an integer and as six one-hot columns, and a number beside it.

    Each level has action probabilities of its own, so either the label or any five of the six columns
    are the answer.

    Example:
        >>> found = label_and_one_hot(100)
        >>> found.is_exact(["label", "speed"]), found.is_exact([f"is_{k}" for k in range(5)] + ["speed"])
        (True, True)
    """
    label, speed = steps.rng.integers(0, 6, steps.n), steps.rng.standard_normal(steps.n)
    effects = steps.rng.permutation(np.array([[2, 0], [0, 2], [-2, 1], [1, -2], [-1, -1], [2.5, 2.5]]))
    scores = np.column_stack([effects[label], np.zeros(steps.n)])
    scores[:, 0] += 0.9 * speed
    needed, flags = {"label": label, "speed": speed}, numbered("is_", np.eye(6)[label])
    return steps.drawn(
        needed | flags | steps.noise(noise),
        needed,
        softmax(scores),
        alternatives=[[*five, "speed"] for five in itertools.combinations(flags, 5)],
    )


@kind()
def integer_labels(steps: Steps, noise: int = 8) -> Labelled:
    """Labels of seven and twelve levels, written as whole numbers, with an effect per level in no order.

    Three actions; the levels' effects on the two log-odds are spread evenly and shuffled. The noise are
    integers of six to thirteen levels.
    """
    n, rng = steps.n, steps.rng
    needed = {"tool": rng.integers(0, 7, n), "colour": rng.integers(0, 12, n)}
    scores = np.zeros((n, 3))
    for code, levels in zip(needed.values(), (7, 12), strict=True):
        for action in (0, 1):
            scores[:, action] += rng.permutation(np.linspace(-2, 2, levels))[code]
    others = {f"code_{k}": rng.integers(0, 6 + k, n) for k in range(noise)}
    return steps.drawn(needed | others, needed, softmax(scores))


@kind()
def many_level_label(steps: Steps, noise: int = 8) -> Labelled:
    """A label of 22 levels, written as a whole number, half of which turn the meaning of a `sign` round.

    Neither shows anything alone; `charge` has an effect of its own.
    """
    n, rng = steps.n, steps.rng
    place, sign = rng.integers(0, 22, n), rng.choice([-1.0, 1.0], n)
    charge = rng.standard_normal(n)
    turns = rng.permutation(np.repeat([-1.0, 1.0], 11))
    needed = {"place": place, "sign": sign, "charge": charge}
    others = {f"code_{k}": rng.integers(0, 15 + 2 * k, n) for k in range(noise)}
    return steps.drawn(needed | others, needed, by_odds(2.4 * turns[place] * sign + 0.9 * charge))


@kind(50)
def angle_twice(steps: Steps, noise: int = 6) -> Labelled:
    """An angle beside its sine and cosine: the angle alone, or sine and cosine together, are the answer.

    Three actions score 2.4 cos(angle - their direction); `spin` favours the first.

    Example:
        >>> found = angle_twice(100)
        >>> found.is_exact(["angle", "spin"]), found.is_exact(["sin_angle", "cos_angle", "spin"])
        (True, True)
    """
    rng, shape = steps.rng, (steps.length, steps.count)
    turn = rng.uniform(-np.pi, np.pi, steps.count) + 0.7 * np.cumsum(rng.standard_normal(shape), axis=0)
    angle = np.angle(np.exp(1j * steps.in_order(turn)))
    spin = steps.one(0.7)
    scores = 2.4 * np.cos(angle[:, None] - 2 * np.pi * np.arange(3) / 3 - 0.4)
    scores[:, 0] += 1.1 * spin
    columns = {"angle": angle, "sin_angle": np.sin(angle), "cos_angle": np.cos(angle), "spin": spin}
    return steps.drawn(
        columns | steps.noise(noise),
        ["angle", "spin"],
        softmax(scores),
        alternatives=[["sin_angle", "cos_angle", "spin"]],
    )


@kind()
def packed_bits(steps: Steps, noise: int = 7) -> Labelled:
    """Six flags in one byte, of which the second and the fifth act; `low_bits` repeats the lower three."""
    flags, speed = steps.rng.integers(0, 64, steps.n), steps.rng.standard_normal(steps.n)
    second, fifth = 2 * ((flags >> 1) & 1) - 1, 2 * ((flags >> 4) & 1) - 1
    columns = {"flags": flags, "speed": speed, "low_bits": flags % 8}
    columns |= {f"byte_{k}": steps.rng.integers(0, 64, steps.n) for k in range(3)}
    odds = 1.8 * second + 1.3 * fifth + 0.9 * speed
    return steps.drawn(columns | steps.noise(noise - 3), ["flags", "speed"], by_odds(odds))


@kind()
def places_and_light(steps: Steps, places: int = 200, noise: int = 4) -> Labelled:
    """One of 200 places with an action each, in no order; where there is much `light` the opposite one."""
    place, light = steps.rng.integers(0, places, steps.n), steps.one(0.8)
    action = steps.rng.integers(0, 3, places)[place]
    action = np.where(light > 0.7, 2 - action, action)
    needed = {"place": place, "light": light}
    others = {"other_place": steps.rng.integers(0, places, steps.n)} | steps.noise(noise)
    return steps.drawn(needed | others, needed, softmax(4.0 * (action[:, None] == np.arange(3))))


@kind(100)
def bits_of_two_bytes(steps: Steps, noise: int = 5) -> Labelled:
    """Bit 3 of `status` differs from bit 2 of `control`, numbers below 64; slip 8 %, two idle bytes."""
    status, control, *idle = steps.rng.integers(0, 64, (4, steps.n))
    differ = (status >> 3 ^ control >> 2) & 1
    needed = {"status": status, "control": control}
    columns = needed | {f"idle_{k}": byte for k, byte in enumerate(idle)} | steps.noise(noise)
    return steps.drawn(columns, needed, mostly(differ, 2, 0.08))
