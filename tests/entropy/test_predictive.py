"""The predictive estimator against closed forms."""

from dataclasses import replace

import numpy as np
import pytest

from terc.entropy.evidence import Question, Terms
from terc.entropy.mixture_test import MixtureTest
from terc.entropy.predictive import PredictiveEstimator
from terc.entropy.proposals import Numbers, missed
from terc.errors import BadValueError
from terc.networks.stack import Training
from terc.predictors.counts import Counts
from terc.predictors.linear import Linear
from terc.predictors.network import Network
from terc.predictors.splits import split
from terc.predictors.views import Views
from terc.trajectories.data import Trajectories

QUICK = PredictiveEstimator(
    (Counts(), Linear(), Network(training=Training(hidden=24, batch=300, epochs=1, fewest_updates=200)))
)
BRIEF = PredictiveEstimator(
    (Counts(), Linear(), Network(training=Training(hidden=8, batch=100, epochs=1, fewest_updates=40)))
)


def entropies(states, actions, subsets, rng, estimator=QUICK, **given):
    data = Trajectories(states, actions, episodes=np.arange(len(states)), **given)
    return estimator.conditional_entropies(data, subsets, rng=rng)


def test_xor(rng):
    x = rng.integers(0, 2, (1500, 3))
    h = entropies(x, x[:, 0] ^ x[:, 1], [(), (0,), (0, 2), (0, 1)], rng)
    np.testing.assert_allclose(h, [np.log(2)] * 3 + [0], atol=0.04)


@pytest.mark.parametrize("rho", [0.3, 0.9])
def test_gaussian_channel(rho, rng):
    x = rng.standard_normal((3000, 1))
    a = rho * x[:, 0] + np.sqrt(1 - rho**2) * rng.standard_normal(3000)
    nothing, h = entropies(1e6 + 1e-3 * x, 1e6 * a, [(), (0,)], rng)
    assert nothing - h == pytest.approx(-0.5 * np.log(1 - rho**2), abs=0.05)


def test_whole_numbers_with_known_noise(rng):
    x = rng.integers(0, 40, (3000, 1))
    a = x[:, 0] + rng.integers(0, 3, 3000)
    nothing, h = entropies(x, a, [(), (0,)], rng, action_kind="discrete")
    # The sum of a uniform of 40 and one of 3; given x three values are left.
    sums = np.convolve(np.full(40, 1 / 40), np.full(3, 1 / 3))
    assert nothing == pytest.approx(-(sums * np.log(sums)).sum(), abs=0.05)
    assert h == pytest.approx(np.log(3), abs=0.15)


def test_the_dimensions_of_an_action_are_coded_given_each_other(rng):
    rho, n = 0.8, 2500
    noise = rng.standard_normal((n, 1))
    first = rng.standard_normal(n)
    second = rho * first + np.sqrt(1 - rho**2) * rng.standard_normal(n)
    apart = [entropies(noise, a, [(0,)], rng)[0] for a in (first, second)]
    together = entropies(noise, np.stack([first, second], 1), [(0,)], rng)[0]
    assert sum(apart) - together == pytest.approx(-0.5 * np.log(1 - rho**2), abs=0.06)


def test_the_policys_own_probabilities_take_the_luck_out(rng):
    x = rng.standard_normal((600, 2))
    p = 1 / (1 + np.exp(-2 * x[:, 0]))
    soft = np.stack([1 - p, p], 1)
    drawn = (rng.random(600) < p).astype(int)
    h = entropies(x, drawn, [(0,), (1,)], rng, probabilities=soft)
    assert h[0] == pytest.approx(-(soft * np.log(soft)).sum(1).mean(), abs=0.005)
    mean = soft.mean(0)
    assert h[1] == pytest.approx(-(mean * np.log(mean)).sum(), abs=0.02)


def test_a_deterministic_policy_has_finite_information(rng):
    x = rng.standard_normal((1500, 1))
    nothing, h = entropies(x, x[:, 0], [(), (0,)], rng)
    assert 1 < nothing - h < np.log(1 / 0.02) + 2


def test_an_answer_does_not_depend_on_what_was_asked_before(rng):
    x = rng.standard_normal((300, 3))
    data = Trajectories(x, (x[:, 0] > 0).astype(int), episodes=np.arange(300))
    splits = split(data.episodes, rng=rng)
    first, other = (Views.of(data, splits, seed=5, predictors=BRIEF.predictors) for _ in range(2))
    first.prepare([(0,), (1, 2)])
    other.prepare([(2,), (1, 2), (0,)])
    for view in ((0,), (1, 2)):
        np.testing.assert_array_equal(first[view].losses, other[view].losses)
        np.testing.assert_array_equal(first[view].residual, other[view].residual)


def test_subsets_must_be_columns(rng):
    with pytest.raises(BadValueError, match=r"column numbers 0\.\.1, got \(0, 2\)"):
        entropies(np.zeros((100, 2)), np.arange(100) % 2, [(0, 2)], rng)


def add_luck(test, columns, nats):
    """The models of the first fold had luck, those of the last had not, in all views of these columns."""
    luck = np.array([-nats, 0.0, nats])[test.splits.folds]
    for view, known in test.views.known.items():
        if columns.issuperset(view):
            test.views.known[view] = replace(known, losses=known.losses + luck)


