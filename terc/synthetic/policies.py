"""Learned policies: networks with a weak input, prototypes, votes of an ensemble, recorded probabilities."""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from terc.arrays import Floats, Integers
from terc.seeding import generator
from terc.synthetic.columns import softmax
from terc.synthetic.labelled import Labelled, singles
from terc.synthetic.series import Acted, Rng, acted, kind, mostly, moving, runs

WEAK_SHARE = (0.013, 0.018)
"""What the weak input of `weak_network_input` is worth, as a share of I(A; X)."""


@kind
def weak_network_input(n: int, rng: Rng, noise: int = 15) -> Acted:
    """Three actions by a random network of six inputs and a seventh that is worth about 1.5 % of I(A; X).

    Networks are drawn until each of the six is worth at least 3 %; then the weights of the seventh are
    scaled until its worth lies within `WEAK_SHARE`.
    """
    into, out = _network_with_a_weak_input(rng=rng)
    x = rng.standard_normal((n, 7 + noise))
    names = [*(f"x{k}" for k in range(6)), "weak", *(f"noise_{k}" for k in range(noise))]
    return Acted(
        {name: x[:, k] for k, name in enumerate(names)}, _network(x[:, :7], into, out), singles(names[:7])
    )


def _network(x: Floats, into: Floats, out: Floats) -> Floats:
    return softmax(np.tanh(x @ into) @ out)


def _network_with_a_weak_input(*, rng: np.random.Generator) -> tuple[Floats, Floats]:
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
    rng: np.random.Generator,
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


def _slips(policy: Callable[[Floats], Integers], levels: int, x: Floats) -> Floats:
    return mostly(policy(x), levels, 0.05)


def _lively(
    make: Callable[[np.random.Generator], Callable[[Floats], Integers]],
    inputs: int,
    levels: int,
    *,
    rng: np.random.Generator,
) -> Callable[[Floats], Integers]:
    """The first random policy that takes each action in 5 % of steps; each input is worth 4 % of I(A; X)."""
    x = rng.standard_normal((1_000, inputs))
    while True:
        policy = make(rng)
        if np.bincount(policy(x), minlength=levels).min() < 50:
            continue
        shares = shares_of_information(partial(_slips, policy, levels), x, rng=rng)
        if shares.min() >= 0.04:
            return policy


@kind
def nearest_prototype(n: int, rng: Rng, noise: int = 8) -> Acted:
    """A greedy policy of five actions: the one whose prototype is nearest in six dimensions; slip 3 %.

    Prototypes differ in width, so the borders are curved.
    """

    def make(rng: np.random.Generator) -> Callable[[Floats], Integers]:
        centres, widths = 1.3 * rng.standard_normal((5, 6)), rng.uniform(0.7, 1.4, 5)
        return lambda x: (((x[:, None] - centres) ** 2).sum(axis=2) / widths**2).argmin(axis=1)

    return _acted(_lively(make, 6, 5, rng=rng), rng.standard_normal((n, 6 + noise)), 6, 5, slip=0.03)


@kind
def ensemble_vote(n: int, rng: Rng, noise: int = 9) -> Acted:
    """Four actions by the votes of nine random Q-networks, on five of fourteen variables; a slip in 5 %."""

    def make(rng: np.random.Generator) -> Callable[[Floats], Integers]:
        into, out = rng.standard_normal((9, 5, 8)), rng.standard_normal((9, 8, 4))

        def vote(x: Floats) -> Integers:
            greedy = (np.tanh(x @ into) @ out).argmax(axis=2)
            best: Integers = np.eye(4)[greedy].sum(axis=0).argmax(axis=1)
            return best

        return vote

    return _acted(_lively(make, 5, 4, rng=rng), rng.standard_normal((n, 5 + noise)), 5, 4, slip=0.05)


def _acted(
    policy: Callable[[Floats], Integers], x: Floats, inputs: int, levels: int, *, slip: float
) -> Acted:
    """What the policy does on its `inputs`, the first columns of `x`, but for a share `slip`."""
    columns = {f"x{k}": column for k, column in enumerate(x.T)}
    return Acted(columns, mostly(policy(x[:, :inputs]), levels, slip), singles(list(columns)[:inputs]))


def soft_targets(
    n: int = 10_000, *, seed: int = 0, noise: int = 10, with_probabilities: bool = True
) -> Labelled:
    """Five actions by a softmax of seven of seventeen variables; the probabilities are recorded.

    Each of the seven favours one action and opposes the next, the weakest with a score of 0.5.
    """
    rng = generator(seed)
    length = 50
    count, episodes = runs(n, length)
    x = moving(n, length, 7 + noise, 0.6, rng=rng)
    scores = np.zeros((n, 5))
    for k, strength in enumerate(np.linspace(1.2, 0.5, 7)):
        scores[:, k % 5] += strength * x[:, k]
        scores[:, (k + 1) % 5] -= strength * x[:, k]
    columns = {f"x{k}": x[:, k] for k in range(7 + noise)}
    found = Acted(columns, softmax(scores), singles(list(columns)[:7]), episodes)
    return acted(found, rng=rng, with_probabilities=with_probabilities)
