import numpy as np
import pytest

from terc.entropy.evidence import Question
from terc.entropy.local_permutation import LocalPermutationTest
from terc.entropy.nearest_neighbours import KnnEstimator
from terc.errors import BadValueError
from terc.selection.algorithm_1 import batched, one_at_a_time
from terc.selection.select import select
from terc.trajectories.data import Trajectories


def units(n):
    return [(j,) for j in range(n)]


def test_a_copy_goes_and_what_it_copies_stays(rng):
    x = rng.standard_normal((1_000, 4))
    x[:, 3] = x[:, 0] ** 3
    data = Trajectories(x, x[:, 0] + x[:, 1] + 0.3 * rng.standard_normal(1_000))
    test = LocalPermutationTest(data, KnnEstimator(most_rows=500), rng=rng)
    assert sorted(batched(test, units(4)[::-1]).kept) == [(0,), (1,)]


def test_synergy_of_two_numbers(rng):
    x = rng.standard_normal((1_000, 3))
    data = Trajectories(x, (x[:, 0] * x[:, 1] > 0).astype(int))
    test = LocalPermutationTest(data, KnnEstimator(most_rows=500), rng=rng)
    assert [answer.needed for answer in test.ask(one_at_a_time(units(3)))] == [True, True, False]


def test_p_values_of_noise_beside_a_real_variable_are_not_too_small(rng):
    x = rng.standard_normal((400, 9))
    x[:, 1] = x[:, 0] + 0.5 * x[:, 1]
    data = Trajectories(x, x[:, 0] + rng.standard_normal(400))
    test = LocalPermutationTest(data, KnnEstimator(most_rows=300), rng=rng)
    answers = test.ask([Question(((j,),), ((0,),)) for j in range(1, 9)])
    assert sum(answer.p_value < 0.05 for answer in answers) <= 2
    assert not any(answer.needed for answer in answers)
    assert all(abs(answer.gain) < 0.1 for answer in answers)


def test_an_answer_depends_on_the_question_alone(rng):
    x = rng.standard_normal((200, 3))
    data = Trajectories(x, x[:, 0])
    questions = one_at_a_time(units(3))
    one, other = (
        LocalPermutationTest(data, KnnEstimator(most_rows=100), rng=np.random.default_rng(7))
        for _ in range(2)
    )
    assert one.ask(questions)[2] == other.ask(questions[2:])[0] == other.ask(questions)[2]


def test_few_permutations_are_refused(rng):
    with pytest.raises(BadValueError, match="permutations must be at least 10, got 3"):
        LocalPermutationTest(Trajectories([[0.0], [1.0]], [0, 1]), KnnEstimator(), rng=rng, permutations=3)


@pytest.fixture
def strong_and_weak(rng):
    x = rng.standard_normal((1_000, 3))
    return Trajectories(
        x, x[:, 0] + 0.35 * x[:, 1] + 0.3 * rng.standard_normal(1_000), names=["a", "b", "noise"]
    )


@pytest.mark.parametrize(("min_effect", "kept"), [(None, ("a", "b")), (0.01, ("a", "b")), (0.6, ("a",))])
def test_select_takes_the_floor_of_the_caller(strong_and_weak, min_effect, kept):
    selection = select(strong_and_weak, KnnEstimator(most_rows=500), min_effect=min_effect)
    assert selection.kept == kept
    assert selection.config["min_effect"] == (min_effect or 0.0)


def test_select_takes_the_error_rate_of_the_caller(strong_and_weak):
    assert select(strong_and_weak, KnnEstimator(most_rows=150)).kept == ("a", "b")
    assert select(strong_and_weak, KnnEstimator(most_rows=150), alpha=1e-18).kept == ("a",)
