import time

import numpy as np
import pytest

from terc.entropy.counting import CountedEntropies
from terc.errors import BadValueError
from terc.selection.irreducible import Clock, Explorer
from terc.selection.minimal import Units, minimal_by_search, smallest_sufficient
from terc.selection.sufficiency import CountedSufficiency, counted_sufficiency
from terc.synthetic import four_redundant, ipd_cycle, ipd_play, two_triplets


def test_the_smallest_set_of_200_random_logical_functions_is_that_of_brute_force(rng, worlds):
    for _ in range(200):
        states, actions, _ = worlds.sampled(rng, 2000)
        truth = worlds.brute_force(states, actions)
        found = smallest_sufficient(CountedEntropies(states, actions))
        assert found.proven
        assert truth.sufficient[found.members]
        assert len(found.members) == truth.smallest() == found.cost


def test_with_noisy_actions_a_set_is_wrong_no_oftener_than_the_level_says(rng, worlds):
    wrong = 0
    for _ in range(80):
        states, actions, clean = worlds.sampled(rng, 3000, noise=0.2)
        truth = worlds.brute_force(states, clean)
        found = smallest_sufficient(CountedEntropies(states, actions))
        wrong += not truth.sufficient[found.members] or len(found.members) != truth.smallest()
    assert wrong <= 4


def test_up_to_twelve_variables_and_costs(rng, worlds):
    for trial in range(6):
        states, actions, _ = worlds.exact(rng, 10 + trial % 3)
        truth = worlds.brute_force(states, actions)
        costs = rng.integers(0, 5, states.shape[1]).astype(float).tolist()
        exact = CountedSufficiency(CountedEntropies(states, actions), exact=True)
        assert smallest_sufficient(exact).cost == truth.smallest()
        cheapest = smallest_sufficient(exact, costs)
        assert cheapest.proven
        assert sum(costs[m] for m in cheapest.members) == truth.smallest(costs)


def test_never_more_than_algorithm_1_in_any_order(rng, worlds):
    for _ in range(40):
        states, actions, _ = worlds.sampled(rng, 2000)
        enough = CountedSufficiency(CountedEntropies(states, actions))
        smallest = len(smallest_sufficient(enough).members)
        ends = [
            len(Explorer(enough, states.shape[1]).shrink(rng.permutation(states.shape[1]).tolist()))
            for _ in range(6)
        ]
        assert smallest <= min(ends)


def test_known_answers():
    bits = np.random.default_rng(0).integers(0, 2, (2000, 2))
    states = np.column_stack([bits, bits[:, 0] ^ bits[:, 1]])
    assert smallest_sufficient(CountedEntropies(states, states[:, 2])).members == {2}
    cycle = ipd_cycle(tats=4)
    (single,) = smallest_sufficient(counted_sufficiency(cycle.data)).members
    assert cycle.is_exact([cycle.data.names[single]])
    for labelled in (four_redundant(), two_triplets(), ipd_play(tats=4)):
        found = smallest_sufficient(counted_sufficiency(labelled.data))
        assert labelled.is_exact([labelled.data.names[m] for m in found.members])


def test_costs_turn_the_choice():
    bits = np.random.default_rng(0).integers(0, 2, (2000, 2))
    counted = CountedEntropies(np.column_stack([bits, bits[:, 0] ^ bits[:, 1]]), bits[:, 0] ^ bits[:, 1])
    assert smallest_sufficient(counted, [1, 1, 5]).members == {0, 1}
    assert smallest_sufficient(counted, [3, 3, 5]).members == {2}


def test_groups_and_keep():
    bits = np.random.default_rng(0).integers(0, 2, (2000, 4))
    counted = CountedEntropies(bits, bits[:, 0])
    assert smallest_sufficient(counted, groups=[(0, 3)]).members == {0, 3}
    assert smallest_sufficient(counted, keep=[2]).members == {0, 2}


def test_a_constant_action_needs_nothing():
    found = smallest_sufficient(CountedEntropies(np.arange(12).reshape(6, 2), np.zeros(6)))
    assert found.members == frozenset()
    assert found.proven


def test_noise_alone_needs_nothing(rng):
    found = smallest_sufficient(CountedEntropies(rng.integers(0, 3, (3000, 6)), rng.integers(0, 2, 3000)))
    assert found.members == frozenset()


def test_search_with_a_removal_test_finds_the_smallest_and_proves_it(rng, worlds):
    for _ in range(60):
        states, actions, _ = worlds.exact(rng, int(rng.integers(4, 9)))
        truth = worlds.brute_force(states, actions)
        d = states.shape[1]
        asked = []

        def removable(remaining, group, truth=truth, asked=asked):
            assert truth.sufficient[remaining]
            assert group <= remaining
            asked.append((remaining, group))
            return truth.sufficient[remaining - group]

        found = minimal_by_search(removable, [range(d)], units=Units.of(d))
        assert found.proven
        assert len(found.members) == truth.smallest()
        assert truth.sufficient[found.members]
        assert len(asked) <= found.n_tests


def test_search_starts_from_what_is_known_and_never_ends_above_it():
    calls = []

    def removable(remaining, group):
        calls.append(group)
        return {0, 1} <= remaining - group

    found = minimal_by_search(
        removable, [[0, 1, 2, 3]], units=Units.of(4), needed=[0, 1], start=[frozenset({0, 1})]
    )
    assert found.members == {0, 1}
    assert found.proven
    assert not calls


def test_search_keeps_the_time_limit():
    def slow(remaining, group):
        time.sleep(0.02)
        return len(remaining - group) >= 10

    started = time.monotonic()
    start = frozenset(range(15))
    found = minimal_by_search(
        slow, [range(20)], units=Units.of(20), start=[start], clock=Clock(0.2, time.monotonic)
    )
    assert time.monotonic() - started < 1.0
    assert not found.proven
    assert found.cost <= 15
    assert "best found" in str(found)


def test_at_the_same_cost_the_smaller_set_wins():
    bits = np.random.default_rng(0).integers(0, 2, (2000, 2))
    counted = CountedEntropies(np.column_stack([bits, bits[:, 0] ^ bits[:, 1]]), bits[:, 0] ^ bits[:, 1])
    found = smallest_sufficient(counted, [1, 1, 2], start=[frozenset({0, 1})])
    assert (found.members, found.cost, found.proven) == ({2}, 2.0, True)


def test_many_copies_do_not_slow_it_down(rng):
    bits = rng.integers(0, 2, (4000, 6))
    actions = bits @ (1 << np.arange(6))
    counted = CountedEntropies(np.hstack([bits] * 6), actions)
    started = time.process_time()
    found = smallest_sufficient(counted)
    assert time.process_time() - started < 5
    assert found.proven
    assert {m % 6 for m in found.members} == set(range(6))
    assert len(found.members) == 6


def test_bad_costs():
    counted = CountedEntropies(np.zeros((4, 2)), np.zeros(4))
    with pytest.raises(BadValueError, match="wanted 2 finite numbers of at least 0"):
        smallest_sufficient(counted, [1, -1])
    with pytest.raises(BadValueError, match="one per variable"):
        smallest_sufficient(counted, [1])
