"""Which steps are held out together, and which count as one observation: whole episodes, or longer stretches.

An episode is the unit of chance: its steps depend on each other. Where there are fewer than eight episodes,
or where successive episodes depend on each other (actions drift over the recording), the unit is a long
stretch of the recording, and slow functions of time are among the conditions of every question: a column
that drifts as well then carries nothing about the action that the time does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from terc.arrays import Array

FEWEST_EPISODES = 8
"""Fewer cannot be held out in turn."""
STRETCHES = 24
"""Long stretches in place of episodes: enough degrees of freedom, each as long as can be."""
SHORTEST_STRETCH = 4
FOLDS = 3
"""Each model learns from two thirds of the steps. Five folds take twice the time, and answer no better in
`benchmarks/accuracy.py` (kinds of 2,000 steps, nulls)."""
WAVES = 6
"""Cosines of time, from one half-wave over the recording to three waves."""
DRIFT_LEVEL = 0.01
"""Level of the test for drift: a false alarm costs a little power, a missed drift is weak."""


@dataclass(frozen=True, eq=False)
class Splits:
    """A partition of the steps for cross-fitting and for standard errors.

    Attributes:
        folds: int64 `[n]`, the fold that each step is held out in.
        clusters: int64 `[n]`, non-decreasing; steps of one cluster may depend on each other.
        context: float32 `[n, m]`, functions of time that every prediction may read; none without drift.
        stretched: Why stretches stand for episodes: "" (they do not), "episodes" (too few) or "drift".
        n_folds: Number of folds.
        n_clusters: Number of clusters.
        cluster_starts: int64 `[n_clusters]`, row at which each cluster begins, for `np.add.reduceat`.

    Example:
        >>> splits = split(np.repeat(np.arange(300), 5), rng=np.random.default_rng(0))
        >>> splits.n_clusters, np.bincount(splits.folds).tolist(), splits.context.shape
        (300, [500, 500, 500], (1500, 0))
    """

    folds: Array
    clusters: Array
    context: Array
    stretched: str = ""
    n_folds: int = field(init=False)
    n_clusters: int = field(init=False)
    cluster_starts: Array = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_folds", int(self.folds.max()) + 1)
        object.__setattr__(self, "n_clusters", int(self.clusters[-1]) + 1)
        object.__setattr__(self, "cluster_starts", np.flatnonzero(np.diff(self.clusters, prepend=-1)))

    def anew(self, rng: np.random.Generator) -> Splits:
        """The same clusters in other folds."""
        return replace(self, folds=_balanced(self.clusters, self.n_folds, rng)[self.clusters])

    def hold(self, columns: Array) -> bool:
        """Whether columns `[n, p]` never change within a cluster; of single steps they hold nothing."""
        changes = (columns[1:] != columns[:-1]).any(1)
        still = not (changes & (self.clusters[1:] == self.clusters[:-1])).any()
        return bool(still and 2 * self.n_clusters <= len(columns))

    def partners(self, seed: int) -> Array:
        """For each step another one of its fold `[n]`."""
        rng, partner = np.random.default_rng(seed), np.arange(len(self.folds))
        for fold in range(self.n_folds):
            rows = np.flatnonzero(self.folds == fold)
            partner[rows] = rng.permutation(rows)
        return partner

    def doubts(self) -> list[tuple[str, str, str]]:
        """What it costs that stretches stand for episodes: kind, code and text."""
        if self.stretched == "episodes":
            text = (
                f"too few episodes to hold out in turn: {self.n_clusters} long stretches of the recording "
                "stand for them, so that weak dependence cannot be shown, nor dependence slower than a "
                "stretch be accounted for."
            )
            return [("doubt", "few-episodes", text)]
        if self.stretched == "drift":
            text = (
                "the mean of the actions drifts over the recording: time is among the conditions, and "
                f"{self.n_clusters} stretches of episodes stand for single ones, so that weak dependence "
                "cannot show."
            )
            return [("doubt", "drift", text)]
        return []


def split(episodes: Array, *, rng: np.random.Generator, action: Array | None = None) -> Splits:
    """Folds of whole episodes (or stretches), and the clusters of the standard errors.

    Args:
        episodes: Number of the episode of each step, non-decreasing.
        rng: Advanced by this call.
        action: The action as columns of numbers `[n, q]`, to be looked at for drift; None for no look.
    """
    n, n_episodes = len(episodes), int(episodes[-1]) + 1
    few = n_episodes < FEWEST_EPISODES
    clusters = _stretches(n) if few else episodes
    drifts = action is not None and _drifts(action, clusters)
    if drifts and not few and n_episodes > STRETCHES:
        clusters = episodes * STRETCHES // n_episodes
    time = np.arange(n) / n if few else (episodes + 0.5) / n_episodes
    context = _waves(time) if drifts else np.zeros((n, 0), dtype=np.float32)
    why = "episodes" if few else "drift" if drifts else ""
    return Splits(
        _balanced(clusters, min(FOLDS, int(clusters[-1]) + 1), rng)[clusters], clusters, context, why
    )


def _stretches(n: int) -> Array:
    count = max(2, min(STRETCHES, n // SHORTEST_STRETCH))
    return np.arange(n) * count // n


def _waves(time: Array) -> Array:
    """Slow functions of time in 0..1, of about unit variance."""
    waves = [np.cos(np.pi * k * time) for k in range(1, WAVES + 1)]
    return (np.sqrt(2) * np.stack([np.sqrt(6) * (time - 0.5), *waves], axis=1)).astype(np.float32)


def _drifts(action: Array, clusters: Array) -> bool:
    """Whether the clusters' mean actions follow slow waves of time, or their predecessors, beyond chance."""
    from scipy import special

    count = int(clusters[-1]) + 1
    waves = min(WAVES, count // 4)
    if waves < 1:
        return False
    size = np.bincount(clusters).astype(np.float64)
    time = (np.arange(count) + 0.5) / count
    basis = np.stack([np.cos(np.pi * k * time) for k in range(1, waves + 1)], axis=1)
    chances = []
    for column in action.T.astype(np.float64):
        # Without drift any order of the episodes is as likely, each with its length: long ones that are
        # unlike the others may lie anywhere, and no model of their variance is needed.
        sums = np.bincount(clusters, column - column.mean())
        fit = basis @ (basis.T @ sums) * 2 / count
        rest = float(sums @ sums - fit @ fit)
        if sums.std() < 1e-9 * np.sqrt(size.mean()):
            continue
        ratio = (fit @ fit / waves) / max(rest / (count - waves - 1), 1e-300)
        chances.append(special.fdtrc(waves, count - waves - 1, ratio))
        # Here each episode counts as one: how long it is may depend on what is done in it.
        alone = np.bincount(clusters, column) / size
        alone -= alone.mean()
        follows = (alone[1:] @ alone[:-1]) / max(float(alone @ alone), 1e-300)
        chances.append(special.ndtr(-follows * np.sqrt(count)))
    return bool(chances) and min(chances) * len(chances) < DRIFT_LEVEL


def _balanced(units: Array, n_folds: int, rng: np.random.Generator) -> Array:
    """Fold of each unit: in random order, each to the fold that has the fewest steps so far."""
    sizes = np.bincount(units)
    order = rng.permutation(len(sizes))
    fold = np.empty(len(sizes), dtype=np.int64)
    if sizes.max() == sizes.min():
        fold[order] = np.arange(len(sizes)) % n_folds
        return fold
    filled = np.zeros(n_folds)
    for unit in order:
        fold[unit] = int(filled.argmin())
        filled[fold[unit]] += sizes[unit]
    return fold
