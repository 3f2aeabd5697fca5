"""Networks trained together answer as each would alone, on steps they have not seen."""

import numpy as np
import pytest
import torch

from terc.entropy.likelihoods import Categorical
from terc.entropy.splits import split
from terc.entropy.stacked import Training, Views, held_out, shuffle_within

N = 600
TRAINING = Training(hidden=24, batch=200, epochs=1, fewest_updates=120)


@pytest.fixture
def world(seed):
    """Bits; the action is the XOR of the first two, the third is noise."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (N, 3))
    return np.float32(2 * bits - 1), bits[:, 0] ^ bits[:, 1]


def judged(values, actions, seen, shuffled=None, *, n=N, training=TRAINING):
    target = Categorical(torch.nn.functional.one_hot(torch.as_tensor(actions)).float())
    seen = np.array(seen, dtype=bool)
    shuffled = np.zeros_like(seen) if shuffled is None else np.array(shuffled, dtype=bool)
    splits = split(np.arange(n), rng=np.random.default_rng(1))
    rng = np.random.default_rng(2)
    return held_out(values, Views(seen, shuffled), target, splits, training=training, rng=rng), splits


def test_a_network_does_not_feel_what_is_trained_beside_it(world):
    first, _ = judged(*world, [[1, 1, 0], [0, 0, 1], [1, 0, 0]])
    second, _ = judged(*world, [[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    np.testing.assert_allclose(first.losses[0], second.losses[0], atol=1e-5)
    np.testing.assert_allclose(first.residuals[0], second.residuals[0], atol=1e-5)


def test_together_and_alone_come_to_the_same_entropy(world):
    views = [[1, 1, 0], [1, 0, 1], [0, 0, 1]]
    together, _ = judged(*world, views)
    alone = [judged(*world, [view])[0].losses[0].mean() for view in views]
    np.testing.assert_allclose(together.losses.mean(1), alone, atol=0.06)


def test_xor_is_learnt_by_those_who_see_both_bits(world):
    losses = judged(*world, [[1, 1, 1], [1, 0, 1], [0, 1, 1]])[0].losses.mean(1)
    assert losses[0] < 0.02
    np.testing.assert_allclose(losses[1:], np.log(2), atol=0.06)


def test_an_absent_column_has_no_influence(world):
    values, actions = world
    other = values.copy()
    other[:, 2] = np.random.default_rng(9).standard_normal(N)
    views = [[1, 1, 0], [0, 1, 1]]
    before, after = (judged(table, actions, views)[0] for table in (values, other))
    np.testing.assert_array_equal(before.losses[0], after.losses[0])
    assert (before.losses[1] != after.losses[1]).any()


def test_a_shuffled_column_is_there_and_tells_nothing(world):
    losses = judged(*world, [[1, 1, 0], [0, 1, 0]], [[0, 0, 1], [1, 0, 1]])[0].losses.mean(1)
    assert losses[0] < 0.02
    assert losses[1] == pytest.approx(np.log(2), abs=0.06)


def test_no_network_has_seen_the_steps_it_is_judged_on(seed):
    rng = np.random.default_rng(seed)
    values = np.float32(rng.standard_normal((300, 20)))
    memorising = Training(hidden=24, batch=100, fewest_updates=200, weight_decay=0.0)
    losses = judged(values, rng.integers(0, 2, 300), np.ones((1, 20)), n=300, training=memorising)[0].losses
    assert losses.mean() > np.log(2)


def test_losses_and_residuals_are_of_the_rows_they_stand_in(world):
    values, actions = world
    out, _ = judged(values, actions, [[1, 0, 1], [1, 1, 1]])
    probability = 1 - out.residuals[:, np.arange(N), actions]
    np.testing.assert_allclose(out.losses, -np.log(probability), atol=1e-4)
    np.testing.assert_allclose(out.residuals.sum(-1), 0, atol=1e-5)


def test_folds_of_different_sizes(seed):
    rng = np.random.default_rng(seed)
    values = np.float32(rng.standard_normal((211, 2)))
    out, splits = judged(values, (values[:, 0] > 0).astype(int), [[1, 0]], n=211)
    assert len(set(np.bincount(splits.folds))) > 1
    assert np.isfinite(out.losses).all()
    assert out.losses.mean() < 0.2


def test_shuffling_stays_within_the_fold(seed):
    rng = np.random.default_rng(seed)
    folds = rng.integers(0, 3, 500)
    partner = shuffle_within(folds, rng)
    np.testing.assert_array_equal(np.sort(partner), np.arange(500))
    np.testing.assert_array_equal(folds[partner], folds)
    assert (partner != np.arange(500)).mean() > 0.9


@pytest.mark.parametrize(("n_train", "updates"), [(10, 9), (600, 18), (1200, 36), (60_000, 50)])
def test_number_of_updates(n_train, updates):
    training = Training(batch=100, epochs=3, fewest_updates=9, most_updates=50)
    assert training.updates(n_train) == updates


def test_the_number_of_threads_is_put_back(world):
    before = torch.get_num_threads()
    judged(*world, [[1, 1, 1]], training=Training(epochs=1, fewest_updates=1))
    assert torch.get_num_threads() == before
