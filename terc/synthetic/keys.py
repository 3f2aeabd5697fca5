"""Secret keys: three integers among many decide, after Shamir's secret sharing."""

import numpy as np
from scipy.special import ndtr

from terc.arrays import Floats
from terc.seeding import generator
from terc.synthetic.columns import at_least, labelled
from terc.synthetic.labelled import Labelled, singles

LIMIT = 40
"""Guesses run from -40 to 40 and are stored as 0..80."""


def secret_keys(
    n: int = 10_000, *, seed: int = 0, keys: int = 25, noise: float = 0.0, with_probabilities: bool = False
) -> Labelled:
    """Play of the Secret Key Game: the guess is 3 y1 - 3 y2 + y3 for three keys at seeded positions.

    Keys are integers 0..10. The guess carries rounded normal noise of standard deviation `noise` (0: an
    expert), is clipped to -40..40 and stored as 0..80. Each game is an episode of one step.

    Example:
        >>> labelled = secret_keys(100, keys=5)
        >>> y1, y2, y3 = (labelled.data.states[0, labelled.data.column(name)] for (name,) in labelled.answers)
        >>> 3 * y1 - 3 * y2 + y3 + 40 == labelled.data.actions[0]
        np.True_
    """
    at_least("secret_keys", "keys", keys, 3)
    at_least("secret_keys", "noise", noise, 0)
    rng = generator(seed)
    states = rng.integers(0, 11, (n, keys))
    positions = rng.choice(keys, 3, replace=False)
    secret = states[:, positions] @ np.array([3, -3, 1])
    guess = np.clip(np.rint(secret + noise * rng.standard_normal(n)), -LIMIT, LIMIT).astype(np.int64)
    return labelled(
        {f"key_{k}": states[:, k].astype(np.float64) for k in range(keys)},
        guess + LIMIT,
        singles(f"key_{k}" for k in positions),
        probabilities=_guess_probabilities(noise)[secret + LIMIT] if with_probabilities else None,
    )


def _guess_probabilities(noise: float) -> Floats:
    """`[secret + 40, guess + 40]`: the chance of each guess given the secret, clipping included."""
    span = np.arange(-LIMIT, LIMIT + 1)
    if noise == 0:
        return np.eye(len(span))
    below = ndtr((np.arange(-2 * LIMIT, 2 * LIMIT) + 0.5) / noise)
    # cdf[s, g] is P(guess <= g | s) for every guess but the last, whose bound is 1 because of the clipping.
    cdf = below[(span[None, :-1] - span[:, None]) + 2 * LIMIT]
    edges = np.hstack([np.zeros((len(span), 1)), cdf, np.ones((len(span), 1))])
    return np.diff(edges, axis=1)
