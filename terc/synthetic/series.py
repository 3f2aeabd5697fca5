"""Smooth series, and data sets whose actions are drawn from known probabilities."""

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


def smooth(shape: tuple[int, int, int], keep: float, *, rng: np.random.Generator) -> Floats:
    """`[length, episodes, variables]` stationary standard normals that keep `keep` of the step before."""
    series = rng.standard_normal(shape)
    series[1:] *= np.sqrt(1 - keep**2)
    for t in range(1, len(series)):
        series[t] += keep * series[t - 1]
    return series


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
