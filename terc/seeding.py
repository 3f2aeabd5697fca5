"""Seed -> independent random streams, one per task, numpy and torch alike; no global state is touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from terc.errors import BadTypeError, BadValueError

if TYPE_CHECKING:
    import torch


def generator(seed: int) -> np.random.Generator:
    """The random generator of a whole call, made once at the rim from the user's `seed`.

    Example:
        >>> generator(0).integers(100) == generator(0).integers(100)
        np.True_
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise BadTypeError(f"seed: wanted a whole number, got {seed!r} of type {type(seed).__name__}.")
    if seed < 0:
        raise BadValueError(f"seed: wanted a whole number of at least 0, got {seed}.")
    return np.random.default_rng(int(seed))


def spawn(rng: np.random.Generator, n: int) -> list[np.random.Generator]:
    """`n` independent streams, drawn in task order before dispatch: workers cannot change a result."""
    return list(rng.spawn(n))


def torch_generator(rng: np.random.Generator) -> torch.Generator:
    """A torch generator whose seed is drawn from `rng` (which advances)."""
    import torch

    return torch.Generator().manual_seed(int(rng.integers(2**63 - 1)))
