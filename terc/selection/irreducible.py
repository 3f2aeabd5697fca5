"""All irreducible sufficient sets of variables: sufficient, and nothing in them can go.

Two families determine each other. A set is *sufficient* if the action is as certain given it as given
everything; a *blocking* set is one without which nothing suffices (the complement of a largest insufficient
set). Every sufficient set meets every blocking set. So the cheapest set that meets all blocking sets known so
far is either sufficient, and then no cheaper sufficient set exists, or it grows into a new largest
insufficient set and adds a blocking set. Repeated, this finds the irreducible sets cheapest first and proves
when there are no more.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from terc.selection.clock import Clock
from terc.selection.hitting_set import Members, OutOfTimeError, cheapest_hitting_set

Sufficient = Callable[[Members], bool]
SURELY = 1 - 1e-12
"""A price below another's times this is below it in truth, not by rounding."""


@dataclass(frozen=True)
class IrreducibleSets:
    """What a search for irreducible sufficient sets has found.

    Attributes:
        sets: The irreducible sufficient sets, cheapest first.
        blocking: Sets of variables of which every sufficient set needs one.
        complete: No other irreducible set exists.
        bound: Every irreducible set cheaper than this is in `sets`.
        n_tests: Subsets whose sufficiency was tested.
    """

    sets: tuple[Members, ...]
    blocking: tuple[Members, ...]
    complete: bool
    bound: float
    n_tests: int

    def describe(self) -> str:
        """How far the search got, in a sentence.

        Example:
            >>> IrreducibleSets((frozenset({2}),), (), True, 1.0, 4).describe()
            'Complete: 1 irreducible sufficient set exists.'
        """
        known = len(self.sets)
        if self.complete:
            many = f"all {known} irreducible sufficient sets were found"
            return f"Complete: {many if known > 1 else '1 irreducible sufficient set exists'}."
        if known:
            return (
                f"Stopped at the time limit: every irreducible sufficient set of fewer than {self.bound:g} "
                f"variables is known ({known} sets); larger ones were not all searched."
            )
        least = f"; none has fewer than {self.bound:g} variables" if self.bound > 0 else ""
        return f"Stopped at the time limit before an irreducible sufficient set was found{least}."


def longest_prefix(n: int, holds: Callable[[int], bool]) -> int:
    """The largest k in 0..n with `holds(k)`, for a property that is true at 0 and, once false, stays false.

    Example:
        >>> longest_prefix(10, lambda k: k <= 7)
        7
    """
    if n == 0 or holds(n):
        return n
    low, high = 0, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


