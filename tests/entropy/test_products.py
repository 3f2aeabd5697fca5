"""Synergies of three and four by products of columns."""

from itertools import combinations

import numpy as np
import pytest

import terc
from terc.entropy.covariance import clustered_t
from terc.entropy.products import _sets_of, significant_products
from terc.predictors.encoding import Inputs
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
