"""Does the removal of dependence leave none?"""

import numpy as np
import pytest

from terc.baselines.transport import ROWS_PER_BIN, regressed_out, transported

PAIRS = {
    "linear": lambda x, e: x + 0.5 * e,
    "quadratic": lambda x, e: x**2 + 0.3 * e,
    "heteroscedastic": lambda x, e: (0.2 + np.abs(x)) * e,
}


def centred_distances(x):
    distances = np.abs(x[:, None] - x[None, :])
    return distances - distances.mean(0) - distances.mean(1)[:, None] + distances.mean()


def distance_covariance_test(x, y, *, rng, permutations=99):
    """Squared distance covariance (correlation but for a constant) and its 95 % permutation quantile."""
    a, b = centred_distances(x), centred_distances(y)
    orders = [rng.permutation(len(x)) for _ in range(permutations)]
    return (a * b).mean(), np.quantile([(a * b[np.ix_(order, order)]).mean() for order in orders], 0.95)


@pytest.mark.parametrize("pair", PAIRS)
def test_transport_leaves_the_column_independent(pair, seed):
    rng = np.random.default_rng(seed)
    x, e = rng.standard_normal((2, 6000))
    y = PAIRS[pair](x, e)
    moved = transported(y[:, None], x, rng=rng)[:, 0]
    rows = rng.choice(6000, 700, replace=False)
    before, quantile = distance_covariance_test(x[rows], y[rows], rng=rng)
    assert before > quantile
    after, quantile = distance_covariance_test(x[rows], moved[rows], rng=rng)
    assert after < quantile


def test_regression_removes_what_is_linear_and_only_that(seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(4000)
    moved = regressed_out(np.column_stack([2 * x + 1, x**2]), x)
    assert np.abs(moved[:, 0]).max() < 1e-9
    assert np.corrcoef(moved[:, 1], x**2)[0, 1] > 0.9


def test_regression_on_labels_subtracts_their_means():
    labels = np.array([0.0, 0.0, 1.0, 1.0])
    moved = regressed_out(np.array([[1.0], [3.0], [10.0], [30.0]]), labels, nominal=True)
    assert moved[:, 0].tolist() == [-1, 1, -10, 10]


def test_a_discrete_column_moves_within_its_conditional_steps(seed):
    rng = np.random.default_rng(seed)
    given = rng.integers(0, 2, 2000).astype(float)
    column = (rng.random(2000) < np.where(given == 1, 0.8, 0.3)).astype(float)
    moved = transported(column[:, None], given, rng=rng)[:, 0]
    for level in (0, 1):
        share = 1 - column[given == level].mean()
        assert ((moved > share) == (column == 1))[given == level].all()
        assert abs(moved[given == level].mean() - 0.5) < 0.03


def test_a_copy_becomes_noise(seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(3000)
    moved = transported(np.column_stack([x, 3 * x + 1]), x, rng=rng)
    assert np.abs(np.corrcoef(moved.T, x)[:2, 2]).max() < 0.1


def test_one_bin_is_a_rank_transform(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((2, ROWS_PER_BIN))
    slope = np.cov(x, y)[0, 1] / x.var(ddof=1)
    expected = (np.argsort(np.argsort(y - slope * x)) + 1) / ROWS_PER_BIN
    assert transported(y[:, None], x, rng=rng)[:, 0].tolist() == expected.tolist()
