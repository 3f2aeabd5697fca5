"""Condition 1 of the paper: no two subsets of different size stand in for each other.

It is what makes Algorithm 1 return a smallest set in every order. Three readings are answered side by side:

- *What the guarantee needs*: all irreducible sufficient sets have the same size. Algorithm 1 can end at each
  of them (if the others are tried first), so its size does not depend on the order exactly then. Two of
  different size give the pair P = S minus S', P' = S' minus S, which is the pair of equation (a1) among the
  variables of S and S'. This decides the verdict.
- *Equation (a1) as printed*, with all remaining variables present. A third stand-in hides a violation from
  it: if x3 = x1 xor x2 decides and x4 copies x3, it finds no pair, and yet Algorithm 1 returns {x1, x2} when
  x3 and x4 are tried first.
- *The paper's test*: R(P1; P2 -> A) = H(A) for some pair of different sizes. It can only fire for
  deterministic actions, and fires without need when one of two equally large stand-ins has a superfluous
  member.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from terc.checks import called_rightly
from terc.records import Record
from terc.redundancy.exploring import Explored, explored
from terc.redundancy.perfect_redundancy import (
    MOST_AS_PRINTED,
    RedundantPair,
    braces,
    checked_limit,
    pairs_as_printed,
    proven_pair,
    search_notes,
)
from terc.redundancy.redundancy_index import MostRedundant, most_redundant
from terc.seeding import generator
from terc.selection.clock import Clock
from terc.selection.sufficiency import Sufficiency, checked_data, sufficiency_of
from terc.threads import one_thread

if TYPE_CHECKING:
    from terc.entropy.base import Estimator
    from terc.trajectories.data import Trajectories

HOLDS, VIOLATED, NOT_DECIDED = "holds", "violated", "not decided"
UNSURE = (
    "Sufficient sets of different size were found, but not all that one of them has more is surely missed "
    "when it goes: no proof."
)
WHOLE = 0.999
"""Share of H(A) that R must reach to count as all of it."""


@dataclass(frozen=True)
class Condition1(Record):
    """The verdict on condition 1, with the pair that proves a violation.

    Attributes:
        verdict: "holds", "violated" or "not decided" (within the limits): do all irreducible sufficient sets
            have the same size?
        violation: Two subsets of different size that stand in for each other; None unless violated.
        as_printed: The same three words for equation (a1) with all other variables present.
        paper_test: The same for R = H(A); "not decided" for continuous actions, whose H(A) has no such
            meaning.
        most_redundant: The ten pairs with the largest R, as the paper plots them, with H(A).
        sizes: Smallest and largest irreducible sufficient set found.
        searched: Plain sentences on how, how far and what not.
    """

    verdict: str
    violation: RedundantPair | None
    as_printed: str
    paper_test: str
    most_redundant: MostRedundant
    sizes: tuple[int, int]
    searched: tuple[str, ...]

    @property
    def holds(self) -> bool | None:
        """True or False when decided, None when not."""
        return {HOLDS: True, VIOLATED: False}.get(self.verdict)

    def __str__(self) -> str:
        """Verdict, proof, the paper's bars and the search."""
        words = {HOLDS: "holds", NOT_DECIDED: "is not decided within the limits"}
        pair, bars = self.violation, self.most_redundant
        by = "" if pair is None else f"is violated by ({braces(pair.first)}, {braces(pair.second)})"
        lines = [f"Condition 1 {words.get(self.verdict, by)}."]
        lines += [f"  {pair}"] if pair else []
        lines += [
            f"  Equation (a1) as printed: {self.as_printed}. The paper's test R = H(A): {self.paper_test}.",
            f"  Most redundant pairs of different size (H(A) = {bars.action_entropy:.3f} nats):",
        ]
        return "\n".join([*lines, *(f"    {bar}" for bar in bars.pairs), *self.searched])


