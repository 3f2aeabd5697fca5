"""Scales: units, heavy tails, sums beside their parts, rounded copies, several readings of one thing."""

import numpy as np

from terc.synthetic.columns import by_odds, numbered, softmax
from terc.synthetic.labelled import Labelled
from terc.synthetic.series import Steps, kind


@kind()
def units(steps: Steps, noise: int = 8) -> Labelled:
    """Five needed variables and the noise in units from 1e-6 to 1e6, each far from zero.

    Columns lie around up to twenty times their spread. Two of the five act through their product.
    """
    rng = steps.rng
    x = rng.standard_normal((steps.n, 5))
    scores = np.column_stack([1.4 * x[:, 0] + x[:, 1], 1.4 * x[:, 2], 1.6 * x[:, 3] * x[:, 4]])
    needed = numbered("x", x)
    columns = {
        name: (column + rng.uniform(-20, 20)) * 10.0 ** rng.uniform(-6, 6)
        for name, column in (needed | steps.noise(noise)).items()
    }
    return steps.drawn(columns, needed, softmax(scores))


@kind()
def heavy_tails(steps: Steps, noise: int = 8) -> Labelled:
    """A policy on the logarithm of an income and the middle part of a loss without variance.

    `income` is log-normal over six powers of ten, `loss` Student's t with 1.2 degrees of freedom, as are
    the noise columns. The two act through their ranks, which a few huge values hide.
    """
    wealth, age = steps.rng.standard_normal((2, steps.n))
    loss = steps.rng.standard_t(1.2, steps.n)
    needed = {"income": np.exp(2.3 * wealth), "loss": loss, "age": age}
    others = {f"noise_{k}": steps.rng.standard_t(1.2, steps.n) for k in range(noise)}
    return steps.drawn(needed | others, needed, by_odds(1.5 * wealth - 1.8 * np.tanh(loss) + 0.9 * age))


@kind(50)
def sum_beside_parts(steps: Steps, noise: int = 7) -> Labelled:
    """Three actions score two parts and nothing; `total` is their sum, so any two of the three will do.

    Example:
        >>> found = sum_beside_parts(100)
        >>> found.is_exact(["part_0", "total"]), found.is_exact(["part_0", "part_1", "total"])
        (True, False)
    """
    parts = steps.moving(2, 0.7)
    needed = numbered("part_", parts)
    return steps.drawn(
        needed | {"total": parts.sum(axis=1)} | steps.noise(noise),
        needed,
        softmax(1.7 * np.column_stack([parts, np.zeros(steps.n)])),
        alternatives=[["part_0", "total"], ["part_1", "total"]],
    )


@kind()
def rounded_copy(steps: Steps, noise: int = 8) -> Labelled:
    """The policy reads both digits of a number: the whole part and in which half the fraction lies.

    `coarse` is the whole part and adds nothing to `fine`.
    """
    fine, charge = steps.rng.uniform(0, 6, steps.n), steps.rng.standard_normal(steps.n)
    half, high = np.where(fine % 1 > 0.5, 1.0, -1.0), np.where(fine >= 3, 1.0, -1.0)
    columns = {"fine": fine, "coarse": np.floor(fine), "charge": charge} | steps.noise(noise)
    return steps.drawn(columns, ["fine", "charge"], by_odds(2.0 * half + 1.2 * high + 0.8 * charge))


@kind(50)
def noisy_sensors(steps: Steps, sensors: int = 5, noise: int = 6) -> Labelled:
    """The policy follows the mean of five readings of one thing, each with an error of its own: all count.

    A sixth reading, which the policy does not see, looks just like them.
    """
    thing = steps.moving(1, 0.8)
    readings = thing + 0.9 * steps.rng.standard_normal((steps.n, sensors + 1))
    needed = numbered("reading_", readings[:, :sensors])
    columns = needed | {"unused_reading": readings[:, sensors]} | steps.noise(noise)
    return steps.drawn(columns, needed, by_odds(4.0 * readings[:, :sensors].mean(axis=1)))
