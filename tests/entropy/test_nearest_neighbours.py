import numpy as np
import pytest
from scipy import special
from scipy.spatial import cKDTree

from terc.entropy.ksg import comparable, local_mutual_information
from terc.entropy.nearest_neighbours import KnnEstimator, Points
from terc.errors import BadValueError
from terc.trajectories.data import Trajectories


def by_trees(x, y, z, k=5):
    """What each step adds to I(x; y | z), from trees of the points and not from tables of distances."""
    if z.shape[1] == 0:
        return local_mutual_information(x, y, k=k)
    joint = np.hstack([x, y, z])
    reach = cKDTree(joint).query(joint, k=[k + 1], p=np.inf)[0][:, 0]
    tied = (joint[:, None] == joint).all(2).sum(1)

    def near(*parts):
        points = np.hstack(parts)
        inner = reach * (1 - 1e-10)
        return special.digamma(cKDTree(points).query_ball_point(points, inner, p=np.inf, return_length=True))

    return special.digamma(np.where(reach == 0, tied, k)) + near(z) - near(x, z) - near(y, z)


@pytest.mark.parametrize("correlation", [0.0, 0.2, 0.5, 0.8])
def test_gaussian_pairs(correlation, rng):
    x, noise = rng.standard_normal((2, 10_000))
    data = Trajectories(x[:, None], correlation * x + np.sqrt(1 - correlation**2) * noise)
    losses = KnnEstimator(most_rows=4_000).losses(data, [(0,)], rng=rng)
    assert losses.shape == (1, 1, 4_000)
    assert -losses.mean() == pytest.approx(-0.5 * np.log(1 - correlation**2), abs=0.05)


def test_xor_and_the_empty_subset(rng):
    x = rng.integers(0, 2, (2_000, 2))
    data = Trajectories(x, x[:, 0] ^ x[:, 1])
    h = KnnEstimator(most_rows=2_000).conditional_entropies(data, [(0, 1), (0,), ()], rng=rng)
    assert h == pytest.approx([-np.log(2), 0, 0], abs=0.01)


def test_a_discrete_action_of_continuous_variables(rng):
    x = rng.standard_normal((3_000, 2))
    data = Trajectories(x, (x[:, 0] > 0).astype(int))
    h = KnnEstimator(most_rows=3_000).conditional_entropies(data, [(0,), (1,)], rng=rng)
    assert h == pytest.approx([-np.log(2), 0], abs=0.04)


@pytest.mark.parametrize("others", [(), (1, 2)])
@pytest.mark.parametrize("discrete", [True, False])
def test_tables_of_distances_give_what_trees_give(others, discrete, rng):
    x = rng.standard_normal((300, 3))
    x[:, 2] = rng.integers(0, 2, 300)
    action = (x[:, 0] + x[:, 1] > 0).astype(float) if discrete else x[:, 0] + x[:, 1]
    states, actions = comparable(x), comparable(action, labels=discrete)
    mine = Points(states, actions).conditional((0,), others).local()
    trees = by_trees(states[:, :1], actions, states[:, list(others)])
    assert mine == pytest.approx(trees, abs=1e-6)


def test_conditional_information_of_a_gaussian_chain(rng):
    z, e, f = rng.standard_normal((3, 1500))
    x = z + e
    states = comparable(np.stack([x, z], axis=1))
    for action, truth in ((z + f, 0.0), (x + z + f, 0.5 * np.log(2))):
        found = Points(states, comparable(action)).conditional((0,), (1,)).local().mean()
        assert found == pytest.approx(truth, abs=0.06)


def test_permutation_stays_among_the_nearest(rng):
    x = rng.standard_normal((200, 2))
    conditional = Points(x, x[:, :1]).conditional((0,), (1,))
    (order,) = conditional.permuted(1, among=10, rng=rng)
    rank = np.argsort(np.argsort(np.abs(x[:, 1:] - x[:, 1]), axis=1), axis=1)
    assert rank[np.arange(200), order].max() < 10
    assert (order != np.arange(200)).mean() > 0.7
    assert len(set(order)) > 180


def test_without_others_all_rows_are_permuted(rng):
    x = rng.standard_normal((100, 1))
    (order,) = Points(x, x).conditional((0,), ()).permuted(1, among=5, rng=rng)
    assert sorted(order) == list(range(100))


def test_neighbours_must_exist():
    with pytest.raises(BadValueError, match="neighbours must lie between 1 and most_rows - 1 = 4, got 5"):
        KnnEstimator(neighbours=5, most_rows=5)
