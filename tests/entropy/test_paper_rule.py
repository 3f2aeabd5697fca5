from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from terc.entropy.base import Estimator
from terc.entropy.evidence import Question, Terms
from terc.entropy.mine import MineEstimator
from terc.entropy.null_rule import null_upper_end
from terc.entropy.paper_rule import PaperRuleTest, with_null_model
from terc.entropy.plateau import Plateau
from terc.errors import BadValueError
from terc.selection.algorithm_1 import batched
from terc.synthetic import four_redundant, two_triplets
from terc.trajectories.data import Trajectories

ONE = Question(((0,),), ((1,),))


@dataclass(frozen=True)
class Told(Estimator):
    """Answers with given values of I(A; subset) per run, and writes down what it was asked."""

    values: dict
    asked: list = field(default_factory=list)

    def _losses(self, data, subsets, *, rng):
        self.asked.extend(subsets)
        return -np.array([self.values[subset] for subset in subsets], dtype=float)[..., None]


@pytest.fixture
def data():
    return Trajectories(np.arange(8).reshape(4, 2), [0, 1, 0, 1])


def rule(data, estimator, **settings):
    return PaperRuleTest(data, estimator, rng=np.random.default_rng(0), **settings)


@pytest.mark.parametrize("family", [four_redundant, two_triplets])
def test_both_synthetic_data_sets_of_the_paper(family, seed):
    labelled = family(2_000, seed=seed)
    estimator = replace(MineEstimator.for_world("synthetic"), plateau=Plateau(50, 4, 1e-3, 400))
    test = PaperRuleTest(labelled.data, estimator, rng=np.random.default_rng(seed), null_draws=2)
    order = [(int(j),) for j in np.random.default_rng(seed).permutation(6)]
    kept = batched(test, order).kept
    assert labelled.is_exact([labelled.data.names[unit[0]] for unit in kept])


@pytest.mark.parametrize(("gain", "needed"), [(0.021, False), (0.024, True)])
def test_the_rule_to_the_letter(data, gain, needed):
    # Both standard errors are 0.001 * sqrt(2) / sqrt(2) = 0.001; the null's mean is 0.018.
    runs = np.array([-0.001, 0.001])
    values = {(0, 1): 1 + 0 * runs, (1,): 1 - gain - runs, (0, 1, 2): 1.018 + runs}
    (evidence,) = rule(data, Told(values), null_draws=1).ask([ONE])
    assert evidence.gain == pytest.approx(gain)
    assert evidence.error == pytest.approx(0.001)
    assert evidence.null_high == pytest.approx(0.020)
    assert evidence.needed is needed
    assert 0 < evidence.p_value < 0.5


def test_a_floor_overrules_the_runs(data):
    # Losses are known up to a constant: the information is 1 nat.
    values = {(): [7.0, 7.0], (0, 1): [8.0, 8.0], (1,): [7.9, 7.91], (0, 1, 2): [8.0, 8.0]}
    assert rule(data, Told(values)).ask([ONE])[0].needed
    assert rule(data, Told(values), min_effect=0.09).ask([ONE])[0].needed
    assert not rule(data, Told(values), min_effect=0.2).ask([ONE])[0].needed


def test_the_null_allows_for_how_its_draws_differ():
    assert null_upper_end(np.array([[0.0, 0.2]])) == pytest.approx(0.1 + 2 * 0.1)
    alike = np.array([[0.0, 0.2], [0.0, 0.2]])
    assert null_upper_end(alike) == pytest.approx(0.1 + 2 * 0.1)
    apart = np.array([[0.0, 0.0], [0.2, 0.2]])
    assert null_upper_end(apart) == pytest.approx(0.1 + 2 * 0.2 / np.sqrt(2))


def test_every_subset_is_trained_once(data):
    values = {key: [1.0, 1.1] for key in [(0, 1), (1,), (0,), (), (0, 1, 2), (1, 2)]}
    estimator = Told(values)
    test = rule(data, estimator, null_draws=1)
    test.ask([ONE, Question(((1,),), ((0,),))])
    test.ask([ONE, Question(((0,), (1,)), ())])
    assert sorted(estimator.asked) == [(), (0,), (0, 1), (0, 1, 2), (1,)]


def test_null_model_joins_any_data():
    data = Trajectories(
        [["a", 0.5], ["b", 1.5], ["a", 2.5]],
        ["left", "right", "left"],
        names=["cell", "null model"],
        nominal=["cell"],
    )
    joined = with_null_model(data, rng=np.random.default_rng(0))
    assert joined.names == ("cell", "null model", "null model'")
    assert joined.nominal == data.nominal
    assert joined.actions.tolist() == data.actions.tolist()
    assert joined.action_kind == "discrete"
    assert joined.action_labels is not None
    assert set(joined.states[:, 2]) <= {0.0, 1.0}
    torque = with_null_model(Trajectories([[1], [2]], [[0.1, 0.2], [0.3, 0.4]]), rng=np.random.default_rng(0))
    assert torque.actions.shape == (2, 2)


def test_one_run_is_no_sample(data):
    values = {(0, 1): [1.0], (1,): [0.9], (0, 1, 2): [1.0]}
    with pytest.raises(BadValueError, match="at least 2 independent runs"):
        rule(data, Told(values)).ask([ONE])
    with pytest.raises(BadValueError, match="null_draws must be at least 1, got 0"):
        rule(data, Told(values), null_draws=0)


@pytest.mark.parametrize("draws", [1, 3])
def test_select_draws_the_null_model_as_often_as_the_estimator_says(draws):
    x = np.random.default_rng(0).integers(0, 2, (400, 3))
    data, mine = Trajectories(x, x[:, 0] ^ x[:, 1]), MineEstimator(runs=2, null_draws=draws)
    test = mine.removal_test(data, Terms(units=3), rng=np.random.default_rng(0))
    assert len(test.null_gains((0, 1))) == draws
