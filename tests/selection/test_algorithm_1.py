"""Algorithm 1 in few rounds against the plain loop, with an exact oracle on random logical worlds."""

import numpy as np
import pytest
import worlds

from terc.entropy.base import RemovalTest
from terc.entropy.counting import CountedEntropies
from terc.entropy.evidence import Evidence, Question
from terc.selection.algorithm_1 import (
    as_printed,
    batched,
    grow_and_shrink,
    naive,
    one_at_a_time,
    prefix_search,
)


class Oracle(RemovalTest):
    """Exact answers from a table in which every state comes once; counts what it is asked."""

    def __init__(self, states, actions):
        self.counted = CountedEntropies(states, actions)
        self.rounds = self.questions = 0

    def ask(self, questions):
        self.rounds += 1
        self.questions += len(questions)
        return [self._answer(question) for question in questions]

    def _answer(self, question):
        stay, go = question.other_columns, question.removed_columns
        gain = self.counted.h(stay) - self.counted.h((*stay, *go))
        return Evidence(gain, 0.0, float(gain < 1e-9), gain > 1e-9, "exact")


def units_of(d, rng=None, grouped=False):
    """The columns in random order, some of them tied together if `grouped`."""
    order = list(range(d)) if rng is None else rng.permutation(d).tolist()
    units = []
    while order:
        size = int(rng.integers(1, 4)) if grouped else 1
        units.append(tuple(sorted(order[:size])))
        order = order[size:]
    return units


@pytest.mark.parametrize("grouped", [False, True], ids=["single", "grouped"])
@pytest.mark.parametrize("quick", [batched, prefix_search])
def test_the_same_answer_as_the_plain_loop_in_any_order(quick, grouped, rng):
    for _ in range(250):
        states, actions, _ = worlds.exact(rng, int(rng.integers(2, 11)))
        oracle = Oracle(states, actions)
        for _ in range(2):
            order = units_of(states.shape[1], rng, grouped)
            fixed = order[: int(rng.integers(0, 2))]
            offered = order[len(fixed) :]
            wanted = set(as_printed(oracle, offered, fixed).kept)
            assert set(quick(oracle, offered, fixed).kept) == wanted


def test_what_is_kept_is_enough_and_nothing_of_it_is_too_much(rng):
    for _ in range(60):
        states, actions, _ = worlds.exact(rng, int(rng.integers(2, 9)))
        oracle = Oracle(states, actions)
        kept = [j for (j,) in batched(oracle, units_of(states.shape[1], rng)).kept]
        h = oracle.counted.h
        assert h(kept) == pytest.approx(h(range(states.shape[1])), abs=1e-9)
        assert all(h(set(kept) - {j}) > h(kept) + 1e-9 for j in kept)


def fifty_bits(rng, needed=(7, 20, 33), copies=()):
    """50 columns of 400 random rows whose action is decided by three bits, so exact but for chance."""
    states = np.zeros((8, 50), dtype=int)
    states[:, needed] = (np.arange(8)[:, None] >> np.arange(3)) & 1
    for source, copy in copies:
        states[:, copy] = states[:, source]
    return states, states[:, needed].sum(1) % 2


def test_a_search_asks_little_where_little_is_needed(rng):
    oracle = Oracle(*fifty_bits(rng))
    found = batched(oracle, units_of(50, rng))
    assert set(found.kept) == {(7,), (20,), (33,)}
    assert (oracle.rounds, oracle.questions) == (2, 51)
    assert len(found.asked) == 51
    oracle = Oracle(*fifty_bits(rng))
    assert set(prefix_search(oracle, units_of(50, rng)).kept) == {(7,), (20,), (33,)}
    assert oracle.questions <= 24


def test_copies_cost_a_few_rounds_more(rng):
    oracle = Oracle(*fifty_bits(rng, copies=[(7, 8), (20, 21), (33, 34), (33, 35)]))
    order = units_of(50, rng)
    found = batched(oracle, order)
    last = [max(group, key=order.index) for group in (((7,), (8,)), ((20,), (21,)), ((33,), (34,), (35,)))]
    assert set(found.kept) == set(last)
    assert oracle.rounds <= 1 + 24


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 0, 2], [2, 1, 0]])
def test_of_two_copies_the_one_offered_first_goes(order):
    states = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    oracle = Oracle(states, states[:, 0])
    stays = max((0, 1), key=order.index)
    assert batched(oracle, [(j,) for j in order]).kept == ((stays,),)


def test_naive_drops_both_copies():
    states = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    oracle = Oracle(states, states[:, 0] * 2 + states[:, 2])
    found = naive(oracle, [(0,), (1,), (2,)])
    assert found.kept == ((2,),)
    assert oracle.rounds == 1
    assert [one.evidence.needed for one in found.asked] == [False, False, True]


@pytest.mark.parametrize("method", [as_printed, naive, batched, prefix_search])
def test_fixed_units_stay_and_are_never_offered(method, rng):
    for _ in range(20):
        states, actions, _ = worlds.exact(rng, 6)
        order = units_of(states.shape[1], rng)
        fixed, offered = order[:2], order[2:]
        found = method(Oracle(states, actions), offered, fixed)
        assert set(fixed) <= set(found.kept)
        assert not any(unit in one.question.removed for one in found.asked for unit in fixed)
        assert all(set(fixed) <= set(one.question.others) for one in found.asked)


