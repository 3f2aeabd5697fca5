"""Seed -> independent random streams, one per task; no global state is touched."""

import numpy as np

from terc.errors import BadTypeError, BadValueError


def generator(seed: int) -> np.random.Generator:
    """The random generator of a whole call, made once at the rim from the user's `seed`."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise BadTypeError(f"seed: wanted a whole number, got {seed!r} of type {type(seed).__name__}.")
    if seed < 0:
        raise BadValueError(f"seed: wanted a whole number of at least 0, got {seed}.")
    return np.random.default_rng(int(seed))


def spawn(rng: np.random.Generator, n: int) -> list[np.random.Generator]:
    """`n` independent streams, drawn in task order before dispatch: workers cannot change a result."""
    return list(rng.spawn(n))
