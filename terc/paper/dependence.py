"""How much a policy's choice depends on a variable when the others are known: at least and at most.

The policy is known, so that Phi is the mean over states of KL(policy || mean of what the policy would do with
the values that the variable can take there), and only these values have to be guessed. They are those of the
moments of other episodes in which the others were nearest, each moved by the difference that a regression on
the others, fitted on other episodes, expects.

*At most.* The mean of the choices over them is a forecast that does not look at the variable. What it loses,
the best forecast loses no more, whatever the guess is worth.

*At least.* Were the value of the state itself and the guessed ones all draws from the same law, the choice
could say no more than Phi about which of them it was shown (the Jensen-Shannon divergence of what the policy
does with each). Guessed values vary more than that law: by the square of the distance to the moments they are
from, which shrinks like n^(-2/d) among n moments and d others. A quarter of the moments shows how much that
is, and what remains of it is taken off. No finite recording excludes that the variable follows the others by
a rule that the regression does not find and that changes within that distance: then this is no bound.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from scipy.special import entr, ndtr
from sklearn.ensemble import HistGradientBoostingRegressor

from terc.agents.network_policy import NetworkPolicy
from terc.arrays import Array
from terc.paper.agents import choice, choices_with
from terc.trajectories.data import Trajectories

NEIGHBOURS = 20
"""Values that a variable is given in each state; by their number a small Phi is missed by a twentieth."""
STATES, MOMENTS = 4_000, 30_000
"""States that are asked about, and moments among which the nearest are sought."""
AT_ONCE = 250
"""States whose distances to all moments are in memory together: 60 MB."""
CLOSER = 1e-4
"""Squared distance, in standard deviations, within which chance orders moments, so that ties differ."""
FEW = 10
"""Levels up to which a variable is a choice, whose values are not moved."""
SURE = 1.96
"""Standard errors, over episodes, between an estimate and the ends of its 95 % interval."""
BINS = 80
"""Steps into which a continuous action is cut for the lower bound: what is lost by that makes it lower."""

Bounds = tuple[float, float]


def information(policy: NetworkPolicy, played: Trajectories) -> float:
    """Nats that the states hold of the choice: H(mean of the chances) - mean of H(chances)."""
    chances = _chances(policy, choice(policy, played.states))
    return float(entr(chances.mean(0)).sum() - entr(chances).sum(-1).mean())


def reads(policy: NetworkPolicy, played: Trajectories, *, seed: int) -> dict[str, Bounds]:
    """Variable -> nats that the choice loses when it takes values of other moments, with a 95 % interval.

    Zero exactly where the policy does not read the variable. Where variables move together this is more than
    `dependence`: what the others nearly fix is hardly needed, however much of it is read.
    """
    rng, found = np.random.default_rng(seed), {}
    rows = rng.permutation(len(played))[:STATES]
    states, episodes = played.states[rows], played.episodes[rows]
    before = choice(policy, states)
    for column, name in enumerate(played.names):
        values = played.states[rng.choice(len(played), (NEIGHBOURS, len(rows))), column]
        lost = _lost(policy, before, choices_with(policy, states, column, values))
        found[name] = (max(0.0, _end(lost, -SURE, episodes=episodes)), _end(lost, SURE, episodes=episodes))
    return found


def dependence(
    policy: NetworkPolicy, played: Trajectories, others: Mapping[str, Sequence[str]], *, seed: int
) -> dict[str, Bounds]:
    """Variable -> nats that the choice depends on it when all others are known, at least and at most.

    Args:
        others: Variable -> those that say something about its value; none where it is independent of all.

    Example:
        The policy reads x and its copy, of which one gives the other away.
        >>> from terc.agents.policy import PolicySpec
        >>> layers = ((np.array([[0.0, 3.0], [0.0, 3.0], [0.0, 3.0]], np.float32), np.zeros(2, np.float32)),)
        >>> policy = NetworkPolicy(PolicySpec(None, 3, n_actions=2), layers)
        >>> x, y = np.random.default_rng(0).standard_normal((2, 2000))
        >>> data = Trajectories(np.column_stack([x, x, y]), (y > 0).astype(int), names=["x", "copy", "y"],
        ...                     episodes=np.arange(2000))
        >>> found = dependence(policy, data, {"copy": ["x", "y"], "y": []}, seed=0)
        >>> found["copy"][1] < 0.01, found["y"][0] > 0.1
        (True, True)
    """
    rng, names = np.random.default_rng(seed), list(played.names)
    return {
        name: _bounds(policy, played, names.index(name), [names.index(n) for n in known], rng=rng)
        for name, known in others.items()
    }


def _bounds(policy: NetworkPolicy, played: Trajectories, column: int, others: Sequence[int], *,
            rng: np.random.Generator) -> Bounds:  # fmt: skip
    """Phi of one column, at least and at most."""
    count = len(played)
    rows, moments = rng.permutation(count)[:STATES], rng.permutation(count)[:MOMENTS]
    states, values = played.states[rows], played.states[:, column]
    before, half = choice(policy, states), np.unique(played.episodes, return_inverse=True)[1] % 2
    expected, half = _expected(played.states[:, others], values, half), half[rows]

    def shown(among: Array) -> Array:
        """What the policy does with the values of the nearest of these moments `[draws, n, k]`."""
        if not others:
            return choices_with(policy, states, column, values[rng.choice(among, (NEIGHBOURS, len(rows)))])
        near = _nearest(played, others, rows, among, rng=rng)
        moved = values[near] + expected[half, rows][:, None] - expected[half[:, None], near]
        return choices_with(policy, states, column, moved.T)

    end = partial(_end, episodes=played.episodes[rows])
    after = shown(moments)
    most = end(_lost(policy, before, after), SURE)
    least = _differ(_chances(policy, np.concatenate([before[None], after])))
    if not others:
        return max(0.0, end(least, -SURE)), most
    fewer = _differ(_chances(policy, np.concatenate([before[None], shown(moments[: len(moments) // 4])])))
    remains = 1.0 / (4.0 ** (2.0 / len(others)) - 1.0)
    return max(0.0, min(end(least, -SURE), end(least - remains * (fewer - least), -SURE))), most


def _expected(known: Array, values: Array, half: Array) -> Array:
    """What the others say of a variable in each moment, as the other half of the episodes shows it `[2, n]`.

    A polynomial of second degree, and boosted trees for what it leaves; 0 where the variable is a choice.
    """
    found = np.zeros((2, len(values)))
    if known.shape[1] == 0 or len(np.unique(values)) <= FEW:
        return found
    first, second = np.triu_indices(known.shape[1])
    terms = np.column_stack([np.ones(len(known)), known, known[:, first] * known[:, second]])
    for own in (0, 1):
        fit = half != own if half.any() else half == 0
        found[own] = terms @ np.linalg.lstsq(terms[fit], values[fit])[0]
        trees = HistGradientBoostingRegressor(early_stopping=False, random_state=0)
        found[own] += trees.fit(known[fit], (values - found[own])[fit]).predict(known)
    return found


def _nearest(played: Trajectories, others: Sequence[int], rows: Array, moments: Array, *,
             rng: np.random.Generator) -> Array:  # fmt: skip
    """Of each state the nearest moments `[n, NEIGHBOURS]`, none of its own episode where there are others."""
    known = played.states[:, others].astype(np.float32)
    scale = known.std(0)
    known = (known - known.mean(0)) / np.where(scale > 0, scale, 1.0)
    length, nearest, found = (known[moments] ** 2).sum(1), min(NEIGHBOURS, len(moments) - 1), []
    chance = CLOSER * rng.random(len(moments) + AT_ONCE - 1, dtype=np.float32)
    order = np.lib.stride_tricks.sliding_window_view(chance, len(moments))
    for part in np.split(rows, range(AT_ONCE, len(rows), AT_ONCE)):
        distance = order[: len(part)] + length[None] - 2.0 * known[part] @ known[moments].T
        own = played.episodes[part][:, None] == played.episodes[moments][None]
        distance[own & ~own.all(1, keepdims=True)] = np.inf
        found.append(moments[np.argpartition(distance, nearest, axis=1)[:, :nearest]])
    return np.concatenate(found)


def _chances(policy: NetworkPolicy, choices: Array) -> Array:
    """Chances of the actions `[..., k]`; of a continuous one those of its steps, of several the first."""
    if policy.log_std is None or policy.bounds is None:
        return choices
    edges = np.linspace(policy.bounds[0, 0], policy.bounds[1, 0], BINS + 1)[1:-1]
    below = ndtr((edges - choices[..., :1]) / np.exp(float(policy.log_std[0])))
    return np.diff(below, axis=-1, prepend=0.0, append=1.0)


def _differ(chances: Array) -> Array:
    """Nats by which several chances `[draws, n, k]` differ in each state: H(mean) - mean of H."""
    return np.asarray(entr(chances.mean(0)).sum(-1) - entr(chances).sum(-1).mean(0))


def _lost(policy: NetworkPolicy, before: Array, after: Array) -> Array:
    """KL(policy || mean of what it does with other values) in each state, of a continuous action at most."""
    if policy.log_std is None:
        safe, mean = np.clip(before, 1e-12, 1.0), np.clip(after.mean(0), 1e-12, 1.0)
        return np.asarray((before * np.log(safe / mean)).sum(-1))
    variance = np.exp(2.0 * np.asarray(policy.log_std, float))
    each = ((after - before) ** 2 / (2.0 * variance)).sum(-1)
    least = each.min(0)  # KL to a mixture is at most -log of the mean of exp(-KL) to its parts
    return np.asarray(least - np.log(np.exp(least - each).mean(0)))


def _end(values: Array, errors: float, *, episodes: Array) -> float:
    """The mean and so many standard errors, over episodes; over states where there is one episode only."""
    _, group = np.unique(episodes, return_inverse=True)
    if group.max() == 0:
        group = np.arange(len(values))
    sums, count = np.bincount(group, values - values.mean()), group.max() + 1
    spread = np.sqrt((sums**2).sum() * count / max(1, count - 1)) / len(values)
    return round(float(values.mean() + errors * spread), 9)
