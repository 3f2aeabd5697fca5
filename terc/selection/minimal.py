"""The smallest (or cheapest) sufficient set, also where condition 1 fails and orders matter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from terc.entropy.counting import CountedEntropies
from terc.errors import BadValueError
from terc.selection.hitting_set import Members, OutOfTimeError
from terc.selection.irreducible import Clock, Explorer
from terc.selection.sufficiency import CountedSufficiency

Removable = Callable[[Members, Members], bool]


@dataclass(frozen=True)
class MinimalSet:
    """A sufficient set, and whether a smaller one can exist; unpacks as `(members, proven)`.

    Attributes:
        members: Column numbers.
        proven: Every cheaper set lies within one that a test has found insufficient.
        cost: Of the members; their number when no costs are given.
        bound: No sufficient set costs less than this.
        n_tests: Subsets tested.
        seconds: Time taken, by the clock of the search.

    Example:
        >>> members, proven = MinimalSet(frozenset({2}), True, 1.0, 1.0, 4, 0.01)
        >>> sorted(members), proven
        ([2], True)
    """

    members: Members
    proven: bool
    cost: float
    bound: float
    n_tests: int
    seconds: float

    def __iter__(self) -> Iterator[object]:
        """The set, then whether it is proven."""
        return iter((self.members, self.proven))

    def __str__(self) -> str:
        """The set and how sure it is."""
        sure = "proven smallest" if self.proven else f"best found; none below {self.bound:g} exists"
        return (
            f"{sorted(self.members)}, cost {self.cost:g} ({sure}; {self.n_tests} tests, {self.seconds:.1f} s)"
        )


@dataclass(frozen=True)
class Units:
    """What is kept or removed as one: single columns, or groups of them, each with its cost.

    Attributes:
        columns: Column numbers of each unit.
        costs: Of each unit, above zero.

    Example:
        >>> Units.of(3, groups=[(0, 2)], costs=[1.0, 5.0, 1.0]).costs
        (2.0, 5.0)
    """

    columns: tuple[Members, ...]
    costs: tuple[float, ...]

    @classmethod
    def of(
        cls, n: int, *, groups: Iterable[Iterable[int]] | None = None, costs: Sequence[float] | None = None
    ) -> Units:
        """Units of `n` columns: a column in no group is its own, a group costs what its members cost."""
        price = _checked_costs(n, costs)
        grouped = [frozenset(group) for group in groups or ()]
        single = [frozenset({c}) for c in range(n) if not any(c in group for group in grouped)]
        columns = sorted(grouped + single, key=min)
        return cls(tuple(columns), tuple(sum(price[c] for c in unit) for unit in columns))

    def of_columns(self, columns: Iterable[int]) -> Members:
        """Numbers of the units that hold any of `columns`."""
        wanted = frozenset(columns)
        return frozenset(k for k, unit in enumerate(self.columns) if unit & wanted)

    def flat(self, units: Members) -> Members:
        """The columns of `units`."""
        return frozenset().union(*(self.columns[unit] for unit in units))


def smallest_sufficient(
    counted: CountedEntropies | CountedSufficiency,
    costs: Sequence[float] | None = None,
    *,
    groups: Iterable[Iterable[int]] | None = None,
    keep: Iterable[int] = (),
    start: Iterable[Members] = (),
    time_limit: float | None = None,
) -> MinimalSet:
    """The cheapest sufficient set of columns, exact by branch and bound on counted entropies.

    Args:
        counted: The entropies; give a `CountedSufficiency` to set its level, floor and groups of episodes.
        costs: Of each column, zero or more; None means one each, so that the smallest set is found.
        groups: Columns that stand or fall together.
        keep: Columns that belong to every answer.
        start: Sets already known to be sufficient; the answer is no dearer than any of them.
        time_limit: CPU seconds; the best set found until then is returned, with what is proven about it, and
            depends on the speed of the machine.

    Example:
        The action is x2 = x0 xor x1. Algorithm 1 in column order keeps x2, in reverse order the two others.
        >>> states = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]] * 25)
        >>> print(smallest_sufficient(CountedEntropies(states, states[:, 2])).members)
        frozenset({2})
    """
    enough = counted if isinstance(counted, CountedSufficiency) else CountedSufficiency(counted)
    units = Units.of(enough.n_variables, groups=groups, costs=costs)
    explorer = Explorer(
        lambda members: enough(units.flat(members)),
        len(units.columns),
        costs=units.costs,
        keep=units.of_columns(keep),
        clock=Clock(time_limit),
    )
    known = [units.of_columns(members) | explorer.keep for members in start]
    return _cheapest(explorer, units, known, orders=_orders(units, None))


def minimal_by_search(
    removable: Removable,
    order_candidates: Sequence[Sequence[int]],
    *,
    units: Units,
    needed: Iterable[int] = (),
    start: Iterable[Members] = (),
    clock: Clock | None = None,
) -> MinimalSet:
    """The cheapest sufficient set by several orders and exchanges, for tests too dear to be exhaustive.

    Each order is an Algorithm 1. Every failed removal tells a set of which one variable is needed; the
    cheapest set that meets all of these is tried next (an exchange of kept for removed variables) until
    nothing cheaper than the best can be sufficient or the time is over.

    Args:
        removable: `removable(remaining, group)`: whether the columns `group` can leave `remaining`, a
            sufficient set.
        order_candidates: Orders of columns in which to offer removal; the first is what `sequential` would
            use.
        units: What stands or falls together, and its cost.
        needed: Columns known to be needed beside all others (or that the caller wants to keep).
        start: Sets already known to be sufficient, such as the result of `sequential`; never returns a dearer
            one.
        clock: The time limit; a search that reaches it depends on the speed of the machine.

    Returns:
        The best set; `proven` in the sense of the test: every cheaper set lies within one that failed it.
    """
    everything = frozenset().union(*units.columns)
    sufficient_sets = [everything, *start]

    def sufficient(members: Members) -> bool:
        columns = units.flat(members)
        # The smallest known sufficient superset: there a removal is the smallest step and best seen.
        remaining = min((s for s in sufficient_sets if s >= columns), key=len)
        if remaining != columns and not removable(remaining, remaining - columns):
            return False
        sufficient_sets.append(columns)
        return True

    explorer = Explorer(
        sufficient,
        len(units.columns),
        costs=units.costs,
        keep=units.of_columns(needed),
        clock=clock,
    )
    known = [units.of_columns(members) | explorer.keep for members in start]
    return _cheapest(explorer, units, known, orders=_orders(units, order_candidates))


def _orders(units: Units, columns: Sequence[Sequence[int]] | None) -> list[list[int]]:
    """Orders of units: those of the caller, or the dearest first with ties from either end."""
    n = range(len(units.columns))
    if columns is None:
        last = sorted(n, key=lambda u: (-units.costs[u], -u))
        first = sorted(n, key=lambda u: (-units.costs[u], u))
        return [first, last]
    wanted = [list(dict.fromkeys(k for c in order for k in units.of_columns([c]))) for order in columns]
    return [order + [u for u in n if u not in order] for order in wanted]


def _cheapest(explorer: Explorer, units: Units, known: list[Members], orders: list[list[int]]) -> MinimalSet:
    """Best of the known sets, Algorithm 1 in some orders, and the exact search, within the time."""
    everything = frozenset(range(explorer.n))
    best = min([everything, *known], key=explorer.price)
    proven = explorer.price(best) <= explorer.price(explorer.keep)
    try:
        for order in orders if not proven else ():
            best = min(best, explorer.shrink(order), key=explorer.price)
        while not proven:
            best, proven = _improved(explorer, best)
    except OutOfTimeError:
        pass
    bound = explorer.cost(best) if proven else explorer.bound
    spent = explorer.clock.seconds
    return MinimalSet(units.flat(best), proven, explorer.cost(best), bound, explorer.n_tests, spent)


def _improved(explorer: Explorer, best: Members) -> tuple[Members, bool]:
    """One step of the exact search: the best set now, and whether nothing cheaper can be sufficient."""
    seed = explorer.next_candidate()
    if seed is None or explorer.price(seed) >= explorer.price(best) * (1 - 1e-12):
        return best, True
    if explorer.sufficient(seed):
        return seed, True
    explorer.add_blocking(seed)
    return best, False


def _checked_costs(n: int, costs: Sequence[float] | None) -> list[float]:
    if costs is None:
        return [1.0] * n
    if len(costs) != n or not all(np.isfinite(cost) and cost >= 0 for cost in costs):
        raise BadValueError(
            f"costs: wanted {n} finite numbers of at least 0, one per variable, got {list(costs)[:10]}."
        )
    # A variable that costs nothing still counts a little, so that none is kept without need.
    least = 1e-6 * max([cost for cost in costs if cost > 0], default=1.0)
    return [max(float(cost), least) for cost in costs]
