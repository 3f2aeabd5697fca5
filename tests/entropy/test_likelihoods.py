"""Likelihoods: probabilities sum to one, residuals are observed minus expected, entropies as known."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from terc.entropy.likelihoods import Categorical, LogisticMixture, likelihood_of
from terc.trajectories.data import Trajectories


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


def some_outputs(likelihood, rng, scale=1.0):
    return torch.as_tensor(scale * rng.standard_normal((1, 1, likelihood.n_outputs)), dtype=torch.float32)


def probabilities(likelihood, outputs):
    """Probability of each row of the target under one and the same outputs."""
    rows = torch.arange(len(likelihood.target))[None]
    return torch.exp(-likelihood.loss(outputs.expand(1, rows.shape[1], -1), rows))[0].double()


@pytest.mark.parametrize("components", [1, 3])
@pytest.mark.parametrize("half", [0.01, 0.2])
def test_the_bins_of_a_mixture_sum_to_one(components, half, rng):
    grid = torch.arange(-40, 40, 2 * half, dtype=torch.float64).float()[:, None]
    mixture = LogisticMixture(grid, torch.tensor([half]), components)
    for _ in range(5):
        assert float(probabilities(mixture, some_outputs(mixture, rng)).sum()) == pytest.approx(1, abs=1e-3)


def test_the_bins_of_two_coupled_dimensions_sum_to_one(rng):
    side = torch.arange(-20, 20, 0.4)
    grid = torch.cartesian_prod(side, side)
    mixture = LogisticMixture(grid, torch.tensor([0.2, 0.2]))
    outputs = some_outputs(mixture, rng, 0.3)
    outputs[..., -1] = 0.8  # the coupling of the second dimension to the first
    assert float(probabilities(mixture, outputs).sum()) == pytest.approx(1, abs=1e-3)
    apart = outputs.clone()
    apart[..., -1] = 0
    assert not torch.allclose(probabilities(mixture, outputs), probabilities(mixture, apart), atol=1e-4)


def test_the_residual_of_a_mixture_is_the_action_less_its_expectation(rng):
    side = torch.arange(-20, 20, 0.25)
    grid = torch.cartesian_prod(side, side)
    mixture = LogisticMixture(grid, torch.tensor([0.125, 0.125]))
    outputs = some_outputs(mixture, rng, 0.5)
    mass = probabilities(mixture, outputs)
    residual = mixture.residual(outputs.expand(1, len(grid), -1), torch.arange(len(grid))[None])[0].double()
    np.testing.assert_allclose((mass[:, None] * residual).sum(0).numpy(), 0, atol=5e-3)


def test_a_mixture_survives_extreme_outputs(rng):
    target = torch.as_tensor(rng.standard_normal((64, 2)), dtype=torch.float32)
    mixture = LogisticMixture(target, torch.tensor([0.01, 0.01]))
    outputs = some_outputs(mixture, rng, 10.0).expand(1, 64, -1).clone().requires_grad_()
    loss = mixture.loss(outputs, torch.arange(64)[None])
    (gradient,) = torch.autograd.grad(loss.sum(), [outputs])
    assert torch.isfinite(loss).all()
    assert torch.isfinite(gradient).all()


def test_categorical_is_the_cross_entropy_and_its_gradient_the_residual(rng):
    target = torch.as_tensor(rng.dirichlet(np.ones(4), 10), dtype=torch.float32)
    categorical = Categorical(target)
    rows = torch.arange(10)[None]
    outputs = torch.as_tensor(rng.standard_normal((1, 10, 4)), dtype=torch.float32).requires_grad_()
    loss = categorical.loss(outputs, rows)
    expected = functional.cross_entropy(outputs[0], target, reduction="none")
    torch.testing.assert_close(loss[0], expected)
    (gradient,) = torch.autograd.grad(loss.sum(), [outputs])
    torch.testing.assert_close(categorical.residual(outputs.detach(), rows), -gradient)


def test_soft_targets_cost_their_own_entropy_at_best(rng):
    target = torch.as_tensor(rng.dirichlet(np.ones(3), 50), dtype=torch.float32)
    best = Categorical(target).loss(target.log()[None], torch.arange(50)[None])
    np.testing.assert_allclose(best[0], -(target * target.log()).sum(1), atol=1e-5)


@pytest.mark.parametrize("levels", [4, 60])
def test_without_variables_uniform_actions_cost_the_log_of_their_number(levels, rng):
    actions = rng.integers(0, levels, 6000)
    data = Trajectories(np.zeros((6000, 1)), actions, action_kind="discrete")
    losses, residuals = likelihood_of(data).unconditional(np.arange(6000) % 3)
    assert losses.mean() == pytest.approx(np.log(levels), abs=0.02)
    np.testing.assert_allclose(residuals.mean(0), 0, atol=0.03)


def test_without_variables_normal_actions_cost_their_entropy_at_the_resolution(rng):
    data = Trajectories(np.zeros((20_000, 1)), 7 + 3 * rng.standard_normal(20_000))
    likelihood = likelihood_of(data)
    width = 2 * float(likelihood.half_width[0])
    losses, _ = likelihood.unconditional(np.arange(20_000) % 3)
    assert losses.mean() == pytest.approx(0.5 * np.log(2 * np.pi * np.e) - np.log(width), abs=0.02)


def test_without_variables_the_own_fold_is_not_consulted():
    actions = np.array([0] * 10 + [1] * 10)
    data = Trajectories(np.zeros((20, 1)), actions)
    losses, _ = likelihood_of(data).unconditional(actions)
    # Each fold has seen the other action only: 10.5 against 0.5 imaginary steps.
    np.testing.assert_allclose(losses, np.log(11 / 0.5), rtol=1e-6)


def test_the_likelihood_that_fits(rng):
    states = np.zeros((500, 1))
    few, many = rng.integers(0, 5, 500), np.resize(np.arange(40), 500)
    texts = np.array([f"move {k}" for k in many])
    assert isinstance(likelihood_of(Trajectories(states, few)), Categorical)
    assert isinstance(likelihood_of(Trajectories(states, texts)), Categorical)
    integers = likelihood_of(Trajectories(states, many))
    assert isinstance(integers, LogisticMixture)
    # A bin is one integer wide.
    assert float(2 * integers.half_width[0]) == pytest.approx(1 / many.std(), rel=1e-4)
    soft = rng.dirichlet(np.ones(5), 500)
    target = likelihood_of(Trajectories(states, few, probabilities=soft)).target
    np.testing.assert_allclose(target, soft, atol=1e-6)
    assert likelihood_of(Trajectories(states, rng.standard_normal((500, 3)))).target.shape == (500, 3)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_the_unit_of_a_continuous_action_does_not_matter(scale, rng):
    a = rng.standard_normal((300, 2))
    before, after = (
        likelihood_of(Trajectories(np.zeros((300, 1)), actions)) for actions in (a, 1e6 + scale * a)
    )
    np.testing.assert_allclose(before.target, after.target, atol=1e-3)
    np.testing.assert_allclose(before.half_width, after.half_width, rtol=1e-3)


def test_many_ordered_levels_with_probabilities_leave_the_luck_of_the_draw_out_of_residuals(seed):
    """Residuals are those of the expected action, in the scale of the actions; its variance is on record."""
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.full(41, 0.3), 3000)
    actions = np.array([rng.choice(41, p=row) for row in probabilities])
    data = Trajectories(rng.normal(size=(3000, 1)), actions, probabilities=probabilities)
    likelihood = likelihood_of(data)
    scale = actions.std()
    mean = probabilities @ np.arange(41)
    np.testing.assert_allclose(likelihood.known[:, 0], (mean - actions.mean()) / scale, atol=1e-4)
    spread = (probabilities @ np.arange(41) ** 2 - mean**2).mean() / scale**2
    np.testing.assert_allclose(likelihood.drawn(), [spread], rtol=1e-3)
