"""What the paper proves, checked by exact enumeration: no estimator, no data, every case of a small world.

A *table* is a set of states that occur, all equally often, each with its action. Where the action is a
function of the state, H(A | X) = 0, and every condition of the paper compares sets by whether they are
*sufficient*: H(A | S) = 0.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import permutations, product
from typing import Any

import numpy as np

from terc.entropy.base import RemovalTest
from terc.entropy.evidence import Evidence, Question
from terc.paper.claims import AGREES, DIFFERS, Claim, Side, checked
from terc.paper.experiment import Experiment
from terc.paper.scale import Scale
from terc.plurals import some
from terc.redundancy.perfect_redundancy import printed_pairs
from terc.selection.algorithm_1 import as_printed
from terc.selection.hitting_set import members_of
from terc.store import Store, Task

PLACE = "Theory"
WHO = "no agents: exact enumeration"
State = tuple[int, ...]


@dataclass(frozen=True)
class ExactTable(RemovalTest):
    """States with their actions; it answers the questions of Algorithm 1 exactly.

    Attributes:
        rows: State and action of each, all equally probable.

    Example:
        >>> xor = ExactTable(tuple((state, state[0] ^ state[1]) for state in product((0, 1), repeat=2)))
        >>> xor.sufficient(0b11), xor.sufficient(0b01), xor.naive == 0b11
        (True, False, True)
    """

    rows: tuple[tuple[State, int], ...]

    @property
    def n(self) -> int:
        """How many variables."""
        return len(self.rows[0][0])

    @cached_property
    def _sufficient(self) -> list[bool]:
        return [self._decides(mask) for mask in range(1 << self.n)]

    def _decides(self, mask: int) -> bool:
        seen: dict[State, int] = {}
        chosen = members_of(mask)
        return all(seen.setdefault(tuple(s[j] for j in chosen), action) == action for s, action in self.rows)

    def sufficient(self, mask: int) -> bool:
        """Whether these variables decide the action."""
        return self._sufficient[mask]

    @property
    def everything(self) -> int:
        """All variables."""
        return (1 << self.n) - 1

    @property
    def naive(self) -> int:
        """X_Phi: the variables that are needed beside all others."""
        return sum(1 << j for j in range(self.n) if not self.sufficient(self.everything & ~(1 << j)))

    @property
    def smallest(self) -> int:
        """Size of a smallest sufficient set."""
        return min(mask.bit_count() for mask in range(1 << self.n) if self.sufficient(mask))

    def redundant_pairs(self) -> Iterator[tuple[int, int]]:
        """Every pair of CPMCR as printed: with all other variables present, without superfluous members."""
        return ((first, second) for first, second, _ in printed_pairs(np.array(self._sufficient)))

    def condition_1(self) -> bool:
        """Condition 1 as printed: no pair of different size."""
        return not any(one.bit_count() != two.bit_count() for one, two in self.redundant_pairs())

    def algorithm_1(self, order: Sequence[int]) -> int:
        """What Algorithm 1 as printed keeps."""
        found = as_printed(self, [(j,) for j in order])
        return sum(1 << unit[0] for unit in found.kept)

    def ask(self, questions: Sequence[Question]) -> list[Evidence]:
        """Exact answers; the gain is 0 where the others decide the action."""
        return [
            Evidence(float(needed), 0.0, 0.0, needed, "enumeration")
            for question in questions
            for needed in [not self.sufficient(sum(1 << j for j in question.other_columns))]
        ]

    def chance_of(self, wanted: int) -> float:
        """Share of all orders in which Algorithm 1 ends with these variables."""
        return self.share_of_orders(lambda kept: kept == wanted)

    def share_of_orders(self, holds: Callable[[int], bool]) -> float:
        """Share of all orders in which something holds of what Algorithm 1 keeps."""

        @cache
        def ends(kept: int, waiting: int) -> float:
            if not waiting:
                return float(holds(kept))
            total = 0.0
            for j in members_of(waiting):
                left = waiting & ~(1 << j)
                needed = not self.sufficient(kept | left)
                total += ends(kept | (1 << j) if needed else kept, left)
            return total / waiting.bit_count()

        return ends(0, self.everything)


def of_bits(n: int, columns: Any, action: Any) -> ExactTable:
    """The table of `columns(bits)` and `action(bits)` over all values of n bits."""
    return ExactTable(tuple((tuple(columns(b)), int(action(b))) for b in product((0, 1), repeat=n)))


def four_redundant(copies: int = 3) -> ExactTable:
    """Four Redundant Variables: A = x1 xor x2 xor x3, and x4 = x5 = x6 = x1."""
    return of_bits(3, lambda b: (*b, *[b[0]] * copies), lambda b: b[0] ^ b[1] ^ b[2])


def two_stand_ins(copies: int = 1) -> ExactTable:
    """x3 = x1 xor x2 = A, and x4 = x3: a third stand-in hides the pair ({x3}, {x1, x2}) from condition 1."""
    return of_bits(2, lambda b: (*b, *[b[0] ^ b[1]] * (1 + copies)), lambda b: b[0] ^ b[1])


def best_cycle(tats: int, history: int = 9) -> ExactTable:
    """Best play against Tit-For-N-Tats: N - 1 defections and a cooperation; the opponent cooperates."""
    moves = [1] * (tats - 1) + [0]
    states = [(tuple(moves[(t - k) % tats] for k in range(1, history + 1)), moves[t]) for t in range(tats)]
    return ExactTable(tuple(states))


def every_table(variables: int = 3) -> Iterator[ExactTable]:
    """Each state absent, with action 0, or with action 1; tables of one action only are left out."""
    states = list(product((0, 1), repeat=variables))
    for chosen in product((None, 0, 1), repeat=len(states)):
        rows = tuple((s, a) for s, a in zip(states, chosen, strict=True) if a is not None)
        if len({a for _, a in rows}) == 2:
            yield ExactTable(rows)


def enumerate_all(store: Store, key: str, *, tats: Sequence[int], variables: int) -> dict[str, Any]:
    """Everything the page says about the theory."""
    counted = ("tables", "redundant", "lemma 1", "theorem 1", "stand-ins", "condition 1", "theorem 2")
    count = dict.fromkeys(counted, 0)
    for table in every_table(variables):
        pairs, holds = any(True for _ in table.redundant_pairs()), table.condition_1()
        naive_is_enough = table.sufficient(table.naive)
        sizes = {table.algorithm_1(o).bit_count() for o in permutations(range(variables))} if holds else set()
        count["tables"] += 1
        count["redundant"] += pairs
        count["lemma 1"] += pairs and not naive_is_enough
        smallest = naive_is_enough and table.naive.bit_count() == table.smallest
        count["theorem 1"] += not pairs and smallest
        any_one = all(table.sufficient(1 << j) for j in range(variables))
        count["stand-ins"] += not pairs and not smallest and any_one
        count["condition 1"] += holds
        count["theorem 2"] += holds and sizes == {table.smallest}
    four, hidden = four_redundant(), two_stand_ins()
    return {
        "count": count,
        "four": {
            "pairs": len(list(four.redundant_pairs())),
            "enough": four.sufficient(four.naive),
            "with one copy": len(list(four_redundant(1).redundant_pairs())),
        },
        "hidden": {
            "holds": hidden.condition_1(),
            "without x4": two_stand_ins(0).condition_1(),
            "smallest": hidden.smallest,
            "found": hidden.algorithm_1([2, 3, 0, 1]).bit_count(),
            "chance": 1 - sum(hidden.chance_of(1 << j) for j in (2, 3)),
        },
        "questions": [[n, _questions(n)] for n in (3, 6, 12)],
        "cycle": {str(t): best_cycle(t).chance_of((1 << (t - 1)) - 1) for t in tats},
        "oldest": {str(t): best_cycle(t).share_of_orders(partial(_oldest_is, t - 1)) for t in tats},
    }


def _oldest_is(pair: int, kept: int) -> bool:
    """Whether this is the oldest pair of moves among those kept."""
    return kept.bit_length() == pair


def _questions(n: int) -> int:
    """What Algorithm 1 asks about n variables, of which the first two decide."""
    table = of_bits(2, lambda b: (b * n)[:n], lambda b: b[0] ^ b[1])
    return len(as_printed(table, [(j,) for j in range(n)]).asked)


def task(scale: Scale) -> Task:
    """The enumeration."""
    options = {"tats": list(scale.tats), "variables": 2 if scale.hurried else 3}
    return Task("theory/enumeration", "theory: every small table", enumerate_all, options)


def _claims(scale: Scale, store: Store) -> list[Claim]:
    found = store["theory/enumeration"]
    count, four, hidden = found["count"], found["four"], found["hidden"]
    size = 2 if scale.hurried else 3
    who = f"all {count['tables']:,} tables of {size} bits; {WHO}"
    clean = count["tables"] - count["redundant"]
    asked = ", ".join(f"{n}: {q}" for n, q in found["questions"])
    rows = {
        "Lemma 1: where CPMCR exists, the naive set loses information.":
            checked(f"{count['lemma 1']:,} of {count['redundant']:,} tables with CPMCR",
                    count["lemma 1"] == count["redundant"], who),
        f"Theorem 1: without CPMCR the naive set is a smallest one ({size} bits).":
            checked(f"{count['theorem 1']:,} of {clean:,} tables without CPMCR",
                    count["theorem 1"] == clean, who,
                    cause=f"In {count['stand-ins']} of these {clean - count['theorem 1']} any one of the "
                    "variables decides the action: of three stand-ins no two are a pair, the third remains."),
        "Theorem 1, Four Redundant Variables: without CPMCR the naive set is a smallest one.":
            Side(f"{four['pairs']} pairs of CPMCR; naive set {'is' if four['enough'] else 'is not'} enough",
                 AGREES if four["enough"] or four["pairs"] else DIFFERS, f"all 8 states; {WHO}",
                 f"With one copy of x1 there is {some(four['with one copy'], 'pair')}, with three none: "
                 "beside two of the four the others remain, so that no two are a pair, and all four go."),
        f"Theorem 2: where condition 1 holds, Algorithm 1 finds a smallest set ({size} bits).":
            checked(f"{count['theorem 2']:,} of {count['condition 1']:,} tables with condition 1",
                    count["theorem 2"] == count["condition 1"], who,
                    cause="As for Theorem 1: the condition looks with all other variables present."),
        "Theorem 2, x3 = x1 xor x2 = A, x4 = x3: Algorithm 1 finds one variable.":
            checked(f"condition 1 {'holds' if hidden['holds'] else 'fails'}; {hidden['found']} instead of "
                    f"{hidden['smallest']} variables in {hidden['chance']:.0%} of orders",
                    hidden["chance"] == 0, f"all 24 orders; {WHO}",
                    cause=f"Without x4 condition 1 {'holds' if hidden['without x4'] else 'fails'}: x4 "
                    "stands in for x3 and hides the pair ({x3}, {x1, x2}) from it."),
        "Algorithm 1 takes time linear in the number of variables.":
            checked(f"questions by number of variables: {asked}", all(n == q for n, q in found["questions"]),
                    f"counted; {WHO}", cause=""),
    }  # fmt: skip
    return [Claim(PLACE, statement, side.by("Algorithm 1, exact"), None) for statement, side in rows.items()]


EXPERIMENT = Experiment("theory", (lambda scale, store: [task(scale)],), _claims, lambda *_: [])
