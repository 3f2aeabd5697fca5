"""Columns that may not be part of a state: leaks of the action, identifiers, clocks, constants."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from terc.notes import Note
from terc.trajectories.columns import LARGEST_EXACT_INTEGER, of_size_one
from terc.trajectories.names import some_of

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

FEWEST_STEPS = 100
"""Below this, coincidences are common."""
FIRST_STEPS = 2_000
"""Most columns are cleared by these; only the others are compared in every step."""
LEAST_REPEATS = 5
"""Steps per action from which a column that the action decides is not a coincidence."""
LEAVE_OUT = "leave it out: ignore= (--ignore)"
FARTHEST_APART = 6.0
"""Distance between the means of two actions, in standard deviations within one, that thresholds on a number
do not make: neighbouring stretches of a uniform one are 3.5 apart, of a normal one less."""
FEWEST_VALUES = 10
"""Per action, of a number that is measured; a switch that an exploring agent reads has fewer."""
FEWEST_LABELS = 3
"""Columns that are one label in one-hot form; two of them are only a flag and its opposite."""
SAME_LINE = 1e-6
"""Largest distance from a straight line, in standard deviations: the rounding of single precision."""


def suspicions(data: Trajectories, leave_out: str = LEAVE_OUT) -> tuple[Note, ...]:
    """What a reader should know about the columns before a selection is believed; `leave_out` says how."""
    if len(data) < FEWEST_STEPS:
        return ()
    constant = (data.states == data.states[0]).all(0)
    changing = [int(j) for j in np.flatnonzero(~constant)]
    found = _leaks if data.action_kind == "discrete" else _continuous_leaks
    leaks = dict(found(data, changing))
    notes = [
        Note("doubt", "leak", f"{data.names[j]!r} {what}: if it was recorded after the choice, {leave_out}.")
        for j, what in leaks.items()
    ]
    identifiers = [j for j in changing if j not in leaks and _is_identifier(data, j)]
    if identifiers:
        text = f"{_named(data, identifiers)} looks like an identifier or a clock; if so, {leave_out}."
        notes.append(Note("doubt", "id-like", text))
    if labels := [j for j in changing if j not in (*leaks, *identifiers) and _labels_stretches(data, j)]:
        text = f"{_named(data, labels)} never takes a value again, as labels of episodes do; if it is one, "
        notes.append(Note("doubt", "id-like", f"{text}name it: episode= (--episode), of arrays episodes=."))
    if constant.any():
        names = _named(data, np.flatnonzero(constant).tolist())
        verb, whose = ("changes", "its") if constant.sum() == 1 else ("change", "their")
        text = f"{names} never {verb} in these steps: {whose} use cannot be seen."
        notes.append(Note("fact", "constant", text))
    for code in one_hot_codes(data.states, changing):
        first, last = repr(data.names[code[0]]), repr(data.names[code[-1]])
        text = (
            f"{first} to {last} are a label, written as {len(code)} columns of which one is 1 in each step: "
        )
        text += "each is asked about by itself, unless they are a group: groups= (--group)."
        notes.append(Note("fact", "one-hot", text))
    return tuple(notes)


def one_hot_codes(states: npt.NDArray[Any], columns: Sequence[int]) -> list[list[int]]:
    """Neighbours among `columns`, three or more, of which exactly one is 1 in each step and the others 0.

    Example:
        >>> one_hot_codes(np.c_[np.eye(3), [0, 1, 1], np.eye(3)[::-1]], range(7))
        [[0, 1, 2], [4, 5, 6]]
    """
    found: list[list[int]] = []
    code: list[int] = []
    total = np.zeros(len(states))
    for j in columns:
        values = states[:, j]
        if not ((values == 0) | (values == 1)).all():
            code = []
            continue
        total = total + values if code else values
        code = [*code, j]
        while (total > 1).any():
            total = total - states[:, code[0]]
            code = code[1:]
        if len(code) >= FEWEST_LABELS and (total == 1).all():
            found.append(code)
            code = []
    return found


def _named(data: Trajectories, columns: Sequence[int]) -> str:
    return some_of([repr(data.names[j]) for j in columns])


def _leaks(data: Trajectories, columns: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Columns that equal a discrete action, are decided by it, or are the next one; with the words for it."""
    codes = codes_of(data.actions)
    if LEAST_REPEATS * (codes.max() + 1) > len(codes) or not codes.max():
        return
    now = decided_by(codes, data.states, columns)
    others = [j for j in columns if j not in now]
    words = "follows the action up to noise, with gaps between the actions"
    yield from zip(filter(lambda j: _follows(codes, data.states[:, j]), others), itertools.repeat(words))
    for j in now:
        values = data.states[:, j]
        same_labels = data.levels.get(data.names[j]) == data.action_labels
        if same_labels and np.array_equal(values, data.actions):
            yield j, "equals the action"
        elif decided_by(codes_of(values), codes[:, None], [0]):
            yield j, "is one to one with the action"
        else:
            yield j, "is decided by the action"
    inside = np.flatnonzero(data.episodes[1:] == data.episodes[:-1])
    if len(inside) >= FEWEST_STEPS:
        for j in decided_by(codes[inside + 1], data.states, others, inside):
            if len(np.unique(data.states[inside, j])) == codes.max() + 1:
                yield j, "is one to one with the action of the next step"


