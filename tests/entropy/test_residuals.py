"""Residual covariance: a calibrated null under drift and rarity, power for weak links, products of two."""

import numpy as np
import pytest
from scipy import stats

from terc.entropy.covariance import Regression, Residuals, clustered_t, effective_steps, regression_basis
from terc.entropy.residuals import ResidualInstrument
from terc.predictors.splits import Splits, split
from terc.synthetic import drifting_noise
from terc.trajectories.data import Trajectories


def instrument(states, actions, rng, episodes=None, **given):
    episodes = np.arange(len(states)) if episodes is None else episodes
    data = Trajectories(states, actions, episodes=episodes, **given)
    return ResidualInstrument.of(data, split(data.episodes, rng=rng), rng=rng)


def walks(rng, episodes, length, columns):
    return rng.standard_normal((episodes, length, columns)).cumsum(1).reshape(episodes * length, columns)


def test_t_values_of_drifting_walks_are_standard_when_counted_by_episode(rng):
    clusters = np.repeat(np.arange(50), 20)
    splits = Splits(np.zeros(1000, int), clusters, np.zeros((1000, 0)))
    t = np.stack([clustered_t(walks(rng, 50, 20, 2), walks(rng, 50, 20, 2), splits) for _ in range(150)])
    assert t.mean() == pytest.approx(0, abs=0.15)
    assert t.std() == pytest.approx(1.02, abs=0.12)
    assert (2 * stats.t.sf(np.abs(t), 49) < 0.05).mean() < 0.075
    # Counted by step the same products look like discoveries: the clusters are what saves the test.
    by_step = Splits(np.zeros(1000, int), np.arange(1000), np.zeros((1000, 0)))
    assert np.abs(clustered_t(walks(rng, 50, 20, 5), walks(rng, 50, 20, 5), by_step)).max() > 4


def test_a_clustered_t_by_hand():
    action, probe = np.array([[1.0], [2.0], [-1.0], [3.0]]), np.array([[1.0], [1.0], [2.0], [1.0]])
    sums = np.array([1 + 2, -2 + 3])
    t = clustered_t(action, probe, Splits(np.zeros(4, int), np.array([0, 0, 1, 1]), np.zeros((4, 0))))
    assert t[0, 0] == pytest.approx(sums.mean() / (sums.std(ddof=1) / np.sqrt(2)))


def test_p_values_on_noise_are_no_smaller_than_they_claim(rng):
    p = []
    for _ in range(40):
        labels, heavy = rng.integers(0, 4, 400), rng.standard_t(2, 400)
        states = np.column_stack([rng.standard_normal((400, 3)), labels, heavy])
        p.append(instrument(states, rng.integers(0, 3, 400), rng, nominal=[3]).scores(()).p_value)
    assert np.mean(np.array(p) < 0.1) < 0.13


def test_p_values_on_drifting_noise_beside_a_sticky_action(rng):
    p = []
    for seed in range(12):
        data = drifting_noise(1500, seed=seed, noise=8).data
        p.append(ResidualInstrument.of(data, split(data.episodes, rng=rng), rng=rng).scores(()).p_value)
    assert np.mean(np.array(p) < 0.05) < 0.09


@pytest.mark.parametrize("given", [(), (0,)])
def test_a_known_correlation_is_found_and_measured(given, rng):
    n, rho = 4000, 0.15
    strong, weak, noise = rng.standard_normal((3, n))
    rest = np.sqrt(1 - rho**2) * rng.standard_normal(n)
    look = instrument(np.stack([strong, weak, noise], 1), 2 * strong * bool(given) + rho * weak + rest, rng)
    scores = look.scores(given)
    assert scores.p_value[1] < 1e-6
    assert scores.p_value[2] > 0.01
    assert scores.gain[1] == pytest.approx(-0.5 * np.log(1 - rho**2), rel=0.5)
    assert scores.gain[2] < 0.002


def test_what_is_given_is_not_scored_again(rng):
    x = rng.standard_normal((500, 2))
    scores = instrument(x, x[:, 0] + rng.standard_normal(500), rng).scores((0,))
    assert (scores.p_value[0], scores.z[0], scores.gain[0]) == (1.0, 0.0, 0.0)


def test_only_those_asked_about_are_scored(rng):
    x = rng.standard_normal((500, 3))
    scores = instrument(x, x.sum(1), rng).scores((), among=(1,))
    assert scores.p_value[1] < 1e-6
    assert scores.p_value[[0, 2]].tolist() == [1.0, 1.0]


