"""A seeded sample of whole episodes, so that long recordings can be read in part."""

import numpy as np

from terc.arrays import Integers
from terc.seeding import generator

STRETCH = 2_000
"""Steps of a stretch into which long episodes are cut: 50 of them make 100,000 steps, enough for folds."""
LONGEST_EPISODE = 10 * STRETCH
"""Episodes beyond this are cut, so that a sample of some ten thousand steps holds several pieces."""


def starts_of_pieces(episodes: Integers) -> Integers:
    """The first step of each piece that is drawn as a whole: an episode, or a stretch of a long one.

    Example:
        >>> starts_of_pieces(np.repeat([0, 1], [300, 25_000])).tolist()[:4]
        [0, 300, 2300, 4300]
    """
    starts = np.flatnonzero(np.r_[True, episodes[1:] != episodes[:-1]])
    lengths = np.diff(np.r_[starts, len(episodes)])
    long = lengths > LONGEST_EPISODE
    cut = [
        np.arange(start, start + length, STRETCH)
        for start, length in zip(starts[long], lengths[long], strict=True)
    ]
    return np.sort(np.concatenate([starts[~long], *cut])).astype(np.int64)


def sampled_steps(starts: Integers, n: int, steps: int, *, skip: int = 0, seed: int = 0) -> Integers:
    """Increasing numbers of about `steps` of `n` steps: whole pieces in an order that `seed` decides.

    Samples with the same seed are nested and cut without overlap: the steps of `sampled_steps(.., 2 * k)` are
    those of `sampled_steps(.., k)` and of `sampled_steps(.., k, skip=k)`.

    Args:
        steps: How many are wanted; the last piece is whole, so that there may be a few more.
        skip: Pieces that begin within the first `skip` steps of the order are left out.

    Example:
        >>> sampled_steps(np.array([0, 2, 4]), 6, 3, seed=0).tolist()
        [0, 1, 4, 5]
    """
    lengths = np.diff(np.r_[starts, n])
    order = generator(seed).permutation(len(starts))
    before = np.cumsum(lengths[order]) - lengths[order]
    chosen = np.zeros(len(starts), dtype=bool)
    chosen[order[(before >= skip) & (before < skip + steps)]] = True
    return np.flatnonzero(np.repeat(chosen, lengths))
