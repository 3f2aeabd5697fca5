"""Where the episodes of a table lie: one look at the columns that say so, before any other is read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from terc.arrays import Booleans, Integers
from terc.errors import BadTypeError, BadValueError
from terc.notes import Note
from terc.trajectories.columns import Column, in_levels, refuse_gaps
from terc.trajectories.episodes import numbered, run_numbers, usable_labels
from terc.trajectories.roles import Roles, listed
from terc.trajectories.tables import Table

YEAR_FIRST = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class EpisodeLayout:
    """The steps of a table in the order of their episodes.

    Attributes:
        order: The row of each step, or None when the rows are in order already.
        episodes: int64 `[n]`, 0, 1, ... in that order.
    """

    order: Integers | None
    episodes: Integers
    notes: tuple[Note, ...] = ()


def layout_of(table: Table, roles: Roles, *, skip_ends: bool = False) -> EpisodeLayout:
    """The episodes of `table`, from its columns of labels, of ends and of time.

    Args:
        skip_ends: Leave out the last step of each episode, which has no action of its own.
    """
    if not len(table):
        raise BadValueError(f"{table.where}: wanted at least one step, got none.")
    labels = listed(roles.episode)
    names = dict.fromkeys((*labels, *listed(roles.sort), *roles.done))
    columns = {column.name: column for column in table.read(list(names))} if names else {}
    label = _combined([columns[name] for name in labels]) if labels else None
    by = label if roles.sort in labels else None if roles.sort is None else columns[roles.sort]
    order = None if by is None else _sorted(label, by)
    ends = _ends(columns, roles)
    notes: tuple[Note, ...] = ()
    if label is None:
        episodes = np.zeros(len(table), dtype=np.int64)
        files = len(table.file_starts) if table.file_is_episode else 1
        if roles.sort is None and ends is None and files > 1:
            episodes, notes = _of_files(table)
    elif roles.sort is None:
        episodes, notes = _as_recorded(label, table)
    else:
        codes = in_levels(label).values
        episodes = run_numbers(codes if order is None else codes[order])
    notes += _quantities([columns[name] for name in labels])
    if ends is not None:
        ends = ends if order is None else ends[order]
        episodes, said = _cut(episodes, ends, label, roles)
        notes += said
        if skip_ends:
            order = np.flatnonzero(~ends) if order is None else order[~ends]
            episodes = run_numbers(episodes[~ends])
    return EpisodeLayout(order, episodes, notes)


def _combined(labels: Sequence[Column]) -> Column:
    """The column that labels episodes; of several the combinations of their labels, as "first, second"."""
    if len(labels) == 1:
        return labels[0]
    codes = np.zeros(len(labels[0].values), dtype=np.int64)
    parts = []
    for column in labels:
        usable_labels(column)
        parts.append(in_levels(column))
        codes = codes * len(parts[-1].levels or ()) + parts[-1].values
        codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
    first = np.unique(codes, return_index=True)[1]
    texts = tuple(", ".join(str((c.levels or ())[int(c.values[row])]) for c in parts) for row in first)
    return Column(", ".join(column.name for column in labels), codes, texts)


def _quantities(labels: Sequence[Column]) -> tuple[Note, ...]:
    """A doubt about labels that are not whole numbers."""
    strange = [c for c in labels if c.values.dtype.kind == "f" and (c.values % 1 != 0).any()]
    text = (
        "the episodes are labelled by {!r}, whose values are not whole numbers, like those "
        "of a quantity; if that is not intended, name another column: episode= (--episode)."
    )
    return tuple(Note("doubt", "episode-quantity", text.format(column.name)) for column in strange)


def _cut(
    labelled: Integers, ends: Booleans, label: Column | None, roles: Roles
) -> tuple[Integers, tuple[Note, ...]]:
    """The episodes cut behind each end, with a note where labels said otherwise."""
    cut = np.r_[0, np.cumsum(ends[:-1], dtype=np.int64)]
    episodes = run_numbers(labelled * (cut[-1] + 1) + cut)
    if label is None or episodes[-1] == labelled[-1]:
        return episodes, ()
    text = (
        f"the ends in {', '.join(map(repr, roles.done))} cut the {labelled[-1] + 1:,} episodes that "
        f"{label.name!r} labels into {episodes[-1] + 1:,}; if the labels are right, leave done out."
    )
    return episodes, (Note("fact", "episode-ends", text),)


def _as_recorded(label: Column, table: Table) -> tuple[Integers, tuple[Note, ...]]:
    """Episodes in the order of the rows; in a folder, each file may use the same labels."""
    saved = table.description is not None
    episodes, again = numbered(label, table.file_starts, cut_between_files=saved)
    if not again or saved:
        return episodes, ()
    text = f"several files use the same labels in {label.name!r}; the episodes of each file were kept apart."
    return episodes, (Note("fact", "episode-labels", text),)


def _of_files(table: Table) -> tuple[Integers, tuple[Note, ...]]:
    """Where nothing else says so, an episode does not go on in the next file."""
    text = (
        f"each of the {len(table.file_starts):,} files is an episode; if they are not, name the column that "
        "labels episodes, episode= (--episode), or that is true at their ends, done= (--done)."
    )
    starts = np.searchsorted(table.file_starts, np.arange(len(table)), side="right")
    return run_numbers(starts), (Note("fact", "file-episodes", text),)


def _sorted(label: Column | None, by: Column) -> Integers | None:
    """Rows by episode in order of appearance, then by the column `by`; None when they are so already."""
    refuse_gaps("sort", [by])
    if by.problem and by.levels is None:
        raise BadTypeError(f"sort: column {by.name!r} {by.problem}.")
    if label is None or label.name != by.name:
        _check_order(by)
    keys = [by.values]
    if label is not None:
        refuse_gaps("episodes", [label])
        codes = in_levels(label).values
        first = np.unique(codes, return_index=True)[1]
        appearance = np.argsort(np.argsort(first))[codes]
        keys = [appearance] if label.name == by.name else [by.values, appearance]
    order: Integers = np.lexsort(keys)
    return None if np.array_equal(order, np.arange(len(order))) else order


def _check_order(by: Column) -> None:
    """Of texts only dates that begin with the year are in the order of their letters."""
    strange = [one for one in by.levels or () if isinstance(one, str) and not YEAR_FIRST.match(one)]
    if strange:
        raise BadTypeError(
            f"sort: column {by.name!r} holds text such as {strange[0]!r}, whose order is not that of time; "
            "write dates with the year first (2026-01-31 12:00), or leave sort out if rows are in order."
        )


def _ends(columns: Mapping[str, Column], roles: Roles) -> Booleans | None:
    """Which steps are the last of their episode, by any of the columns that say so."""
    found = None
    for name in roles.done:
        column = columns[name]
        refuse_gaps("done", [column])
        if column.levels is not None or not np.isin(column.values, (0, 1)).all():
            raise BadTypeError(f"done: column {name!r} should be true or false (1 or 0) in each step.")
        flags = column.values.astype(bool)
        found = flags if found is None else found | flags
    return found