def _continuous_leaks(data: Trajectories, columns: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Columns that are a continuous action or the next one, up to scale and offset."""
    actions = (data.actions if data.actions.ndim == 2 else data.actions[:, None]).T
    now = [j for j in columns if any(_on_a_line(data.states[:, j], action) for action in actions)]
    yield from zip(now, itertools.repeat("is the action, up to scale and offset"))
    inside = np.flatnonzero(data.episodes[1:] == data.episodes[:-1])
    if len(inside) < FEWEST_STEPS:
        return
    for j in columns:
        if j not in now and any(
            all(_on_a_line(data.states[rows, j], action[rows + 1]) for rows in (inside[:FIRST_STEPS], inside))
            for action in actions
        ):
            yield j, "is the action of the next step, up to scale and offset"


def codes_of(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """0, 1, ... for each value, in order."""
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def decided_by(
    codes: npt.NDArray[Any], states: npt.NDArray[Any], columns: Sequence[int], rows: Any = None
) -> list[int]:
    """Those of `columns` that change, and never within one code. The first steps clear most of them."""
    rows = np.arange(len(codes)) if rows is None else rows
    left = list(columns)
    for n in dict.fromkeys((min(FIRST_STEPS, len(codes)), len(codes))):
        if not left:
            break
        order = np.argsort(codes[:n], kind="stable")
        values = states[np.ix_(rows[:n][order], left)]
        within = codes[:n][order][1:] == codes[:n][order][:-1]
        broken = ((values[1:] != values[:-1]) & within[:, None]).any(0)
        left = [j for j, bad in zip(left, broken, strict=True) if not bad]
    return [j for j in left if (states[rows, j] != states[rows[0], j]).any()]


def _follows(codes: npt.NDArray[Any], values: npt.NDArray[Any]) -> bool:
    """Whether a measured number is far more alike within an action than between any two."""
    if len(np.unique(values[:FIRST_STEPS])) < FEWEST_VALUES * (codes.max() + 1):
        return False
    for n in dict.fromkeys((min(FIRST_STEPS, len(values)), len(values))):
        counts = np.bincount(codes[:n])
        seen, x = counts > 0, of_size_one(values[:n])
        if seen.sum() < 2 or counts[seen].min() < LEAST_REPEATS:
            return False
        means = np.bincount(codes[:n], x)[seen] / counts[seen]
        apart = (x - means[(np.cumsum(seen) - 1)[codes[:n]]]) ** 2
        within = np.bincount(codes[:n], apart)[seen] / counts[seen]
        if np.diff(np.sort(means)).min() <= FARTHEST_APART * np.sqrt(within.max()):
            return False
    return True


def _on_a_line(values: npt.NDArray[Any], action: npt.NDArray[Any]) -> bool:
    for n in dict.fromkeys((min(FIRST_STEPS, len(values)), len(values))):
        x, y = of_size_one(values[:n]), of_size_one(action[:n])
        x, y = x - x.mean(), y - y.mean()
        power = float(y @ y)
        if power == 0 or float(np.abs(x - y * (x @ y) / power).max()) > SAME_LINE * float(x.std()):
            return False
    return bool(x.any())


def _is_identifier(data: Trajectories, j: int) -> bool:
    """Whole numbers or labels that never repeat or number the episodes, or any value that always grows."""
    values = data.states[:, j]
    head = values[:FIRST_STEPS]
    grows = all(bool((some[1:] > some[:-1]).all()) for some in (head, values))
    if grows or not _are_whole(head):
        return grows
    if len(np.unique(head)) == len(head):
        return len(np.unique(values)) == len(values) and _are_whole(values)
    new_episode = np.diff(data.episodes) != 0
    if not new_episode.any() or (values[1:] != values[:-1])[~new_episode].any():
        return False
    of_episode = values[np.r_[True, new_episode]]
    return len(of_episode) >= LEAST_REPEATS and len(np.unique(of_episode)) == len(of_episode)


def _labels_stretches(data: Trajectories, j: int) -> bool:
    """Whether whole numbers or labels stay for a stretch each, where nothing else cuts the recording."""
    values = data.states[:, j]
    starts = np.r_[0, np.flatnonzero(values[1:] != values[:-1]) + 1]
    if data.n_episodes > 1 or not LEAST_REPEATS <= len(starts) <= len(values) / 2 or not _are_whole(values):
        return False
    return len(np.unique(values[starts])) == len(starts)


def _are_whole(values: npt.NDArray[Any]) -> bool:
    """Whether all are whole numbers; beyond those that are exact every number is one."""
    return bool(np.abs(values).max() < LARGEST_EXACT_INTEGER) and bool((values == np.round(values)).all())
