"""Several recordings as one: their steps one after another, with a number that says whose each step is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from terc.arrays import Floats, Integers
from terc.errors import BadTypeError, BadValueError
from terc.trajectories.columns import Label, in_levels, recoded
from terc.trajectories.inputs import vector

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories


def concat(recordings: Iterable[Trajectories]) -> Trajectories:
    """The steps of several recordings, in order; `source` numbers the recordings, episodes stay apart.

    The recordings must have the same variables (in any order) and the same kind of action. What only some of
    them have (probabilities, rewards, progress) is left out. A recording that is itself of several sources
    keeps them apart.

    Example:
        >>> from terc.trajectories.data import Trajectories
        >>> one = Trajectories([[0], [1], [2]], [0, 1, 0], names=["v"], episodes=[0, 0, 1])
        >>> both = concat([one, one])
        >>> both.source.tolist(), both.episodes.tolist()
        ([0, 0, 0, 1, 1, 1], [0, 0, 1, 2, 2, 3])
    """
    listed = _checked(recordings)
    first = listed[0]
    levels = {name: _all_labels([one.levels[name] for one in listed]) for name in first.levels}
    acted, labels = _actions(listed)
    whole = {key: _joined([getattr(one, key) for one in listed]) for key in ("rewards", "progress")}
    # Probabilities, where all recordings give them for the same actions in the same order.
    given = [one.probabilities for one in listed]
    columns = {None if one is None else one.shape[1] for one in given}
    same = len(columns) == 1 and len({one.action_labels for one in listed}) == 1
    return first._with(
        states=np.concatenate([_states(one, first.names, levels) for one in listed]),
        levels=MappingProxyType(levels),
        actions=acted,
        action_labels=labels,
        probabilities=_joined(given) if same else None,
        episodes=_apart([one.episodes for one in listed]),
        source=_apart([np.zeros_like(one.episodes) if one.source is None else one.source for one in listed]),
        notes=tuple(dict.fromkeys(note for one in listed for note in one.notes)),
        groups=tuple(dict.fromkeys(group for one in listed for group in one.groups)),
        **whole,
    )


def numbered_sources(given: Any, n: int) -> Integers | None:
    """Numbers 0, 1, ... of the recordings `[n]`, in the order of their labels; None when `given` is."""
    if given is None:
        return None
    return np.asarray(in_levels(vector("source", given, n)).values, dtype=np.int64)


def load_all(paths: Sequence[str], load: Callable[[str], Trajectories]) -> Trajectories:
    """One recording, or several as one; each path is one of them."""
    recordings = [load(path) for path in paths]
    return recordings[0] if len(recordings) == 1 else concat(recordings)


def _checked(recordings: Iterable[Trajectories]) -> list[Trajectories]:
    from terc.trajectories.data import Trajectories

    if isinstance(recordings, Trajectories):
        raise BadTypeError("concat: wanted a list of Trajectories, got a single one.")
    listed = list(recordings)
    if not listed:
        raise BadValueError("concat: wanted at least one recording, got none.")
    for number, one in enumerate(listed):
        if not isinstance(one, Trajectories):
            raise BadTypeError(f"concat: wanted Trajectories, got {type(one).__name__} at {number}.")
        _refuse_another_kind(listed[0], one, number)
    return listed


def _refuse_another_kind(first: Trajectories, other: Trajectories, number: int) -> None:
    if set(first.names) != set(other.names):
        strange = sorted(set(first.names) ^ set(other.names))[:10]
        raise BadValueError(
            f"concat: recordings must have the same variables; recording {number} differs from the first in "
            f"{strange}. Use only(names) on each."
        )
    pairs = {
        "the same nominal variables": (first.nominal, other.nominal),
        "the same kind of actions": (first.action_kind, other.action_kind),
        "actions of the same shape": (first.actions.shape[1:], other.actions.shape[1:]),
        "actions with labels, or none": (first.action_labels is None, other.action_labels is None),
        "the same choices beside numbers": (first.action_columns, other.action_columns),
    }
    for wanted, (one, two) in pairs.items():
        if one != two:
            raise BadValueError(
                f"concat: recordings must have {wanted}; recording {number} has {two}, the first {one}."
            )


def _all_labels(labels: Sequence[tuple[Label, ...]]) -> tuple[Label, ...]:
    """Every label once, in order of appearance; the first recording's codes stay as they are."""
    return tuple(dict.fromkeys(label for some in labels for label in some))


def _states(one: Trajectories, names: Sequence[str], levels: dict[str, tuple[Label, ...]]) -> Floats:
    states = one.states[:, [one.column(name) for name in names]]
    for j, name in enumerate(names):
        if name in levels:
            states[:, j] = recoded(states[:, j], one.levels[name], levels[name])
    return states


def _actions(listed: Sequence[Trajectories]) -> tuple[Integers | Floats, tuple[Label, ...] | None]:
    labels = [one.action_labels for one in listed if one.action_labels is not None]
    if not labels:
        return np.concatenate([one.actions for one in listed]), None
    every = _all_labels(labels)
    codes = [recoded(one.actions, own, every) for one, own in zip(listed, labels, strict=True)]
    return np.concatenate(codes), every


def _joined(arrays: Sequence[Floats | None]) -> Floats | None:
    there = [array for array in arrays if array is not None]
    return np.concatenate(there) if len(there) == len(arrays) else None


def _apart(numbers: Sequence[Integers]) -> Integers:
    """The numbers of each recording, moved beyond those of the ones before it."""
    ends = np.cumsum([0, *(int(array.max()) + 1 for array in numbers)])[:-1]
    return np.concatenate([array + end for array, end in zip(numbers, ends, strict=True)])
