"""What policy gradients need: played steps and their advantages, and how outputs of a network become actions.

The loss is the sum over steps of weight * ln pi(a|s) - entropy * H(pi(.|s)); the algorithm sets the weights
of the steps and of their entropies.
"""

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from gymnasium import Space, spaces

from terc.agents.network import DenseNetwork
from terc.arrays import Array
from terc.errors import BadTypeError
from terc.networks.heads import softmax

HALF_LOG_2PI = 0.5 * float(np.log(2 * np.pi))


def sample_categorical(probabilities: Array, *, rng: np.random.Generator) -> Array:
    """One index per row of `probabilities` `[n, K]`, by inverting the cumulative sum.

    Example:
        >>> sample_categorical(np.array([[0.0, 1.0], [1.0, 0.0]]), rng=np.random.default_rng(0))
        array([1, 0])
    """
    cumulative = np.cumsum(probabilities, axis=1)
    # the last entry may miss 1 by rounding: scaling the draw keeps it inside
    draw = rng.random((len(probabilities), 1)) * cumulative[:, -1:]
    return (cumulative <= draw).sum(axis=1).clip(0, probabilities.shape[1] - 1)


class SoftmaxHead:
    """A choice among `n` actions, numbered from `first` on.

    Logits are floored `logit_range` below the largest, so that no action dies for good.
    """

    def __init__(self, n: int, first: int, logit_range: float = np.inf) -> None:
        self.n_outputs, self.n_free, self.first, self._range = n, 0, first, np.float32(logit_range)

    def _chances(self, outputs: Array) -> Array:
        return softmax(np.maximum(outputs, outputs.max(axis=1, keepdims=True) - self._range))

    def sample(self, outputs: Array, free: Array, *, rng: np.random.Generator) -> Array:
        """Index of an action for each row: actions are in the actor's own units."""
        return sample_categorical(self._chances(outputs), rng=rng)

    def log_chance(self, outputs: Array, free: Array, actions: Array) -> Array:
        """Log probability of each action."""
        chances = self._chances(outputs)[np.arange(len(actions)), actions]
        return np.asarray(np.log(np.maximum(chances, np.float32(1e-30))))

    def slope(
        self, outputs: Array, free: Array, actions: Array, weight: Array, entropy: Array
    ) -> tuple[Array, Array]:
        """By logit k: weight ([k = a] - p_k) + entropy p_k (ln p_k + H); weight and entropy are `[n]`."""
        chances = self._chances(outputs)
        by_logits = -chances * weight[:, None]
        by_logits[np.arange(len(actions)), actions] += weight
        if entropy.any():
            surprise = np.log(np.maximum(chances, np.float32(1e-30)))
            surprise -= np.einsum("ij,ij->i", chances, surprise)[:, None]
            by_logits += entropy[:, None] * chances * surprise
        return by_logits, free

    def to_env(self, actions: Array) -> Array:
        """Numbered as the environment does."""
        return actions + self.first

    def policy_parts(self, actor: DenseNetwork) -> dict[str, Any]:
        """The layers as they are."""
        layers = tuple((weights.copy(), bias.copy()) for weights, bias in actor.layers)
        return {"layers": layers, "first_action": self.first}


