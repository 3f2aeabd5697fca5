import numpy as np
import pytest
import worlds

from terc.entropy.counting import CountedEntropies
from terc.redundancy import redundancy_index
from terc.redundancy.condition_1 import check_condition_1
from terc.redundancy.redundancy_index import most_redundant
from terc.selection.clock import Clock
from terc.selection.sufficiency import Sufficiency, sufficiency_of
from terc.synthetic import four_redundant, ipd_cycle, ipd_play, two_triplets
from terc.trajectories.data import Trajectories


def bits_and_xor(rng, n=2000, copies=1):
    bits = rng.integers(0, 2, (n, 2))
    xor = bits[:, :1] ^ bits[:, 1:]
    names = ["a", "b", *(f"xor_{k}" for k in range(copies))]
    return Trajectories(np.hstack([bits] + [xor] * copies), xor[:, 0], names=names, episodes=np.arange(n))


@pytest.mark.parametrize("tats", [3, 4, 5])
def test_the_pure_cycle_violates_it_with_the_pair_that_proves_it(tats):
    found = check_condition_1(ipd_cycle(tats=tats).data)
    assert found.verdict == "violated"
    assert found.holds is False
    pair = found.violation
    assert pair.first == (f"pair_{tats}",)
    assert len(pair.second) == tats - 1
    assert pair.given == ()
    assert pair.h_all.value == pair.h_first.value == pair.h_second.value == 0 < pair.h_neither.value
    assert found.sizes == (1, tats - 1)
    assert found.paper_test == "violated"
    assert f"is violated by ({{pair_{tats}}}, {{pair_1, pair_2" in str(found)


def test_equation_a1_as_printed_misses_the_violation_on_the_cycle():
    # pair_8 tells what pair_4 tells, so that no context without all others is insufficient.
    assert check_condition_1(ipd_cycle(tats=4, history=9).data).as_printed == "holds"
    assert check_condition_1(ipd_cycle(tats=4, history=4).data).as_printed == "violated"


def test_a_copy_hides_a_violation_from_the_printed_equation(rng):
    alone, beside_a_copy = (
        check_condition_1(bits_and_xor(rng)),
        check_condition_1(bits_and_xor(rng, copies=2)),
    )
    assert (alone.verdict, alone.as_printed) == ("violated", "violated")
    assert (beside_a_copy.verdict, beside_a_copy.as_printed) == ("violated", "holds")
    assert beside_a_copy.violation.second == ("a", "b")


def test_the_papers_test_fires_without_need_when_a_stand_in_has_a_superfluous_member(rng):
    bit, noise = rng.integers(0, 2, (2, 2000))
    data = Trajectories(np.stack([bit, bit, noise], axis=1), bit, episodes=np.arange(2000))
    found = check_condition_1(data)
    assert (found.verdict, found.paper_test) == ("holds", "violated")


def test_sets_of_which_a_member_is_not_surely_missed_prove_nothing(monkeypatch):
    """A set that only just passes for sufficient seems to need even noise; that is no violation."""
    monkeypatch.setattr(Sufficiency, "misses_each", lambda self, members, which: len(which) < 2)
    found = check_condition_1(ipd_cycle(tats=3).data)
    assert (found.verdict, found.as_printed, found.violation) == ("not decided", "not decided", None)
    assert "no proof" in found.searched[-1]


@pytest.mark.parametrize("make", [four_redundant, two_triplets])
def test_the_synthetic_data_sets_as_brute_force_says(make):
    data = make().data
    sizes = {len(s) for s in worlds.BruteForce(data.states, data.actions).irreducible()}
    found = check_condition_1(data)
    assert found.holds is (len(sizes) == 1)
    assert found.paper_test == "holds"


