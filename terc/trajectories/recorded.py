"""`Recorded`: a recording that is opened but not read; all of it, or seeded samples of whole episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from terc.arrays import Integers
from terc.checks import one_of, whole_number
from terc.errors import BadValueError, DataFileError
from terc.notes import Note
from terc.trajectories.array_doubts import array_doubts
from terc.trajectories.columns import Column
from terc.trajectories.description import merged
from terc.trajectories.episodes import LONGEST_EPISODE, STRETCH, after_cut, sampled_steps
from terc.trajectories.layout import EpisodeLayout, layout_of
from terc.trajectories.lists import episode_in_each_row
from terc.trajectories.missing import WAYS, Filled, empty_as_constant, with_indicators
from terc.trajectories.names import names_of
from terc.trajectories.next_values import next_values, refuse_next_values
from terc.trajectories.roles import (
    ONE,
    Roles,
    listed,
    meant,
    numbered_like,
    recognised,
    refuse_outcomes,
    resolved,
)
from terc.trajectories.suspicions import suspicions
from terc.trajectories.tables import Table, taken

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories


@dataclass(frozen=True, eq=False)
class Recorded:
    """A recording whose columns are known; values are read by `read` and `sample` only.

    Samples with the same seed are nested: `sample(2 * k)` holds the steps of `sample(k)`.

    Example:
        >>> from terc.trajectories.tables import ColumnTable
        >>> values = {"x": np.arange(6.0), "a": np.arange(6) % 2, "ep": np.arange(6) // 2}
        >>> columns = [Column(name, array) for name, array in values.items()]
        >>> recording = Recorded.of(ColumnTable("load: steps", columns), Roles(("a",), "ep"))
        >>> len(recording), recording.n_episodes, recording.sample(3).states[:, 0].tolist()
        (6, 3, [0.0, 1.0, 4.0, 5.0])
    """

    table: Table
    roles: Roles
    variables: tuple[str, ...]
    skip_ends: bool = False
    notes: tuple[Note, ...] = ()
    _described: bool = field(default=False, repr=False)

    @classmethod
    def of(cls, table: Table, roles: Roles) -> Recorded:
        """The recording in `table`; every name is checked against the table's own before a value is read."""
        table.spell_out(besides=_as_they_are(roles, table.names))
        described, notes, skip_ends = table.description, table.notes, False
        missing = one_of(WAYS)("missing", "way", roles.missing or "refuse")
        if described is not None:
            roles = merged(described, roles)
            _check_described(table, described.names)
        elif found := table.convention or (None if roles.action else recognised(table.names, table.blocks)):
            roles, skip_ends, notes = found.completed(roles), found.skip_ends, notes + found.notes
        roles = resolved(table.where, roles, table.names, table.blocks)
        others = {*roles.taken(), *table.index}
        variables = tuple(name for name in table.names if name not in others)
        labels = [name for name in table.index if name not in roles.taken()]
        if labels:
            named = [name for name in labels if name] or "a column without a name"
            text = f"{named} labels the rows, as the index of a pandas frame does, and is not a variable; "
            text += "frame.reset_index() makes it one."
            notes += (Note("fact", "index", text),)
        if not variables:
            raise BadValueError(f"{table.where}: no variable is left beside {roles.taken()}.")
        nominal, kind = names_of("nominal", roles.nominal, variables), roles.action_kind
        seen = names_of("seen", roles.seen, variables)
        if described is None:
            notes += numbered_like(roles.action, variables)
            unseen = [name for name in variables if name not in seen]
            notes += refuse_outcomes(table.where, unseen, table.names, table.blocks)
        else:
            labelled = [name for name in described.levels if name in described.names and name in variables]
            nominal = tuple(dict.fromkeys([*nominal, *labelled]))
            kind = kind or (described.action_kind if roles.action == described.roles.action else None)
        table.expect([*roles.used(), *variables])
        final = replace(roles, nominal=nominal, action_kind=kind, missing=missing)
        return cls(table, final, variables, skip_ends, notes, described is not None)

    @cached_property
    def layout(self) -> EpisodeLayout:
        """Where the episodes lie; the first look at values, of the columns that say so."""
        return layout_of(self.table, self.roles, skip_ends=self.skip_ends)

    def __len__(self) -> int:
        return len(self.layout.episodes)

    @property
    def n_episodes(self) -> int:
        """Number of episodes in all."""
        return int(self.layout.episodes[-1]) + 1 if len(self) else 0

    def read(self) -> Trajectories:
        """All steps."""
        return self._steps(None)

    def sample(self, steps: int | str | None, *, seed: int = 0) -> Trajectories:
        """About `steps` steps in whole episodes; long episodes, and recordings without any, in stretches."""
        wanted = None if steps in (None, "all") else whole_number("load", "steps", steps, least=1)
        if wanted is None or wanted >= len(self):
            return self.read()
        chosen = sampled_steps(self.layout.episodes, wanted, seed=seed)
        episodes = len(np.unique(self.layout.episodes[chosen]))
        how = f"{episodes:,} of {self.n_episodes:,} whole episodes"
        if np.bincount(self.layout.episodes).max() > LONGEST_EPISODE:
            how = f"stretches of {STRETCH:,} steps"
        text = f"{len(chosen):,} of {len(self):,} steps were read: {how}, drawn with seed {seed}; "
        text += "steps='all' (--steps all) reads all."
        return self._steps(chosen, Note("fact", "steps", text))

    def _steps(self, chosen: Integers | None, *notes: Note) -> Trajectories:
        """The steps with the numbers `chosen` in the order of the layout, or all."""
        episodes, order = self.layout.episodes, self.layout.order
        rows = order if chosen is None else chosen if order is None else order[chosen]
        seen = {*listed(self.roles.episode), self.roles.sort, *self.roles.done}  # the layout has read these
        others = [name for name in self.roles.used() if name not in seen]
        read = _in_order(self.table, [*self.variables, *others], rows)
        columns = {column.name: column for column in read}
        variables = [columns[name] for name in self.variables]
        filled = empty_as_constant(variables)
        if self.roles.missing == "indicator":
            marked = with_indicators(filled.columns)
            filled = replace(marked, notes=(*filled.notes, *marked.notes))
        data = self._assembled(columns, filled, episodes if chosen is None else after_cut(episodes, chosen))
        if not self._described:
            refuse_next_values(self.table.where, data, self.roles.seen)
        described = self.table.description
        if described is None:
            doubts = suspicions(data) + next_values(data, seen=self.roles.seen)
        else:
            doubts = array_doubts(data, described.doubted)
        if data.n_episodes == len(data) > 1:
            doubts += episode_in_each_row(self.roles.action, self.variables, self.table.blocks)
        groups = () if described is None else described.groups
        parts = data.action_columns
        if described is not None and self.roles.action == described.roles.action:
            parts = described.action_columns
        return data._with(
            action_columns=parts,
            groups=(*(group for group in groups if set(group) <= set(self.variables)), *filled.groups),
            notes=(*doubts, *data.notes, *self.notes, *self.layout.notes, *notes, *filled.notes),
        )

    def _assembled(self, columns: dict[str, Column], filled: Filled, episodes: Integers) -> Trajectories:
        from terc.trajectories.data import Trajectories

        roles = self.roles
        return Trajectories(
            filled.columns,
            [columns[name] for name in roles.action],
            episodes=episodes if len(episodes) else None,
            rewards=None if roles.rewards is None else columns[roles.rewards],
            progress=None if roles.progress is None else columns[roles.progress],
            source=None if roles.source is None else columns[roles.source],
            probabilities=[columns[name] for name in roles.probabilities] or None,
            nominal=roles.nominal,
            action_kind=roles.action_kind,
        )


def _as_they_are(roles: Roles, names: Sequence[str]) -> set[str]:
    """The columns that are labels, have a role of one column or are left out, even if they hold lists."""
    left_out = (name for text in (*roles.drop, *roles.ignore) for name in meant(text, names, {}))
    return {*roles.nominal, *left_out, *(name for role in ONE for name in listed(getattr(roles, role)))}


def _check_described(table: Table, names: Sequence[str]) -> None:
    lacking = [name for name in names if name not in table.names]
    if lacking:
        raise DataFileError(
            f"{table.where} was saved with {lacking[:5]}, which it no longer holds; leave columns out with "
            "drop= (--drop), or save the others with data.only(names).save(path)."
        )


def _in_order(table: Table, names: Sequence[str], rows: Integers | None) -> list[Column]:
    """The columns `names` of `rows`, which need not increase."""
    if rows is None or (np.diff(rows) > 0).all():
        return table.read(names, rows)
    ascending = np.argsort(rows)
    back = np.empty_like(ascending)
    back[ascending] = np.arange(len(rows))
    return [taken(column, back) for column in table.read(names, rows[ascending])]
