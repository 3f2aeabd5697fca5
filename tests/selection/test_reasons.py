"""Reasons against brute force, and on data whose reasons are known."""

import numpy as np
import pytest
import worlds

import terc
from terc.entropy.base import RemovalTest
from terc.entropy.counting import CountedEntropies
from terc.entropy.evidence import Evidence
from terc.selection.algorithm_1 import batched
from terc.selection.copies import copies_in
from terc.selection.reasons import _weighed, with_reasons
from terc.selection.request import read_request
from terc.selection.result import Verdict
from terc.selection.settings import Settings
from terc.selection.verdicts import verdicts
from terc.synthetic import four_redundant, two_triplets


class Exact(RemovalTest):
    """Knows the distribution, and answers for reasons too."""

    def __init__(self, data):
        self.counted = CountedEntropies(data.states, data.actions)

    def ask(self, questions):
        return [self._answer(question.removed_columns, question.other_columns) for question in questions]

    def carried(self, givens, units):
        stay = [[j for one in given for j in one] for given in givens]
        return [{unit: self._answer(unit, others) for unit in units} for others in stay]

    def _answer(self, go, stay):
        gain = self.counted.h(stay) - self.counted.h((*stay, *go))
        return Evidence(gain, 0.0, float(gain <= 1e-9), gain > 1e-9, "exact")


def test_reasons_equal_brute_force_on_random_logical_functions(rng):
    judged = 0
    for _ in range(120):
        states, actions, _ = worlds.exact(rng, int(rng.integers(3, 9)))
        if len(np.unique(actions)) < 2:
            continue
        data = terc.Trajectories(np.tile(states, (60, 1)), np.tile(actions, 60))
        request = read_request(data, Settings.of("auto"), rng=rng)
        test = Exact(data)
        found = batched(test, request.offered)
        rows = with_reasons(data, request, found, test, verdicts(data, request, found, test))
        kept = frozenset(j for unit in found.kept for j in unit)
        information = test.counted.information
        for row in (row for row in rows if row.reason in ("redundant", "irrelevant")):
            own = {data.names.index(row.name)}
            gain = {t: information(t | own) - information(t) for t in worlds.subsets(kept)}
            places = [kept - {k} for k in kept] + [frozenset()]
            assert (row.reason == "redundant") == any(gain[t] > 1e-9 for t in places)
            assert row.reason == "redundant" or row.given == ()
            if row.reason == "redundant":
                judged += 1
                given = frozenset(data.names.index(name) for name in row.given)
                assert given and given <= kept
                assert gain[given] <= 1e-9
                assert row.shared == pytest.approx(max(gain[t] for t in places), abs=1e-9)
    assert judged > 100


@pytest.mark.parametrize("estimator", ["auto", "plugin"])
def test_copies_of_a_synergistic_variable_are_redundant_given_it(estimator):
    data = four_redundant(1500).data
    found = terc.select(data, estimator, keep=["x5"])
    assert found.kept == ("x2", "x3", "x5")
    assert {(r.reason, r.given) for r in found.removed} == {("redundant", ("x5",))}
    assert all(0.6 < r.shared < 0.75 for r in found.removed)
    assert all(v.acts == "together" and v.alone < 0.01 for v in found.verdicts if v.kept and v.name != "x5")


@pytest.mark.parametrize("estimator", ["auto", "plugin"])
def test_each_member_of_a_triplet_is_redundant_given_its_own_copy(estimator):
    found = terc.select(two_triplets(1500).data, estimator, order=["x4", "x5", "x6"])
    assert [r.given for r in found.removed] == [("x1",), ("x2",), ("x3",)]


@pytest.mark.parametrize("estimator", ["auto", "plugin"])
def test_a_noisy_copy_of_half_an_xor_stands_in_for_it(estimator, rng):
    a, b, noise = rng.integers(0, 2, (3, 3000))
    nearly = a ^ (rng.random(3000) < 0.15)
    states = np.stack([a, b, nearly, noise], axis=1)
    data = terc.Trajectories(states, a ^ b, names=["a", "b", "nearly", "noise"], episodes=np.arange(3000))
    found = terc.select(data, estimator)
    assert found.kept == ("a", "b")
    assert (found["nearly"].reason, found["nearly"].given) == ("redundant", ("a",))
    assert found["noise"].reason == "irrelevant"


@pytest.mark.parametrize("estimator", ["auto", "plugin"])
def test_a_variable_that_two_kept_ones_replace_together(estimator, rng):
    a, b = rng.integers(0, 2, (2, 2000))
    states = np.stack([a, b, a ^ b], axis=1)
    data = terc.Trajectories(states, a ^ b, names=["a", "b", "xor"], episodes=np.arange(2000))
    both = terc.select(data, estimator, order=["xor"])
    assert (both.kept, both["xor"].given) == (("a", "b"), ("a", "b"))
    one = terc.select(data, estimator, order=["a", "b"])
    assert (one.kept, one["xor"].acts) == (("xor",), "alone")
    assert {r.reason for r in one.removed} == {"irrelevant"}


