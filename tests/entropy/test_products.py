"""Synergies of three and four by products of columns."""

from itertools import combinations

import numpy as np
import pytest

import terc
from terc.entropy.covariance import clustered_t
from terc.entropy.products import (
    MOST_PERIODS,
    WIDEST,
    _sets_of,
    owner_of_waves,
    periods_of,
    ranked,
    significant_products,
    waves_of,
)
from terc.predictors.encoding import Inputs, bins_of
from terc.predictors.splits import split


@pytest.fixture
def bits(rng):
    return rng.choice(np.array([-1, 1], dtype=np.float32), (800, 10))


@pytest.fixture
def splits(rng):
    return split(np.repeat(np.arange(100), 8), rng=rng)


def found(order, action, columns, splits, *, owner=None, given=(), alpha=0.05):
    owner = np.arange(columns.shape[1]) if owner is None else owner
    products = significant_products(order, action, Inputs(columns, owner), given, splits, alpha)
    return [product.variables for product in products]


@pytest.mark.parametrize("members", [(3, 7), (0, 4, 9), (1, 2, 5, 8)])
def test_a_noisy_parity_is_found(members, bits, splits, rng):
    action = bits[:, members].prod(1, keepdims=True) + rng.normal(0, 2, (800, 1)).astype(np.float32)
    assert found(len(members), action, bits, splits)[0] == members