@pytest.mark.parametrize("method", [as_printed, naive, batched, prefix_search])
def test_a_group_stands_or_falls_together(method, rng):
    for _ in range(30):
        states, actions, _ = worlds.exact(rng, 7)
        units = units_of(states.shape[1], rng, grouped=True)
        found = method(Oracle(states, actions), units)
        assert set(found.kept) <= set(units)
        for one in found.asked:
            columns = (*one.question.removed_columns, *one.question.other_columns)
            assert len(columns) == len(set(columns))


def test_nothing_offered():
    oracle = Oracle(np.eye(2, dtype=int), np.array([0, 1]))
    for method in (as_printed, batched, prefix_search, naive):
        assert method(oracle, [], [(0,)]).kept == ((0,),)


def test_questions_one_at_a_time():
    assert one_at_a_time([(0,), (1, 2)], [(3,)]) == [
        Question(((0,),), ((3,), (1, 2))),
        Question(((1, 2),), ((3,), (0,))),
    ]
    question = Question(((4,), (1, 2)), ((3,), (0,)))
    assert (question.removed_columns, question.other_columns) == ((1, 2, 4), (0, 3))


def test_growing_and_shrinking_changes_nothing_where_answers_are_exact(rng):
    for _ in range(60):
        states, actions, _ = worlds.exact(rng, int(rng.integers(2, 9)))
        oracle, order = Oracle(states, actions), units_of(states.shape[1], rng)
        found = batched(oracle, order[1:], order[:1])
        again = grow_and_shrink(oracle, order[1:], order[1:], order[:1], by_gain=False)
        assert set(again.kept) == set(found.kept)


class Ranking(Oracle):
    """Says which units matter least: its own list, however wrong."""

    def __init__(self, states, actions, ranks):
        super().__init__(states, actions)
        self.ranks = ranks

    def weakest_first(self, units, fixed):
        return [unit for unit in self.ranks if unit in units]


def test_of_many_candidates_the_weakest_go_together():
    units, needed = units_of(50), [(7,), (20,), (33,)]
    ranks = [unit for unit in units if unit not in needed] + needed
    ranked, alone = Ranking(*fifty_bits(None), ranks), Oracle(*fifty_bits(None))
    for oracle in (ranked, alone):
        assert set(grow_and_shrink(oracle, units, units, (), by_gain=True).kept) == set(needed)
    assert ranked.questions < 15 < 50 < alone.questions


def test_a_wrong_rank_changes_no_answer_and_an_order_is_not_overruled(rng):
    for _ in range(100):
        states, actions, _ = worlds.exact(rng, int(rng.integers(3, 11)))
        order = units_of(states.shape[1], rng)
        oracle = Ranking(states, actions, units_of(states.shape[1], rng))
        kept = [j for (j,) in grow_and_shrink(oracle, order, order, (), by_gain=True).kept]
        assert all(oracle.counted.h(set(kept) - {j}) > oracle.counted.h(kept) + 1e-9 for j in kept)
        assert oracle.counted.h(kept) == pytest.approx(oracle.counted.h(range(states.shape[1])), abs=1e-9)
        wanted = as_printed(oracle, order).kept
        assert set(grow_and_shrink(oracle, order, order, (), by_gain=False).kept) == set(wanted)


class Misled(RemovalTest):
    """Takes column 9 for needed while more than two others are read, as a network may amid noise."""

    def ask(self, questions):
        return [self._answer(question) for question in questions]

    def _answer(self, question):
        gone, stay = set(question.removed_columns), question.other_columns
        misled = 9 in gone and len(stay) > 2
        needed = bool(gone & {0, 1}) or misled
        return Evidence(float(needed), 0.0, 1.0 - needed, needed, "networks")


def test_what_was_kept_by_luck_goes_in_the_next_round():
    order = [(9,), (5,), (6,), (0,), (1,)]
    assert set(batched(Misled(), order).kept) == {(9,), (0,), (1,)}
    assert grow_and_shrink(Misled(), order, order, (), by_gain=False).kept == ((0,), (1,))


def test_what_is_missing_comes_back():
    class Blind(Misled):
        def candidates(self, offered, fixed, *, related):
            return tuple(offered[:1])

        def missing(self, kept, offered):
            return tuple(unit for unit in offered if unit in ((0,), (1,)) and unit not in kept)

    order = [(5,), (0,), (1,)]
    assert grow_and_shrink(Blind(), [(5,)], order, (), by_gain=True).kept == ((0,), (1,))


class LearnsLate(RemovalTest):
    """Holds the first variable for needed until something was looked for beside it."""

    learns = True
    looked = False

    def ask(self, questions):
        needed = [(1,) in q.removed or not self.looked for q in questions]
        return [Evidence(1.0, 0.1, 0.0 if one else 1.0, one, "test") for one in needed]

    def missing(self, kept, offered):
        self.looked = True
        return ()


def test_what_is_no_longer_needed_when_more_is_known_goes():
    units = [(0,), (1,)]
    assert grow_and_shrink(LearnsLate(), units, units, (), by_gain=False).kept == ((1,),)


def test_rounds_that_go_in_a_circle_end_with_what_is_needed_of_the_last():
    """0 helps beside 2 alone, and 2 looks missing whenever it is gone: nobody would keep 0 beside 1."""

    class Circle(RemovalTest):
        def ask(self, questions):
            return [self._answer(question) for question in questions]

        def _answer(self, question):
            needed = (1,) in question.removed or ((0,) in question.removed and (2,) in question.others)
            return Evidence(float(needed), 0.0, float(not needed), needed, "exact")

        def missing(self, kept, offered):
            return tuple(unit for unit in [(2,)] if unit not in kept)

    units = [(0,), (1,), (2,)]
    assert grow_and_shrink(Circle(), units, units, (), by_gain=False).kept == ((1,),)
