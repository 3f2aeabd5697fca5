"""From names to units: constants, groups, order, costs, keep."""

import numpy as np
import pytest

from terc.selection.request import read_request
from terc.selection.settings import Settings
from terc.trajectories.data import Trajectories

N = 200


@pytest.fixture
def data(rng):
    """Columns a, b, c, d and `still`, which never changes."""
    states = np.column_stack([rng.standard_normal((N, 4)), np.full(N, 3.0)])
    return Trajectories(states, np.arange(N) % 2, names=["a", "b", "c", "d", "still"])


def requested(data, rng, **wishes):
    return read_request(data, Settings.of("auto", **wishes), rng=rng)


def test_without_wishes_every_column_that_moves_is_offered(data, rng):
    request = requested(data, rng)
    assert request.offered == ((0,), (1,), (2,), (3,))
    assert (request.fixed, request.constant, request.ordered) == ((), (4,), False)


def test_groups_become_one_unit_without_their_constant_members(data, rng):
    request = requested(data, rng, groups=[["d", "a", "still"], ["b"]])
    assert request.offered == ((0, 3), (1,), (2,))
    assert request.constant == (4,)


def test_keep_fixes_the_whole_group(data, rng):
    request = requested(data, rng, groups=[["a", "d"]], keep=["d", "b"])
    assert request.fixed == ((0, 3), (1,))
    assert request.offered == ((2,),)
    assert request.units == ((0, 3), (1,), (2,))


def test_order_comes_first_and_the_unnamed_after(data, rng):
    request = requested(data, rng, order=["c", "a"])
    assert request.offered == ((2,), (0,), (1,), (3,))
    assert request.ordered


def test_a_group_comes_when_its_first_member_does(data, rng):
    assert requested(data, rng, groups=[["a", "d"]], order=["b", "d", "c"]).offered == ((1,), (0, 3), (2,))


def test_the_dearest_is_offered_first_and_the_free_last(data, rng):
    request = requested(data, rng, costs={"b": 5, "d": 7.5, "a": 0})
    assert request.offered == ((3,), (1,), (0,), (2,))
    assert request.ordered


def test_the_cost_of_a_group_is_the_sum(data, rng):
    costs = {"a": 3, "d": 3, "b": 5}
    assert requested(data, rng, costs=costs, groups=[["a", "d"]]).offered == ((0, 3), (1,), (2,))


def test_order_rules_and_costs_break_its_ties(data, rng):
    assert requested(data, rng, order=["a"], costs={"c": 2, "d": 1}).offered == ((0,), (2,), (3,), (1,))


def test_random_order_is_the_seeds(data):
    orders = {requested(data, np.random.default_rng(s), order="random").offered for s in range(30)}
    assert len(orders) > 10
    again = [requested(data, np.random.default_rng(3), order="random").offered for _ in range(2)]
    assert again[0] == again[1]
    assert sorted(again[0]) == [(0,), (1,), (2,), (3,)]


def test_keep_of_a_constant_fixes_its_group(data, rng):
    request = requested(data, rng, groups=[["b", "still"]], keep=["still"])
    assert request.fixed == ((1,),)
    assert request.asked_for == {"b", "still"}
    assert request.stays_with == {4: (1,)}


def test_a_constant_alone_stays_with_nothing(data, rng):
    request = requested(data, rng, keep=["still"])
    assert (request.fixed, request.asked_for, request.stays_with) == ((), {"still"}, {})


def test_a_group_costs_and_comes_with_its_constant_members(data, rng):
    groups = [["c", "still"]]
    assert requested(data, rng, groups=groups, costs={"a": 2, "still": 5}).offered[0] == (2,)
    assert requested(data, rng, groups=groups, order=["still"]).offered[0] == (2,)
