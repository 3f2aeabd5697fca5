"""Columns that unfold within episodes: runs, sticky bits, lags, and noise of many kinds."""

import numpy as np

from terc.arrays import Floats, Integers
from terc.synthetic.series import Rng, smooth


def runs(n: int, length: int) -> tuple[int, Integers]:
    """How many episodes of `length` steps hold `n` steps, and the episode of each step (the last one is cut).

    Example:
        >>> runs(5, 2)
        (3, array([0, 0, 1, 1, 2]))
    """
    count = -(-n // length)
    return count, np.repeat(np.arange(count), length)[:n]


def sticky(shape: tuple[int, int, int], stay: float, *, rng: np.random.Generator) -> Floats:
    """`[length, episodes, variables]` fair bits that switch with probability 1 - `stay` in each step."""
    switches = rng.random(shape) >= stay
    switches[0] = rng.random(shape[1:]) < 0.5
    bits: Floats = (np.cumsum(switches, axis=0) % 2).astype(np.float64)
    return bits


def in_order(series: Floats, n: int) -> Floats:
    """The first `n` steps `[n, ...]` of `[length, episodes, ...]`, episode after episode.

    Example:
        >>> in_order(np.array([[0, 10], [1, 11]]), 3)
        array([ 0,  1, 10])
    """
    rows: Floats = series.swapaxes(0, 1).reshape(-1, *series.shape[2:])[:n]
    return rows


def moving(n: int, length: int, count: int, keep: float, *, rng: Rng) -> Floats:
    """`[n, count]` columns of `smooth` in episodes of `length` steps, episode after episode."""
    return in_order(smooth((length, runs(n, length)[0], count), keep, rng=rng), n)


def lagged(series: Floats, by: int, length: int) -> Floats:
    """The last `length` steps of `series`, seen `by` steps earlier; earlier steps fill the history.

    Example:
        >>> lagged(np.arange(6), 2, 3)
        array([1, 2, 3])
    """
    end = len(series) - by
    return series[end - length : end]


def distractors(n: int, length: int, count: int, *, rng: np.random.Generator) -> dict[str, Floats]:
    """`count` columns that have nothing to do with anything, of six kinds in turn.

    Slow and very slow runs, independent normals, sticky bits, integers of seven levels, heavy tails.
    """
    episodes, _ = runs(n, length)
    shape = (length, episodes, 1)
    kinds = [
        lambda: smooth(shape, 0.9, rng=rng),
        lambda: rng.standard_normal(shape),
        lambda: sticky(shape, 0.95, rng=rng),
        lambda: smooth(shape, 0.99, rng=rng),
        lambda: rng.integers(0, 7, shape).astype(np.float64),
        lambda: rng.standard_t(3, shape),
    ]
    return {f"noise_{k}": in_order(kinds[k % len(kinds)](), n)[:, 0] for k in range(count)}


def mostly(codes: Integers, levels: int, slip: float) -> Floats:
    """Probabilities `[n, levels]` of an agent that takes the action `codes` but for a share `slip` of any.

    Example:
        >>> mostly(np.array([1]), 2, 0.2)
        array([[0.1, 0.9]])
    """
    return slip / levels + (1 - slip) * np.eye(levels)[codes]
