"""Many columns: eight needed variables, two of them only jointly, among hundreds of every kind and scale."""

import numpy as np

from terc.arrays import Floats
from terc.errors import BadValueError
from terc.seeding import generator
from terc.synthetic.columns import draw, equal_episodes, labelled, logistic, mixed_noise, walk
from terc.synthetic.labelled import Labelled
from terc.synthetic.series import smooth

NEEDED = ("steady", "slow", "switch", "left", "right", "wide", "narrow", "label")


def many_columns(
    n: int = 20_000, *, seed: int = 0, variables: int = 300, with_probabilities: bool = False
) -> Labelled:
    """A four-level action of eight needed variables among `variables` columns of mixed kinds and scales.

    The action is two bits. The first has log-odds in `steady`, `slow` (autocorrelated) and `switch`; the
    second in the product of the signs of `left` and `right` (neither shows anything alone), `wide`,
    `narrow` and the unordered `label`. `steady` and `wide` each have a copy (linear, cubed). The rest is
    noise: bits, integers, normals, heavy tails, labels, and drifting walks, in units from 1e-6 to 1e6.
    """
    if variables < len(NEEDED) + 2:
        raise BadValueError(f"many_columns: variables must be at least {len(NEEDED) + 2}, got {variables}.")
    rng = generator(seed)
    episodes = equal_episodes(n, max(1, n // 200))
    needed = _needed(n, rng=rng)
    probabilities = _two_bits(needed)
    columns = needed | {"steady_copy": 3 * needed["steady"] + 2, "wide_copy": needed["wide"] ** 3}
    free = variables - len(columns)
    walks = walk(rng.standard_normal((n, free // 6)), episodes)
    noise, nominal = mixed_noise(n, free - walks.shape[1], rng=rng)
    columns |= noise | {f"walk_{k}": walks[:, k] for k in range(walks.shape[1])}
    labels = {"label", *nominal}
    scaled = {
        name: column if name in labels else column * 10.0 ** rng.uniform(-6, 6)
        for name, column in columns.items()
    }
    twins = {"steady": "steady_copy", "wide": "wide_copy"}
    return labelled(
        scaled,
        draw(probabilities, rng=rng),
        tuple((name, twins[name]) if name in twins else (name,) for name in NEEDED),
        rng=rng,
        episodes=episodes,
        nominal=labels,
        probabilities=probabilities if with_probabilities else None,
    )


def _needed(n: int, *, rng: np.random.Generator) -> dict[str, Floats]:
    normals = rng.standard_normal((5, n))
    return {
        "steady": normals[0],
        "slow": smooth((n, 1, 1), 0.9, rng=rng)[:, 0, 0],
        "switch": rng.integers(0, 2, n).astype(np.float64),
        "left": normals[1],
        "right": normals[2],
        "wide": normals[3],
        "narrow": normals[4],
        "label": rng.integers(0, 4, n).astype(np.float64),
    }


def _two_bits(x: dict[str, Floats]) -> Floats:
    """Probabilities `[n, 4]` of the action 2 x first bit + second bit."""
    first = logistic(1.2 * x["steady"] + 0.9 * x["slow"] + 1.6 * (x["switch"] - 0.5))
    label_effect = np.array([0.9, -0.9, -0.9, 0.9])[x["label"].astype(np.int64)]
    second = logistic(
        1.5 * np.sign(x["left"] * x["right"]) + 0.8 * x["wide"] - 0.8 * x["narrow"] + label_effect
    )
    bits = np.stack([1 - first, first]), np.stack([1 - second, second])
    return np.column_stack([bits[0][a] * bits[1][b] for a in (0, 1) for b in (0, 1)])