def test_what_is_kept_alone_carries_alone_what_is_lost_without_it():
    """A rare action, or an id, is hard to see for the regressions that ask about each variable alone."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, 4))
    found = terc.select(terc.Trajectories(x, (x[:, 0] > 2.5) * 1, episodes=np.arange(3000) // 30))
    assert (found.kept, found["x_0"].acts) == (("x_0",), "alone")
    assert found["x_0"].alone == found["x_0"].gain


def test_a_noisy_sight_of_a_number_is_redundant_given_it(rng):
    x, y, noise = rng.standard_normal((3, 2000))
    states = np.stack([x, y, x + 0.5 * rng.standard_normal(2000), noise], axis=1)
    action = (x + y + 0.5 * rng.standard_normal(2000) > 0).astype(int)
    data = terc.Trajectories(states, action, names=["x", "y", "sight", "noise"], episodes=np.arange(2000))
    found = terc.select(data)
    assert found.kept == ("x", "y")
    assert (found["sight"].reason, found["sight"].given) == ("redundant", ("x",))
    assert found["noise"].reason == "irrelevant"


def test_independent_columns_are_never_redundant(rng):
    wrong = 0
    for seed in range(3):
        x = rng.standard_normal((400, 8))
        data = terc.Trajectories(x, x[:, 0] + x[:, 1] > 0, episodes=np.arange(400))
        found = terc.select(data, seed=seed)
        wrong += any(r.reason == "redundant" for r in found.removed)
    assert wrong == 0


def test_copies_are_told_from_functions(rng):
    x = rng.standard_normal(300)
    bit = rng.integers(0, 2, 300)
    states = np.stack([x, -(x**3), np.abs(x), bit, 5 - 2 * bit, bit * 0], axis=1)
    assert copies_in(terc.Trajectories(states, bit)) == [(0, 1), (2,), (3, 4), (5,)]


def test_columns_that_differ_in_a_single_step_are_no_copies(rng):
    x = rng.standard_normal(5000)
    other = np.where(np.arange(5000) == 4321, 9.0, x)
    assert copies_in(terc.Trajectories(np.stack([other, x, 1 - x], 1), x > 0)) == [(0,), (1, 2)]


def test_copies_that_the_naive_set_drops_are_redundant_and_said_to_be():
    rng = np.random.default_rng(0)
    x, noise, luck = rng.standard_normal((3, 1500))
    action = (x + 0.4 * luck > 0).astype(int)
    data = terc.Trajectories(np.stack([x, 2 * x, noise], 1), action, names=["x", "copy", "noise"])
    found = terc.select(data, method="naive")
    assert found.kept == ()
    assert [one.reason for one in found.removed] == ["redundant", "redundant", "irrelevant"]
    assert found["copy"].gain < 0.05
    assert "others say as well" in str(found)


def test_what_a_variable_surely_holds_alone_and_is_immaterial_does_not_make_it_informative_alone(rng):
    x, y = rng.integers(0, 2, (2, 40_000))
    chance = np.array([[0.1, 0.93], [0.9, 0.13]])[x, y]
    states = np.stack([x, y, rng.integers(0, 2, 40_000)], axis=1)
    data = terc.Trajectories(states, rng.random(40_000) < chance, names=["x", "y", "noise"])
    found = terc.select(data, "plugin")
    assert found.kept == ("x", "y")
    assert 0 < found["y"].alone < 0.002 and found["y"].acts == ""
    assert terc.select(data, "plugin", min_effect=0)["y"].acts == "alone"
    assert "alone too" not in str(found)


@pytest.mark.parametrize(
    ("low", "p_value", "kept", "reason"),
    [
        (0.0004, 1e-5, False, "negligible"),
        (-0.0004, 1e-5, False, "irrelevant"),
        (0.0004, 0.2, False, "irrelevant"),
        (0.0004, 1e-5, True, "needed"),
    ],
)
def test_negligible_is_a_gain_beyond_luck_by_its_interval_too(low, p_value, kept, reason):
    row = Verdict("x", 0.001, low, 0.003, 0.004, p_value, kept, "needed" if kept else "irrelevant")
    assert _weighed(row).reason == reason


def test_no_gain_is_called_negligible_whose_interval_holds_zero():
    """The p-value of one instrument and the interval of another."""
    data = terc.rollout("MountainCarContinuous-v0", lambda states: np.sign(states[:, 1:2]), steps=3000)
    found = terc.select(data)
    assert found.kept == ("velocity",) and found["position"].low < 0
    assert found["position"].reason != "negligible"
