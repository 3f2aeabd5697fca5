"""Gradients in closed form against torch's automatic ones."""

import numpy as np
import pytest

from terc.entropy.donsker_varadhan import DonskerVaradhan
from terc.networks.heads import LogisticMixture, Softmax, softmax

torch = pytest.importorskip("torch")


def test_softmax_against_autograd(rng):
    target = rng.dirichlet(np.ones(4), 30)
    outputs = rng.normal(size=(2, 30, 5)) * 3
    rows = np.stack([np.arange(30), rng.permutation(30)])
    tensor = torch.tensor(outputs, requires_grad=True)
    lapse = torch.sigmoid(tensor[..., 4:])
    chance = (1 - lapse) * torch.softmax(tensor[..., :4], -1) + lapse / 4
    loss = -(torch.tensor(target)[torch.tensor(rows)] * torch.log(chance)).sum()
    loss.backward()
    np.testing.assert_allclose(Softmax(target).probabilities(outputs), chance.detach().numpy(), atol=1e-9)
    gradient = Softmax(target).gradient(outputs.swapaxes(1, 2), rows)
    np.testing.assert_allclose(gradient.swapaxes(1, 2), tensor.grad.numpy(), atol=1e-5)


@pytest.mark.parametrize("width", [0.02, 0.3])
def test_logistic_mixture_against_autograd(width, rng):
    head = LogisticMixture(rng.normal(size=30), width / 2)
    outputs, rows = rng.normal(size=(1, 30, 9)), np.arange(30)[None]
    tensor = torch.tensor(outputs, requires_grad=True)
    weight, place, scale = tensor[..., :3], tensor[..., 3:6], tensor[..., 6:]
    middle = torch.tensor(head.target)[None, :, None] - place
    mass = torch.sigmoid((middle + width / 2) * torch.exp(-scale)) - torch.sigmoid(
        (middle - width / 2) * torch.exp(-scale)
    )
    loss = -torch.log((torch.softmax(weight, -1) * mass).sum(-1))
    loss.sum().backward()
    gradient = head.gradient(outputs.swapaxes(1, 2), rows)
    np.testing.assert_allclose(gradient.swapaxes(1, 2), tensor.grad.numpy(), atol=1e-5)
    np.testing.assert_allclose(
        head.probability(outputs[0], head.target), torch.exp(-loss).detach().numpy()[0], rtol=1e-6
    )


def test_donsker_varadhan_against_autograd(rng):
    joint, marginal = rng.dirichlet(np.ones(20), (2, 3))
    joint[:, :5], marginal[:, 15:] = 0, 0
    outputs = rng.normal(size=(3, 20)) * 3
    tensor = torch.tensor(outputs, requires_grad=True)
    bound = (torch.tensor(joint) * tensor).sum(1) - torch.log((torch.tensor(marginal) * tensor.exp()).sum(1))
    (-bound.sum()).backward()
    with np.errstate(divide="ignore"):
        ours, gradient = DonskerVaradhan(joint, np.log(marginal)).bound_and_gradient(outputs)
    np.testing.assert_allclose(ours, bound.detach().numpy(), atol=1e-5)
    np.testing.assert_allclose(gradient, tensor.grad.numpy(), atol=1e-5)


def test_the_mass_of_all_bins_is_one(rng):
    head = LogisticMixture(np.zeros(1), 0.25)
    outputs = np.repeat(rng.normal(size=(1, 9)), 400, axis=0)
    places = (np.arange(400) - 200) * 0.5
    assert head.probability(outputs, places).sum() == pytest.approx(1, abs=1e-4)


def test_softmax_of_large_numbers_is_finite():
    np.testing.assert_allclose(softmax(np.array([[1e4, 0.0], [-1e4, 0.0]])), [[1, 0], [0, 1]], atol=1e-9)
