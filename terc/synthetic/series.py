"""Columns that unfold within episodes: smooth runs, sticky bits, lags, and noise of many kinds."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from typing import Any

import numpy as np

from terc.arrays import Floats, Integers
from terc.seeding import generator
from terc.synthetic.columns import draw, labelled
from terc.synthetic.labelled import Answer, Labelled

Rng = np.random.Generator


def runs(n: int, length: int) -> tuple[int, Integers]:
    """How many episodes of `length` steps hold `n` steps, and the episode of each step (the last one is cut).

    Example:
        >>> runs(5, 2)
        (3, array([0, 0, 1, 1, 2]))
    """
    count = -(-n // length)
    return count, np.repeat(np.arange(count), length)[:n]


def smooth(shape: tuple[int, int, int], keep: float, *, rng: np.random.Generator) -> Floats:
    """`[length, episodes, variables]` stationary standard normals that keep `keep` of the step before."""
    series = rng.standard_normal(shape)
    series[1:] *= np.sqrt(1 - keep**2)
    for t in range(1, len(series)):
        series[t] += keep * series[t - 1]
    return series


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


@dataclass(frozen=True)
class Acted:
    """A data set in which each action is drawn from its row of `probabilities` `[n, K]`."""

    columns: dict[str, Floats]
    probabilities: Floats
    answers: Answer
    episodes: Integers | None = None
    nominal: Iterable[str] = ()
    alternatives: tuple[Answer, ...] = ()


def acted(found: Acted, *, rng: Rng, with_probabilities: bool = False) -> Labelled:
    """The data set, its actions drawn."""
    data = labelled(
        found.columns,
        draw(found.probabilities, rng=rng),
        found.answers,
        rng=rng,
        episodes=found.episodes,
        nominal=found.nominal,
        probabilities=found.probabilities if with_probabilities else None,
    ).data
    return Labelled(data, found.answers, found.alternatives)


def kind(make: Callable[..., Acted]) -> Callable[..., Labelled]:
    """`make(n, rng, ...)` as a family: `name(n=10_000, *, seed=0, ..., with_probabilities=False)`."""

    def made(
        n: int = 10_000, *, seed: int = 0, with_probabilities: bool = False, **settings: Any
    ) -> Labelled:
        rng = generator(seed)
        return acted(make(n, rng, **settings), rng=rng, with_probabilities=with_probabilities)

    made.__name__, made.__doc__, made.__module__ = make.__name__, make.__doc__, make.__module__
    shared, own = (
        list(signature(made).parameters.values())[:-1],
        list(signature(make).parameters.values())[2:],
    )
    settings = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in own]
    made.__signature__ = Signature([*shared, *settings])  # type: ignore[attr-defined]
    return made


def mostly(codes: Integers, levels: int, slip: float) -> Floats:
    """Probabilities `[n, levels]` of an agent that takes the action `codes` but for a share `slip` of any.

    Example:
        >>> mostly(np.array([1]), 2, 0.2)
        array([[0.1, 0.9]])
    """
    return slip / levels + (1 - slip) * np.eye(levels)[codes]
