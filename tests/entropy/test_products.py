"""Synergies of three and four by products of columns."""

import numpy as np
import pytest

import terc
from terc.entropy.covariance import clustered_t
from terc.entropy.products import strongest_product
from terc.predictors.splits import split


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


@pytest.fixture
def bits(rng):
    return rng.choice(np.array([-1, 1], dtype=np.float32), (800, 10))


@pytest.fixture
def splits(rng):
    return split(np.repeat(np.arange(100), 8), rng=rng)


@pytest.mark.parametrize("members", [(0, 4, 9), (1, 2, 5, 8)])
def test_a_noisy_parity_is_found(members, bits, splits, rng):
    action = bits[:, members].prod(1, keepdims=True) + rng.normal(0, 2, (800, 1)).astype(np.float32)
    assert strongest_product(action, bits, np.arange(10), (), splits, alpha=0.05) == members


@pytest.mark.parametrize("length", [1, 8])
def test_t_values_are_those_of_sums_by_cluster(length, bits, rng):
    splits = split(np.arange(800) // length, rng=rng)
    action = rng.standard_normal((800, 2)).astype(np.float32)
    sums = (action[:, :, None] * bits[:, None, :]).reshape(-1, length, 2, 10).sum(1)
    expected = sums.mean(0) / (sums.std(0, ddof=1) / np.sqrt(len(sums)))
    np.testing.assert_allclose(clustered_t(action, bits, splits), expected, rtol=2e-3, atol=1e-4)


def test_products_of_what_is_given_alone_are_left_out(bits, splits):
    action = bits[:, :3].prod(1, keepdims=True)
    assert strongest_product(action, bits, np.arange(10), (0, 1, 2), splits, alpha=0.05) == ()
    assert strongest_product(action, bits, np.arange(10), (0, 1), splits, alpha=0.05) == (0, 1, 2)


def test_columns_of_one_variable_are_not_multiplied(bits, splits):
    owner = np.array([0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
    action = bits[:, [0, 1, 2]].prod(1, keepdims=True)
    assert strongest_product(action, bits, owner, (), splits, alpha=0.05) == ()


def test_noise_is_mostly_silent(bits, splits, rng):
    found = [
        strongest_product(
            rng.standard_normal((800, 1)).astype(np.float32), bits, np.arange(10), (), splits, 0.05
        )
        for _ in range(60)
    ]
    assert sum(map(bool, found)) <= 9  # 3 expected


def test_too_many_columns_are_not_tried(splits, rng):
    columns = rng.choice(np.array([-1, 1], dtype=np.float32), (800, 120))
    action = columns[:, :3].prod(1, keepdims=True)
    assert strongest_product(action, columns, np.arange(120), (), splits, alpha=0.05) == ()


def test_a_parity_of_four_among_sixteen_is_selected_from_500_steps():
    world = terc.synthetic.parity(500, seed=11)
    selection = terc.select(world.data)
    assert world.is_exact(selection.kept)