def test_related_is_what_the_given_explain_or_what_adds_to_them(rng):
    key, lock, more, noise = rng.standard_normal((4, 3000))
    sight = np.sign(key * lock) + rng.standard_normal(3000)
    action = np.sign(key * lock) + more + rng.standard_normal(3000)
    look = instrument(np.stack([key, lock, sight, more, noise], 1), action, rng)
    assert look.related((0, 1), None, 0.001, among=(2, 3, 4)) == (2, 3)


@pytest.mark.parametrize("copy", [lambda x: 3 * x + 2, lambda x: -x, lambda x: 1e6 + 1e-3 * x])
def test_a_copy_is_determined_and_silent(copy, rng):
    x = rng.standard_normal(2000)
    action = (x + rng.standard_normal(2000) > 0).astype(int)
    look = instrument(np.stack([x, copy(x), rng.standard_normal(2000)], 1), action, rng)
    assert (look.scores(()).p_value[:2] < 1e-6).all()
    beside = look.scores((0,))
    assert (beside.explained > 0.98).tolist() == [False, True, False]
    assert beside.p_value[1] == 1.0


def test_a_noisy_sight_of_what_is_known_adds_nothing(rng):
    p = []
    for _ in range(25):
        x = rng.standard_normal(600)
        sight = x + rng.standard_normal(600)
        action = (x + rng.standard_normal(600) > 0).astype(int)
        p.append(instrument(np.stack([x, sight], 1), action, rng).scores((0,)).p_value[1])
    assert np.mean(np.array(p) < 0.05) <= 0.16


def test_a_variable_that_only_changes_the_scatter_is_seen(rng):
    x = rng.standard_normal((3000, 2))
    scores = instrument(x, np.exp(0.4 * x[:, 0]) * rng.standard_normal(3000), rng).scores(())
    assert scores.p_value[0] < 1e-6
    assert scores.p_value[1] > 0.01


def test_a_variable_that_only_says_which_parts_of_an_action_go_together_is_seen(rng):
    x, noise, one, other = rng.standard_normal((4, 3000))
    action = np.stack([one, np.sign(x) * one + 0.3 * other], axis=1)
    p_values = instrument(np.stack([x, noise], axis=1), action, rng).scores(()).p_value
    assert p_values[0] < 1e-6
    assert p_values[1] > 0.001


def test_even_functions_and_labels_are_seen(rng):
    x, label = rng.standard_normal(3000), rng.integers(0, 6, 3000)
    action = np.abs(x) + np.isin(label, [1, 4]) + 0.5 * rng.standard_normal(3000)
    assert (instrument(np.stack([x, label], 1), action, rng, nominal=[1]).scores(()).p_value < 1e-6).all()


def test_pairs_find_a_product_of_signs_and_nothing_else(rng):
    x = rng.standard_normal((3000, 12))
    look = instrument(x, (x[:, 3] * x[:, 8] > 0).astype(int), rng)
    assert (look.scores(()).p_value > 1e-3).all()
    assert [pair.variables for pair in look.products((), alpha=1e-3)] == [(3, 8)]


def test_pairs_stay_silent_on_noise(rng):
    found = 0
    for _ in range(20):
        look = instrument(rng.standard_normal((400, 10)), rng.integers(0, 2, 400), rng)
        found += bool(look.products((), alpha=0.05))
    assert found <= 4


def test_a_product_is_charged_for_the_whole_search_also_where_it_alone_is_looked_at(rng):
    x = rng.standard_normal((1000, 12))
    action = (x[:, 3] * x[:, 8] + 3 * rng.standard_normal(1000) > 0).astype(int)
    look = instrument(x, action, rng)
    searched, alone, beside = (
        look.products(given, alpha=0.05, among=some)[0]
        for given, some in (((), None), ((), (3, 8)), ((3,), (8,)))
    )
    assert searched.variables == alone.variables == beside.variables == (3, 8)
    # Also beside one of the two: whichever unit is asked about, the search was the same.
    assert alone.p_value == pytest.approx(searched.p_value, rel=0.1)
    assert searched.p_value / 10 < beside.p_value < 10 * searched.p_value


def test_pairs_in_episodes(rng):
    episodes = np.repeat(np.arange(100), 20)
    x = rng.standard_normal((2000, 5))
    look = instrument(x, (x[:, 0] * x[:, 4] > 0).astype(int), rng, episodes)
    assert [pair.variables for pair in look.products((), alpha=1e-3)] == [(0, 4)]


