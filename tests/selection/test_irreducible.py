import time

import numpy as np
import pytest
import worlds

from terc.selection.clock import Clock
from terc.selection.hitting_set import cheapest_hitting_set, mask_of, members_of
from terc.selection.irreducible import Explorer, IrreducibleSets, longest_prefix


def random_generators(rng, n):
    share = rng.uniform(0.2, 0.7)
    sets = [frozenset(np.flatnonzero(rng.random(n) < share).tolist()) for _ in range(rng.integers(1, 6))]
    return [s for s in sets if not any(other < s for other in sets)]


def test_the_cheapest_hitting_set_is_that_of_brute_force(rng):
    for _ in range(150):
        n = int(rng.integers(2, 9))
        targets = [t for t in random_generators(rng, n) if t]
        avoid = [frozenset(rng.choice(n, 2).tolist())]
        costs = rng.integers(1, 5, n).astype(float)
        fits = [
            s
            for s in worlds.subsets(range(n))
            if all(s & t for t in targets) and not any(a <= s for a in avoid)
        ]
        found = cheapest_hitting_set(targets, costs, avoid=avoid)
        if not fits:
            assert found is None
        else:
            assert found in fits
            assert sum(costs[list(found)]) == min(sum(costs[list(s)]) for s in fits)


def test_all_irreducible_sets_are_found_cheapest_first(rng):
    for trial in range(150):
        n = int(rng.integers(2, 9))
        sets = random_generators(rng, n)
        costs = rng.integers(1, 6, n).astype(float) if trial % 2 else None
        explorer = Explorer(lambda s, sets=sets: any(g <= s for g in sets), n, costs=costs)
        found = explorer.explore()
        assert found.complete
        assert set(found.sets) == set(sets)
        prices = [explorer.cost(s) for s in found.sets]
        assert prices == sorted(prices)
        assert all(s & block for s in sets for block in found.blocking)
        outside = [(frozenset(range(n)) - block, block) for block in found.blocking]
        assert all(any(g <= rest | {m} for g in sets) for rest, block in outside for m in block)
        assert all(any(not (s - {m}) & block for block in found.blocking) for s in sets for m in s)


def test_algorithm_1_by_prefixes_is_algorithm_1_one_by_one(rng):
    for _ in range(100):
        n = int(rng.integers(2, 10))
        sets = random_generators(rng, n)
        order = rng.permutation(n).tolist()
        remaining = frozenset(range(n))
        for unit in order:
            if any(g <= remaining - {unit} for g in sets):
                remaining -= {unit}
        explorer = Explorer(lambda s, sets=sets: any(g <= s for g in sets), n)
        assert explorer.shrink(order) == remaining


def test_needed_units_stay():
    explorer = Explorer(lambda s: 0 in s, 3, keep=[2])
    assert explorer.explore().sets == (frozenset({0, 2}),)
    assert explorer.shrink([0, 1, 2]) == {0, 2}


def test_the_time_limit_is_kept_and_the_bound_tells_what_was_not_searched(rng):
    sets = [frozenset(rng.choice(40, 6, replace=False).tolist()) for _ in range(40)]
    started = time.process_time()
    found = Explorer(lambda s: any(g <= s for g in sets), 40, clock=Clock(0.3)).explore()
    assert time.process_time() - started < 1.0
    assert not found.complete
    assert all(len(s) >= found.bound for s in set(sets) - set(found.sets))


def test_a_clock_does_not_run_while_others_work():
    clock = Clock(0.1)
    time.sleep(0.15)
    assert not clock.over()
    wall = Clock(0.1, time.monotonic)
    time.sleep(0.15)
    assert wall.over()


def test_a_search_that_found_nothing_says_so():
    stopped = "Stopped at the time limit before an irreducible sufficient set was found"
    assert IrreducibleSets((), (), False, 0.0, 1).describe() == f"{stopped}."
    later = IrreducibleSets((), (), False, 3.0, 90).describe()
    assert later == f"{stopped}; none has fewer than 3 variables."


def test_masks():
    assert members_of(mask_of({1, 4})) == [1, 4]
    assert longest_prefix(0, lambda k: False) == 0


@pytest.mark.parametrize("answer", range(9))
def test_longest_prefix(answer):
    assert longest_prefix(8, lambda k: k <= answer) == answer
