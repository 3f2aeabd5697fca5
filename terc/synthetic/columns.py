"""Columns that synthetic data sets are made of: noise of many kinds, drifting walks, draws."""

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec

import numpy as np
import numpy.typing as npt

from terc.arrays import Floats, Integers
from terc.checks import called_rightly, whole_number
from terc.errors import BadValueError, unknown_name
from terc.synthetic.labelled import Labelled, classes
from terc.trajectories.columns import Column
from terc.trajectories.data import Trajectories

P = ParamSpec("P")
Rng = np.random.Generator
Columns = dict[str, npt.NDArray[Any]]
"""Values `[n]` by the name of the variable."""
Needed = Iterable[str | tuple[str, ...]]
"""The variables to keep; of a tuple any one will do."""

NOISE_KINDS: dict[str, Callable[[int, Rng], npt.NDArray[Any]]] = {
    "normal": lambda n, rng: rng.standard_normal(n),
    "binary": lambda n, rng: rng.integers(0, 2, n),
    "integer": lambda n, rng: rng.integers(0, 11, n),
    "uniform": lambda n, rng: rng.uniform(-5, 5, n),
    "heavy": lambda n, rng: rng.standard_t(2, n),
    "nominal": lambda n, rng: rng.integers(0, 5, n),
}
"""Independent noise by kind; "heavy" is Student's t with two degrees of freedom (infinite variance)."""


def family(make: Callable[P, Labelled]) -> Callable[P, Labelled]:
    """A function of `n` that makes a data set, of which a call that does not fit is one sentence.

    Example:
        >>> @family
        ... def quiet(n: int = 10_000, *, noise: int = 3) -> Labelled: ...
        >>> quiet(100, noise=-1)
        Traceback (most recent call last):
        terc.errors.BadValueError: quiet: noise must be a whole number of at least 0, got -1.
    """
    form = signature(make)
    # a seed is checked by the generator that is made of it
    counts = {one for one, at in form.parameters.items() if at.annotation is int and one != "seed"}

    @wraps(make)
    def made(*args: P.args, **options: P.kwargs) -> Labelled:
        for name, value in form.bind(*args, **options).arguments.items():
            if name in counts:
                whole_number(make.__name__, name, value, least=int(name == "n"))
        return make(*args, **options)

    return called_rightly(made)


def mixed_noise(n: int, count: int, *, rng: Rng) -> tuple[Columns, list[str]]:
    """`count` independent columns that go through the kinds in turn, and which of them are nominal."""
    kinds = {f"noise_{k}": list(NOISE_KINDS)[k % len(NOISE_KINDS)] for k in range(count)}
    columns = {name: NOISE_KINDS[kind](n, rng) for name, kind in kinds.items()}
    return columns, [name for name, kind in kinds.items() if kind == "nominal"]


def equal_episodes(n: int, count: int) -> Integers:
    """Episode number of each of `n` steps cut into `count` runs of (almost) equal length.

    Example:
        >>> equal_episodes(5, 2)
        array([0, 0, 0, 1, 1])
    """
    return (np.arange(n) * min(count, n)) // n


def walk(steps: Floats, episodes: Integers) -> Floats:
    """Running sums of `steps` `[n, ...]` that start over in each episode.

    Example:
        >>> walk(np.ones(5), np.array([0, 0, 1, 1, 1]))
        array([1., 2., 1., 2., 3.])
    """
    total = np.cumsum(steps, axis=0)
    first = np.flatnonzero(np.diff(episodes, prepend=episodes[0] - 1))
    before = np.concatenate([np.zeros((1, *steps.shape[1:])), total])[first]
    lengths = np.diff(np.append(first, len(steps)))
    result: Floats = total - np.repeat(before, lengths, axis=0)
    return result


def numbered(prefix: str, values: npt.NDArray[Any]) -> Columns:
    """The columns of `values` `[n, d]`, named by `prefix` and their number.

    Example:
        >>> list(numbered("x", np.zeros((2, 3))))
        ['x0', 'x1', 'x2']
    """
    return {f"{prefix}{k}": column for k, column in enumerate(values.T)}


def labelled(  # noqa: PLR0913  (what `Trajectories` and `Labelled` take; all but three are keywords)
    columns: Columns,
    actions: npt.NDArray[Any],
    needed: Needed,
    *,
    rng: Rng | None = None,
    episodes: Integers | None = None,
    nominal: Iterable[str] = (),
    probabilities: Floats | None = None,
    alternatives: Iterable[Needed] = (),
) -> Labelled:
    """A data set of `columns` of which those `needed` are the answer.

    Without `episodes` the steps are independent, each an episode of its own. With `rng` the columns are
    shuffled: their position means nothing.
    """
    names = list(columns)
    if rng is not None:
        names = [names[k] for k in rng.permutation(len(names))]
    data = Trajectories(
        [Column(name, columns[name].astype(np.float64)) for name in names],
        actions,
        episodes=np.arange(len(actions)) if episodes is None else episodes,
        action_kind="discrete" if np.issubdtype(actions.dtype, np.integer) else "continuous",
        probabilities=probabilities,
        nominal=tuple(nominal),
    )
    return Labelled(data, classes(needed), tuple(map(classes, alternatives)))


def draw(probabilities: Floats, *, rng: Rng) -> Integers:
    """One action code per row of `probabilities` `[n, K]`.

    Example:
        >>> draw(np.array([[0.0, 1.0], [1.0, 0.0]]), rng=np.random.default_rng(0))
        array([1, 0])
    """
    edges = np.cumsum(probabilities[:, :-1], axis=1)
    codes: Integers = (rng.random((len(probabilities), 1)) >= edges).sum(axis=1)
    return codes


def mostly(codes: Integers, levels: int, slip: float) -> Floats:
    """Probabilities `[n, levels]` of an agent that takes the action `codes` but for a share `slip` of any.

    Example:
        >>> mostly(np.array([1]), 2, 0.2)
        array([[0.1, 0.9]])
    """
    return slip / levels + (1 - slip) * np.eye(levels)[codes]


def softmax(logits: Floats) -> Floats:
    """Probabilities along the last axis."""
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    result: Floats = shifted / shifted.sum(axis=-1, keepdims=True)
    return result


def logistic(logits: Floats) -> Floats:
    """1 / (1 + e^-x) without overflow."""
    result: Floats = 0.5 * (1 + np.tanh(0.5 * logits))
    return result


def two_sided(p: Floats) -> Floats:
    """Probabilities `[n, 2]` of a binary action that is 1 with probability `p`."""
    return np.column_stack([1 - p, p])


def by_odds(logits: Floats) -> Floats:
    """Probabilities `[n, 2]` of a binary action with these log-odds."""
    return two_sided(logistic(logits))


def one_of(where: str, argument: str, value: object, allowed: Iterable[object]) -> None:
    """Refuse a `value` that is not among `allowed`."""
    choices = list(allowed)
    if value not in choices:
        raise unknown_name(where, argument, value, choices)


def at_least(where: str, argument: str, value: float, least: float) -> None:
    """Refuse a `value` below `least`."""
    if value < least:
        raise BadValueError(f"{where}: {argument} must be at least {least}, got {value}.")
