"""Perfect redundancy (the paper's CPMCR): pairs of disjoint subsets that stand in for each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from terc.arrays import Booleans
from terc.checks import called_rightly
from terc.errors import BadValueError, unknown_name
from terc.records import Record
from terc.redundancy.exploring import Explored, copy_pairs, explored
from terc.seeding import generator
from terc.selection.clock import Clock
from terc.selection.hitting_set import Members, mask_of, members_of
from terc.selection.irreducible import IrreducibleSets
from terc.selection.result import Interval
from terc.selection.sufficiency import Sufficiency, checked_data, named, sufficiency_of
from terc.selection.visible_names import listed
from terc.threads import one_thread

if TYPE_CHECKING:
    from terc.entropy.base import Estimator
    from terc.trajectories.data import Trajectories

CONTEXTS = ("any", "all")
MOST_AS_PRINTED = 12
"""Variables up to which every split of them into two subsets and a context is looked at."""

Triple = tuple[Members, Members, Members]


@dataclass(frozen=True)
class RedundantPair:
    """Two subsets that say the same about the action beside the variables `given`, with the proof.

    `h_all = h_first = h_second < h_neither`, and no member of either subset is superfluous.

    Attributes:
        first: The smaller subset.
        second: The other one.
        given: The variables beside which they stand in for each other.
        h_all: H(A | all variables), nats.
        h_first: H(A | given, first).
        h_second: H(A | given, second).
        h_neither: H(A | given).

    Example:
        >>> zero, one = Interval(0.0, 0.0, 0.0), Interval(0.6931, 0.6931, 0.6931)
        >>> print(RedundantPair(("x3",), ("x1", "x2"), (), zero, zero, zero, one))
        {x3} = {x1, x2}: H(A|.) 0.0000 = 0.0000, without either 0.6931, all 0.0000
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    given: tuple[str, ...]
    h_all: Interval
    h_first: Interval
    h_second: Interval
    h_neither: Interval

    @property
    def shared(self) -> float:
        """Nats about the action that either subset adds to `given`."""
        return self.h_neither.value - self.h_all.value

    def __str__(self) -> str:
        """The pair, its context and the entropies."""
        beside = f" given {braces(self.given)}" if self.given else ""
        one, other, neither, whole = (
            nats(h) for h in (self.h_first, self.h_second, self.h_neither, self.h_all)
        )
        return (
            f"{braces(self.first)} = {braces(self.second)}{beside}: "
            f"H(A|.) {one} = {other}, without either {neither}, all {whole}"
        )


@dataclass(frozen=True)
class Redundancy(Record):
    """What `find_redundancy` found: a sequence of pairs, smallest first, and how far it searched.

    Attributes:
        pairs: The pairs.
        complete: Every pair was found.
        searched: Plain sentences: what was searched, by what, and what was not.
        sufficient: The irreducible sufficient sets behind the pairs, smallest first.
    """

    pairs: tuple[RedundantPair, ...]
    complete: bool
    searched: tuple[str, ...]
    sufficient: tuple[tuple[str, ...], ...] = ()

    def __iter__(self) -> Iterator[RedundantPair]:
        """The pairs."""
        return iter(self.pairs)

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self.pairs)

    def __getitem__(self, number: int) -> RedundantPair:
        """One pair."""
        return self.pairs[number]

    def __str__(self) -> str:
        """The pairs and the search."""
        head = f"{len(self.pairs)} redundant pair{'s' * (len(self.pairs) != 1)}"
        lines = [f"  {pair}" for pair in self.pairs[:40]]
        rest = [f"  ... and {len(self.pairs) - 40} more"] if len(self.pairs) > 40 else []
        return "\n".join([f"{head}:" if self.pairs else f"{head}.", *lines, *rest, *self.searched])


@called_rightly
@one_thread()
def find_redundancy(  # noqa: PLR0913  (a public call; all but the data are keywords with defaults)
    data: Trajectories,
    *,
    context: str = "any",
    estimator: Estimator | str | None = None,
    alpha: float = 0.05,
    min_effect: float | None = None,
    time_limit: float | None = 60.0,
    seed: int = 0,
) -> Redundancy:
    """Pairs of disjoint subsets of variables that stand in for each other, smallest first.

    By counting where the data are discrete with a small support, otherwise by `estimator`. With
    `context="any"` the pairs are the exchanges between irreducible sufficient sets that no third one splits
    into smaller steps: with four copies of one variable every two of them are a pair. With `context="all"`
    they are those of the paper's definition as printed, in which all other variables are present: a third
    copy hides a pair of copies there.

    Args:
        data: Recorded steps.
        context: "any" or "all".
        estimator: Name or instance; None counts where that is possible.
        alpha: Level of the tests behind "the same".
        min_effect: Share of I(A; X) that does not matter; None for the estimator's own.
        time_limit: CPU seconds of this process; None for no limit. What a search that runs into it has found
            depends on the speed of the machine.
        seed: For the estimator.

    Example:
        >>> from terc.synthetic import four_redundant
        >>> found = find_redundancy(four_redundant(2000).data)
        >>> len(found), found[0].first, found[0].second, found[0].given
        (6, ('x1',), ('x4',), ('x2', 'x3'))
    """
    checked_data("find_redundancy", data)
    if context not in CONTEXTS:
        raise unknown_name("find_redundancy", "context", context, CONTEXTS)
    clock = Clock(checked_limit("find_redundancy", time_limit))
    enough = sufficiency_of(
        data, estimator=estimator, alpha=alpha, min_effect=min_effect, rng=generator(seed)
    )
    return _redundancy(data, enough, explored(data, enough, clock), clock, context=context)