class NormalHead:
    """Independent normals whose log standard deviations are free; 1 stands for half the range of the action.

    Where a bound is infinite, the actor's numbers are the environment's.
    """

    def __init__(self, space: spaces.Box) -> None:
        self.n_outputs = self.n_free = space.shape[0]
        bounded = np.isfinite(space.low) & np.isfinite(space.high)
        low, high = np.where(bounded, space.low, -1), np.where(bounded, space.high, 1)
        self.middle, self.half = ((low + high) / 2).astype(np.float32), ((high - low) / 2).astype(np.float32)
        self.bounds = np.stack([space.low, space.high])

    def sample(self, outputs: Array, free: Array, *, rng: np.random.Generator) -> Array:
        """Mean plus noise, not yet cut to the bounds."""
        return np.asarray(outputs + rng.standard_normal(outputs.shape, dtype=np.float32) * np.exp(free))

    def log_chance(self, outputs: Array, free: Array, actions: Array) -> Array:
        """Log density of each action."""
        scaled = (actions - outputs) * np.exp(-free)
        density: Array = -0.5 * np.einsum("ij,ij->i", scaled, scaled)
        return density - free.sum() - HALF_LOG_2PI * actions.shape[1]

    def slope(
        self, outputs: Array, free: Array, actions: Array, weight: Array, entropy: Array
    ) -> tuple[Array, Array]:
        """By the mean: weight (a - m) / sd^2; by ln sd: weight (((a - m) / sd)^2 - 1) - entropy."""
        inverse = np.exp(-free)
        scaled = (actions - outputs) * inverse
        by_log_std = ((scaled * scaled - 1) * weight[:, None]).sum(axis=0) - entropy.sum()
        return scaled * inverse * weight[:, None], by_log_std

    def to_env(self, actions: Array) -> Array:
        """In the environment's units, cut to its bounds."""
        return np.asarray(np.clip(self.middle + self.half * actions, self.bounds[0], self.bounds[1]))

    def policy_parts(self, actor: DenseNetwork) -> dict[str, Any]:
        """The range of the action is folded into the last layer."""
        layers = [(weights.copy(), bias.copy()) for weights, bias in actor.layers]
        weights, bias = layers[-1]
        layers[-1] = (weights * self.half, bias * self.half + self.middle)
        log_std = actor.free + np.log(self.half)
        return {"layers": tuple(layers), "log_std": log_std, "bounds": self.bounds}


@dataclass(frozen=True)
class PlayedSteps:
    """Played steps, one row each: what the update needs of them.

    Attributes:
        states: Scaled `[m, d]`.
        actions: Index `[m]`, or the actor's own numbers before they are cut to the bounds `[m, k]`.
        log_chance: Log probability or density of the action when it was chosen `[m]`.
        advantages: How much better than expected it did `[m]`.
        returns: What the critic should have said `[m]`.
        weights: Of the step in the actor's update `[m]`: 1, or gamma^t.
    """

    states: Array
    actions: Array
    log_chance: Array
    advantages: Array
    returns: Array
    weights: Array

    def rows(self, chosen: Array | slice) -> Self:
        """Some of the steps."""
        return type(self)(*(getattr(self, field.name)[chosen] for field in fields(self)))


def gae(  # noqa: PLR0913
    rewards: Array, values: Array, ahead: Array, terminated: Array, done: Array, gamma: float, lam: float
) -> Array:
    """Generalised advantage estimate `[T, n]` (Schulman et al. 2016), all arguments `[T, n]`.

    delta_t = r_t + gamma v(s_t+1) - v(s_t), with v = 0 after a terminated episode but not after a truncated
    one; A_t = delta_t + gamma lambda A_t+1, cut at the end of each episode.

    Example:
        With lambda = 1 and v = 0 it is the discounted sum of the rewards.
        >>> nothing, end = np.zeros((3, 1)), np.array([[False], [False], [True]])
        >>> gae(np.ones((3, 1)), nothing, nothing, end, end, 0.5, 1.0).ravel()
        array([1.75, 1.5 , 1.  ], dtype=float32)
    """
    delta = (rewards + gamma * ahead * ~terminated - values).astype(np.float32)
    keep = (gamma * lam * ~done).astype(np.float32)
    for t in range(len(delta) - 2, -1, -1):
        delta[t] += keep[t] * delta[t + 1]
    return delta


ActionHead = SoftmaxHead | NormalHead
"""What PPO needs to know of the kind of actions; `free` are parameters beside the network's outputs."""


def head_for(space: Space[Any]) -> ActionHead:
    """The head for an action space.

    Example:
        >>> head_for(spaces.Discrete(3, start=5)).to_env(np.array([0, 2]))
        array([5, 7])
        >>> head_for(spaces.Box(-2, 2, (1,))).to_env(np.array([[0.5], [9.0]])).ravel()
        array([1., 2.])
    """
    if isinstance(space, spaces.Discrete):
        return SoftmaxHead(int(space.n), int(space.start))
    if isinstance(space, spaces.Box):
        return NormalHead(space)
    raise BadTypeError(f"agents: wanted Discrete or flat Box actions, got {space}.")
