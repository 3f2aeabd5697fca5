import numpy as np

from terc.entropy.counting import CountedEntropies
from terc.selection.explain import explain
from terc.selection.minimal import smallest_sufficient
from terc.selection.sufficiency import CountedSufficiency
from terc.synthetic import four_redundant, two_triplets


def reasons_for(data, kept, tolerance=0.005):
    counted = CountedEntropies(data.states, data.actions)
    columns = [data.names.index(name) for name in kept]
    rest = [c for c in range(len(data.names)) if c not in columns]
    return explain(counted.informations, [[c] for c in columns], [[c] for c in rest], tolerance=tolerance)


def test_copies_of_a_synergistic_variable_are_redundant_given_it():
    data = four_redundant().data
    found = reasons_for(data, ["x2", "x3", "x5"])
    assert [(r.reason, r.given) for r in found.removed] == [("redundant", frozenset({4}))] * 3
    assert all(abs(r.shared - np.log(2)) < 0.01 and r.alone < 0.005 for r in found.removed)
    assert [k.acts for k in found.kept] == ["together"] * 3
    assert all(k.synergy > 0.68 for k in found.kept)


def test_each_triplet_member_is_redundant_given_its_own_copy():
    data = two_triplets().data
    found = reasons_for(data, ["x1", "x2", "x3"])
    assert [r.given for r in found.removed] == [{0}, {1}, {2}]
    assert "x4: redundant given x1 (0.69" in found.describe(data.names)
    assert "x1: kept, acts together (0.000 nats alone, 0.69" in found.describe(data.names)


def test_a_variable_that_needs_two_others_to_be_replaced(rng):
    a, b = rng.integers(0, 2, (2, 3000))
    counted = CountedEntropies(np.stack([a, b, a ^ b], axis=1), a ^ b)
    found = explain(counted.informations, [[0], [1]], [[2]], tolerance=0.005)
    assert found.removed[0].given == {0, 1}
    single = explain(counted.informations, [[2]], [[0], [1]], tolerance=0.005)
    assert [k.acts for k in single.kept] == ["alone"]
    assert [r.reason for r in single.removed] == ["irrelevant", "irrelevant"]


def test_reasons_equal_brute_force_on_random_logical_functions(rng, worlds):
    judged = 0
    for _ in range(120):
        states, actions, _ = worlds.exact(rng, int(rng.integers(3, 9)))
        counted = CountedEntropies(states, actions)
        kept = sorted(smallest_sufficient(CountedSufficiency(counted, exact=True)).members)
        rest = [c for c in range(states.shape[1]) if c not in kept]
        found = explain(
            lambda many, c=counted: [c.information(s) for s in many],
            [[c] for c in kept],
            [[c] for c in rest],
            tolerance=1e-9,
        )
        inner = worlds.subsets(kept)
        for reason in found.removed:
            gain = {t: counted.information(t | reason.columns) - counted.information(t) for t in inner}
            tells = any(g > 1e-9 for g in gain.values())
            assert (reason.reason == "redundant") == tells
            judged += tells
            # Beside what it is given, and whatever else is kept, the variable adds nothing.
            assert all(g <= 1e-9 for t, g in gain.items() if t >= reason.given or not tells)
    assert judged > 100


def test_the_number_of_subsets_is_bounded(rng):
    asked = []

    def information(subsets):
        asked.extend(subsets)
        return rng.random(len(subsets))

    kept, removed = [[k] for k in range(6)], [[k] for k in range(6, 50)]
    found = explain(information, kept, removed, tolerance=0.01, budget=100)
    assert len(asked) == len(set(asked)) == found.n_subsets <= 100
    assert not found.complete
    assert len(found.removed) == 44


def test_without_kept_variables_all_is_irrelevant_or_alone(rng):
    counted = CountedEntropies(rng.integers(0, 2, (1000, 2)), rng.integers(0, 2, 1000))
    found = explain(counted.informations, [], [[0], [1]], tolerance=0.01)
    assert [r.reason for r in found.removed] == ["irrelevant", "irrelevant"]
    assert found.kept == ()
