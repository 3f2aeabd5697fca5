"""What a network's outputs mean: how probable each action is, and the gradient of that in closed form."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from terc.arrays import Array

SMALLEST_LOG_SCALE = -6.0
"""A component narrower than e^-6 standard deviations is a point: bins are wider than that."""


FIRST_LAPSE = -3.0
"""Log-odds of a lapse before training: one step in twenty."""


class Head(Protocol):
    """Reads outputs about rows of a target that it holds."""

    @property
    def n_outputs(self) -> int:
        """Outputs that are read."""

    def first_bias(self, rows: Array) -> Array:
        """Output bias `[n_outputs]` from which training on some rows starts."""

    def gradient(self, outputs: Array, rows: Array) -> Array:
        """Derivative of minus log probability by outputs `[F, n_outputs, b]`, for rows `[F, b]`."""


@dataclass(frozen=True, eq=False)
class Softmax:
    """Probabilities of few levels; `target` `[n, K]` holds one-hot rows or the policy's own probabilities.

    The last output is the log-odds of a lapse, in which every level is as likely: a policy that explores
    acts against its own rule far from any boundary, and without lapses a network bends its rule to that.

    Example:
        >>> head = Softmax(np.eye(2, dtype=np.float32))
        >>> outputs = np.array([[[0, 0], [0, 0], [-99, -99]]], dtype=np.float32)
        >>> head.gradient(outputs, np.array([[0, 1]])).tolist()
        [[[-0.5, 0.5], [0.5, -0.5], [0.0, 0.0]]]
    """

    target: Array

    @property
    def n_outputs(self) -> int:
        """One logit per level, and that of a lapse."""
        return int(self.target.shape[1]) + 1

    def first_bias(self, rows: Array) -> Array:
        """Log of the observed shares, and few lapses."""
        return np.append(np.log(self.target[rows].mean(0) + 1e-6), FIRST_LAPSE).astype(np.float32)

    def gradient(self, outputs: Array, rows: Array) -> Array:
        """Closed form: the rule answers for an action as far as it was no lapse."""
        wanted, levels = self._by_level[:, rows].swapaxes(0, 1), self.target.shape[1]
        rule, lapse = softmax(outputs[:, :-1], 1), _sigmoid(outputs[:, -1:])
        weight = wanted / np.maximum((1 - lapse) * rule + lapse / levels, 1e-30)
        by_rule = weight * rule
        total = by_rule.sum(1, keepdims=True)
        out = np.empty_like(outputs)
        out[:, :-1] = (1 - lapse) * (rule * total - by_rule)
        out[:, -1:] = (total - weight.sum(1, keepdims=True) / levels) * lapse * (1 - lapse)
        return out

    def probabilities(self, outputs: Array, sharpness: float = 1.0) -> Array:
        """Of each level `[b, K]`; `sharpness` multiplies the log-odds of the rule, not of its lapses."""
        lapse = _sigmoid(outputs[..., -1:])
        rule = softmax(np.float32(sharpness) * outputs[..., :-1])
        return np.asarray((1 - lapse) * rule + lapse / self.target.shape[1])

    @cached_property
    def _by_level(self) -> Array:
        """`[K, n]`: loops over rows are long, those over levels short."""
        return np.ascontiguousarray(self.target.T)


def softmax(logits: Array, axis: int = -1) -> Array:
    """Probabilities along an axis, proportional to e^logits.

    Example:
        >>> softmax(np.log(np.array([[1.0, 3.0]])))
        array([[0.25, 0.75]])
    """
    shifted = logits - logits.max(axis, keepdims=True)
    np.exp(shifted, out=shifted)
    shifted /= shifted.sum(axis, keepdims=True)
    return np.asarray(shifted)


@dataclass(frozen=True, eq=False)
class LogisticMixture:
    """A number as a mixture of logistic densities, each integrated over the bin that the number lies in.

    The mass of a bin is sigmoid(up) - sigmoid(down), in logs log sigmoid(up) + log sigmoid(-down) +
    log(1 - e^(down - up)). Bins make integers and continuous numbers alike, and keep the information of a
    deterministic policy finite.

    Attributes:
        target: Standardised numbers `[n]`.
        half_width: Half a bin.
        n_components: Logistic densities in the mixture.
    """

    target: Array
    half_width: float
    n_components: int = 3

    @property
    def n_outputs(self) -> int:
        """Weight, place and log scale of each component."""
        return 3 * self.n_components

    def first_bias(self, rows: Array) -> Array:
        """Components spread over the range, moderately wide; the rows play no part."""
        del rows
        k = self.n_components
        place = np.linspace(-1, 1, k) if k > 1 else np.zeros(1)
        return np.concatenate([np.zeros(k), place, np.full(k, -0.7)]).astype(np.float32)

    def gradient(self, outputs: Array, rows: Array) -> Array:
        """Closed form: components share the blame by how well each explains the number."""
        weight, place, scale = self._parts(outputs, axis=1)
        inverse = np.exp(-scale)
        middle, half = (self.target[rows][:, None] - place) * inverse, np.float32(self.half_width) * inverse
        up, down = middle + half, middle - half
        share, log_mass = softmax(weight, 1), _log_mass(up, down, half)
        blame = softmax(np.log(share + 1e-30) + log_mass, 1)
        miss_up, miss_down = _sigmoid(-up), _sigmoid(down)
        # t / (e^t - 1) for the width t of the bin.
        by_width = 2 * half / _one_minus_exp(2 * half) - 2 * half
        by_scale = down * miss_down - up * miss_up - by_width
        by_place = blame * inverse * (miss_up - miss_down)
        return np.concatenate([share - blame, by_place, -blame * by_scale * (scale > SMALLEST_LOG_SCALE)], 1)

    def probability(self, outputs: Array, values: Array) -> Array:
        """Mass of the bin of each of `values` `[b]` under outputs `[b, n_outputs]`."""
        weight, place, scale = self._parts(outputs)
        inverse = np.exp(-scale)
        middle, half = (values[:, None] - place) * inverse, np.float32(self.half_width) * inverse
        mass = np.exp(_log_mass(middle + half, middle - half, half))
        return np.asarray((softmax(weight) * mass).sum(-1))

    def expected(self, outputs: Array) -> Array:
        """Mean of the mixture `[b]`."""
        weight, place, _ = self._parts(outputs)
        return np.asarray((softmax(weight) * place).sum(-1))

    def _parts(self, outputs: Array, axis: int = -1) -> tuple[Array, Array, Array]:
        """Weights, places and log scales, one after the other along `axis`."""
        weight, place, scale = np.split(outputs, 3, axis)
        return weight, place, np.clip(scale, SMALLEST_LOG_SCALE, 20)


def _log_mass(up: Array, down: Array, half: Array) -> Array:
    return _log_sigmoid(up) + _log_sigmoid(-down) + np.log(_one_minus_exp(2 * half))


def _sigmoid(x: Array) -> Array:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)))


def _log_sigmoid(x: Array) -> Array:
    return np.minimum(x, 0) - np.log(1 + np.exp(-np.abs(x)))


def _one_minus_exp(t: Array) -> Array:
    """1 - e^(-t) for t > 0, to about 1e-6 of itself; numpy's `expm1` takes three times as long."""
    return np.where(t < 0.03, t * (1 - t * (0.5 - t / 6)), 1 - np.exp(-t))