@called_rightly
@one_thread()
def check_condition_1(
    data: Trajectories,
    *,
    estimator: Estimator | str | None = None,
    alpha: float = 0.05,
    min_effect: float | None = None,
    time_limit: float | None = 60.0,
    seed: int = 0,
) -> Condition1:
    """Whether Algorithm 1 is sure to find a smallest set on these data, whatever the order.

    Args:
        data: Recorded steps.
        estimator: For the definition; None counts where that is possible and else predicts.
        alpha: Level of the tests behind "the same information".
        min_effect: Share of I(A; X) that does not matter; None for the estimator's own.
        time_limit: CPU seconds of this process for everything; at most half of it goes into R. None for no
            limit. What a search that runs into it has found depends on the speed of the machine.
        seed: For the estimator and for the steps that nearest neighbours look at.

    Example:
        On the best cycle against Tit-For-4-Tats the pair four steps ago carries as much as the last three.
        >>> from terc.synthetic import ipd_cycle
        >>> found = check_condition_1(ipd_cycle(2000, tats=4).data)
        >>> found.verdict, found.violation.first, found.violation.second
        ('violated', ('pair_4',), ('pair_1', 'pair_2', 'pair_3'))
    """
    checked_data("check_condition_1", data)
    limit = checked_limit("check_condition_1", time_limit)
    rng = generator(seed)
    clock = Clock(limit)
    bars = most_redundant(data, clock=Clock(None if limit is None else limit / 2), rng=rng)
    enough = sufficiency_of(data, estimator=estimator, alpha=alpha, min_effect=min_effect, rng=rng)
    return _verdict(data, enough, explored(data, enough, clock), (bars, clock))


def _verdict(
    data: Trajectories,
    enough: Sufficiency,
    search: Explored,
    rest: tuple[MostRedundant, Clock],
) -> Condition1:
    (bars, clock), found = rest, search.found
    every = {*found.sets, *search.ends}
    # Tests on finite data may call a set irreducible that holds another one; the pair must not be nested.
    smallest = (members for members in every if not any(other < members for other in every))
    known = sorted(smallest, key=lambda members: (len(members), sorted(members)))
    unequal = [(one, other) for one, other in combinations(known, 2) if len(one) != len(other)]
    # Those first that differ in the fewest variables and then are smallest.
    unequal.sort(key=lambda p: (len(p[0] ^ p[1]), len(p[0] | p[1]), sorted(p[0]), sorted(p[1])))
    # A proof: each set surely misses what the other lacks. A set that only just passes for sufficient fails
    # the test with any column less, noise included.
    sure = (p for p in unequal if all(enough.misses_each(one, one - two) for one, two in (p, p[::-1])))
    pair = next(sure, None)
    unsure = bool(unequal) and pair is None
    verdict = VIOLATED if pair else HOLDS if found.complete and not unsure else NOT_DECIDED
    violation = None
    if pair:
        small, large = pair
        violation = proven_pair(data, enough, (small - large, large - small, small & large))
    sizes = (len(known[0]), len(known[-1])) if known else (0, len(data.names))
    return Condition1(
        verdict=verdict,
        violation=violation,
        as_printed=NOT_DECIDED if unsure else _as_printed(search, len(data.names)),
        paper_test=_paper_test(bars),
        most_redundant=bars,
        sizes=sizes,
        searched=(bars.searched, *search_notes(data, enough, search, clock), *([UNSURE] if unsure else [])),
    )


def _as_printed(search: Explored, n: int) -> str:
    if not search.found.complete or n > MOST_AS_PRINTED:
        return NOT_DECIDED
    pairs = pairs_as_printed(search.found, n)
    return VIOLATED if any(len(first) != len(second) for first, second, _ in pairs) else HOLDS


def _paper_test(bars: MostRedundant) -> str:
    if not bars.entropy_is_a_limit:
        return NOT_DECIDED
    if any(pair.value.value >= WHOLE * bars.action_entropy for pair in bars.pairs):
        return VIOLATED
    return HOLDS if bars.complete else NOT_DECIDED
