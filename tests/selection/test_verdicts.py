"""The lines of estimators that decide by a rule of their own, with an exact oracle in the rule's place."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import worlds

import terc
from terc.entropy.base import RemovalTest
from terc.entropy.counting import CountedEntropies
from terc.entropy.estimators import ESTIMATORS
from terc.entropy.evidence import Evidence, Level, Question, Terms
from terc.selection.algorithm_1 import batched
from terc.selection.reasons import stand_ins
from terc.selection.request import read_request
from terc.selection.select import _decided
from terc.selection.settings import Settings
from terc.selection.verdicts import answers_alone, rows_of

P_VALUE = 0.004


class Exact(RemovalTest):
    """A rule that knows the distribution."""

    def __init__(self, data):
        self.counted = CountedEntropies(data.states, data.actions)

    def ask(self, questions):
        return [self._answer(question) for question in questions]

    def _answer(self, question):
        stay, go = question.other_columns, question.removed_columns
        gain = self.counted.h(stay) - self.counted.h((*stay, *go))
        return Evidence(gain, 0.0, P_VALUE if gain > 1e-9 else 1.0, gain > 1e-9, "exact")


def every_state(*names, action):
    """Three bits, each combination equally often; `names` says which bit each column shows."""
    bits = np.stack(np.unravel_index(np.arange(160) % 8, (2, 2, 2)), axis=1)
    shown = [which for _, which in names]
    return terc.Trajectories(bits[:, shown], action(bits), names=[name for name, _ in names])


def decided(data, tests=1, **wishes):
    wanted = Settings.of("mine", **wishes)
    request = read_request(data, wanted, rng=np.random.default_rng(0))
    rule = Exact(data)
    rule.level = Level(0.05, tests, 0.0)
    return _decided(data, request, wanted, rule, lambda *_: None, in_workers=False)


@pytest.fixture
def copies():
    """The action is b xor c; d copies c, a is noise."""
    columns = ("a", 0), ("b", 1), ("c", 2), ("d", 2)
    return every_state(*columns, action=lambda bits: bits[:, 1] ^ bits[:, 2])


def test_a_joint_removal_that_failed_is_not_held_against_its_members(copies):
    found = decided(copies, order=["a", "c", "d", "b"])
    assert found.kept == ("b", "d")
    for name in ("a", "c"):
        assert found[name].gain == pytest.approx(0, abs=1e-9)
        assert found[name].p_value == 1.0
    for name in ("b", "d"):
        assert found[name].gain == pytest.approx(np.log(2))
        assert found[name].p_value == P_VALUE


def test_every_gain_is_that_of_the_variable_alone(rng):
    for _ in range(40):
        states, actions, _ = worlds.exact(rng, int(rng.integers(2, 9)))
        if len(np.unique(actions)) == 1:
            continue
        data = terc.Trajectories(states, actions)
        order = [(int(j),) for j in rng.permutation(states.shape[1])]
        test = Exact(data)
        found = batched(test, order)
        for unit, answer in answers_alone(test, found, order).items():
            assert answer.needed == (unit in found.kept)
            if answer.needed:
                others = [other for other in found.kept if other != unit]
                assert answer.gain <= test.ask([Question((unit,), tuple(others))])[0].gain + 1e-9


def test_what_doubles_a_kept_one_tells_something_without_it(rng):
    known = 0
    for _ in range(200):
        states, actions, _ = worlds.exact(rng, int(rng.integers(2, 9)))
        test = Exact(terc.Trajectories(states, actions))
        order = [(int(j),) for j in rng.permutation(states.shape[1])]
        found = batched(test, order)
        failed = [one.question for one in found.asked if one.evidence.needed]
        for unit, given in stand_ins(found).items():
            known += 1
            assert unit not in found.kept
            assert set(given) <= set(found.kept)
            gains = [test.ask([Question((unit,), q.others)])[0].gain for q in failed if unit in q.removed]
            assert max(gains) > 1e-9
    assert known > 5


def test_a_copy_is_redundant_where_the_questions_show_it():
    data = every_state(("c", 2), ("d", 2), action=lambda bits: bits[:, 2])
    found = decided(data)
    assert (found.kept, found["c"].reason, found["c"].given) == (("d",), "redundant", ("d",))


def test_what_was_only_asked_about_beside_others_is_said(copies):
    found = decided(copies, order=["a", "c", "d", "b"])
    assert {v.name: (v.reason, v.given) for v in found.verdicts if not v.kept} == {
        "a": ("irrelevant", ()),
        "c": ("redundant", ("d",)),
    }
    assert found.notes[0].code == "beside-others"


def test_a_variable_that_was_asked_for_has_its_own_gain(copies):
    found = decided(copies, keep=["c"], method="naive")
    assert found["c"].reason == "asked for"
    assert found["c"].gain == pytest.approx(np.log(2))


def test_p_values_are_corrected_for_the_number_of_variables_and_the_guide_says_so():
    data = every_state(("a", 0), ("b", 1), ("c", 2), action=lambda bits: bits[:, 0])
    test = Exact(data)
    test.level = Level(0.05, 3, 0.0)
    (evidence,) = test.ask([Question(((0,),), ((1,),))])
    assert rows_of(data, {(0,): evidence}, ((0,),), test)[0].p_value == 3 * P_VALUE
    page = (Path(__file__).parents[2] / "docs" / "reading-the-report.md").read_text(encoding="utf8")
    assert "corrected for the number of variables" in page and "before correction" not in page


def test_a_line_names_the_instrument_of_its_p_value_where_it_is_another():
    data = every_state(("a", 0), ("b", 1), action=lambda bits: bits[:, 0])
    test = Exact(data)
    test.level = Level(0.05, 2, 0.01)
    one, other = Evidence(0.02, 0.02, 0.2, True, "mixture"), Evidence(0.01, 0.01, 1e-4, True, "residuals")
    answers = {(0,): one.or_surer(other), (1,): one.or_surer(replace(other, p_value=0.3))}
    first, second = rows_of(data, answers, ((0,), (1,)), test).values()
    assert (first.instrument, first.p_value) == ("mixture, p-value by residuals", 2e-4)
    assert (second.instrument, second.p_value) == ("mixture", 0.4)
    assert first.low == second.low < 0


@pytest.mark.parametrize(
    ("gain", "error"), [(0.0012, 0.0045), (0.0055, 0.0023), (0.014, 0.003), (0.0188, 0.0045)]
)
def test_the_steps_that_would_decide_are_more_than_there_are(gain, error):
    data = every_state(("a", 0), ("b", 1), action=lambda bits: bits[:, 0])
    test = Exact(data)
    test.level = Level(0.05, 2, 0.01)
    evidence = Evidence(gain, error, 0.2, False, "exact")
    row = rows_of(data, {(0,): evidence}, (), test)[0]
    assert row.undecided and row.low < 0.01 < row.high
    assert row.steps_needed > len(data)


@pytest.mark.parametrize(("chance", "steps"), [(0.03, 1.2), (0.1, 2.4), (0.4, 60), (0.7, None)])
def test_what_matters_by_its_interval_and_may_be_luck_by_its_p_value_is_undecided(chance, steps):
    """Few episodes: the interval is that of a normal, the p-value that of a t distribution."""
    data = every_state(("a", 0), ("b", 1), action=lambda bits: bits[:, 0])
    test = Exact(data)
    test.level = Level(0.05, 2, 0.01)
    evidence = Evidence(0.09, 0.038, chance, False, "exact")
    (row,) = rows_of(data, {(0,): evidence}, (), test).values()
    assert row.low > 0.01 and row.undecided
    if steps is None:
        assert row.steps_needed is None
    else:
        assert row.steps_needed == pytest.approx(steps * len(data), rel=0.3)
    assert not rows_of(data, {(0,): replace(evidence, p_value=1e-3)}, ((0,),), test)[0].undecided


@pytest.mark.parametrize(("estimator", "times"), [("knn", 3), ("mine", 1)])
def test_knn_multiplies_p_values_by_the_number_of_tests_and_the_papers_rule_does_not(estimator, times):
    data = every_state(("a", 0), ("b", 1), ("c", 2), action=lambda bits: bits[:, 0])
    test = ESTIMATORS[estimator]().removal_test(data, Terms(units=3), rng=np.random.default_rng(0))
    found = rows_of(data, {(0,): Evidence(0.1, 0.01, P_VALUE, True, "exact")}, (), test)
    assert found[0].p_value == pytest.approx(times * P_VALUE)
