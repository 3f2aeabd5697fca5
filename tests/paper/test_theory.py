"""The paper's lemmas and theorems, by exact enumeration."""

from itertools import permutations

import pytest

from terc.paper.theory import best_cycle, enumerate_all, every_table, four_redundant, of_bits, two_stand_ins
from terc.selection.algorithm_1 import as_printed
from terc.store import Store


def test_theorem_1_fails_where_four_variables_are_copies():
    four = four_redundant()
    assert not list(four.redundant_pairs())
    assert four.naive == 0b000110
    assert not four.sufficient(four.naive)
    assert four.smallest == 3


def test_one_copy_is_found_as_a_pair_and_a_second_one_hides_it():
    assert [len(list(four_redundant(copies).redundant_pairs())) for copies in (1, 2, 3)] == [1, 0, 0]
    assert not two_stand_ins(0).condition_1()


def test_every_exception_to_theorem_1_has_three_stand_ins(tmp_path):
    count = enumerate_all(Store(tmp_path, "paper"), "", tats=[3], variables=3)["count"]
    assert count["stand-ins"] == count["tables"] - count["redundant"] - count["theorem 1"] == 8


def test_theorem_2_fails_where_a_copy_hides_the_pair():
    hidden = two_stand_ins()
    assert hidden.condition_1()
    assert hidden.smallest == 1
    sizes = {hidden.algorithm_1(order).bit_count() for order in permutations(range(4))}
    assert sizes == {1, 2}


def test_lemma_1_holds_for_every_table_of_two_bits_and_one_pair_is_found_in_copies():
    for table in every_table(2):
        if any(True for _ in table.redundant_pairs()):
            assert not table.sufficient(table.naive)
    copies = of_bits(1, lambda b: (b[0], b[0]), lambda b: b[0])
    assert list(copies.redundant_pairs()) == [(0b01, 0b10)]


@pytest.mark.parametrize("n", [3, 7])
def test_algorithm_1_asks_once_per_variable(n):
    table = of_bits(2, lambda b: (b * n)[:n], lambda b: b[0] ^ b[1])
    assert len(as_printed(table, [(j,) for j in range(n)]).asked) == n


@pytest.mark.parametrize(("tats", "history"), [(2, 3), (3, 4)])
def test_the_share_of_orders_is_that_of_all_orders(tats, history):
    cycle = best_cycle(tats, history)
    wanted = (1 << (tats - 1)) - 1
    orders = list(permutations(range(history)))
    share = sum(cycle.algorithm_1(order) == wanted for order in orders) / len(orders)
    assert cycle.chance_of(wanted) == pytest.approx(share)
    oldest = sum(cycle.algorithm_1(order).bit_length() == tats - 1 for order in orders) / len(orders)
    assert cycle.share_of_orders(lambda kept: kept.bit_length() == tats - 1) == pytest.approx(oldest)
