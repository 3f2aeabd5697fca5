"""Which steps train, which are held out, and which count as one observation: always by whole episode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from terc.trajectories.columns import IntArray

N_FOLDS = 3
MANY_FOLDS = 6
FEW_EPISODES = 100
FEW_STEPS = 20_000
MIN_CLUSTERS = 50
MIN_EPISODES_PER_FOLD = 2


@dataclass(frozen=True)
class Splits:
    """A partition of the steps for cross-fitting and for standard errors.

    Attributes:
        folds: int64 `[n]`, the fold that each step is held out in.
        clusters: int64 `[n]`, non-decreasing; steps of one cluster may depend on each other.
        note: What a reader should know about the split, or "".

    Example:
        >>> splits = split(np.repeat(np.arange(300), 5), rng=np.random.default_rng(0))
        >>> splits.n_clusters, np.bincount(splits.folds).tolist()
        (300, [500, 500, 500])
    """

    folds: IntArray
    clusters: IntArray
    note: str = ""

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return int(self.folds.max()) + 1

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.clusters[-1]) + 1

    @property
    def cluster_starts(self) -> IntArray:
        """Row at which each cluster begins, for `np.add.reduceat`."""
        return np.flatnonzero(np.diff(self.clusters, prepend=-1))


def split(episodes: IntArray, *, rng: np.random.Generator) -> Splits:
    """Folds of whole episodes and clusters for the standard errors.

    Fewer than 50 episodes cannot carry a test with a correction for many variables, so the long ones are cut
    into blocks of at most n / 50 steps, and the note says so. With fewer than six episodes the folds go by
    block too.

    Three folds are enough where there is much data. On few steps in few episodes the networks of different
    folds differ so much that three of them do not tell by how much, and there are up to six.

    Args:
        episodes: Number of the episode of each step, non-decreasing.
        rng: Advanced by this call.
    """
    n, n_episodes = len(episodes), int(episodes[-1]) + 1
    clusters = episodes if n_episodes >= MIN_CLUSTERS else _blocks(episodes, max(1, n // MIN_CLUSTERS))
    whole = n_episodes >= N_FOLDS * MIN_EPISODES_PER_FOLD
    units = episodes if whole else clusters
    n_folds = N_FOLDS
    if n_episodes < FEW_EPISODES and n < FEW_STEPS:
        n_folds = min(MANY_FOLDS, (int(units[-1]) + 1) // MIN_EPISODES_PER_FOLD)
    return Splits(_balanced(units, n_folds, rng)[units], clusters, _note(n_episodes, clusters, whole))


def _note(n_episodes: int, clusters: IntArray, whole: bool) -> str:
    if n_episodes >= MIN_CLUSTERS:
        return ""
    steps = "one single episode" if n_episodes == 1 else f"only {n_episodes} episodes"
    held_out = "" if whole else " and held out"
    return (
        f"{steps}: counted{held_out} in {int(clusters[-1]) + 1} blocks of consecutive steps; "
        "dependence longer than a block is not accounted for."
    )


def _blocks(episodes: IntArray, longest: int) -> IntArray:
    """Episodes cut into consecutive blocks of at most `longest` steps, numbered in order."""
    starts = np.flatnonzero(np.diff(episodes, prepend=-1))
    within = np.arange(len(episodes)) - starts[episodes]
    begins = within % longest == 0
    return np.cumsum(begins) - 1


def _balanced(units: IntArray, n_folds: int, rng: np.random.Generator) -> IntArray:
    """Fold of each unit: in random order, each to the fold that has the fewest steps so far."""
    sizes = np.bincount(units)
    order = rng.permutation(len(sizes))
    if sizes.max() == sizes.min():
        fold = np.empty(len(sizes), dtype=np.int64)
        fold[order] = np.arange(len(sizes)) % n_folds
        return fold
    fold, filled = np.empty(len(sizes), dtype=np.int64), np.zeros(n_folds)
    for unit in order:
        fold[unit] = int(filled.argmin())
        filled[fold[unit]] += sizes[unit]
    return fold
