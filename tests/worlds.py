"""Random logical functions, with copies and functions of other variables as columns, and brute force."""

from itertools import combinations

import numpy as np

from terc.entropy.counting import CountedEntropies


def subsets(members):
    members = list(members)
    return [frozenset(c) for k in range(len(members) + 1) for c in combinations(members, k)]


def sampled(rng, n, most=8, noise=0.0):
    """States [n, d], actions [n] and the actions without noise."""
    states = [rng.integers(0, 2, n) for _ in range(int(rng.integers(2, 5)))]
    return _finished(rng, states, int(rng.integers(len(states) + 1, most + 1)), noise)


def exact(rng, d):
    """Every combination of the independent bits once: the counts are the distribution itself."""
    base = int(rng.integers(2, 7))
    states = [(np.arange(2**base) >> k) & 1 for k in range(base)]
    return _finished(rng, states, max(d, base), 0.0)


def _finished(rng, columns, d, noise):
    while len(columns) < d:
        kind = rng.integers(3)
        if kind == 0:
            columns.append(columns[rng.integers(len(columns))].copy())
        else:
            i, j = rng.choice(len(columns), 2, replace=False)
            columns.append(rng.integers(0, 2, (2, 2))[columns[i], columns[j]])
    states = np.stack(columns, axis=1)[:, rng.permutation(d)]
    used = rng.choice(d, int(rng.integers(1, min(4, d) + 1)), replace=False)
    table = rng.integers(0, 2, 2 ** len(used))
    clean = table[states[:, used] @ (1 << np.arange(len(used)))]
    return states, clean ^ (rng.random(len(clean)) < noise), clean


class BruteForce:
    """Everything by looking at every subset."""

    def __init__(self, states, actions):
        counted = CountedEntropies(states, actions)
        self.everything = counted.everything
        least = counted.h(self.everything)
        self.sufficient = {s: counted.h(s) - least < 1e-9 for s in subsets(self.everything)}

    def smallest(self, costs=None):
        price = costs or [1.0] * len(self.everything)
        return min(sum(price[m] for m in s) for s, ok in self.sufficient.items() if ok)

    def irreducible(self):
        ok = self.sufficient
        return {s for s in ok if ok[s] and not any(ok[s - {m}] for m in s)}

    def pairs_as_printed(self):
        """The paper's definition of CPMCR, line by line, all other variables being present."""
        ok, found = self.sufficient, set()
        for first in subsets(self.everything):
            for second in subsets(self.everything - first):
                rest = self.everything - first - second
                same = ok[self.everything - second] and ok[self.everything - first] and not ok[rest]
                psi = all(not ok[(rest | side) - {m}] for side in (first, second) for m in side)
                if same and psi:
                    found.add(frozenset({first, second}))
        return found

    def exchanges(self):
        """Pairs in any context: two irreducible sets that share it, and none between them."""
        ok, found = self.irreducible(), {}
        for given in subsets(self.everything):
            rest = self.everything - given
            for first in subsets(rest):
                for second in subsets(rest - first):
                    if not first or not second or given | first not in ok or given | second not in ok:
                        continue
                    inner = [given | part for part in subsets(first | second) if part not in (first, second)]
                    if not any(s in ok for s in inner):
                        found.setdefault(frozenset({first, second}), []).append(given)
        return found