def test_pairs_with_a_variable_that_is_given(rng):
    x = rng.standard_normal((3000, 4))
    action = x[:, 0] + 0.5 * np.sign(x[:, 0]) * x[:, 2] + 0.5 * rng.standard_normal(3000)
    pairs = instrument(x, action, rng).products((0,), alpha=1e-4)
    assert [pair.variables for pair in pairs] == [(0, 2)]


def test_products_with_what_is_given_show_half_of_an_xor(rng):
    x = rng.integers(0, 2, (1500, 4))
    look = instrument(x, x[:, 0] ^ x[:, 1], rng)
    _, scores = look.scores_and_products((1, 3), among=(0, 2))
    assert scores.p_value[0] < 1e-6 < 0.01 < scores.p_value[2]
    assert scores.gain[0] > 0.1
    assert (look.scores_and_products(())[1].p_value == 1).all()


def test_effective_steps_of_rare_events():
    rare, fair, ones = np.zeros((2000, 1)), np.resize([-1.0, 1.0], (2000, 1)), np.ones((2000, 1))
    rare[:20] = 1
    steps = effective_steps(*(Residuals.of(np.hstack(some)) for some in ([fair, rare], [ones, fair, rare])))
    assert steps == pytest.approx(np.array([[2000, 2000, 20], [20, 20, 0.2]]))


def test_a_coincidence_of_two_rare_events_is_no_evidence(rng):
    light, action = np.zeros(2000), np.zeros(2000, dtype=int)
    light[[5, 700, 1400]] = 1
    action[[5, 700, 1400]] = 1
    states = np.stack([light, rng.standard_normal(2000)], 1)
    assert (instrument(states, action, rng).scores(()).p_value > 0.01).all()


def test_what_regression_leaves_is_orthogonal_to_what_it_knew(rng):
    given = rng.standard_normal((800, 3)).astype(np.float32)
    basis = regression_basis(given, rng=rng)
    noise = rng.standard_normal(800)
    target = np.float32(np.column_stack([given[:, 0] * given[:, 1], given[:, 2] ** 2, noise]))
    left = Regression(basis).left_over(target)
    np.testing.assert_allclose(basis.T @ left / 800, 0, atol=1e-3)
    assert (left[:, :2].std(0) < 0.05).all()
    assert left[:, 2].std() > 0.8


@pytest.mark.parametrize("length", [1, 10])
def test_a_rare_light_that_decides_is_seen_and_one_that_means_nothing_is_not(length, rng):
    """On in one step of forty: too few for a normal t-value, enough for a bound that always holds."""
    n, seen, wrong = 2000, 0, 0
    for _ in range(20):
        lights = rng.random((n, 6)) < 0.025
        actions = np.where(lights[:, 0], 2, rng.integers(0, 2, n))
        episodes = np.arange(n) // length
        p_value = instrument(lights.astype(float), actions, rng, episodes=episodes).scores(()).p_value
        seen, wrong = seen + (p_value[0] < 1e-3), wrong + (p_value[1:] < 0.05).sum()
    assert seen == 20
    assert wrong <= 9  # at most 5 of 100 expected


def test_a_wave_of_what_is_given_is_no_news_from_a_second_sensor():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4000, 4))
    states = np.column_stack([x, x[:, 0] + 0.15 * rng.standard_normal(4000)])
    action = np.sin(2 * x[:, 0]) + x[:, 1] - x[:, 2] * x[:, 3] + 0.05 * rng.standard_normal(4000)
    data = Trajectories(states, action, episodes=np.arange(4000))
    look = ResidualInstrument.of(data, split(data.episodes, rng=rng), rng=rng)
    assert look.scores((0, 1, 2, 3)).p_value[4] > 0.01


def test_what_others_say_of_a_variable_is_that_of_normal_columns(rng):
    """y is x with as much noise: I(y; x) = log(2) / 2. The third column is nobody's."""
    x, more, alone = rng.standard_normal((3, 8000))
    look = instrument(np.stack([x, x + more, alone], 1), rng.integers(0, 2, 8000), rng)
    assert look.said_of((1,), (0, 2)) == pytest.approx(np.log(2) / 2, abs=0.03)
    assert look.said_of((2,), (0, 1)) < 0.003
