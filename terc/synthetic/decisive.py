"""Rare, weak and entangled: variables that are easily overlooked and still decide."""

import numpy as np

from terc.arrays import Floats, Integers
from terc.errors import BadValueError
from terc.seeding import generator
from terc.synthetic.columns import Rng, by_odds, family, labelled, logistic, numbered
from terc.synthetic.labelled import Labelled
from terc.synthetic.series import Steps, kind


@kind()
def rare_light(steps: Steps, share: float = 0.03, noise: int = 8) -> Labelled:
    """A warning light that is on in a `share` of the steps and then decides; otherwise speed and distance do.

    With the light on the agent brakes (action 2) in 95 % of steps, which it does in 2 % otherwise. Half of
    the noise columns are lights of the same rarity that mean nothing.
    """
    n, rng = steps.n, steps.rng
    light = rng.random(n) < share
    speed, distance = rng.standard_normal((n, 2)).T
    p = logistic(1.5 * speed - 1.5 * distance)
    chances = np.column_stack([0.98 * (1 - p), 0.98 * p, np.full(n, 0.02)])
    chances[light] = [0.025, 0.025, 0.95]
    needed = {"warning_light": light, "speed": speed, "distance": distance}
    others = {
        f"noise_{k}": rng.random(n) < share if k % 2 == 0 else rng.standard_normal(n) for k in range(noise)
    }
    return steps.drawn(needed | others, needed, chances)


@family
def greedy_network(
    n: int = 10_000, *, seed: int = 0, variables: int = 16, needed: int = 6, with_probabilities: bool = False
) -> Labelled:
    """The best of four actions by a random one-hidden-layer network that reads `needed` of the variables.

    Networks are redrawn until shuffling any needed column changes at least 3 % of the actions.
    """
    rng = generator(seed)
    states = rng.standard_normal((n, variables))
    chosen = np.sort(rng.choice(variables, needed, replace=False))
    actions = _lively_network(states[:, chosen], rng=rng)
    return labelled(
        numbered("x", states),
        actions,
        [f"x{k}" for k in chosen],
        probabilities=np.eye(4)[actions] if with_probabilities else None,
    )


def _lively_network(inputs: Floats, *, rng: Rng) -> Integers:
    """Greedy actions of the first random network that reads each of its inputs."""
    while True:
        into, out = rng.standard_normal((inputs.shape[1], 16)), rng.standard_normal((16, 4))
        actions = _greedy(inputs, into, out)
        shuffled = rng.permutation(len(inputs))
        changed = []
        for k in range(inputs.shape[1]):
            other = inputs.copy()
            other[:, k] = inputs[shuffled, k]
            changed.append((_greedy(other, into, out) != actions).mean())
        if min(changed) >= 0.03:
            return actions


def _greedy(inputs: Floats, into: Floats, out: Floats) -> Integers:
    best: Integers = (np.tanh(inputs @ into) @ out).argmax(axis=1)
    return best


@kind()
def weak_link(steps: Steps, nats: float = 0.01, noise: int = 10) -> Labelled:
    """A variable worth exactly `nats` given two strong ones and `noise` that is worth nothing.

    All are standard normal; the action is binary with log-odds 1.5 (strong_0 + strong_1) + b weak, and b
    is solved for so that I(A; weak | strong) = `nats`.

    Example:
        >>> b = weak_slope(0.01)
        >>> round(weak_information(b), 6), weak_link(100).answers[-1]
        (0.01, ('weak',))
    """
    x = steps.rng.standard_normal((steps.n, 3))
    needed = numbered("strong_", x[:, :2]) | {"weak": x[:, 2]}
    others = {f"noise_{k}": steps.rng.standard_normal(steps.n) for k in range(noise)}
    return steps.drawn(needed | others, needed, by_odds(x @ np.array([1.5, 1.5, weak_slope(nats)])))


def weak_information(slope: float) -> float:
    """I(A; weak | strong) in nats of `weak_link` for a given slope, by Gauss-Hermite quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    # The two strong variables act through their sum, a normal of variance 2.
    p = logistic(1.5 * np.sqrt(2) * nodes[:, None] + slope * nodes[None, :])
    return float(weights @ (_binary_entropy(p @ weights) - _binary_entropy(p) @ weights))


def weak_slope(nats: float) -> float:
    """The slope at which `weak_information` equals `nats`, by bisection."""
    low, high = 0.0, 10.0
    if not 0 < nats < weak_information(high):
        raise BadValueError(
            f"weak_link: nats must lie between 0 and {weak_information(high):.2f}, got {nats}."
        )
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if weak_information(middle) < nats else (low, middle)
    return (low + high) / 2


def _binary_entropy(p: Floats) -> Floats:
    clipped = np.clip(p, 1e-300, 1 - 1e-16)
    entropy: Floats = -(clipped * np.log(clipped) + (1 - clipped) * np.log1p(-clipped))
    return entropy
