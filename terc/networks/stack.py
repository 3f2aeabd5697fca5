"""One hidden layer, one network per fold: all folds of a view are trained side by side in plain numpy."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from terc.arrays import Array
from terc.networks.adam import Adam
from terc.networks.heads import Head


@dataclass(frozen=True)
class Training:
    """How the small networks are trained.

    Attributes:
        hidden: Width of the hidden layer.
        learning_rate: Adam's, falling to zero along a cosine.
        batch: Rows per update; small enough for the cache.
        epochs: Passes over the training rows.
        fewest_updates: Lower bound on the updates, for small data.
        most_updates: Upper bound, for large data.
        weight_decay: Adam's decoupled weight decay.
    """

    hidden: int = 50
    learning_rate: float = 0.01
    batch: int = 500
    epochs: int = 20
    fewest_updates: int = 200
    most_updates: int = 1500
    weight_decay: float = 1e-3

    def updates(self, n_train: int) -> int:
        """Number of updates for `n_train` rows."""
        wanted = self.epochs * max(1, n_train // self.batch)
        return min(max(wanted, self.fewest_updates), self.most_updates)


class Space:
    """Memory that every update uses again: fresh pages from the system cost more than the arithmetic."""

    def __init__(self) -> None:
        self._blocks: dict[str, Array] = {}

    def block(self, name: str, shape: tuple[int, ...], dtype: type = np.float32) -> Any:
        """The block of that name; what it held before is lost."""
        size = math.prod(shape)
        if name not in self._blocks or len(self._blocks[name]) < size:
            self._blocks[name] = np.empty(size, dtype)
        return self._blocks[name][:size].reshape(shape)


class Stack:
    """F networks over the same `p` inputs, with no parameter in common.

    Args:
        n_inputs: `p`.
        n_networks: `F`.
        head: What the outputs mean.
        hidden: Width of the hidden layer.
        rng: Advanced by this call.
    """

    def __init__(
        self, n_inputs: int, n_networks: int, head: Head, *, hidden: int, rng: np.random.Generator
    ) -> None:
        f, p, h, o = n_networks, n_inputs, hidden, head.n_outputs
        self.head = head
        self.w1 = _normal(rng, (f, p, h), 1 / math.sqrt(p))
        self.b1 = _normal(rng, (f, h, 1), 0.5)
        self.w2 = _normal(rng, (f, h, o), 0.3 / math.sqrt(h))
        self.b2 = np.zeros((f, o, 1), dtype=np.float32)

    def train(
        self, x: Array, train_rows: list[Array], training: Training, *, rng: np.random.Generator
    ) -> None:
        """Adam on all networks at once.

        Args:
            x: float32 `[n, p]`.
            train_rows: For each network the rows it learns from.
            training: The settings.
            rng: Advanced by this call.
        """
        self.b2[..., 0] = [self.head.first_bias(rows) for rows in train_rows]
        smallest = min(len(rows) for rows in train_rows)
        total = training.updates(smallest)
        adam = Adam([self.w1, self.b1, self.w2, self.b2], training.weight_decay)
        batches = _minibatches(train_rows, min(training.batch, smallest), total, rng)
        space = Space()
        for update, rows in enumerate(batches):
            rate = training.learning_rate * (1 + math.cos(math.pi * update / total)) / 2
            adam.step(self._gradients(x, rows, space), rate)

    def _gradients(self, x: Array, rows: Array, space: Space) -> list[Array]:
        """Of the mean loss over rows `[F, b]`, in the order of the parameters.

        Rows are the last axis: loops over them are long, those over the units of a layer are short.
        """
        (f, b), h = rows.shape, self.w1.shape[2]
        seen = np.take(x, rows, axis=0, out=space.block("inputs", (f, b, x.shape[1])), mode="clip")
        z, active = space.block("units", (f, h, b)), space.block("active", (f, h, b))
        np.matmul(self.w1.swapaxes(1, 2), seen.swapaxes(1, 2), out=z)
        z += self.b1
        # max(z, 0) takes numpy longer than these three together, and the slopes need the mask anyway.
        np.copyto(active, np.greater(z, 0, out=space.block("mask", (f, h, b), np.bool_)))
        z *= active
        outputs = self.w2.swapaxes(1, 2) @ z
        outputs += self.b2
        by_outputs = self.head.gradient(outputs, rows)
        by_outputs /= np.float32(b)
        by_w2 = z @ by_outputs.swapaxes(1, 2)
        by_z = np.matmul(self.w2, by_outputs, out=z)
        by_z *= active
        by_w1 = seen.swapaxes(1, 2) @ by_z.swapaxes(1, 2)
        return [by_w1, by_z.sum(2, keepdims=True), by_w2, by_outputs.sum(2, keepdims=True)]

    def outputs(self, network: int, x: Array) -> Array:
        """Outputs `[b, o]` of one network for inputs `[b, p]`."""
        z = np.maximum(x @ self.w1[network] + self.b1[network].T, 0)
        return np.asarray(z @ self.w2[network] + self.b2[network].T)


def _normal(rng: np.random.Generator, shape: tuple[int, ...], scale: float) -> Array:
    return rng.standard_normal(shape, dtype=np.float32) * np.float32(scale)


def _minibatches(train_rows: list[Array], size: int, total: int, rng: np.random.Generator) -> Iterator[Array]:
    """Rows `[F, size]` for each of `total` updates, each network running through its own rows in turn."""
    queues = [np.empty(0, dtype=np.int64) for _ in train_rows]
    for _ in range(total):
        for k, rows in enumerate(train_rows):
            if len(queues[k]) < size:
                queues[k] = np.concatenate([queues[k], rng.permutation(rows)])
        yield np.stack([queue[:size] for queue in queues])
        queues = [queue[size:] for queue in queues]
