"""Networks with random weights, and states for them."""

import numpy as np

from terc.agents import NetworkPolicy
from terc.agents.policy import PolicySpec

NAMES = ("a", "b", "c")


def network(seed, *, continuous=False, activation="relu", scaled=True, labels=None, **ending):
    rng = np.random.default_rng(seed)
    sizes = (3 + (0 if labels is None else len(labels[0])), 32, 16, 2)
    layers = tuple(
        (rng.normal(size=(a, b)).astype(np.float32), rng.normal(size=b).astype(np.float32))
        for a, b in zip(sizes[:-1], sizes[1:], strict=True)
    )
    scaling = {"center": np.array([1e6, 0.0, -3.0]), "scale": np.array([5, 1, 0.1], np.float32), "clip": 2.0}
    ends = {"log_std": np.zeros(2, np.float32), "bounds": np.array([[-1, -2], [1, 2]], np.float32)}
    spec = PolicySpec(None, 3, action_size=2) if continuous else PolicySpec(None, 3, n_actions=2)
    options = (scaling if scaled else {}) | (ends if continuous else {"first_action": 5})
    options |= {} if labels is None else {"labels": np.array(labels, float)}
    return NetworkPolicy(spec, layers, activation, **options, **ending)


def some_states(seed, n=10_000):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, 3)) * [5, 1, 0.1] + [1e6, 0.0, -3.0]).astype(np.float32)
