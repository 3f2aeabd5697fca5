"""Columns that are one-to-one functions of each other: one of each stands for all in a search."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from terc.entropy.counting import CountedEntropies
from terc.selection.hitting_set import Members
from terc.selection.irreducible import Clock, Explorer, IrreducibleSets
from terc.selection.sufficiency import Sufficiency

MOST_WITH_COPIES = 12
"""Variables up to which copies are searched like all others; twelve pairs of copies make 4096 sets."""


@dataclass(frozen=True)
class Explored:
    """A search for irreducible sets, and the columns that stood for others in it.

    Attributes:
        found: In column numbers; of copies only the first appears.
        classes: For each column that stood for others: it and its copies. Empty if all were searched.
        ends: Where Algorithm 1 ended in column order and in reverse.
    """

    found: IrreducibleSets
    classes: tuple[tuple[int, ...], ...] = ()
    ends: tuple[Members, ...] = ()


def copies_in(counted: CountedEntropies) -> list[tuple[int, ...]]:
    """Columns in classes: two columns are in one class if each tells the other exactly.

    Example:
        >>> x = np.array([0, 1, 2, 1])
        >>> copies_in(CountedEntropies(np.stack([x, x % 2, 7 - x], axis=1), x))
        [(0, 2), (1,)]
    """
    classes: dict[bytes, list[int]] = {}
    for column in range(counted.n_variables):
        _, first, inverse = np.unique(counted.merged_codes((column,)), return_index=True, return_inverse=True)
        by_appearance = np.argsort(np.argsort(first))[inverse.reshape(-1)]
        classes.setdefault(by_appearance.tobytes(), []).append(column)
    return [tuple(members) for members in classes.values()]


def explored(enough: Sufficiency, clock: Clock) -> Explored:
    """All irreducible sets; beyond a dozen variables, where copies can be told by counting, up to copies."""
    n = enough.n_variables
    counted = getattr(enough, "counted", None)
    single = [(column,) for column in range(n)]
    classes = single if counted is None or n <= MOST_WITH_COPIES else copies_in(counted)
    columns = [members[0] for members in classes]

    def flat(units: Members) -> Members:
        return frozenset(columns[unit] for unit in units)

    explorer = Explorer(lambda units: enough(flat(units)), len(columns), clock=clock)
    order = list(range(len(columns)))
    ends = explorer.ends([order, order[::-1]])
    found = explorer.explore()
    return Explored(
        replace(
            found,
            sets=tuple(flat(s) for s in found.sets),
            blocking=tuple(flat(s) for s in found.blocking),
        ),
        tuple(members for members in classes if len(members) > 1),
        tuple(flat(s) for s in ends),
    )


def copy_pairs(search: Explored) -> list[tuple[Members, Members, Members]]:
    """(column, copy, given) for the copies of every column that is in some irreducible set."""
    triples = []
    for first, *others in search.classes:
        homes = [members for members in search.found.sets if first in members]
        if homes:
            given = min(homes, key=lambda members: (len(members), sorted(members))) - {first}
            triples += [(frozenset({first}), frozenset({other}), given) for other in others]
    return triples
