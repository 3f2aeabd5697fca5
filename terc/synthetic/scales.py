"""Scales: units, heavy tails, sums beside their parts, rounded copies, several readings of one thing."""

import numpy as np

from terc.synthetic.columns import by_odds, softmax
from terc.synthetic.labelled import singles
from terc.synthetic.series import Acted, Rng, distractors, kind, moving, runs


@kind
def units(n: int, rng: Rng, noise: int = 8) -> Acted:
    """Five needed variables and the noise in units from 1e-6 to 1e6, each far from zero.

    Columns lie around up to twenty times their spread. Two of the five act through their product.
    """
    x = rng.standard_normal((n, 5))
    scores = np.column_stack([1.4 * x[:, 0] + x[:, 1], 1.4 * x[:, 2], 1.6 * x[:, 3] * x[:, 4]])
    columns = {f"x{k}": x[:, k] for k in range(5)} | distractors(n, 1, noise, rng=rng)
    columns = {
        name: (column + rng.uniform(-20, 20)) * 10.0 ** rng.uniform(-6, 6) for name, column in columns.items()
    }
    return Acted(columns, softmax(scores), singles(f"x{k}" for k in range(5)))


@kind
def heavy_tails(n: int, rng: Rng, noise: int = 8) -> Acted:
    """A policy on the logarithm of an income and the middle part of a loss without variance.

    `income` is log-normal over six powers of ten, `loss` Student's t with 1.2 degrees of freedom, as are
    the noise columns. The two act through their ranks, which a few huge values hide.
    """
    wealth, age = rng.standard_normal((2, n))
    loss = rng.standard_t(1.2, n)
    columns = {"income": np.exp(2.3 * wealth), "loss": loss, "age": age}
    answers = singles(columns)
    columns |= {f"noise_{k}": rng.standard_t(1.2, n) for k in range(noise)}
    return Acted(columns, by_odds(1.5 * wealth - 1.8 * np.tanh(loss) + 0.9 * age), answers)


@kind
def sum_beside_parts(n: int, rng: Rng, noise: int = 7) -> Acted:
    """Three actions score two parts and nothing; `total` is their sum, so any two of the three will do.

    Example:
        >>> found = sum_beside_parts(100)
        >>> found.is_exact(["part_0", "total"]), found.is_exact(["part_0", "part_1", "total"])
        (True, False)
    """
    length = 50
    parts = moving(n, length, 2, 0.7, rng=rng)
    columns = {"part_0": parts[:, 0], "part_1": parts[:, 1], "total": parts.sum(axis=1)}
    return Acted(
        columns | distractors(n, length, noise, rng=rng),
        softmax(1.7 * np.column_stack([parts, np.zeros(n)])),
        singles(["part_0", "part_1"]),
        episodes=runs(n, length)[1],
        alternatives=(singles(["part_0", "total"]), singles(["part_1", "total"])),
    )


@kind
def rounded_copy(n: int, rng: Rng, noise: int = 8) -> Acted:
    """The policy reads both digits of a number: the whole part and in which half the fraction lies.

    `coarse` is the whole part and adds nothing to `fine`.
    """
    fine, charge = rng.uniform(0, 6, n), rng.standard_normal(n)
    half, high = np.where(fine % 1 > 0.5, 1.0, -1.0), np.where(fine >= 3, 1.0, -1.0)
    columns = {"fine": fine, "coarse": np.floor(fine), "charge": charge}
    return Acted(
        columns | distractors(n, 1, noise, rng=rng),
        by_odds(2.0 * half + 1.2 * high + 0.8 * charge),
        singles(["fine", "charge"]),
    )


@kind
def noisy_sensors(n: int, rng: Rng, sensors: int = 5, noise: int = 6) -> Acted:
    """The policy follows the mean of five readings of one thing, each with an error of its own: all count.

    A sixth reading, which the policy does not see, looks just like them.
    """
    length = 50
    count, episodes = runs(n, length)
    thing = moving(n, length, 1, 0.8, rng=rng)
    readings = thing + 0.9 * rng.standard_normal((n, sensors + 1))
    columns = {f"reading_{k}": readings[:, k] for k in range(sensors)}
    answers = singles(columns)
    columns["unused_reading"] = readings[:, sensors]
    return Acted(
        columns | distractors(n, length, noise, rng=rng),
        by_odds(4.0 * readings[:, :sensors].mean(axis=1)),
        answers,
        episodes=episodes,
    )
