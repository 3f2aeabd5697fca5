"""Learned policies: networks with a weak input, prototypes, votes of an ensemble, recorded probabilities."""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from terc.arrays import Floats, Integers
from terc.synthetic.columns import Rng, mostly, numbered, softmax
from terc.synthetic.labelled import Labelled
from terc.synthetic.series import Steps, kind

Greedy = Callable[[Floats], Integers]
"""The action of each row of states."""

WEAK_SHARE = (0.013, 0.018)
"""What the weak input of `weak_network_input` is worth, as a share of I(A; X)."""


@kind()
def weak_network_input(steps: Steps, noise: int = 15) -> Labelled:
    """Three actions by a random network of six inputs and a seventh that is worth about 1.5 % of I(A; X).

    Networks are drawn until each of the six is worth at least 3 %; then the weights of the seventh are
    scaled until its worth lies within `WEAK_SHARE`.
    """
    into, out = _network_with_a_weak_input(rng=steps.rng)
    x = steps.rng.standard_normal((steps.n, 7 + noise))
    needed = numbered("x", x[:, :6]) | {"weak": x[:, 6]}
    return steps.drawn(needed | numbered("noise_", x[:, 7:]), needed, _network(x[:, :7], into, out))


def _network(x: Floats, into: Floats, out: Floats) -> Floats:
    return softmax(np.tanh(x @ into) @ out)


def _network_with_a_weak_input(*, rng: Rng) -> tuple[Floats, Floats]:
    """Weights `[7, 12]` and `[12, 3]`; the last input is the weak one."""
    x = rng.standard_normal((2_000, 7))
    while True:
        into, out = 0.8 * rng.standard_normal((7, 12)), 1.3 * rng.standard_normal((12, 3))
        low, high = 0.0, 1.0
        for _ in range(12):
            middle = (low + high) / 2
            policy = partial(_network, into=into * np.array([1.0] * 6 + [middle])[:, None], out=out)
            share = shares_of_information(policy, x, (6,), rng=rng)[0]
            if WEAK_SHARE[0] <= share <= WEAK_SHARE[1]:
                break
            low, high = (middle, high) if share < WEAK_SHARE[0] else (low, middle)
        else:
            continue
        if shares_of_information(policy, x[:1_000], range(6), rng=rng).min() >= 0.03:
            return into * np.array([1.0] * 6 + [middle])[:, None], out


def shares_of_information(
    policy: Callable[[Floats], Floats],
    x: Floats,
    which: Iterable[int] | None = None,
    *,
    rng: Rng,
    draws: int = 25,
) -> Floats:
    """What each of the independent columns of `x` is worth given the others, as a share of I(A; X).

    P(A | the others) is the mean of `policy` over redraws of the one.
    """
    known = policy(x)
    given_all = _entropy(known)
    worth = []
    for k in range(x.shape[1]) if which is None else which:
        other, mixed = x.copy(), np.zeros_like(known)
        for _ in range(draws):
            other[:, k] = rng.permutation(x[:, k])
            mixed += policy(other) / draws
        worth.append(_entropy(mixed) - given_all)
    shares: Floats = np.array(worth) / (_entropy(known.mean(axis=0, keepdims=True)) - given_all)
    return shares


def _entropy(p: Floats) -> float:
    return float(-(p * np.log(np.clip(p, 1e-300, 1))).sum(axis=1).mean())


def _lively(make: Callable[[Rng], Greedy], inputs: int, levels: int, *, rng: Rng) -> Greedy:
    """The first random policy that takes each action in 5 % of steps; each input is worth 4 % of I(A; X)."""
    x = rng.standard_normal((1_000, inputs))
    while True:
        policy = make(rng)
        if np.bincount(policy(x), minlength=levels).min() < 50:
            continue
        # A slip in 5 % gives every action some chance: the logarithms of the shares need it.
        shares = shares_of_information(lambda x: mostly(policy(x), levels, 0.05), x, rng=rng)  # noqa: B023
        if shares.min() >= 0.04:
            return policy


