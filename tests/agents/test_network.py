"""Slopes by hand against finite differences and torch; scaling against its definition."""

import numpy as np
import pytest
from gymnasium import spaces

from terc.agents.heads import NormalHead, sample_categorical
from terc.agents.network import DenseNetwork, Scaler, clip_norm, forget_unused_inputs
from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import PolicySpec


def as_torch(network):
    layers = tuple(network.layers)
    return NetworkPolicy(
        PolicySpec(None, network.sizes[0], n_actions=2), layers, network.activation
    ).to_torch()


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_backward_is_torchs_gradient(activation):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    network = DenseNetwork((5, 7, 6, 3), activation, rng=rng)
    network.parameters += 0.1 * rng.standard_normal(network.parameters.size, dtype=np.float32)
    states, slope = (rng.standard_normal((11, d), dtype=np.float32) for d in (5, 3))
    twin = as_torch(network)
    outputs = twin(torch.from_numpy(states))
    outputs.backward(torch.from_numpy(slope))
    np.testing.assert_allclose(network.forward(states), outputs.detach().numpy(), atol=1e-6)
    theirs = [p.grad.numpy().T.ravel() for p in twin.parameters()]
    np.testing.assert_allclose(network.backward(slope), np.concatenate(theirs), rtol=1e-4, atol=1e-5)


def test_free_parameters_are_apart_from_the_layers():
    network = DenseNetwork((2, 3), "relu", rng=np.random.default_rng(0), n_free=2)
    network.free[:] = 7
    assert network.parameters.size == 2 * 3 + 3 + 2 and (network.parameters[-2:] == 7).all()
    assert not (network.layers[0][0] == 7).any()


def test_a_long_gradient_is_shortened_and_a_short_one_left():
    gradient = np.array([3.0, 4.0], np.float32)
    clip_norm(gradient, 10.0)
    np.testing.assert_array_equal(gradient, [3, 4])
    clip_norm(gradient, 0.5)
    np.testing.assert_allclose(gradient, [0.3, 0.4], rtol=1e-6)


def test_scaler_in_batches_is_mean_and_spread_of_all():
    rng = np.random.default_rng(2)
    states = rng.normal([1e5, 0, 3], [0.5, 2, 0], (500, 3))
    scaler = Scaler(3)
    for batch in np.split(states, 10):
        scaler.update(batch)
    np.testing.assert_allclose(scaler.center, states.mean(axis=0))
    np.testing.assert_allclose(scaler.scale, [*states.std(axis=0)[:2], 1.0], rtol=1e-5)
    assert (scaler(states)[:, 2] == 0).all() and scaler(states).dtype == np.float32


def test_an_inactive_scaler_changes_nothing():
    states = np.array([[1.0, 100.0]])
    assert (Scaler(2, active=False).update(states)(states) == states).all()


def test_samples_follow_the_probabilities():
    chances = np.tile([0.1, 0.0, 0.6, 0.3], (50_000, 1)).astype(np.float32)
    drawn = np.bincount(sample_categorical(chances, rng=np.random.default_rng(0)), minlength=4) / 50_000
    np.testing.assert_allclose(drawn, [0.1, 0, 0.6, 0.3], atol=0.01)
    assert drawn[1] == 0


def test_density_closed_form():
    actions, mean, std = np.array([[0.3, -1.0]]), np.array([[1.0, 2.0]]), np.array([0.5, 3.0])
    density = np.exp(-(((actions - mean) / std) ** 2) / 2) / (std * np.sqrt(2 * np.pi))
    head = NormalHead(spaces.Box(-1, 1, (2,)))
    assert head.log_chance(mean, np.log(std), actions)[0] == pytest.approx(np.log(density.prod()))


def test_the_actor_forgets_what_the_critic_ignores():
    """The input that the critic weighs a tenth is pulled ten thousand times as hard; a pull of 0 is none."""
    rng = np.random.default_rng(0)
    actor, critic = (DenseNetwork([2, 4, 1], "relu", rng=rng) for _ in range(2))
    critic.layers[0][0][:] = [[1, 0, 0, 0], [0.1, 0, 0, 0]]
    before, rest = actor.layers[0][0].copy(), actor.layers[1][0].copy()
    forget_unused_inputs(actor, critic, 0.0)
    np.testing.assert_array_equal(actor.layers[0][0], before)
    forget_unused_inputs(actor, critic, 1e-3)
    lengths = np.linalg.norm(before, axis=1)
    left = np.array([1 - 1e-3 / lengths[0], 0.0])
    np.testing.assert_allclose(actor.layers[0][0], before * left[:, None], rtol=1e-4)
    assert (actor.layers[1][0] == rest).all()
