"""Many columns: eight needed variables, two of them only jointly, among hundreds of every kind and scale."""

import numpy as np

from terc.arrays import Floats
from terc.seeding import generator
from terc.synthetic.columns import (
    Columns,
    Rng,
    at_least,
    draw,
    equal_episodes,
    family,
    labelled,
    logistic,
    mixed_noise,
    numbered,
    two_sided,
    walk,
)
from terc.synthetic.labelled import Labelled
from terc.synthetic.series import Steps

NEEDED = ("steady", "slow", "switch", "left", "right", "wide", "narrow", "label")


@family
def many_columns(
    n: int = 20_000, *, seed: int = 0, variables: int = 300, with_probabilities: bool = False
) -> Labelled:
    """A four-level action of eight needed variables among `variables` columns of mixed kinds and scales.

    The action is two bits. The first has log-odds in `steady`, `slow` (autocorrelated) and `switch`; the
    second in the product of the signs of `left` and `right` (neither shows anything alone), `wide`,
    `narrow` and the unordered `label`. `steady` and `wide` each have a copy (linear, cubed). The rest is
    noise: bits, integers, normals, heavy tails, labels, and drifting walks, in units from 1e-6 to 1e6.
    """
    at_least("many_columns", "variables", variables, len(NEEDED) + 2)
    rng = generator(seed)
    episodes = equal_episodes(n, max(1, n // 200))
    needed = _needed(n, rng=rng)
    probabilities = _two_bits(needed)
    columns = needed | {"steady_copy": 3 * needed["steady"] + 2, "wide_copy": needed["wide"] ** 3}
    free = variables - len(columns)
    walks = walk(rng.standard_normal((n, free // 6)), episodes)
    noise, nominal = mixed_noise(n, free - walks.shape[1], rng=rng)
    columns |= noise | numbered("walk_", walks)
    labels = {"label", *nominal}
    scaled = {
        name: column if name in labels else column * 10.0 ** rng.uniform(-6, 6)
        for name, column in columns.items()
    }
    twins = {"steady": "steady_copy", "wide": "wide_copy"}
    return labelled(
        scaled,
        draw(probabilities, rng=rng),
        [(name, twins[name]) if name in twins else name for name in NEEDED],
        rng=rng,
        episodes=episodes,
        nominal=labels,
        probabilities=probabilities if with_probabilities else None,
    )


def _needed(n: int, *, rng: Rng) -> Columns:
    normals = rng.standard_normal((5, n))
    return {
        "steady": normals[0],
        "slow": Steps(n, n, rng).one(0.9),
        "switch": rng.integers(0, 2, n),
        "left": normals[1],
        "right": normals[2],
        "wide": normals[3],
        "narrow": normals[4],
        "label": rng.integers(0, 4, n),
    }


def _two_bits(x: Columns) -> Floats:
    """Probabilities `[n, 4]` of the action 2 x first bit + second bit."""
    first = logistic(1.2 * x["steady"] + 0.9 * x["slow"] + 1.6 * (x["switch"] - 0.5))
    label_effect = np.array([0.9, -0.9, -0.9, 0.9])[x["label"]]
    second = logistic(
        1.5 * np.sign(x["left"] * x["right"]) + 0.8 * x["wide"] - 0.8 * x["narrow"] + label_effect
    )
    return (two_sided(first)[:, :, None] * two_sided(second)[:, None, :]).reshape(-1, 4)
