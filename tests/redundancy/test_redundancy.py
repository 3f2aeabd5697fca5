import time

import numpy as np
import pytest
import worlds

from terc.entropy.base import Estimator
from terc.errors import BadTypeError, BadValueError, UnknownNameError
from terc.redundancy.perfect_redundancy import exchanges, find_redundancy, pairs_as_printed
from terc.selection.irreducible import Explorer
from terc.synthetic import four_redundant, ipd_cycle, two_triplets
from terc.trajectories.data import Trajectories


class Counts(Estimator):
    """Held-out losses as an estimator would give them: the frequencies of the other half."""

    def _losses(self, data, subsets, *, rng):
        from terc.entropy.plugin import PluginEstimator

        return PluginEstimator()._losses(data, subsets, rng=rng)


def as_sets(found, data):
    columns = {name: k for k, name in enumerate(data.names)}
    return {
        frozenset({frozenset(map(columns.get, pair.first)), frozenset(map(columns.get, pair.second))})
        for pair in found
    }


@pytest.mark.parametrize("make", [four_redundant, two_triplets])
@pytest.mark.parametrize("context", ["any", "all"])
def test_the_papers_data_sets_as_brute_force_says(make, context):
    data = make().data
    truth = worlds.BruteForce(data.states, data.actions)
    expected = set(truth.exchanges()) if context == "any" else truth.pairs_as_printed()
    found = find_redundancy(data, context=context)
    assert found.complete
    assert as_sets(found, data) == expected


def test_the_printed_definition_does_not_see_four_copies():
    data = four_redundant().data
    assert len(find_redundancy(data, context="all")) == 0
    assert len(find_redundancy(data)) == 6
    assert len(find_redundancy(two_triplets().data, context="all")) == 13


def test_random_logical_functions_as_brute_force_says(rng):
    for _ in range(40):
        states, actions, _ = worlds.exact(rng, int(rng.integers(3, 7)))
        truth = worlds.BruteForce(states, actions)
        found = Explorer(truth.sufficient.get, states.shape[1]).explore()
        expected = truth.exchanges()
        triples = exchanges(found.sets)
        assert {frozenset({first, second}) for first, second, _ in triples} == set(expected)
        for first, second, given in triples:
            contexts = expected[frozenset({first, second})]
            assert given in contexts
            assert len(given) == min(map(len, contexts))
        printed = {
            frozenset({first, second}) for first, second, _ in pairs_as_printed(found, states.shape[1])
        }
        assert printed == truth.pairs_as_printed()


def test_ten_variables_are_searched_to_the_end(rng):
    for _ in range(4):
        states, actions, _ = worlds.exact(rng, 10)
        truth = worlds.BruteForce(states, actions)
        found = Explorer(truth.sufficient.get, 10).explore()
        assert found.complete
        assert set(found.sets) == truth.irreducible()


def test_each_pair_comes_with_the_entropies_that_prove_it():
    found = find_redundancy(ipd_cycle(tats=4).data)
    sizes = [len(pair.first) + len(pair.second) for pair in found]
    assert sizes == sorted(sizes)
    for pair in found:
        assert pair.h_all.value == pair.h_first.value == pair.h_second.value < pair.h_neither.value
        assert pair.shared > 0.1
    text = str(found)
    assert "{pair_4} = {pair_8}: H(A|.) 0.0000 = 0.0000, without either" in text
    assert "Complete: all 14 irreducible sufficient sets were found." in text


def test_noisy_actions_show_the_same_pairs(rng):
    bits = rng.integers(0, 2, (4000, 3))
    states = np.column_stack([bits, bits[:, 0] ^ bits[:, 1]])
    actions = states[:, 3] ^ (rng.random(4000) < 0.2)
    data = Trajectories(states, actions, names=["a", "b", "noise", "xor"], episodes=np.arange(4000))
    (pair,) = find_redundancy(data)
    assert (pair.first, pair.second, pair.given) == (("xor",), ("a", "b"), ())
    assert pair.h_neither.value - pair.h_first.value == pytest.approx(0.19, abs=0.03)


def test_with_an_estimator_the_entropies_have_intervals(rng):
    bits = rng.integers(0, 2, (3000, 2))
    states = np.column_stack([bits[:, 0], bits[:, 1], bits[:, 0]])
    data = Trajectories(states, bits[:, 0] ^ bits[:, 1], names=["a", "b", "copy"], episodes=np.arange(3000))
    found = find_redundancy(data, estimator=Counts())
    (pair,) = found
    assert (pair.first, pair.second, pair.given) == (("a",), ("copy",), ("b",))
    assert pair.h_neither.low < pair.h_neither.value < pair.h_neither.high
    assert "[" in str(pair)
    assert "By estimator 'counts' on 3000 steps" in found.searched[0]


def test_many_copies_are_told_once(rng):
    bits = rng.integers(0, 2, (4000, 5))
    data = Trajectories(
        np.hstack([bits, 1 - bits, bits]), bits @ (1 << np.arange(5)), episodes=np.arange(4000)
    )
    found = find_redundancy(data, time_limit=20)
    assert found.complete
    assert found.sufficient == (tuple(f"x_{k}" for k in range(5)),)
    assert {(p.first, p.second) for p in found} == {
        ((f"x_{k}",), (f"x_{k + more}",)) for k in range(5) for more in (5, 10)
    }
    assert "x_5, x_10: a copy of x_0, which stood for it in the search." in found.searched


def test_a_time_limit_is_kept_and_said():
    data = ipd_cycle(tats=4).data
    started = time.process_time()
    found = find_redundancy(data, time_limit=1e-4)
    assert time.process_time() - started < 1.0
    assert not found.complete
    assert any("Stopped at the time limit before" in note for note in found.searched)


def test_a_slow_estimator_is_stopped_between_questions(rng):
    class Slow(Counts):
        def _losses(self, data, subsets, *, rng):
            until = time.process_time() + 0.02 * len(subsets)
            while time.process_time() < until:
                pass
            return super()._losses(data, subsets, rng=rng)

    x = rng.integers(0, 2, (2000, 7))
    data = Trajectories(x, x[:, 0] ^ x[:, 1], episodes=np.arange(2000))
    started = time.process_time()
    found = find_redundancy(data, estimator=Slow(), time_limit=0.1)
    assert time.process_time() - started < 2.0
    assert not found.complete


def test_a_constant_action_has_no_redundancy():
    data = Trajectories(np.arange(40).reshape(20, 2) % 3, np.zeros(20, dtype=int), action_kind="discrete")
    found = find_redundancy(data)
    assert len(found) == 0
    assert found.sufficient == ((),)


def test_bad_arguments():
    data = four_redundant(100).data
    with pytest.raises(BadTypeError, match="data must be Trajectories, got list"):
        find_redundancy([1, 2])
    with pytest.raises(UnknownNameError, match="no context named 'some'"):
        find_redundancy(data, context="some")
    with pytest.raises(BadValueError, match="time_limit must be above 0"):
        find_redundancy(data, time_limit=0)
    with pytest.raises(BadValueError, match="alpha must lie between 0 and 1, got 2"):
        find_redundancy(data, alpha=2)
    with pytest.raises(BadValueError, match="min_effect is a share"):
        find_redundancy(data, min_effect=-1)
