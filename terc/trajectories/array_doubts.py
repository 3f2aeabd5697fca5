"""Doubts about arrays that a caller gave as states; those of a file or frame with roles are `Recorded`'s."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from terc.notes import Note
from terc.trajectories.columns import Column, column_of
from terc.trajectories.next_values import next_values
from terc.trajectories.roles import outcome_doubt, outcomes_by_name, perhaps_outcomes
from terc.trajectories.suspicions import suspicions

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

LEAVE_OUT = "leave it out"
OF_COLUMNS = ("leak", "id-like", "constant", "next-value", "one-hot", "outcome")
"""Codes of the notes that speak of single columns, and are void where these are gone."""


def array_doubts(data: Trajectories, codes: Collection[str] = OF_COLUMNS) -> tuple[Note, ...]:
    """What a reader should know about columns: all, or no more than what was doubted before by its `codes`.

    Example:
        >>> from terc import Trajectories
        >>> push = np.arange(200) // 3 % 2
        >>> [note.code for note in Trajectories({"pushed": push, "reward": push % 3}, push).notes]
        ['leak', 'leak', 'outcome']
    """
    by_name = {*outcomes_by_name(data.names), *perhaps_outcomes(data.names, data.names)}
    outcomes = outcome_doubt([name for name in data.names if name in by_name], LEAVE_OUT)
    found = (*suspicions(data, LEAVE_OUT), *next_values(data, LEAVE_OUT), *outcomes) if codes else ()
    return tuple(note for note in found if note.code in codes)


def still_true(notes: Iterable[Note], data: Trajectories) -> tuple[Note, ...]:
    """The notes about data of which `data` has fewer columns."""
    notes = tuple(notes)
    doubted = {note.code for note in notes}.intersection(OF_COLUMNS)
    return (*array_doubts(data, doubted), *(note for note in notes if note.code not in doubted))


def seen_before(states: Any) -> list[Column]:
    """The columns `x_0`, ... of states `[n, d]` that were surely seen before the action: nothing to doubt.

    `Trajectories` leaves columns that come as `Column` to whoever made them.
    """
    return [column_of(f"x_{j}", values) for j, values in enumerate(np.asarray(states).T)]
