"""The optimiser against its definition, and continued where it stopped."""

import numpy as np
import pytest

from terc.networks.adam import Adam


def test_adam_finds_the_bottom_of_a_bowl():
    place = [np.full(3, 5.0, dtype=np.float32)]
    adam = Adam(place)
    for update in range(600):
        adam.step([2 * (place[0] - np.array([1, 2, 3], dtype=np.float32))], 0.1 * (1 - update / 600))
    np.testing.assert_allclose(place[0], [1, 2, 3], atol=0.01)


def test_adam_is_torchs_adam():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(1)
    weights = rng.standard_normal(6).astype(np.float32)
    twin = torch.nn.Parameter(torch.from_numpy(weights.copy()))
    theirs, ours = torch.optim.AdamW([twin], lr=0.01, weight_decay=0.1), Adam([weights], weight_decay=0.1)
    for _ in range(20):
        gradient = rng.standard_normal(6).astype(np.float32)
        twin.grad = torch.from_numpy(gradient.copy())
        ours.step([gradient], 0.01)
        theirs.step()
    np.testing.assert_allclose(weights, twin.detach().numpy(), atol=1e-6)


def moved(adam, times, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(times):
        adam.step([rng.standard_normal(p.shape, dtype=np.float32) for p in adam.parameters], 0.01)


def test_a_checkpoint_continues_as_if_nothing_had_been():
    through, stopped = ([np.ones((2, 3), np.float32), np.zeros(2, np.float32)] for _ in range(2))
    whole, first = Adam(through), Adam(stopped)
    moved(whole, 5), moved(first, 5)
    second = Adam(stopped)
    second.restore(*first.state())
    moved(whole, 5, seed=1), moved(second, 5, seed=1)
    for ours, theirs in zip(through, stopped, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_some_go_on():
    adam = Adam([np.arange(6, dtype=np.float32).reshape(3, 2)])
    moved(adam, 2)
    before, mean = adam.parameters[0].copy(), adam.mean[0].copy()
    adam.keep(np.array([True, False, True]))
    np.testing.assert_array_equal(adam.parameters[0], before[[0, 2]])
    np.testing.assert_array_equal(adam.mean[0], mean[[0, 2]])
