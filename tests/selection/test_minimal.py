"""The smallest set, against brute force."""

import time

import numpy as np
import pytest
import worlds

import terc
from terc.entropy.base import RemovalTest
from terc.entropy.counted_test import CountedTest
from terc.entropy.counting import CountedEntropies
from terc.entropy.evidence import Evidence, Terms
from terc.selection import minimal
from terc.selection.algorithm_1 import Elimination
from terc.selection.clock import Clock
from terc.selection.irreducible import Explorer
from terc.selection.request import Request
from terc.selection.sufficiency import Sufficiency
from terc.synthetic import four_redundant, ipd_cycle, ipd_play, two_triplets


class Exact(RemovalTest):
    """Takes the counts for the distribution itself."""

    def __init__(self, states, actions):
        self.counted = CountedEntropies(states, actions)

    def ask(self, questions):
        lost = [
            self.counted.h(q.other_columns) - self.counted.h((*q.other_columns, *q.removed_columns))
            for q in questions
        ]
        return [Evidence(gain, 0.0, float(gain <= 1e-9), gain > 1e-9, "exact") for gain in lost]


def searched(test, units, *, fixed=(), start=None, prices=None):
    """Columns of the smallest set, and whether it is proven."""
    offered = tuple(unit for unit in units if unit not in fixed)
    request = Request(offered, tuple(fixed), (), frozenset(), ordered=False)
    known = Elimination(tuple(units) if start is None else start, ())
    found, note = minimal.smallest(request, test, offered, known, prices=prices)
    return {j for unit in found.kept for j in unit}, "proven smallest" in note.text


def counted(states, actions, episodes=None):
    episodes = np.arange(len(states)) if episodes is None else episodes
    data = terc.Trajectories(states, actions, episodes=episodes, action_kind="discrete")
    return CountedTest.of(data, Terms(units=states.shape[1]))


def columns(states):
    return tuple((j,) for j in range(states.shape[1]))


def test_the_smallest_set_of_200_random_logical_functions_is_that_of_brute_force(rng):
    for _ in range(200):
        states, actions, _ = worlds.sampled(rng, 2000)
        truth = worlds.BruteForce(states, actions)
        members, proven = searched(counted(states, actions), columns(states))
        assert proven
        assert truth.sufficient[frozenset(members)]
        assert len(members) == truth.smallest()


def test_with_noisy_actions_a_set_is_wrong_no_oftener_than_the_level_says(rng):
    wrong = 0
    for _ in range(80):
        states, actions, clean = worlds.sampled(rng, 3000, noise=0.2)
        truth = worlds.BruteForce(states, clean)
        members, _ = searched(counted(states, actions), columns(states))
        wrong += not truth.sufficient[frozenset(members)] or len(members) != truth.smallest()
    assert wrong <= 4


def test_up_to_twelve_variables_and_costs(rng):
    for trial in range(6):
        states, actions, _ = worlds.exact(rng, 10 + trial % 3)
        truth, exact = worlds.BruteForce(states, actions), Exact(states, actions)
        costs = rng.integers(0, 5, states.shape[1]).astype(float).tolist()
        assert len(searched(exact, columns(states))[0]) == truth.smallest()
        cheapest, proven = searched(exact, columns(states), prices=[cost + 1e-9 for cost in costs])
        assert proven
        assert sum(costs[m] for m in cheapest) == truth.smallest(costs)


def test_never_more_than_algorithm_1_in_any_order(rng):
    for _ in range(40):
        states, actions, _ = worlds.sampled(rng, 2000)
        test = counted(states, actions)
        smallest = len(searched(test, columns(states))[0])
        enough, d = Sufficiency(test, columns(states)), states.shape[1]
        ends = [len(Explorer(enough, d).shrink(rng.permutation(d).tolist())) for _ in range(6)]
        assert smallest <= min(ends)


@pytest.mark.parametrize("make", [four_redundant, two_triplets, ipd_play, ipd_cycle])
def test_known_answers(make):
    world = make()
    found = terc.select(world.data, method="minimal")
    assert world.is_exact(found.kept)
    assert len(found.kept) == (1 if make is ipd_cycle else 3)
    assert "proven smallest" in [note for note in found.notes if note.code == "minimal"][0].text


@pytest.fixture
def xor():
    bits = np.random.default_rng(0).integers(0, 2, (2000, 2))
    return np.column_stack([bits, bits[:, 0] ^ bits[:, 1]])


def test_costs_turn_the_choice(xor):
    test = counted(xor, xor[:, 2])
    assert searched(test, columns(xor))[0] == {2}
    assert searched(test, columns(xor), prices=[1, 1, 5])[0] == {0, 1}
    assert searched(test, columns(xor), prices=[3, 3, 5])[0] == {2}


def test_at_the_same_cost_the_smaller_set_wins(xor):
    found = searched(counted(xor, xor[:, 2]), columns(xor), prices=[1, 1, 2], start=((0,), (1,)))
    assert found == ({2}, True)


def test_groups_and_keep():
    bits = np.random.default_rng(0).integers(0, 2, (2000, 4))
    test = counted(bits, bits[:, 0])
    assert searched(test, ((0, 3), (1,), (2,)))[0] == {0, 3}
    assert searched(test, columns(bits), fixed=((2,),))[0] == {0, 2}


def test_noise_alone_needs_nothing(rng):
    states = rng.integers(0, 3, (3000, 6))
    assert searched(counted(states, rng.integers(0, 2, 3000)), columns(states)) == (set(), True)


def test_it_starts_from_what_is_known_and_never_ends_above_it():
    class Never(RemovalTest):
        def ask(self, questions):
            raise AssertionError("nothing is left to ask")

    units = ((0,), (1,), (2,), (3,))
    assert searched(Never(), units, fixed=units[:2], start=units[:2]) == ({0, 1}, True)


def test_the_time_limit_is_kept(monkeypatch):
    class Slow(RemovalTest):
        def ask(self, questions):
            time.sleep(0.02)
            return [Evidence(0.0, 0.0, 1.0, len(q.others) < 10, "slow") for q in questions]

    monkeypatch.setattr(minimal, "Clock", lambda limit, now: Clock(0.2, time.monotonic))
    units = tuple((j,) for j in range(20))
    started = time.monotonic()
    members, proven = searched(Slow(), units, start=units[:15])
    assert time.monotonic() - started < 1.0
    assert not proven
    assert len(members) <= 15


def test_many_copies_do_not_slow_it_down(rng):
    bits = rng.integers(0, 2, (4000, 6))
    states = np.hstack([bits] * 6)
    started = time.process_time()
    members, proven = searched(counted(states, bits @ (1 << np.arange(6))), columns(states))
    assert time.process_time() - started < 5
    assert proven
    assert {m % 6 for m in members} == set(range(6))
    assert len(members) == 6
