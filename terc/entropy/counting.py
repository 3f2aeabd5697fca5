"""Entropies by counting: joint codes of columns, and H(A | subset) with a cache."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from terc.errors import BadValueError

Codes = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]

ROUNDING = 1e-11
"""Sums of c log c over the same counts in another order differ by this much; below it an entropy is zero."""
DENSE_LIMIT = 1 << 20
"""Largest code for which a lookup table is built; above it codes are sorted instead."""
CACHED_BYTES = 1 << 28
"""Joint codes of subsets are kept until they fill this much memory."""
FEW_LEVELS = 64
"""A column of numbers with more distinct values than this is not counted."""


def compact(codes: npt.NDArray[np.integer[Any]]) -> Codes:
    """The codes renumbered 0..K-1 in the order of their values, so that products of two stay small.

    Example:
        >>> compact(np.array([7, 3, 7, 900])).tolist()
        [1, 0, 1, 2]
    """
    if len(codes) == 0:
        return np.zeros(0, dtype=np.int64)
    low, high = int(codes.min()), int(codes.max())
    if high - low >= max(DENSE_LIMIT, 4 * len(codes)):
        return np.asarray(np.unique(codes, return_inverse=True)[1], dtype=np.int64).reshape(-1)
    shifted = codes.astype(np.int64) - low
    present = np.bincount(shifted) > 0
    return np.asarray((np.cumsum(present) - 1)[shifted], dtype=np.int64)


def join(first: Codes, second: Codes) -> Codes:
    """The compact code of the pair of two compact codes; never overflows, as both run below the row count."""
    if len(first) == 0:
        return first
    return compact(first * (int(second.max()) + 1) + second)


def column_codes(columns: npt.ArrayLike) -> Codes:
    """Each column of an `[n, d]` array by itself as compact codes, whatever its values were."""
    table = np.asarray(columns)
    table = table[:, None] if table.ndim == 1 else table
    if np.issubdtype(table.dtype, np.integer):
        coded = [compact(column) for column in table.T]
    else:
        coded = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in table.T]
    return np.stack(coded, axis=1).astype(np.int64) if coded else np.zeros((len(table), 0), dtype=np.int64)


def encode(columns: npt.ArrayLike) -> Codes:
    """One compact code per row for a set of columns `[n, k]`: equal rows, equal codes.

    Example:
        >>> encode(np.array([[0, 5], [1, 5], [0, 5], [1, 6]])).tolist()
        [0, 1, 0, 2]
    """
    coded = column_codes(columns)
    joint = np.zeros(len(coded), dtype=np.int64)
    for column in coded.T:
        joint = join(joint, column)
    return joint


def _sum_c_log_c(codes: Codes, weights: Reals) -> float:
    """Sum over codes of count times log count."""
    counts = np.bincount(codes, weights=weights)
    counts = counts[counts > 1]
    return float(counts @ np.log(counts))


def _sum_c_log_c_of_pairs(codes: Codes, others: Codes, weights: Reals) -> float:
    """The same over the pairs of two compact codes, without renumbering them where the table is small."""
    size = (int(codes.max()) + 1) * (int(others.max()) + 1)
    if size > 4 * len(codes):
        return _sum_c_log_c(join(codes, others), weights)
    return _sum_c_log_c(codes * (int(others.max()) + 1) + others, weights)


def _snapped(value: float) -> float:
    """Zero instead of rounding dust, which may lie on either side of it."""
    return 0.0 if value < ROUNDING else value


@dataclass(frozen=True, eq=False)
class CountedEntropies:
    """Plug-in entropies of one action given any subset of columns, counted once and remembered.

    Equal rows are merged first, so that a subset costs the number of distinct (state, action) rows,
    not the number of steps. Subsets are any iterable of column numbers; order does not matter.

    Attributes:
        states: Codes of the variables `[n, d]`; any integers, or any values (they are coded by column).
        actions: Codes of the action `[n]`.
        row_of_step: Merged row that each step belongs to `[n]`.

    Example:
        >>> states = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> counted = CountedEntropies(states, states[:, 0] ^ states[:, 1])
        >>> [round(counted.h(s), 4) for s in ([], [0], [0, 1])]
        [0.6931, 0.6931, 0.0]
    """

    states: npt.NDArray[Any] = field(repr=False)
    actions: npt.NDArray[Any] = field(repr=False)
    row_of_step: Codes = field(init=False, repr=False)
    _columns: Codes = field(init=False, repr=False)
    _acts: Codes = field(init=False, repr=False)
    _weights: Reals = field(init=False, repr=False)
    _entropies: dict[tuple[int, ...], float] = field(init=False, repr=False, default_factory=dict)
    _joint: dict[tuple[int, ...], Codes] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Code the columns and merge equal rows."""
        states, actions = column_codes(self.states), encode(self.actions)
        if len(states) != len(actions) or len(actions) == 0:
            raise BadValueError(
                f"CountedEntropies: wanted as many actions as states and at least one, "
                f"got {len(states)} states and {len(actions)} actions."
            )
        whole = join(encode(states), actions)
        first = np.zeros(int(whole.max()) + 1, dtype=np.int64)
        first[whole[::-1]] = np.arange(len(whole))[::-1]
        object.__setattr__(self, "states", states)
        object.__setattr__(self, "actions", actions)
        object.__setattr__(self, "row_of_step", whole)
        object.__setattr__(self, "_columns", np.ascontiguousarray(states[first].T))
        object.__setattr__(self, "_acts", actions[first])
        object.__setattr__(self, "_weights", np.bincount(whole).astype(np.float64))
        self._joint[()] = np.zeros(len(first), dtype=np.int64)

    @property
    def n_steps(self) -> int:
        """Rows that were counted."""
        return len(self.actions)

    @property
    def n_variables(self) -> int:
        """Columns that can be in a subset."""
        return int(self.states.shape[1])

    @property
    def everything(self) -> frozenset[int]:
        """All column numbers."""
        return frozenset(range(self.n_variables))

    @property
    def action_entropy(self) -> float:
        """H(A) in nats."""
        return self.h(())

    def h(self, subset: Iterable[int]) -> float:
        """H(A | subset) in nats."""
        key = tuple(sorted(set(subset)))
        if key not in self._entropies:
            codes = self.merged_codes(key)
            pairs = _sum_c_log_c_of_pairs(codes, self._acts, self._weights)
            self._entropies[key] = _snapped((_sum_c_log_c(codes, self._weights) - pairs) / self.n_steps)
        return self._entropies[key]

    def information(self, subset: Iterable[int]) -> float:
        """I(A; subset) in nats."""
        return max(0.0, self.h(()) - self.h(subset))

    def corrected_information(self, subset: Iterable[int]) -> float:
        """I(A; subset) less the bias of counting (Miller 1955); none where the action is a function."""
        codes = self.merged_codes(tuple(sorted(set(subset))))
        cells, actions = int(codes.max()) + 1, int(self._acts.max()) + 1
        pairs = int(join(codes, self._acts).max()) + 1
        return self.information(subset) - (pairs - cells - actions + 1) / (2 * self.n_steps)

    def local_information(self, subset: Iterable[int]) -> Reals:
        """Log of p(a | x) / p(a) of each step `[n]`, whose mean is I(A; subset)."""
        codes = self.merged_codes(tuple(sorted(set(subset))))
        pairs = join(codes, self._acts)
        counts = [np.bincount(c, self._weights)[c] for c in (pairs, codes, self._acts)]
        return np.asarray(np.log(counts[0] * self.n_steps / (counts[1] * counts[2]))[self.row_of_step])

    def merged_codes(self, key: tuple[int, ...]) -> Codes:
        """Joint code of the sorted columns `key` on the merged rows, grown from a remembered prefix."""
        if key not in self._joint:
            codes = join(self.merged_codes(key[:-1]), self._columns[key[-1]])
            if (len(self._joint) + 1) * codes.nbytes > CACHED_BYTES:
                return codes
            self._joint[key] = codes
        return self._joint[key]

    @property
    def merged_actions(self) -> Codes:
        """Action of each merged row."""
        return self._acts

    @property
    def merged_weights(self) -> Reals:
        """Number of steps behind each merged row."""
        return self._weights
