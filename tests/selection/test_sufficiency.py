import numpy as np
import pytest

from terc.entropy.base import Estimator
from terc.entropy.counted_test import CountedTest
from terc.entropy.evidence import Terms
from terc.entropy.loss_test import LossTest
from terc.entropy.mine import MineEstimator
from terc.entropy.mixture_test import MixtureTest
from terc.entropy.nearest_neighbours import KnnEstimator
from terc.entropy.plugin import PluginEstimator
from terc.errors import BadValueError
from terc.redundancy.condition_1 import check_condition_1
from terc.redundancy.history_length import history_length
from terc.redundancy.perfect_redundancy import find_redundancy
from terc.selection.sufficiency import Sufficiency, named, sufficiency_of
from terc.synthetic import four_redundant
from terc.trajectories.data import Trajectories


def counted(states, actions, **terms):
    data = Trajectories(states, actions, episodes=np.arange(len(states)))
    columns = tuple((j,) for j in range(states.shape[1]))
    return Sufficiency(CountedTest.of(data, Terms(units=len(columns) ** 2, **terms)), columns)


@pytest.mark.parametrize("kind", ["single", "pair"])
def test_a_loss_is_seen_where_every_state_is_unique(kind, rng):
    # 16 bits in 2000 steps: the table of all variables is too sparse, one or two more variables are not.
    states = rng.integers(0, 2, (2000, 16))
    clean = states[:, 3] if kind == "single" else states[:, 3] ^ states[:, 7]
    enough = counted(states, clean ^ (rng.random(2000) < 0.2))
    assert not enough(frozenset())
    assert not enough(frozenset({3}) if kind == "pair" else frozenset({7}))
    assert enough(frozenset({3, 7}))


def test_small_losses_do_not_matter_if_the_caller_says_so(rng):
    states = rng.integers(0, 2, (20_000, 2))
    actions = states[:, 0] * 2 + (states[:, 1] & (rng.random(20_000) < 0.15))
    assert not counted(states, actions)(frozenset({0}))
    assert counted(states, actions, min_effect=0.2)(frozenset({0}))


def test_an_estimator_gives_the_same_answers(rng):
    states = rng.integers(0, 2, (4000, 3))
    actions = (states[:, 0] ^ states[:, 1]) ^ (rng.random(4000) < 0.1)
    data = Trajectories(states, actions, episodes=np.repeat(np.arange(80), 50), names=["a", "b", "noise"])
    expected = {(): False, (0,): False, (0, 2): False, (0, 1): True, (0, 1, 2): True}
    columns = ((0,), (1,), (2,))
    for test in (
        LossTest.of(PluginEstimator(), data, Terms(units=9), rng=rng),
        CountedTest.of(data, Terms(units=9)),
    ):
        enough = Sufficiency(test, columns)
        assert {key: enough(frozenset(key)) for key in expected} == expected
        h_all, h_none = enough.entropies([frozenset({0, 1, 2}), frozenset()])
        assert h_all.low - 0.02 < -0.9 * np.log(0.9) - 0.1 * np.log(0.1) < h_all.high + 0.02
        assert h_none.value == pytest.approx(np.log(2), abs=0.01)
        everything = frozenset({0, 1, 2})
        assert enough.misses_each(everything, frozenset({0, 1}))
        assert not enough.misses_each(everything, frozenset({0, 2}))


def test_counting_is_chosen_where_it_can_be(rng):
    data = four_redundant(1000).data
    assert isinstance(sufficiency_of(data, rng=rng).test, CountedTest)
    assert isinstance(sufficiency_of(data, estimator="predictive", rng=rng).test, MixtureTest)
    continuous = Trajectories(rng.normal(size=(200, 2)), rng.integers(0, 2, 200))
    assert isinstance(sufficiency_of(continuous, rng=rng).test, MixtureTest)
    assert named(data, {2, 0}) == ("x1", "x3")
    with pytest.raises(BadValueError, match="alpha must lie between 0 and 1"):
        sufficiency_of(data, alpha=0, rng=rng)


@pytest.fixture
def long_data(rng):
    """The sign of x and copies of it in 1500 steps, more than nearest neighbours look at."""
    x = rng.standard_normal((1500, 2))
    states = np.column_stack([x[:, 0], 2 * x[:, 0], x[:, 1]])
    return Trajectories(
        states, (x[:, 0] > 0).astype(int), names=["x", "copy", "y"], episodes=np.repeat(np.arange(30), 50)
    )


def test_nearest_neighbours_answer_by_their_own_test(long_data, rng):
    enough = sufficiency_of(long_data, estimator=KnnEstimator(most_rows=400), rng=rng)
    assert enough(frozenset({0}))
    assert enough(frozenset({1}))
    assert not enough(frozenset({2}))
    h_x, h_y = enough.entropies([frozenset({0}), frozenset({2})])
    assert h_x.high < h_y.low


@pytest.mark.parametrize("question", [find_redundancy, check_condition_1, history_length])
def test_every_question_can_be_asked_of_nearest_neighbours(question, long_data):
    options = {"max_length": 2} if question is history_length else {"time_limit": 3.0}
    found = question(long_data, estimator=KnnEstimator(most_rows=150), **options)
    assert "By estimator 'knn'" in str(found)


def test_the_papers_rule_answers_too(rng):
    x = rng.integers(0, 2, (400, 2))
    data = Trajectories(x[:, [0, 1, 0]], x[:, 0], names=["a", "noise", "copy"])
    (pair,) = find_redundancy(data, estimator=MineEstimator(runs=3, null_draws=1))
    assert (pair.first, pair.second, pair.given) == (("a",), ("copy",), ())
    assert pair.shared == pytest.approx(np.log(2), abs=0.1)


@pytest.mark.parametrize("question", [find_redundancy, check_condition_1, history_length])
def test_an_estimator_without_a_loss_per_step_is_refused(question, long_data):
    class Mean(Estimator):
        def _losses(self, data, subsets, *, rng):
            return np.zeros((len(subsets), 1, 7))

    with pytest.raises(BadValueError, match="a loss for each of the 1[0-9]+ steps, Mean gave 7. Give it"):
        question(long_data, estimator=Mean())
