"""Dense networks of agents in plain numpy: forward, backward, the scale of the states.

All weights live in one flat vector, so that the optimiser and a checkpoint see one array.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from terc.arrays import Array


class DenseNetwork:
    """Dense layers with `relu` or `tanh` between them; the last layer is linear.

    Args:
        sizes: Width of the input, of each hidden layer and of the output.
        activation: "relu" or "tanh".
        last_gain: Scale of the initial output weights; small values start a policy near uniform.
        first_gain: Scale of the initial input weights; small values leave what does not matter unused.
        n_free: Further parameters that belong to no layer (such as a log standard deviation), see `free`.
        rng: Draws the initial weights (orthogonal columns, as is usual in policy-gradient methods).

    Example:
        >>> network = DenseNetwork((3, 8, 2), "tanh", rng=np.random.default_rng(0))
        >>> network.forward(np.ones((5, 3), np.float32)).shape, network.parameters.size
        ((5, 2), 50)
    """

    def __init__(
        self,
        sizes: Sequence[int],
        activation: str,
        *,
        rng: np.random.Generator,
        last_gain: float = 1.0,
        first_gain: float = 1.0,
        n_free: int = 0,
    ) -> None:
        self.sizes = tuple(sizes)
        self.activation = activation
        n_parameters = sum((a + 1) * b for a, b in zip(sizes[:-1], sizes[1:], strict=True))
        self.parameters = np.zeros(n_parameters + n_free, np.float32)
        self.gradient = np.zeros(n_parameters + n_free, np.float32)
        self.free, self.free_gradient = self.parameters[n_parameters:], self.gradient[n_parameters:]
        self.layers = layer_views(self.parameters, self.sizes)
        self._slopes = layer_views(self.gradient, self.sizes)
        self._inputs: list[Array] = []
        hidden_gain = np.sqrt(2.0) if activation == "relu" else 1.0
        for number, (weights, _) in enumerate(self.layers):
            is_last = number == len(self.layers) - 1
            gain = (last_gain if is_last else hidden_gain) * (first_gain if number == 0 else 1.0)
            weights[:] = gain * orthogonal(weights.shape, rng=rng)

    def forward(self, states: Array, *, keep: bool = True) -> Array:
        """Outputs `[n, k]` for states `[n, d]`; `keep` remembers what `backward` needs."""
        inputs, hidden = [states], states
        for number, (weights, bias) in enumerate(self.layers):
            hidden = hidden @ weights
            hidden += bias
            if number < len(self.layers) - 1:
                activate(hidden, self.activation)
                inputs.append(hidden)
        if keep:
            self._inputs = inputs
        return hidden

    def backward(self, slope: Array) -> Array:
        """Flat gradient of a loss whose derivative by the last kept outputs is `slope` `[n, k]`."""
        for number in range(len(self.layers) - 1, -1, -1):
            inputs = self._inputs[number]
            weight_slope, bias_slope = self._slopes[number]
            np.matmul(inputs.T, slope, out=weight_slope)
            slope.sum(axis=0, out=bias_slope)
            if number > 0:
                slope = slope @ self.layers[number][0].T
                slope *= (inputs > 0) if self.activation == "relu" else (1 - inputs * inputs)
        return self.gradient

    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Numbers and arrays for a checkpoint."""
        return {}, {"parameters": self.parameters}

    def restore(self, numbers: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Continue from what `state` gave; in place, because the layers are views."""
        self.parameters[:] = arrays["parameters"]


def forget_unused_inputs(actor: DenseNetwork, critic: DenseNetwork, pull: float) -> None:
    """Shrink the weights of each of the actor's inputs, the more the less the critic uses it.

    The critic learns much faster than the actor what is noise; inputs that it ignores go to exactly zero.

    Args:
        actor: Its input weights are shortened in place.
        critic: On the same inputs.
        pull: How far the input that the critic uses most is shortened; 0 leaves everything as it is.
    """
    if pull <= 0:
        return
    weights = actor.layers[0][0]
    own, critics = (np.linalg.norm(one.layers[0][0], axis=1) for one in (actor, critic))
    amounts = pull * (critics.max() / np.maximum(critics, np.float32(1e-6))) ** 4
    # The step of a group lasso: each input's vector of weights gets shorter, down to zero.
    left = 1 - amounts / np.maximum(own, np.float32(1e-12))
    weights *= np.maximum(left, 0).astype(np.float32)[:, None]


def layer_views(flat: Array, sizes: Sequence[int]) -> list[tuple[Array, Array]]:
    """(weights, bias) of each layer as views into the flat vector."""
    views, start = [], 0
    for a, b in zip(sizes[:-1], sizes[1:], strict=True):
        weights = flat[start : start + a * b].reshape(a, b)
        views.append((weights, flat[start + a * b : start + a * b + b]))
        start += a * b + b
    return views


def activate(hidden: Array, activation: str) -> None:
    """`relu` or `tanh`, in place."""
    if activation == "relu":
        np.maximum(hidden, 0, out=hidden)
    else:
        np.tanh(hidden, out=hidden)


def orthogonal(shape: tuple[int, ...], *, rng: np.random.Generator) -> Array:
    """A random matrix whose rows or columns (the fewer) are orthonormal."""
    rows, columns = shape
    q, r = np.linalg.qr(rng.standard_normal((max(rows, columns), min(rows, columns))))
    q *= np.sign(np.diag(r))
    return (q if rows >= columns else q.T).astype(np.float32)


def clip_norm(gradient: Array, limit: float) -> None:
    """Shrink `gradient` in place to a length of at most `limit`."""
    length = float(np.sqrt(gradient @ gradient))
    if length > limit:
        gradient *= np.float32(limit / length)


@dataclass
class Scaler:
    """Running mean and spread of the states, so that a network sees numbers near 1 whatever the units.

    Sums are taken about the first batch's mean, which keeps them exact for variables far from zero.

    Example:
        >>> scaler = Scaler(1).update(np.array([[1000.0], [1002.0]]))
        >>> scaler(np.array([[1002.0]]))
        array([[1.]], dtype=float32)
    """

    size: int
    active: bool = True
    clip: float = 10.0
    count: float = 0.0
    origin: Array = field(init=False)
    total: Array = field(init=False)
    total_square: Array = field(init=False)

    def __post_init__(self) -> None:
        self.origin, self.total, self.total_square = (np.zeros(self.size) for _ in range(3))
        self._refresh()

    def update(self, states: Array) -> Self:
        """Take a batch of states `[n, d]` into the statistics."""
        if not self.active:
            return self
        if self.count == 0:
            self.origin = states.mean(axis=0, dtype=np.float64)
        centred = states - self.origin
        self.count += len(states)
        self.total += centred.sum(axis=0)
        self.total_square += np.einsum("ij,ij->j", centred, centred)
        self._refresh()
        return self

    def _refresh(self) -> None:
        count = max(self.count, 1.0)
        shift = self.total / count
        spread = np.sqrt(np.maximum(self.total_square / count - shift * shift, 0.0))
        # a constant column stays at zero instead of being blown up by its rounding
        self.scale = np.where(spread > 1e-8, spread, 1.0).astype(np.float32)
        self.center = self.origin + shift

    def __call__(self, states: Array) -> Array:
        """Scaled states, float32, within +-`clip`; unchanged (float32) when not active."""
        if not self.active:
            return states.astype(np.float32)
        return rescale(states, self.center, self.scale, self.clip)

    def settings(self) -> dict[str, Any]:
        """`center`, `scale` and `clip` as a `NetworkPolicy` takes them; empty when not active."""
        return {"center": self.center, "scale": self.scale, "clip": self.clip} if self.active else {}

    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Numbers and arrays for a checkpoint."""
        sums = {"origin": self.origin, "total": self.total, "total_square": self.total_square}
        return {"count": self.count}, sums

    def restore(self, numbers: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Continue from what `state` gave."""
        self.count, self.origin = numbers["count"], arrays["origin"].copy()
        self.total, self.total_square = arrays["total"].copy(), arrays["total_square"].copy()
        self._refresh()


def rescale(states: Array, center: Array, scale: Array, clip: float) -> Array:
    """(states - center) / scale within +-clip, float32."""
    scaled = (states - center).astype(np.float32)
    scaled /= scale
    return np.clip(scaled, -clip, clip, out=scaled)


def with_labels(inputs: Array, states: Array, labels: Array | None) -> Array:
    """`inputs`, and beside them a 1 for each label that a state carries.

    Args:
        inputs: `[n, d]`, float32.
        states: As they are.
        labels: Column and value of each label `[2, k]`; None for none.

    Example:
        >>> states = np.array([[7.0, 2.0], [7.0, 0.0]])
        >>> with_labels(states[:, :1], states, np.array([[1, 1, 1], [0, 1, 2]]))
        array([[7., 0., 0., 1.],
               [7., 1., 0., 0.]])
    """
    if labels is None:
        return inputs
    carried = states[:, labels[0].astype(np.int64)] == labels[1]
    return np.concatenate([inputs, carried.astype(inputs.dtype)], axis=1)
