"""The optimiser, step by step against the formulas of Kingma and Ba, and of Loshchilov and Hutter."""

import numpy as np
import pytest
import torch

from terc.entropy.adam import Adam


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_every_step_is_that_of_the_formula(decay, seed):
    rng = np.random.default_rng(seed)
    start = rng.standard_normal((3, 2))
    parameter = torch.tensor(start, dtype=torch.float64)
    adam = Adam([parameter], decay)
    mean, square, expected = np.zeros((3, 2)), np.zeros((3, 2)), start.copy()
    for step in range(1, 41):
        gradient, rate = rng.standard_normal((3, 2)) * 10.0 ** rng.integers(-3, 3), 0.1 / step
        adam.step([torch.tensor(gradient)], rate)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        expected *= 1 - rate * decay
        expected -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    np.testing.assert_allclose(parameter.numpy(), expected, rtol=1e-9)


def test_several_parameters_move_independently():
    both = [torch.zeros(2), torch.zeros(3)]
    adam = Adam(both)
    adam.step([torch.ones(2), torch.zeros(3)], 0.5)
    assert torch.allclose(both[0], torch.full((2,), -0.5))
    assert (both[1] == 0).all()