def _redundancy(
    data: Trajectories, enough: Sufficiency, search: Explored, clock: Clock, *, context: str
) -> Redundancy:
    """The pairs that follow from a search for irreducible sets."""
    found, n = search.found, len(data.names)
    notes, complete = list(search_notes(data, enough, search, clock)), found.complete
    if context == "any":
        triples = sorted(copy_pairs(search) + exchanges(found.sets), key=lambda t: len(t[0]) + len(t[1]))
    elif complete and n <= MOST_AS_PRINTED:
        triples = pairs_as_printed(found, n)
    else:
        triples, complete = [], False
        notes.append(
            f"Not searched: the printed definition needs all sets of at most {MOST_AS_PRINTED} variables."
        )
    pairs = tuple(proven_pair(data, enough, triple) for triple in triples)
    return Redundancy(pairs, complete, tuple(notes), tuple(named(data, s) for s in found.sets))


def exchanges(sets: Sequence[Members]) -> list[Triple]:
    """(first, second, given) for every two irreducible sets with no third one between them.

    S and S' share `given` and differ in `first` and `second`. If another irreducible set lies between (it
    contains what they share and only what one of them has), the exchange is two smaller ones, which are
    listed instead. Of several contexts of one pair the smallest is given.

    Example:
        >>> [tuple(map(sorted, t)) for t in exchanges([frozenset({2}), frozenset({0, 1})])]
        [([2], [0, 1], [])]
    """
    masks = [mask_of(members) for members in sets]
    chosen: dict[tuple[int, int], int] = {}
    for i, one in enumerate(masks):
        for other in masks[i + 1 :]:
            shared, joint = one & other, one | other
            if any(t & shared == shared and t | joint == joint for t in masks if t not in (one, other)):
                continue
            first, second = sorted((one ^ shared, other ^ shared), key=_by_size)
            known = chosen.get((first, second))
            if known is None or _by_size(shared) < _by_size(known):
                chosen[first, second] = shared
    ordered = sorted(
        chosen.items(), key=lambda item: tuple(_by_size(m) for m in (sum(item[0]), *item[0], item[1]))
    )
    return [tuple(frozenset(members_of(m)) for m in (*pair, shared)) for pair, shared in ordered]  # type: ignore[misc]


def pairs_as_printed(found: IrreducibleSets, n: int) -> list[Triple]:
    """Every pair of the paper's definition of CPMCR with all other variables present, smallest first."""
    sufficient, every = np.zeros(1 << n, dtype=bool), np.arange(1 << n)
    for mask in map(mask_of, found.sets):
        sufficient |= (every & mask) == mask
    triples = list(printed_pairs(sufficient))
    triples.sort(key=lambda t: (t[0].bit_count() + t[1].bit_count(), members_of(t[0]), members_of(t[1])))
    return [tuple(frozenset(members_of(mask)) for mask in triple) for triple in triples]  # type: ignore[misc]


def printed_pairs(sufficient: Booleans) -> Iterator[tuple[int, int, int]]:
    """(first, second, context) of every such pair, as masks; `sufficient` says of each mask whether it is."""
    for context in map(int, np.flatnonzero(~sufficient)):
        free = len(sufficient) - 1 & ~context
        for first in _submasks(free):
            second = free & ~first
            if first < second and all(_needed(sufficient, context, side) for side in (first, second)):
                one, other = sorted((first, second), key=_by_size)
                yield one, other, context


def _needed(sufficient: Booleans, context: int, side: int) -> bool:
    """Psi and equal entropies: `side` completes the context, and no member of it is superfluous."""
    whole = context | side
    return bool(sufficient[whole]) and not any(sufficient[whole & ~(1 << m)] for m in members_of(side))


def _submasks(mask: int) -> Iterator[int]:
    """The non-empty proper submasks."""
    part = (mask - 1) & mask
    while part:
        yield part
        part = (part - 1) & mask


def _by_size(mask: int) -> tuple[int, list[int]]:
    return mask.bit_count(), members_of(mask)


def proven_pair(data: Trajectories, enough: Sufficiency, triple: Triple) -> RedundantPair:
    """The record of one pair, with the entropies that prove it."""
    first, second, given = triple
    everything = frozenset(range(len(data.names)))
    h_all, h_first, h_second, h_neither = enough.entropies([everything, given | first, given | second, given])
    sides = named(data, first), named(data, second), named(data, given)
    return RedundantPair(*sides, h_all, h_first, h_second, h_neither)


def search_notes(data: Trajectories, enough: Sufficiency, search: Explored, clock: Clock) -> tuple[str, ...]:
    """How the search was done and how far it got."""
    found = search.found
    notes = [
        *enough.doubts(),
        f"{enough.words}; {found.n_tests} subsets tested in {clock.seconds:.1f} CPU s.",
    ]
    for members in search.classes[:10]:
        first, *others = named(data, members)
        notes.append(f"{listed(others, 5)}: a copy of {listed([first])}, which stood for it in the search.")
    notes.append(found.describe())
    return tuple(notes)


def checked_limit(where: str, time_limit: float | None) -> float | None:
    """The limit in seconds if it is one."""
    if time_limit is not None and not time_limit > 0:
        raise BadValueError(
            f"{where}: time_limit must be above 0 seconds or None for no limit, got {time_limit}."
        )
    return time_limit


def braces(names: tuple[str, ...]) -> str:
    """The names as a set.

    Example:
        >>> braces(("a", "b"))
        '{a, b}'
    """
    return "{" + listed(names, 8) + "}"


def nats(value: Interval) -> str:
    """Four digits, with the interval where there is one."""
    if value.low == value.high:
        return f"{value.value:.4f}"
    return f"{value.value:.4f} [{value.low:.4f}, {value.high:.4f}]"
