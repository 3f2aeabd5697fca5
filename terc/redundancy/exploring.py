"""All irreducible sets of the variables of a recording; of copies one stands for all in the search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from terc.selection.clock import Clock
from terc.selection.copies import copies_in
from terc.selection.hitting_set import Members
from terc.selection.irreducible import Explorer, IrreducibleSets
from terc.selection.sufficiency import Sufficiency

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

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


def explored(data: Trajectories, enough: Sufficiency, clock: Clock) -> Explored:
    """All irreducible sets; beyond a dozen variables up to copies."""
    n = len(data.names)
    classes = copies_in(data) if n > MOST_WITH_COPIES else [(column,) for column in range(n)]
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
