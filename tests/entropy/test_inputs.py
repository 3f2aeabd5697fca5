"""Encoding: the same numbers whatever the unit of a column, labels as labels."""

import numpy as np
import pytest

from terc.entropy.inputs import network_inputs, probe_inputs, standard_scores
from terc.trajectories.data import Trajectories


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


def trajectories(columns, nominal=()):
    states = np.column_stack(columns)
    return Trajectories(states, np.arange(len(states)) % 2, nominal=nominal)


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1.0, 1e6])
@pytest.mark.parametrize("shift", [0.0, 1e6, -1e6])
@pytest.mark.parametrize("encode", [network_inputs, probe_inputs])
def test_scale_and_shift_do_not_matter(encode, scale, shift, rng):
    columns = [rng.standard_normal(500), *(rng.integers(0, levels, 500) for levels in (11, 2, 4))]
    before = encode(trajectories(columns))
    after = encode(trajectories([scale * column + shift for column in columns]))
    np.testing.assert_array_equal(before.owner, after.owner)
    # 1e6 + 1e-6 x has four digits of x left: the encoding must not lose any of them.
    np.testing.assert_allclose(after.values, before.values, atol=1e-3)


def test_columns_are_standard(rng):
    columns = [1e6 + rng.exponential(1e-3, 999), rng.integers(0, 3, 999), rng.integers(0, 2, 999)]
    values = network_inputs(trajectories(columns)).values
    np.testing.assert_allclose(values.mean(0), 0, atol=1e-5)
    np.testing.assert_allclose(values.std(0), 1, atol=1e-4)


def test_a_constant_column_becomes_zeros():
    values = network_inputs(trajectories([np.full(50, 7.25), np.arange(50)])).values
    assert (values[:, 0] == 0).all()
    assert np.isfinite(values).all()


def test_with_outliers_every_increasing_function_reads_the_same(rng):
    x = rng.standard_t(2, 2000)
    x[0] = 1e4
    np.testing.assert_allclose(standard_scores(x), standard_scores(x**5), atol=1e-12)
    assert np.abs(standard_scores(x)).max() < 4


def test_without_outliers_the_shape_of_a_column_is_left_alone(rng):
    x = rng.uniform(-1, 1, 2000)
    assert np.corrcoef(standard_scores(x), x)[0, 1] == pytest.approx(1)


@pytest.mark.parametrize(
    ("levels", "nominal", "columns"),
    [(2, False, 1), (2, True, 1), (3, False, 3), (5, False, 5), (6, False, 1), (6, True, 6), (40, True, 24)],
)
def test_labels_and_few_levels_get_a_column_each(levels, nominal, columns, rng):
    codes = np.resize(np.arange(levels), 400)
    inputs = network_inputs(trajectories([rng.standard_normal(400), codes], [1] if nominal else []))
    assert inputs.owner.tolist() == [0] + [1] * columns


def test_the_commonest_labels_are_told_apart(rng):
    codes = np.concatenate([np.arange(40), np.repeat([7, 31], 100)])
    block = network_inputs(trajectories([codes], [0])).values
    assert np.unique(block[codes == 7], axis=0).shape[0] == 1
    assert not np.allclose(block[codes == 7][0], block[codes == 31][0])


def test_columns_of_some_variables(rng):
    columns = [np.resize([0, 1, 2], 90), rng.standard_normal(90), np.resize([1, 5], 90)]
    inputs = network_inputs(trajectories(columns))
    assert inputs.columns_of((0, 2)).tolist() == [0, 1, 2, 4]
    assert inputs.columns_of(()).tolist() == []


def test_probes_of_a_number_are_uncorrelated_with_it(rng):
    probes = probe_inputs(trajectories([rng.exponential(1, 3000)])).values.astype(float)
    assert probes.shape[1] == 3
    np.testing.assert_allclose(probes[:, 0] @ probes[:, 1:] / 3000, 0, atol=1e-4)
    np.testing.assert_allclose(probes.std(0), 1, atol=1e-3)
