"""The action as a chain of parts, each a choice among levels or one number: what every predictor predicts.

By the chain rule the entropy of the whole is the sum over the parts, each given those before it: several
dimensions are one part each, and a number that often sits at the same few values (a saturated torque) is
first a choice between those values and "in between", then a number. Columns of 0 and 1 of which never two
are 1 are one choice, however many they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from terc.arrays import Array
from terc.predictors.encoding import ATOM_SHARE, one_hot, standard_scores

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories


MOST_LEVELS = 16
"""Whole numbers up to so many are levels; beyond, a number (the Secret Key Game has 81)."""
MOST_KNOWN = 64
"""Up to so many known probabilities are of levels; beyond, of a number."""
BETWEEN_WORDS = ", "
"""What joins the labels of several dimensions. Wherever words make a label, it is a chain of them."""
WHOLE = re.compile(r"-?\d+")
RESOLUTION = 0.02
"""Bins of a continuous number, in standard deviations: finer ones only measure how exact a policy is."""
MOST_VALUES = 256
"""Numbers of at most so many different values have bins as wide as their smallest gap."""
MOST_ATOMS = 4
FEWEST_STEPS = 20
"""Steps from which a part of the action can be learnt at all."""


@dataclass(frozen=True, eq=False)
class Forecast:
    """What was expected of every step by a model that had not seen its episode.

    Attributes:
        chance: `[n, K]` of each level, or `[n, 1]` of the bin in which the number lies.
        expected: `[n, q]` expected value of `part.columns`.
    """

    chance: Array
    expected: Array


@dataclass(frozen=True, eq=False)
class Part:
    """One link of the chain.

    Attributes:
        target: `[n, K]` shares of the levels, or `[n]` standardised numbers.
        width: Width of a bin of a number; 0 for levels.
        rows: The steps where the part is there at all.
        given: `[n, g]` what the parts before it were, which every predictor may read.
        blind: The forecast of one who sees no variable, which is in every mixture.
        is_number: Whether the part is a number.
        columns: The part as numbers `[n, q]`: itself, or one column per level; one is enough for two levels.
    """

    target: Array
    width: float
    rows: Array
    given: Array
    blind: Forecast | None = None
    is_number: bool = field(init=False)
    columns: Array = field(init=False)

    def __post_init__(self) -> None:
        number = self.target.ndim == 1
        levels = self.target[:, None] if number else self.target
        object.__setattr__(self, "is_number", number)
        object.__setattr__(self, "columns", levels[:, 1:] if levels.shape[1] == 2 else levels)


def parts_of(data: Trajectories, folds: Array | None = None) -> tuple[Part, ...]:
    """The action of `data` as parts.

    Args:
        data: The steps.
        folds: `[n]`; a part that is there in too few steps outside of any fold is left out: it cannot be
            learnt.

    Example:
        >>> from terc.trajectories.data import Trajectories
        >>> x = np.linspace(-2, 2, 900)[:, None]
        >>> [part.target.shape for part in parts_of(Trajectories(x, np.arange(900) % 3))]
        [(900, 3)]
        >>> choice, number = parts_of(Trajectories(x, np.clip(x[:, 0], -9, 1.5)))  # a torque with a stop
        >>> choice.target.shape, number.target.shape, len(number.rows)
        ((900, 2), (900,), 787)
    """
    parts = _every_part(data)
    return parts if folds is None else learnable(parts, folds)


def learnable(parts: Sequence[Part], folds: Array) -> tuple[Part, ...]:
    """The parts that are there in enough steps outside of every fold; the first of all if none is."""
    return tuple(part for part in parts if _fewest_outside(part, folds) >= FEWEST_STEPS) or tuple(parts[:1])


def _fewest_outside(part: Part, folds: Array) -> int:
    inside = np.bincount(folds[part.rows], minlength=int(folds.max()) + 1)
    return int((len(part.rows) - inside).min())


def _every_part(data: Trajectories) -> tuple[Part, ...]:
    known, labels = data.probabilities, data.action_labels
    n = len(data)
    if known is not None and (known.shape[1] <= MOST_KNOWN or labels is not None):
        return (_levels(known, n),)
    if known is not None:
        return _expected(known, n) or (_levels(known, n),)
    if data.action_kind == "discrete":
        levels, codes = np.unique(data.actions, return_inverse=True)
        codes = codes.reshape(-1)
        words = None if labels is None else [str(labels[level]).split(BETWEEN_WORDS) for level in levels]
        if words is not None and len(levels) > MOST_LEVELS and len(set(map(len, words))) == 1:
            return _chain(_of_words(column) for column in np.array(words)[codes].T)
        if len(levels) <= MOST_LEVELS or labels is not None:
            return (_levels(np.eye(len(levels))[codes], n),)
    chain = _chain(_choices_and_numbers(np.asarray(data.actions, dtype=np.float64).reshape(n, -1)))
    return chain or (_levels(np.ones((n, 1)), n),)  # an action that never changes is one level


def _chain(dimensions: Iterable[Array]) -> tuple[Part, ...]:
    """The parts of dimensions `[n]`, of which those of integers are the codes of a choice.

    Numbers come first: to whoever predicts what comes after, a number is one column, a choice is many.
    """
    parts: list[Part] = []
    before: Array | None = None
    for values in sorted(dimensions, key=_is_choice):
        given = np.zeros((len(values), 0), dtype=np.float32) if before is None else before
        parts += _of_choice(values, given) if _is_choice(values) else _of_number(values, given)
        more = one_hot(values) if _is_choice(values) else standard_scores(values)[:, None]
        before = np.concatenate([given, more.astype(np.float32)], axis=1)
    return tuple(parts)


def _is_choice(values: Array) -> bool:
    return values.dtype.kind == "i"


def _of_choice(codes: Array, given: Array) -> list[Part]:
    n_levels = int(codes.max()) + 1
    return [_levels(np.eye(n_levels)[codes], len(codes), given)] if n_levels > 1 else []


def _choices_and_numbers(actions: Array) -> Iterator[Array]:
    """The dimensions of `[n, k]`: columns of 0 and 1 in a row of which never two are 1 are one choice.

    Example:
        >>> actions = np.array([[1, 0, 0, 0.5], [0, 1, 1, 0.1], [0, 0, 0, 0.2]])
        >>> [one.tolist() for one in _choices_and_numbers(actions)]
        [[1, 2, 0], [0.0, 1.0, 0.0], [0.5, 0.1, 0.2]]
    """
    begun = 0
    taken: Array | None = None
    for k, column in enumerate(actions.T):
        one = column == 1
        is_flag = bool((one | (column == 0)).all())
        if taken is not None and is_flag and not (taken & one).any():
            taken = taken | one
            continue
        if k > begun:
            yield _together(actions[:, begun:k])
        begun, taken = k, one if is_flag else None
    yield _together(actions[:, begun:])


def _together(columns: Array) -> Array:
    """A column alone as it is; of several the codes of which of them is 1, if any."""
    if columns.shape[1] == 1:
        return columns[:, 0]
    return np.unique(columns @ np.arange(1, columns.shape[1] + 1), return_inverse=True)[1].reshape(-1)


def _of_words(words: Array) -> Array:
    """One dimension of a joint action, by its word in the label of each step `[n]`.

    Many whole numbers are numbers, as they are where they are the whole action; all else is a choice.
    """
    levels, codes = np.unique(words, return_inverse=True)
    if len(levels) > MOST_LEVELS and all(map(WHOLE.fullmatch, levels)):
        return levels.astype(np.float64)[codes.reshape(-1)]
    return codes.reshape(-1)


def _levels(shares: Array, n: int, given: Array | None = None) -> Part:
    before = np.zeros((n, 0), dtype=np.float32) if given is None else given
    return Part(shares.astype(np.float32), 0.0, np.arange(n), before)


def _expected(probabilities: Array, n: int) -> tuple[Part, ...]:
    """Many ordered levels with known probabilities: their mean, free of the luck of the draw, and spread."""
    levels = np.arange(probabilities.shape[1])
    mean = probabilities @ levels
    spread = np.sqrt(np.maximum(probabilities @ levels**2 - mean**2, 0))
    empty = np.zeros((n, 0), dtype=np.float32)
    parts = _of_number(mean, empty)
    if spread.std() > 1e-3 * max(mean.std(), 1e-12):
        parts += _of_number(spread, standard_scores(mean)[:, None].astype(np.float32))
    return tuple(parts)


def _of_number(column: Array, given: Array) -> list[Part]:
    n = len(column)
    values, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
    codes = codes.reshape(-1)
    if len(values) == 1:
        return []
    if len(values) <= 2:
        return [_levels(np.eye(2)[codes], n, given)]
    atoms = np.argsort(-counts, kind="stable")[:MOST_ATOMS]
    atoms = atoms[counts[atoms] >= max(ATOM_SHARE * n, 3)]
    rows, parts = np.arange(n), []
    if len(values) > MOST_VALUES and len(atoms):
        which = np.full(len(values), len(atoms))
        which[atoms] = np.arange(len(atoms))
        between = which[codes] == len(atoms)
        parts.append(_levels(np.eye(len(atoms) + 1)[which[codes]], n, given))
        rows = np.flatnonzero(between)
        if len(rows) < 2:
            return parts
    scores = np.zeros(n)
    scores[rows] = standard_scores(column[rows])
    gaps = np.diff(np.unique(np.round(scores[rows], 9)))
    width = max(float(gaps.min()) if 0 < len(gaps) < MOST_VALUES else RESOLUTION, RESOLUTION)
    return [*parts, Part(scores.astype(np.float32), width, rows, given)]