@pytest.mark.parametrize("length", [1, 8])
def test_t_values_are_those_of_sums_by_cluster(length, bits, rng):
    splits = split(np.arange(800) // length, rng=rng)
    action = rng.standard_normal((800, 2)).astype(np.float32)
    sums = (action[:, :, None] * bits[:, None, :]).reshape(-1, length, 2, 10).sum(1)
    expected = sums.mean(0) / (sums.std(0, ddof=1) / np.sqrt(len(sums)))
    np.testing.assert_allclose(clustered_t(action, bits, splits), expected, rtol=2e-3, atol=1e-4)


def test_products_of_what_is_given_alone_are_left_out(bits, splits):
    action = bits[:, :3].prod(1, keepdims=True)
    assert found(3, action, bits, splits, given=(0, 1, 2)) == []
    assert found(3, action, bits, splits, given=(0, 1))[0] == (0, 1, 2)


def test_columns_of_one_variable_are_not_multiplied(bits, splits):
    owner = np.array([0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
    action = bits[:, [0, 1, 2]].prod(1, keepdims=True)
    assert found(3, action, bits, splits, owner=owner) == []


@pytest.mark.parametrize("order", [2, 3, 4])
def test_noise_is_mostly_silent(order, bits, splits, rng):
    alarms = [
        bool(found(order, rng.standard_normal((800, 1)).astype(np.float32), bits, splits)) for _ in range(60)
    ]
    assert sum(alarms) <= 9  # 3 expected


def test_every_product_of_different_variables_is_counted():
    owner = np.array([0, 0, 1, 2, 2, 2, 3])
    for order in (2, 3, 4):
        sets = [owner[list(members)] for members in combinations(range(7), order)]
        assert _sets_of(order, owner) == sum(len(set(one.tolist())) == order for one in sets)


def test_a_parity_of_three_among_120_columns_is_found(splits, rng):
    columns = rng.choice(np.array([-1, 1], dtype=np.float32), (800, 120))
    action = columns[:, [7, 50, 119]].prod(1, keepdims=True) + rng.normal(0, 1, (800, 1)).astype(np.float32)
    assert found(3, action, columns, splits)[0] == (7, 50, 119)


def test_a_sign_of_three_numbers_among_forty_is_selected():
    rng = np.random.default_rng(5)
    x = rng.standard_normal((3000, 40))
    action = (np.sign(x[:, 3] * x[:, 17] * x[:, 30]) + rng.normal(0, 0.7, 3000) > 0).astype(int)
    data = terc.Trajectories(x, action, episodes=np.arange(3000) // 20)
    assert terc.select(data).kept == ("x_3", "x_17", "x_30")


def test_a_parity_of_four_among_sixteen_is_selected_from_500_steps():
    world = terc.synthetic.parity(500, seed=11)
    selection = terc.select(world.data)
    assert world.is_exact(selection.kept)


def test_a_skewed_column_does_not_speak_for_a_product_of_others(rng):
    columns = rng.standard_normal((20_000, 3)).astype(np.float32)
    rare = rng.random(20_000) < 0.1
    columns[:, 2] = (rare - rare.mean()) / rare.std()
    action = columns[:, :2].prod(1, keepdims=True) + rng.standard_normal((20_000, 1)).astype(np.float32)
    splits = split(np.arange(20_000) // 20, rng=rng)
    assert found(3, action, columns, splits, given=(0, 1), alpha=0.001) == []


def waves(columns, order):
    inputs, curved = Inputs(columns, np.arange(columns.shape[1])), np.ones(columns.shape[1], dtype=bool)
    return waves_of(ranked(inputs, binned(inputs), curved), curved, periods_of(order, inputs, curved))


def binned(inputs):
    """The first column of each variable, in bins."""
    first = np.unique(inputs.owner, return_index=True)[1]
    return Inputs(np.stack([bins_of(inputs.values[:, k]) for k in first], axis=1), np.arange(len(first)))


def test_waves_are_those_of_the_ranks_whatever_the_scale(rng):
    x = rng.standard_normal((201, 2)).astype(np.float32)
    found = waves(x, 2)
    rank = (np.argsort(np.argsort(x[:, 1])) + 0.5) / 201
    first = found.values[:, found.owner == 1]
    np.testing.assert_allclose(first[:, 2], np.sqrt(2) * np.sin(2 * np.pi * 3 * rank), atol=1e-4)
    np.testing.assert_allclose(first[:, MOST_PERIODS], np.sqrt(2) * np.cos(2 * np.pi * rank), atol=1e-4)
    np.testing.assert_allclose(waves(np.exp(x), 2).values, found.values, atol=1e-5)


def test_levels_stay_as_they_are_beside_waves(rng):
    columns = np.concatenate([rng.choice([-1.0, 1.0], (100, 2)), rng.standard_normal((100, 1))], axis=1)
    inputs, curved = Inputs(columns, np.array([0, 0, 1])), np.array([False, True])
    found = waves_of(ranked(inputs, binned(inputs), curved), curved, 3)
    assert found.owner.tolist() == [0, 0, *[1] * 6]
    assert np.array_equal(found.values[:, :2], columns[:, :2])
    assert np.array_equal(found.owner, owner_of_waves(inputs.owner, curved, 3))


@pytest.mark.parametrize(("order", "columns", "expected"), [(2, 10, 8), (3, 10, 5), (3, 300, 0), (2, 300, 1)])
def test_there_are_as_many_periods_as_there_is_time_for(order, columns, expected):
    inputs = Inputs(np.zeros((10, columns)), np.arange(columns))
    assert periods_of(order, inputs, np.ones(columns, dtype=bool)) == expected
    assert 2 * expected * columns <= WIDEST[order]
    assert periods_of(order, inputs, np.zeros(columns, dtype=bool)) == 0


def test_a_sum_modulo_one_is_a_product_of_three_waves(rng):
    """cos(a + b + c) has four products of sines and cosines, each with a coefficient of one half at most."""
    x = rng.random((4000, 6)).astype(np.float32)
    action = np.sign(np.cos(4 * np.pi * x[:, [1, 2, 4]].sum(1, keepdims=True))).astype(np.float32)
    splits = split(np.arange(4000) // 20, rng=rng)
    found = waves(x, 3)
    (first, *_) = significant_products(3, action, found, (), splits, alpha=1e-6)
    assert first.variables == (1, 2, 4)
    plain = significant_products(3, action, Inputs(x - x.mean(0), np.arange(6)), (), splits, alpha=1e-6)
    assert plain == []


def test_products_are_the_same_where_workers_look_at_them():
    rng, sent = np.random.default_rng(4), []

    def in_reverse(work, tasks):
        sent.append(len(tasks))
        return [*reversed([work(task) for task in reversed(tasks)])]

    columns = rng.standard_normal((8_000, 400), dtype=np.float32)
    action = columns[:, [3]] * columns[:, [390]] + rng.standard_normal((8_000, 1), dtype=np.float32)
    splits = split(np.arange(8_000), rng=rng)
    inputs = Inputs(columns, np.arange(400))
    here = significant_products(2, action, inputs, (), splits, 0.05)
    there = significant_products(2, action, inputs, (), splits, 0.05, spread=in_reverse)
    assert here == there
    assert here[0].variables == (3, 390)
    assert sent[0] > 1
