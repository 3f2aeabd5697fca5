"""The cheapest set that meets each of many sets, by branch and bound."""

from collections.abc import Callable, Collection, Sequence

Members = frozenset[int]
Stop = Callable[[], bool]


class OutOfTimeError(Exception):
    """The deadline passed inside a search; callers turn it into 'not decided within the limits'."""


def cheapest_hitting_set(
    targets: Collection[Members],
    costs: Sequence[float],
    *,
    avoid: Collection[Members] = (),
    stop: Stop = lambda: False,
) -> Members | None:
    """The cheapest set with a member in each of `targets` that contains none of `avoid`; None without one.

    Among equally cheap sets the one with the lower numbers wins, so the answer does not depend on the order
    of `targets`.

    Args:
        targets: Sets of numbers below `len(costs)`.
        costs: Above zero, one per number.
        avoid: Sets that must not be swallowed whole.
        stop: Asked now and then; True raises `OutOfTimeError`.

    Example:
        >>> sets = [frozenset({0, 1}), frozenset({1, 2}), frozenset({3})]
        >>> sorted(cheapest_hitting_set(sets, [1.0] * 4))
        [1, 3]
        >>> sorted(cheapest_hitting_set(sets, [1.0] * 4, avoid=[frozenset({1, 3})]))
        [0, 2, 3]
    """
    return _Search(targets, costs, avoid, stop).run()


class _Search:
    """Depth-first over partial hitting sets as bit masks, cut off at the cost of the best one so far."""

    def __init__(
        self, targets: Collection[Members], costs: Sequence[float], avoid: Collection[Members], stop: Stop
    ) -> None:
        self.costs = costs
        self.stop = stop
        self.avoid = [mask_of(members) for members in avoid]
        self.targets = _minimal([mask_of(members) for members in targets])
        self.best: int | None = None
        self.least = float("inf")
        self.slack = 1e-12 * sum(costs)
        self.visits = 0

    def run(self) -> Members | None:
        self._visit(0, 0, 0.0, self.targets)
        return None if self.best is None else frozenset(members_of(self.best))

    def _visit(self, chosen: int, banned: int, cost: float, unmet: list[int]) -> None:
        self.visits += 1
        if self.visits % 64 == 0 and self.stop():
            raise OutOfTimeError
        if any(taboo & ~chosen == 0 for taboo in self.avoid):
            return
        # Sets that only tie with the best are not looked at: with many copies there are very many.
        if cost + self._least_more(unmet, banned) >= self.least - self.slack:
            return
        if not unmet:
            self.best, self.least = chosen, cost
            return
        target = min(unmet, key=lambda mask: (mask & ~banned).bit_count())
        for member in sorted(members_of(target & ~banned), key=lambda m: (self.costs[m], m)):
            bit = 1 << member
            rest = [mask for mask in unmet if not mask & bit]
            self._visit(chosen | bit, banned, cost + self.costs[member], rest)
            banned |= bit

    def _least_more(self, unmet: list[int], banned: int) -> float:
        """A bound: targets without a common member each need a member of their own."""
        used, total = banned, 0.0
        for mask in sorted(unmet, key=int.bit_count):
            free = mask & ~banned
            if not free:
                return float("inf")
            if not mask & used & ~banned:
                total += min(self.costs[m] for m in members_of(free))
                used |= mask
        return total


def mask_of(members: Collection[int]) -> int:
    """The set as bits.

    Example:
        >>> mask_of({0, 3})
        9
    """
    return sum(1 << member for member in members)


def members_of(mask: int) -> list[int]:
    """The numbers of the bits, rising.

    Example:
        >>> members_of(9)
        [0, 3]
    """
    members = []
    while mask:
        low = mask & -mask
        members.append(low.bit_length() - 1)
        mask ^= low
    return members


def _minimal(masks: list[int]) -> list[int]:
    """The masks that contain no other mask: hitting these hits all."""
    kept: list[int] = []
    for mask in sorted(set(masks), key=lambda m: (m.bit_count(), m)):
        if not any(smaller & ~mask == 0 for smaller in kept):
            kept.append(mask)
    return kept