class Explorer:
    """Grows the two families until nothing is left, the caller has enough, or the time is over.

    Args:
        sufficient: The test; supersets of a sufficient set count as sufficient.
        n: Number of units (variables, or groups that stand or fall together).
        costs: Above zero, one per unit; None means one each.
        keep: Units that belong to every set.
        clock: The time limit.

    Example:
        The action is x2 = x0 xor x1: one variable suffices, and so do the two others together.
        >>> explorer = Explorer(lambda s: 2 in s or {0, 1} <= s, 3)
        >>> [sorted(s) for s in explorer.explore().sets]
        [[2], [0, 1]]
    """

    def __init__(
        self,
        sufficient: Sufficient,
        n: int,
        *,
        costs: Sequence[float] | None = None,
        keep: Iterable[int] = (),
        clock: Clock | None = None,
    ) -> None:
        self.n = n
        self.costs = [1.0] * n if costs is None else [float(cost) for cost in costs]
        # Between two sets of the same cost the smaller one comes first.
        tie = 1e-6 * min(self.costs, default=1.0) / max(1, n)
        self.prices = [cost + tie for cost in self.costs]
        self.clock = clock or Clock(None)
        self.blocking: list[Members] = [frozenset({unit}) for unit in sorted(set(keep))]
        self.sets: list[Members] = []
        self.bound = 0.0
        self.keep = frozenset(keep)
        self._sufficient = sufficient
        self._known: dict[Members, bool] = {frozenset(range(n)): True}

    @property
    def n_tests(self) -> int:
        """Subsets tested so far."""
        return len(self._known) - 1

    def cost(self, members: Members) -> float:
        """Sum of the costs."""
        return sum(self.costs[member] for member in members)

    def price(self, members: Members) -> float:
        """The cost, a little more for more members."""
        return sum(self.prices[member] for member in members)

    def sufficient(self, subset: Members) -> bool:
        """The remembered answer of the test; what a known set implies is not asked again."""
        if subset not in self._known:
            self._known[subset] = self._implied(subset) or self._ask(subset)
        return self._known[subset]

    def _implied(self, subset: Members) -> bool:
        return any(known <= subset for known in self.sets)

    def _ask(self, subset: Members) -> bool:
        if self.clock.over():
            raise OutOfTimeError
        return self._sufficient(subset)

    def next_candidate(self) -> Members | None:
        """The cheapest set that may still be a new irreducible one; None when there is none."""
        seed = cheapest_hitting_set(self.blocking, self.prices, avoid=self.sets, stop=self.clock.over)
        self.bound = float("inf") if seed is None else self.cost(seed)
        return seed

    def next_set(self) -> Members | None:
        """The next irreducible set, cheapest first; None when there is no other."""
        while True:
            seed = self.next_candidate()
            if seed is None:
                return None
            if self.sufficient(seed):
                self.sets.append(seed)
                return seed
            self.add_blocking(seed)

    def add_blocking(self, insufficient: Members) -> None:
        """Grow an insufficient set while it stays so; every sufficient set needs one of what is left."""
        grown = insufficient
        others = sorted(frozenset(range(self.n)) - grown, key=lambda u: (-self.costs[u], u))
        while others:
            k = self._longest(partial(self._stays_insufficient, grown), others)
            grown |= set(others[:k])
            others = others[k + 1 :]
        self.blocking.append(frozenset(range(self.n)) - grown)

    def shrink(self, order: Sequence[int]) -> Members:
        """Algorithm 1: go through `order` and remove what can go; the result is irreducible.

        "The first k of the rest can go" is monotone in k, so a binary search skips most single tests.
        """
        remaining = frozenset(range(self.n))
        offered = [unit for unit in order if unit not in self.keep]
        while offered:
            k = self._longest(partial(self._can_go, remaining), offered)
            remaining -= set(offered[:k])
            offered = offered[k + 1 :]
        return remaining

    def cheapest(self, known: Members) -> tuple[Members, bool]:
        """The cheapest sufficient set that is found in the time, and whether it is proven so.

        Every failed removal shows a set of which one unit is needed; the cheapest set that meets all of these
        is tried next, until nothing cheaper than the best can be sufficient.

        Args:
            known: A set that suffices; the answer is no dearer.
        """
        best, order = known | self.keep, sorted(range(self.n), key=lambda unit: -self.costs[unit])
        if self.price(best) <= self.price(self.keep):
            return best, True
        for end in self.ends([order, sorted(order[::-1], key=lambda unit: -self.costs[unit])]):
            best = min(best, end, key=self.price)
        try:
            while (seed := self.next_candidate()) is not None and self.price(seed) < self.price(
                best
            ) * SURELY:
                if self.sufficient(seed):
                    return seed, True
                self.add_blocking(seed)
        except OutOfTimeError:
            return best, False
        return best, True

    def ends(self, orders: Iterable[Sequence[int]]) -> list[Members]:
        """Where Algorithm 1 ends in each order, as far as time allows: two sizes prove that order matters."""
        found: list[Members] = []
        try:
            for order in orders:
                found.append(self.shrink(order))
        except OutOfTimeError:
            pass
        return found

    def _stays_insufficient(self, base: Members, added: Members) -> bool:
        return not self.sufficient(base | added)

    def _can_go(self, base: Members, gone: Members) -> bool:
        return self.sufficient(base - gone)

    @staticmethod
    def _longest(holds: Callable[[Members], bool], units: Sequence[int]) -> int:
        return longest_prefix(len(units), lambda k: holds(frozenset(units[:k])))

    def explore(self) -> IrreducibleSets:
        """All irreducible sets, or those found when the time is over."""
        complete = False
        try:
            while self.next_set() is not None:
                pass
            complete = True
        except OutOfTimeError:
            pass
        return IrreducibleSets(tuple(self.sets), tuple(self.blocking), complete, self.bound, self.n_tests)
