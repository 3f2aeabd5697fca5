import time

import numpy as np
import pytest

from terc.entropy.choose import is_countable
from terc.entropy.counting import CountedEntropies, compact, encode, join
from terc.errors import BadValueError
from terc.synthetic import four_redundant, ipd_play, secret_keys
from terc.trajectories.data import Trajectories


def by_hand(actions, columns):
    """H(A | columns) from a dictionary of rows."""
    table = {}
    for row, action in zip(map(tuple, columns), actions, strict=True):
        table.setdefault(row, []).append(action)
    total = 0.0
    for group in table.values():
        shares = np.unique(group, return_counts=True)[1] / len(group)
        total -= len(group) / len(actions) * float((shares * np.log(shares)).sum())
    return total


def test_equal_rows_get_equal_codes_without_overflow_for_many_wide_columns(rng):
    rows = rng.integers(-(10**9), 10**9, (300, 70))
    codes = encode(np.vstack([rows, rows]))
    assert codes.max() == 299
    assert np.array_equal(codes[:300], codes[300:])


@pytest.mark.parametrize("values", [[0.5, -1.5, 0.5, 3.0], ["b", "a", "b", "c"], [7, -3, 7, 10**12]])
def test_any_values_are_coded_from_zero(values):
    assert encode(np.array(values)).tolist() == [1, 0, 1, 2]


def test_empty_sets_and_joins():
    assert encode(np.zeros((4, 0))).tolist() == [0, 0, 0, 0]
    assert compact(np.zeros(0, dtype=np.int64)).size == 0
    assert join(np.array([0, 1, 1]), np.array([1, 0, 1])).tolist() == [0, 1, 2]


def test_entropies_equal_a_dictionary_count(rng):
    states = rng.integers(0, 3, (400, 4))
    actions = rng.integers(0, 3, 400)
    counted = CountedEntropies(states, actions)
    for subset in [(), (0,), (3, 1), (0, 1, 2, 3)]:
        expected = by_hand(actions, states[:, list(subset)])
        assert counted.h(subset) == pytest.approx(expected, abs=1e-10)
        assert counted.information(subset) == pytest.approx(counted.action_entropy - expected, abs=1e-10)
        assert counted.local_information(subset).mean() == pytest.approx(
            counted.information(subset), abs=1e-10
        )


def test_a_function_has_exactly_no_entropy_left(rng):
    states = rng.integers(0, 5, (10_000, 3))
    counted = CountedEntropies(states, states[:, 0] * 7 + states[:, 2])
    assert counted.h([0, 2]) == 0.0
    assert counted.corrected_information([0, 2]) == pytest.approx(counted.action_entropy, abs=0.002)


def test_the_correction_takes_most_of_the_bias_away(rng):
    states = rng.integers(0, 20, (2000, 2))
    counted = CountedEntropies(states, rng.integers(0, 4, 2000))
    assert counted.information([0, 1]) > 0.2
    assert abs(counted.corrected_information([0])) < 0.009


def test_the_order_of_a_subset_does_not_matter(rng):
    counted = CountedEntropies(rng.integers(0, 3, (200, 3)), rng.integers(0, 2, 200))
    assert counted.h([2, 0]) == counted.h((0, 2)) == counted.h(frozenset({0, 2}))


def test_counting_is_fast(rng):
    states = rng.integers(0, 4, (10_000, 9))
    counted = CountedEntropies(states, rng.integers(0, 2, 10_000))
    started = time.process_time()
    for k in range(7):
        counted.h([k, k + 1, k + 2])
    assert (time.process_time() - started) / 7 < 0.02


def test_lengths_that_differ_are_refused():
    with pytest.raises(BadValueError, match="got 3 states and 2 actions"):
        CountedEntropies(np.zeros((3, 1)), np.zeros(2))


def test_what_is_countable():
    assert is_countable(four_redundant(1000).data)
    assert is_countable(ipd_play().data)
    assert not is_countable(secret_keys(2000).data)
    assert not is_countable(Trajectories(np.random.default_rng(0).normal(size=(500, 2)), np.arange(500) % 2))