@kind()
def nearest_prototype(steps: Steps, noise: int = 8) -> Labelled:
    """A greedy policy of five actions: the one whose prototype is nearest in six dimensions; slip 3 %.

    Prototypes differ in width, so the borders are curved.
    """

    def make(rng: Rng) -> Greedy:
        centres, widths = 1.3 * rng.standard_normal((5, 6)), rng.uniform(0.7, 1.4, 5)
        return lambda x: (((x[:, None] - centres) ** 2).sum(axis=2) / widths**2).argmin(axis=1)

    policy = _lively(make, 6, 5, rng=steps.rng)
    x = steps.rng.standard_normal((steps.n, 6 + noise))
    return steps.drawn(numbered("x", x), [f"x{k}" for k in range(6)], mostly(policy(x[:, :6]), 5, 0.03))


@kind()
def ensemble_vote(steps: Steps, noise: int = 9) -> Labelled:
    """Four actions by the votes of nine random Q-networks, on five of fourteen variables; a slip in 5 %."""

    def make(rng: Rng) -> Greedy:
        into, out = rng.standard_normal((9, 5, 8)), rng.standard_normal((9, 8, 4))

        def vote(x: Floats) -> Integers:
            greedy = (np.tanh(x @ into) @ out).argmax(axis=2)
            best: Integers = np.eye(4)[greedy].sum(axis=0).argmax(axis=1)
            return best

        return vote

    policy = _lively(make, 5, 4, rng=steps.rng)
    x = steps.rng.standard_normal((steps.n, 5 + noise))
    return steps.drawn(numbered("x", x), [f"x{k}" for k in range(5)], mostly(policy(x[:, :5]), 4, 0.05))


def _smooth_torque(steps: Steps, inputs: int) -> tuple[Floats, Floats]:
    """Slow states `[length, episodes, inputs]`, and the torque that a network of 24 units makes of them."""
    states = steps.smooth(0.97, inputs)
    into, offset = 1.5 * steps.rng.standard_normal((inputs, 24)), steps.rng.standard_normal(24)
    return states, np.tanh(states @ into + offset) @ steps.rng.standard_normal(24) / np.sqrt(6)


@kind(100, probabilities=None)
def last_action_recorded(steps: Steps, noise: int = 4) -> Labelled:
    """A network policy of five slow states; the torque of the step before is recorded, and not read."""
    states, torque = _smooth_torque(steps, 5)
    torque = torque + 0.1 * steps.rng.standard_normal(torque.shape)
    last = np.concatenate([np.zeros_like(torque[:1]), torque[:-1]])
    needed = numbered("x", steps.in_order(states))
    others = {"last_action": steps.in_order(last)} | steps.noise(noise)
    return steps.taken(needed | others, needed, steps.in_order(torque))


@kind(100, probabilities=None)
def mate_that_follows(steps: Steps, noise: int = 4) -> Labelled:
    """A network policy of four slow states, beside that of a mate that follows it less precisely."""
    states, torque = _smooth_torque(steps, 4)
    own, mate = (torque + noisy * steps.rng.standard_normal(torque.shape) for noisy in (0.15, 0.4))
    needed = numbered("x", steps.in_order(states))
    return steps.taken(
        needed | {"mate": steps.in_order(mate)} | steps.noise(noise), needed, steps.in_order(own)
    )


@kind(100, probabilities=None)
def filtered_action(steps: Steps, noise: int = 4) -> Labelled:
    """A network policy of five slow states; a running mean of past torques is recorded, not read."""
    states, torque = _smooth_torque(steps, 5)
    torque = torque + 0.1 * steps.rng.standard_normal(torque.shape)
    mean = np.zeros_like(torque)
    for t in range(1, len(torque)):
        mean[t] = 0.6 * mean[t - 1] + 0.4 * torque[t - 1]
    needed = numbered("x", steps.in_order(states))
    others = {"mean_action": steps.in_order(mean)} | steps.noise(noise)
    return steps.taken(needed | others, needed, steps.in_order(torque))


@kind(50, probabilities=True)
def soft_targets(steps: Steps, noise: int = 10) -> Labelled:
    """Five actions by a softmax of seven of seventeen variables; the probabilities are recorded.

    Each of the seven favours one action and opposes the next, the weakest with a score of 0.5.
    """
    x = steps.moving(7 + noise, 0.6)
    scores = np.zeros((steps.n, 5))
    for k, strength in enumerate(np.linspace(1.2, 0.5, 7)):
        scores[:, k % 5] += strength * x[:, k]
        scores[:, (k + 1) % 5] -= strength * x[:, k]
    return steps.drawn(numbered("x", x), [f"x{k}" for k in range(7)], softmax(scores))