def test_random_logical_functions_as_brute_force_says(rng):
    for _ in range(30):
        states, actions, _ = worlds.exact(rng, int(rng.integers(5, 9)))
        repeated = np.tile(np.arange(len(states)), 40)
        if len(set(actions)) < 2:
            continue
        data = Trajectories(states[repeated], actions[repeated], episodes=np.arange(len(repeated)))
        sizes = {len(s) for s in worlds.BruteForce(states, actions).irreducible()}
        found = check_condition_1(data, min_effect=0)
        assert found.holds is (len(sizes) == 1)
        assert found.sizes == (min(sizes), max(sizes))


def test_play_with_exploration_satisfies_it():
    found = check_condition_1(ipd_play(tats=4).data)
    assert (found.verdict, found.paper_test, found.sizes) == ("holds", "holds", (3, 3))


def test_the_ten_most_redundant_pairs_equal_a_plain_count():
    data = ipd_play(3000, tats=3, history=5).data
    counted = CountedEntropies(data.states, data.actions)
    values = {}
    for first in worlds.subsets(range(5)):
        for second in worlds.subsets(set(range(5)) - first):
            if 0 < len(first) < len(second):
                parts = (counted.corrected_information(s) for s in (first, second, first | second))
                one, other, both = parts
                values[first, second] = one + other - both
    best = sorted(values.values(), reverse=True)[:10]
    found = most_redundant(data, clock=Clock(None), rng=np.random.default_rng(0))
    assert found.complete
    assert [pair.value.value for pair in found.pairs] == pytest.approx(best, abs=1e-6)
    assert all(pair.value.low < pair.value.value < pair.value.high for pair in found.pairs)


def test_continuous_data_by_nearest_neighbours(rng):
    x = rng.normal(size=(1500, 2))
    states = np.column_stack([x[:, 0], x[:, 0], x[:, 1]])
    data = Trajectories(
        states, (x[:, 0] > 0).astype(int), names=["x", "copy", "noise"], episodes=np.arange(1500)
    )
    found = most_redundant(data, clock=Clock(None), rng=rng)
    assert {found.pairs[0].first[0], *found.pairs[0].second} == {"x", "copy", "noise"}
    assert found.pairs[0].value.value == pytest.approx(np.log(2), abs=0.1)
    assert "nearest neighbours" in found.searched


def test_what_was_not_searched_is_said(rng):
    found = most_redundant(ipd_play(2000).data, clock=Clock(None), rng=rng, largest=3)
    assert not found.complete
    assert "more than 3 of the 9 variables in them were not searched" in found.searched
    out_of_time = check_condition_1(ipd_play().data, time_limit=1e-4)
    assert out_of_time.verdict == "not decided"
    assert out_of_time.holds is None
    assert "not decided within the limits" in str(out_of_time)


def test_sufficiency_of_steps_that_depend_on_each_other(rng):
    # Drifting noise beside an action with memory: nothing is needed, whatever single steps suggest.
    drift = (rng.integers(0, 3, (40, 1, 2)) + np.cumsum(rng.random((40, 100, 2)) < 0.08, axis=1)) % 3
    action = (rng.integers(0, 2, (40, 1)) + np.cumsum(rng.random((40, 100)) < 0.1, axis=1)) % 2
    data = Trajectories(drift.reshape(-1, 2), action.ravel(), episodes=np.repeat(np.arange(40), 100))
    assert sufficiency_of(data, rng=rng)(frozenset())


def test_errors_of_drawn_steps_are_clustered_by_whole_episodes(rng, monkeypatch):
    n, long = 6000, 60  # more steps than nearest neighbours look at: some are drawn
    shown = []
    kept = redundancy_index.groups_of_steps
    monkeypatch.setattr(
        redundancy_index, "groups_of_steps", lambda episodes: shown.append(episodes) or kept(episodes)
    )
    x = rng.normal(size=(n, 3))
    data = Trajectories(x, x[:, 0] + x[:, 1], episodes=np.arange(n) // long)
    most_redundant(data, clock=Clock(None), rng=rng)
    assert len(shown[0]) < n
    assert set(shown[0]) == set(range(n // long))
