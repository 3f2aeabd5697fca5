"""Encodings: labels written as numbers, one thing written twice, units from 1e-6 to 1e6."""

import itertools

import numpy as np

from terc.synthetic.columns import by_odds, one_hot, softmax
from terc.synthetic.labelled import singles
from terc.synthetic.series import Acted, Rng, distractors, in_order, kind, moving, runs


@kind
def label_and_one_hot(n: int, rng: Rng, noise: int = 5) -> Acted:
    """A label of six levels as an integer and as six one-hot columns, and a number beside it.

    Each level has action probabilities of its own, so either the label or any five of the six columns
    are the answer.

    Example:
        >>> found = label_and_one_hot(100)
        >>> found.is_exact(["label", "speed"]), found.is_exact([f"is_{k}" for k in range(5)] + ["speed"])
        (True, True)
    """
    label, speed = rng.integers(0, 6, n), rng.standard_normal(n)
    effects = rng.permutation(np.array([[2, 0], [0, 2], [-2, 1], [1, -2], [-1, -1], [2.5, 2.5]]))
    scores = np.column_stack([effects[label], np.zeros(n)])
    scores[:, 0] += 0.9 * speed
    flags = one_hot(label, 6)
    columns = {"label": label.astype(np.float64), "speed": speed} | {f"is_{k}": flags[:, k] for k in range(6)}
    return Acted(
        columns | distractors(n, 1, noise, rng=rng),
        softmax(scores),
        singles(["label", "speed"]),
        alternatives=tuple(
            singles([*five, "speed"]) for five in itertools.combinations([f"is_{k}" for k in range(6)], 5)
        ),
    )


@kind
def integer_labels(n: int, rng: Rng, noise: int = 8) -> Acted:
    """Labels of seven and twelve levels, written as whole numbers, with an effect per level in no order.

    Three actions; the levels' effects on the two log-odds are spread evenly and shuffled. The noise are
    integers of six to thirteen levels.
    """
    sizes = (7, 12)
    codes = [rng.integers(0, size, n) for size in sizes]
    scores = np.zeros((n, 3))
    for code, size in zip(codes, sizes, strict=True):
        for action in (0, 1):
            scores[:, action] += rng.permutation(np.linspace(-2, 2, size))[code]
    columns = {name: code.astype(np.float64) for name, code in zip(("tool", "colour"), codes, strict=True)}
    columns |= {f"code_{k}": rng.integers(0, 6 + k, n).astype(np.float64) for k in range(noise)}
    return Acted(columns, softmax(scores), singles(["tool", "colour"]))


@kind
def many_level_label(n: int, rng: Rng, noise: int = 8) -> Acted:
    """A label of 22 levels, written as a whole number, half of which turn the meaning of a `sign` round.

    Neither shows anything alone; `charge` has an effect of its own.
    """
    place, sign = rng.integers(0, 22, n), rng.choice([-1.0, 1.0], n)
    charge = rng.standard_normal(n)
    turns = rng.permutation(np.repeat([-1.0, 1.0], 11))
    columns = {"place": place.astype(np.float64), "sign": sign, "charge": charge}
    answers = singles(columns)
    columns |= {f"code_{k}": rng.integers(0, 15 + 2 * k, n).astype(np.float64) for k in range(noise)}
    return Acted(columns, by_odds(2.4 * turns[place] * sign + 0.9 * charge), answers)


@kind
def angle_twice(n: int, rng: Rng, noise: int = 6) -> Acted:
    """An angle beside its sine and cosine: the angle alone, or sine and cosine together, are the answer.

    Three actions score 2.4 cos(angle - their direction); `spin` favours the first.

    Example:
        >>> found = angle_twice(100)
        >>> found.is_exact(["angle", "spin"]), found.is_exact(["sin_angle", "cos_angle", "spin"])
        (True, True)
    """
    length = 50
    count, episodes = runs(n, length)
    turn = rng.uniform(-np.pi, np.pi, count) + 0.7 * np.cumsum(rng.standard_normal((length, count)), axis=0)
    angle = np.angle(np.exp(1j * in_order(turn, n)))
    spin = moving(n, length, 1, 0.7, rng=rng)[:, 0]
    scores = 2.4 * np.cos(angle[:, None] - 2 * np.pi * np.arange(3) / 3 - 0.4)
    scores[:, 0] += 1.1 * spin
    columns = {"angle": angle, "sin_angle": np.sin(angle), "cos_angle": np.cos(angle), "spin": spin}
    return Acted(
        columns | distractors(n, length, noise, rng=rng),
        softmax(scores),
        singles(["angle", "spin"]),
        episodes=episodes,
        alternatives=(singles(["sin_angle", "cos_angle", "spin"]),),
    )


@kind
def packed_bits(n: int, rng: Rng, noise: int = 7) -> Acted:
    """Six flags in one byte, of which the second and the fifth act; `low_bits` repeats the lower three."""
    flags, speed = rng.integers(0, 64, n), rng.standard_normal(n)
    second, fifth = 2 * ((flags >> 1) & 1) - 1, 2 * ((flags >> 4) & 1) - 1
    columns = {"flags": flags.astype(np.float64), "speed": speed, "low_bits": (flags % 8).astype(np.float64)}
    columns |= {f"byte_{k}": rng.integers(0, 64, n).astype(np.float64) for k in range(3)}
    return Acted(
        columns | distractors(n, 1, noise - 3, rng=rng),
        by_odds(1.8 * second + 1.3 * fifth + 0.9 * speed),
        singles(["flags", "speed"]),
    )


LEVELS = (6, 5, 4)


@kind
def nominal_codes(n: int, rng: Rng, distractors: int = 9) -> Acted:
    """Three label-coded variables decide by a random table over their 120 combinations; the others do not.

    One of four actions is right for each combination and is taken in 85 % of steps, otherwise any. Codes
    are drawn without order, so treating them as numbers misleads.
    """
    deciding = np.column_stack([rng.integers(0, levels, n) for levels in LEVELS])
    right = rng.integers(0, 4, LEVELS)[tuple(deciding.T)]
    probabilities = np.full((n, 4), 0.05)
    probabilities[np.arange(n), right] = 0.85
    columns = {f"label_{k}": deciding[:, k].astype(np.float64) for k in range(len(LEVELS))}
    columns |= {f"other_{k}": rng.integers(0, 3 + k % 5, n).astype(np.float64) for k in range(distractors)}
    return Acted(columns, probabilities, singles(f"label_{k}" for k in range(len(LEVELS))), nominal=columns)
