"""What a policy's choice depends on, given the others: bounds against exact nats."""

import numpy as np
import pytest
from scipy.special import entr, expit

from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import PolicySpec
from terc.paper.dependence import dependence, information, reads
from terc.paper.reading import Reading
from terc.trajectories.data import Trajectories

STEPS = 4_000


def policy_of(x, y, bias=0.0):
    """Chooses 1 with chance expit(x * the first variable + y * the second + bias)."""
    weights = np.array([[0.0, x], [0.0, y]], np.float32)
    return NetworkPolicy(PolicySpec(None, 2, n_actions=2), ((weights, np.array([0.0, bias], np.float32)),))


def played(x, y):
    names, episodes = ["x", "y"], np.repeat(np.arange(len(x) // 20), 20)
    return Trajectories(np.column_stack([x, y]), np.zeros(len(x), int), names=names, episodes=episodes,
                        action_kind="discrete")  # fmt: skip


def entropy(chance):
    return entr(chance) + entr(1.0 - chance)


def levels(rng, steps=STEPS):
    """y of three levels and a bit x that is 1 with a chance of its level; the exact Phi of both, in nats."""
    of_y, x_is_1 = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.5, 0.8])
    y = rng.choice(3, steps, p=of_y)
    x = (rng.random(steps) < x_is_1[y]).astype(float)
    joint = of_y[:, None] * np.column_stack([1 - x_is_1, x_is_1])  # [level, bit]
    chance = expit(1.5 * np.arange(2)[None] + 0.7 * np.arange(3)[:, None] - 1.0)
    mean = (joint * entropy(chance)).sum()
    of_x = of_y @ entropy((joint * chance).sum(1) / of_y) - mean
    of_level = joint.sum(0) @ entropy((joint * chance).sum(0) / joint.sum(0)) - mean
    return played(x, y.astype(float)), policy_of(1.5, 0.7, -1.0), {"x": of_x, "y": of_level}


def test_the_bounds_hold_what_enumeration_says(seed):
    data, policy, exact = levels(np.random.default_rng(seed))
    found = dependence(policy, data, {"x": ["y"], "y": ["x"]}, seed=seed)
    for name, nats in exact.items():
        low, high = found[name]
        assert 0.7 * nats < low < nats < high < 1.3 * nats


def test_what_is_independent_needs_no_neighbours(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.choice(2, STEPS).astype(float), rng.standard_normal(STEPS)
    policy = policy_of(2.0, 0.0)
    exact = entropy(expit([0.0, 2.0]).mean()) - entropy(expit([0.0, 2.0])).mean()
    low, high = dependence(policy, played(x, y), {"x": [], "y": []}, seed=seed)["x"]
    assert 0.85 * exact < low < exact < high < 1.15 * exact
    assert information(policy, played(x, y)) == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize("slope", [0.0, 1.0, 4.0])
def test_what_follows_the_others_is_not_taken_for_used(slope, seed):
    """x = slope * y and a little of its own: exactly known by quadrature, however steep the rule is."""
    rng = np.random.default_rng(seed)
    y, own = rng.standard_normal((2, STEPS))
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    inner = expit(slope * nodes[:, None] + 0.3 * nodes[None])  # [y, own]
    weights = weights / weights.sum()
    exact = weights @ entropy(inner @ weights) - weights @ entropy(inner) @ weights
    data, policy = played(slope * y + 0.3 * own, y), policy_of(1.0, 0.0)
    low, high = dependence(policy, data, {"x": ["y"]}, seed=seed)["x"]
    assert 0.5 * exact < low < exact < high


@pytest.mark.parametrize("rule", ["sum", "product", "wave"])
def test_what_the_others_fix_is_not_used_however_far_the_nearest_moments_are(rule, seed):
    """Beside five others no moment is near, and its value alone would say too much; the exact answer is 0."""
    rng = np.random.default_rng(seed)
    others = rng.standard_normal((STEPS, 5))
    x = {"sum": others.sum(1), "product": others[:, 0] * others[:, 1], "wave": np.sin(2 * others[:, 0])}[rule]
    names = ["x", *(f"y_{k}" for k in range(5))]
    data = Trajectories(np.column_stack([x, others]), np.zeros(STEPS, int), names=names,
                        episodes=np.arange(STEPS) // 20, action_kind="discrete")  # fmt: skip
    weights = np.zeros((6, 2), np.float32)
    weights[0, 1] = 2.0
    policy = NetworkPolicy(PolicySpec(None, 6, n_actions=2), ((weights, np.zeros(2, np.float32)),))
    floor = 0.005 * information(policy, data)
    assert dependence(policy, data, {"x": names[1:]}, seed=seed)["x"][0] < floor
    assert reads(policy, data, seed=seed)["x"][0] > 0.1


@pytest.mark.parametrize("width", [0.3, 1.0])
def test_a_continuous_action_has_bounds_too(width, seed):
    """The mean is x with deviation `width`: Phi = log(1 + 1 / width^2) / 2."""
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((2, STEPS))
    layers = ((np.array([[1.0], [0.0]], np.float32), np.zeros(1, np.float32)),)
    log_std, limits = np.log(np.array([width], np.float32)), np.array([[-6.0], [6.0]], np.float32)
    policy = NetworkPolicy(PolicySpec(None, 2, action_size=1), layers, "tanh", log_std=log_std, bounds=limits)
    exact = 0.5 * np.log(1.0 + width**-2)
    found = dependence(policy, played(x, y), {"x": [], "y": []}, seed=seed)
    assert 0.6 * exact < found["x"][0] < exact < found["x"][1]
    assert found["y"] == (0.0, 0.0)
    assert information(policy, played(x, y)) == pytest.approx(exact, rel=0.05)


def test_what_is_not_read_is_exactly_nothing(seed):
    rng = np.random.default_rng(seed)
    found = reads(policy_of(2.0, 0.0), played(*rng.standard_normal((2, STEPS))), seed=seed)
    assert found["y"] == (0.0, 0.0)
    assert 0 < found["x"][0] < found["x"][1]


@pytest.mark.parametrize(
    ("bounds", "used"),
    [((0.006, 0.02), True), ((0.004, 0.02), None), ((0.0, 0.005), False), ((0.006, 0.006), True)],
)
def test_what_is_used_is_sure_or_not_decided(bounds, used):
    found = Reading(1.0, 10_000, {"x": bounds}, {"x": bounds})
    assert found.is_used("x") is used
    assert found.is_read("x") is used


def test_less_than_a_nat_in_all_steps_counts_for_nothing():
    weak = Reading(0.001, 10_000, {}, {"x": (5e-5, 9e-5)})
    assert weak.is_used("x") is False
    assert weak.in_words("x") == "x 0.90 nats in all steps"
    assert Reading(0.001, 1_000_000, {}, {"x": (5e-5, 9e-5)}).is_used("x") is True