def test_a_pair_that_acts_together_is_sure_even_where_the_luck_of_training_is_not():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (3000, 3))
    action = (x[:, 0] ^ x[:, 1]) ^ (rng.random(3000) < 0.2)
    data = Trajectories(x, action, episodes=np.arange(3000) // 20)
    test = MixtureTest.of(data, Terms(units=300), rng=rng)
    question = Question(((0,),), ((1,), (2,)))
    test.ask([question])
    add_luck(test, {1, 2}, 0.05)
    (found,) = test.ask([question])
    assert np.ptp(found.repeats) > 0.08
    assert found.needed
    assert found.p_value < 1e-9


def test_another_training_rebuilds_what_the_first_did():
    rng = np.random.default_rng(0)
    fine = rng.uniform(0, 6, 1500)
    odd = np.floor(fine) % 2
    data = Trajectories(np.stack([fine, odd], 1), odd.astype(int), episodes=np.arange(1500) // 10)
    test = MixtureTest.of(data, Terms(), rng=rng, predictors=(Counts(), Linear()))
    bare, _ = test._trained_again(1, (0,), (1,))
    test.views.rebuild((0,), (1,))
    helped, _ = test._trained_again(1, (0,), (1,))
    assert bare.mean() > 0.5 and helped.mean() < 0.1


def test_where_only_luck_speaks_against_a_loss_models_are_trained_again():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3000, 2))
    data = Trajectories(x, (np.sin(3 * x[:, 0]) > 0).astype(int), episodes=np.arange(3000) // 20)
    test = MixtureTest.of(data, Terms(units=300), rng=rng)
    question = Question(((0,),), ((1,),))
    test.ask([question])
    add_luck(test, {1}, 0.3)
    (found,) = test.ask([question])
    assert len(found.repeats) == 3 * test.splits.n_folds


def test_a_removed_variable_shows_the_largest_loss_that_was_seen():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2000, 3))
    data = Trajectories(x, (x[:, 0] * x[:, 1] > 0).astype(int), episodes=np.arange(2000) // 20)
    test = MixtureTest.of(data, Terms(units=3), rng=rng)
    test.ask([Question(((1,),), ((0,),))])
    found = test.beside([(0,)], [(1,), (2,)])
    assert found[(1,)].gain > 0.5
    assert found[(1,)].instrument == "mixture"
    assert found[(2,)].instrument == "residuals"


def weakly(seed, rho=0.15, n=800):
    """An action that follows one variable, and another one hardly; a test, and what is lost without that."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    acted = rho * x[:, 0] + 0.5 * x[:, 1] + rng.normal(size=n)
    test = MixtureTest.of(Trajectories(x, acted, episodes=np.arange(n) // 20), Terms(units=4), rng=rng)
    return test, test.ask([Question(((0,),), ((1,),))])[0]


def test_what_residuals_alone_show_has_their_own_interval():
    found = next(one for _, one in map(weakly, range(20)) if one.instrument == "residuals" and one.needed)
    assert found.decided_by == "residuals" and not found.repeats
    assert found.error >= np.sqrt(2 * found.gain / 800)  # as of independent steps


def test_a_p_value_of_residuals_beside_an_interval_of_the_mixture_is_called_that():
    found = next(one for _, one in map(weakly, range(20)) if one.sure_by and one.needed)
    assert found.decided_by == "mixture, p-value by residuals"
    assert 4 * found.p_value < 0.05 and len(found.repeats) == 3
    own = replace(found, p_value=0.3, sure_by="")
    assert own.or_surer(replace(found, p_value=0.4)) is own and own.decided_by == "mixture"


def test_the_p_value_of_what_is_removed_counts_the_looks_that_a_removal_has():
    test, found = weakly(0, rho=0.1)
    beside = test.beside([(1,)], [(0,)])[(0,)]
    scores = test.residuals.scores((1,), test.views[(1,)].residual)
    assert beside.instrument == "residuals" and not found.needed
    assert beside.p_value == pytest.approx(min(1, 6 * scores.p_value[0]))


def test_what_nothing_says_is_tried_where_all_variables_together_do_better():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2000, 4))
    data = Trajectories(x, (x[:, 0] > 0).astype(int), episodes=np.arange(2000) // 20)
    test = MixtureTest.of(data, Terms(units=4), rng=rng)
    residual = np.zeros((2000, 1), dtype=np.float32)
    outside = [(1,), (2,), (3,)]
    assert missed(test.residuals, (0,), residual, outside, Numbers(), loss=False) == []
    tried = missed(test.residuals, (0,), residual, outside, Numbers(most_tried=2), loss=True)
    assert len(tried) == 2


def test_what_a_part_of_the_others_is_known_to_say_is_no_merit_of_the_removed():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1500, 3))
    data = Trajectories(x, (x[:, 0] > 0).astype(int), episodes=np.arange(1500) // 20)
    test = MixtureTest.of(data, Terms(units=3), rng=rng)
    question = Question(((2,),), ((0,), (1,)))
    test.ask([question])
    test.views.known[(0,)] = replace(test.views[(0,)], losses=np.zeros(1500), mean=0.0)
    test.views.known[0, 1] = replace(test.views[0, 1], losses=np.full(1500, 0.1), mean=0.1)
    (found,) = test.ask([question])
    assert found.gain == 0
    assert not found.needed
