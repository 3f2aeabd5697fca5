"""What was recorded twice: columns that are one-to-one functions of each other, and whole episodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from terc.arrays import Array
from terc.entropy.counting import FEW_LEVELS
from terc.notes import Note

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

COMPARED = 500
"""Steps that are enough to tell most columns apart."""


def copies_in(data: Trajectories) -> list[tuple[int, ...]]:
    """Columns in classes: two columns are in one class if each determines the other.

    Of labels and of numbers with few values any renaming is a copy, of other numbers what keeps or reverses
    their order.

    Example:
        >>> from terc.trajectories.data import Trajectories
        >>> x, y = np.arange(400) % 3, np.arange(400) / 7.0
        >>> copies_in(Trajectories(np.stack([x, x % 2, 7 - x, y, 1 - y**3], axis=1), x))
        [(0, 2), (1,), (3, 4)]
    """
    alike: dict[bytes, list[int]] = {}
    for number, column in enumerate(data.states[:: -(-len(data) // COMPARED)].T):
        alike.setdefault(_by_first_step(column).tobytes(), []).append(number)
    classes: dict[bytes, list[int]] = {}
    for number, column in ((j, data.states[:, j]) for many in alike.values() if len(many) > 1 for j in many):
        labels = data.names[number] in data.nominal
        classes.setdefault(_codes(column, labels=labels).tobytes(), []).append(number)
    alone = [members for members in alike.values() if len(members) == 1]
    return sorted(tuple(members) for members in (*alone, *classes.values()))


def _codes(column: Array, *, labels: bool) -> Array:
    """The same for all columns of a class."""
    levels, codes = np.unique(column, return_inverse=True)
    if labels or len(levels) <= FEW_LEVELS:
        return _by_first_step(column)
    turned = (2 * codes > len(levels) - 1)[2 * codes != len(levels) - 1][0]
    return np.asarray(len(levels) - 1 - codes if turned else codes)


def _by_first_step(column: Array) -> Array:
    """Values as numbers, in the order in which they come."""
    _, first, codes = np.unique(column, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[codes.reshape(-1)])


def without_copies(data: Trajectories) -> Trajectories:
    """The same recording with each episode once, or `data` itself where none comes back.

    The same steps may not be learnt from and held out. A copy has the same states and actions, step by step,
    and among them a number with decimals that no other episode has: bits, labels and places of a board come
    back by themselves.

    Example:
        >>> from terc.trajectories.data import Trajectories
        >>> x = np.random.default_rng(0).normal(size=60)
        >>> twice = Trajectories(np.r_[x, x][:, None], np.r_[x, x] > 0, episodes=np.arange(120) // 20)
        >>> without_copies(twice).n_episodes
        3
    """
    _, first, which = np.unique(_fingerprints(data), return_index=True, return_inverse=True)
    which = which.reshape(-1)
    again = first[which] != np.arange(data.n_episodes)
    if not again.any():
        return data
    repeated = np.zeros(len(first), dtype=bool)
    repeated[which[again]] = True
    owner, own = which[data.episodes], np.zeros(len(first), dtype=bool)
    for column in data.states.T:
        some = column[repeated[owner]]
        if (some == np.round(some)).all():
            continue
        values, code = np.unique(column, return_inverse=True)
        low, high = np.full(len(values), len(first)), np.zeros(len(values), dtype=np.int64)
        np.minimum.at(low, code.reshape(-1), owner)
        np.maximum.at(high, code.reshape(-1), owner)
        own[low[(low == high) & (values != np.round(values))]] = True
        if own[repeated].all():
            break
    return data.rows(~(again & own[which])[data.episodes]) if (again & own[which]).any() else data


def copies_left_out(once: Trajectories, data: Trajectories) -> tuple[Note, ...]:
    """A note on the episodes of `data` that are not in `once`, if there are any."""
    count = data.n_episodes - once.n_episodes
    text = f"{count} of {data.n_episodes} episodes are copies of others, step by step: each counts once."
    return (Note("fact", "copied-episodes", text),) if count else ()


def _fingerprints(data: Trajectories) -> Array:
    """A number of 64 bits for the states and actions of each episode, in their order."""
    rng = np.random.default_rng(0)
    starts = np.flatnonzero(np.diff(data.episodes, prepend=-1))
    lengths = np.diff(starts, append=len(data))
    actions = np.asarray(data.actions, dtype=np.float64).reshape(len(data), -1)
    mixed = np.zeros(len(data), dtype=np.uint64)
    for column in (*data.states.T, *actions.T):
        bits = np.ascontiguousarray(column, dtype=np.float64).view(np.uint64)
        mixed ^= (bits ^ (bits >> np.uint64(29))) * rng.integers(2**63, dtype=np.uint64)
    place = rng.integers(2**63, size=int(lengths.max()), dtype=np.uint64)
    mixed *= place[np.arange(len(data)) - np.repeat(starts, lengths)]
    return np.add.reduceat(mixed, starts)
