"""Many critics F of the Donsker-Varadhan bound, small networks trained together by hand-written gradients.

I(A; X) is the largest value of E_joint[F] - log E_marginal[e^F] over functions F(a, x). The bound does not
change when a constant is added to F, so the output layer has no bias. One hidden ReLU layer, Adam, constant
learning rate: the paper's Algorithm 2 with the logarithm of the mean where the paper prints the mean of the
logarithm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from terc.arrays import Array
from terc.entropy.plateau import Plateau, Watch
from terc.networks.adam import Adam
from terc.networks.stack import Space


@dataclass(frozen=True, eq=False)
class DonskerVaradhan:
    """A bound on mutual information from one output F per row: E_joint[F] - log E_marginal[e^F].

    The expectation is inside the logarithm, so the gradient of a row depends on all others.

    Attributes:
        joint: Weights `[m, r]` of the rows under the joint distribution; m = 1 where all networks share them.
        log_marginal: Logs `[m, r]` of their weights under the product of the marginals.

    Example:
        Two fair bits that always agree: F of all four pairs, of which the joint has the first two.
        >>> head = DonskerVaradhan(np.array([[0.5, 0.5, 0, 0]]), np.log(np.full((1, 4), 0.25)))
        >>> head.bound_and_gradient(np.array([[9.0, 9.0, -9.0, -9.0]]))[0].round(3)
        array([0.693])
    """

    joint: Array
    log_marginal: Array

    def bound_and_gradient(self, outputs: Array) -> tuple[Array, Array]:
        """The bound of each network `[m]`, and the derivative of minus it by the outputs `[m, r]`."""
        tilted = outputs + self.log_marginal
        highest = tilted.max(1, keepdims=True)
        tilted -= highest
        np.exp(tilted, out=tilted)
        total = tilted.sum(1, keepdims=True)
        bound = (self.joint * outputs).sum(1) - highest[:, 0] - np.log(total[:, 0])
        tilted /= total
        return bound, np.subtract(tilted, self.joint, out=tilted)

    def of(self, networks: Array) -> DonskerVaradhan:
        """The same for some of the networks."""
        if len(self.joint) == 1:
            return self
        return DonskerVaradhan(self.joint[networks], self.log_marginal[networks])


@dataclass(frozen=True)
class Rows:
    """States, each beside k actions; for each critic its own or one set for all (m = 1).

    What a critic makes of a state is computed once and serves all actions beside it.

    Attributes:
        actions: float32 `[m, k, q, r]`; q = 0 where the states hold the action too, with k = 1.
        states: float32 `[m, r, p]`; one column is 1.
    """

    actions: Array
    states: Array

    def of(self, critics: Array) -> Rows:
        """Those of some critics only."""
        return self if len(self.states) == 1 else Rows(self.actions[critics], self.states[critics])


@dataclass(frozen=True)
class Sample:
    """Weighted rows.

    Attributes:
        rows: The rows.
        head: The weights `[m, k * r]` of each under the joint distribution and under independence.
    """

    rows: Rows
    head: DonskerVaradhan

    def of(self, critics: Array) -> Sample:
        """The rows of some critics only."""
        return Sample(self.rows.of(critics), self.head.of(critics))


@dataclass(frozen=True)
class Critics:
    """The parameters of m critics.

    Attributes:
        first: float32 `[m, h, q + p]`, the hidden layer: the weights of the action's columns, then of the
            states'.
        last: float32 `[m, h]`, the output layer.
        reads: float32 `[m, 1, q + p]`, 1 for the columns a critic reads, else 0.
    """

    first: Array
    last: Array
    reads: Array

    def of(self, critics: Array) -> Critics:
        """Some of the critics."""
        return Critics(self.first[critics], self.last[critics], self.reads[critics])

    def values(self, rows: Rows, space: Space) -> Array:
        """F of every row `[m, k * r]`."""
        return self.forward(rows, space)[0]

    def forward(self, rows: Rows, space: Space) -> tuple[Array, Array]:
        """F of every row `[m, k * r]`, and which units are active, 0 or 1 `[m, k, h, r]`, in `space`.

        Rows are the last axis: loops over them are long, those over the units of a layer are short.
        """
        (m, h), (k, q, r) = self.last.shape, rows.actions.shape[1:]
        active, of_state = space.block("active", (m, k, h, r)), space.block("states", (m, h, r))
        units = np.matmul(self.first[:, :, q:], rows.states.swapaxes(1, 2), out=of_state)[:, None]
        for j in range(q):
            np.multiply(self.first[:, None, :, j, None], rows.actions[:, :, j, None], out=active)
            units = np.add(units, active, out=space.block("units", (m, k, h, r)))
        # max(u, 0) takes numpy longer than these three together, and the gradients need the mask anyway.
        np.copyto(active, np.greater(units, 0, out=space.block("mask", (m, k, h, r), np.bool_)))
        units *= active
        return np.matmul(self.last[:, None, None], units).reshape(m, k * r), active

    def gradients(self, rows: Rows, active: Array, by_outputs: Array) -> tuple[Array, Array]:
        """Derivatives by `first` and `last`, given those by F `[m, k * r]`; `active` is overwritten."""
        (m, k, _, r), q = active.shape, rows.actions.shape[2]
        active *= by_outputs.reshape(m, k, 1, r)
        by_first = np.empty_like(self.first)
        np.matmul(active, rows.actions.swapaxes(2, 3)).sum(1, out=by_first[:, :, :q])
        by_state = active[:, 0]
        for j in range(1, k):
            by_state += active[:, j]
        np.matmul(by_state, rows.states, out=by_first[:, :, q:])
        # An active unit is the sum of its weights times inputs, so its summed outputs are at hand too.
        by_last = np.einsum("mhp,mhp->mh", self.first, by_first)
        by_first *= self.last[:, :, None]
        by_first *= self.reads
        return by_first, by_last


@dataclass(frozen=True)
class Trained:
    """Critics after training.

    Attributes:
        critics: Their parameters.
        steps: int64 `[m]`, updates that each of them got.
    """

    critics: Critics
    steps: Array


def new_critics(reads: Array, hidden: int, streams: list[np.random.Generator]) -> Critics:
    """Fresh critics; each weight is uniform within one over the root of its layer's number of inputs.

    Args:
        reads: bool `[m, q + p]`, the columns each critic reads; one of them is the constant 1.
        hidden: Width of the hidden layer.
        streams: One generator per critic, so that a critic does not depend on its neighbours.
    """
    first = np.zeros((len(reads), hidden, reads.shape[1]), np.float32)
    last = np.empty((len(reads), hidden), np.float32)
    for k, (columns, rng) in enumerate(zip(reads, streams, strict=True)):
        width = 1 / np.sqrt(max(1, columns.sum() - 1))
        first[k][:, columns] = rng.uniform(-width, width, (columns.sum(), hidden)).T
        last[k] = rng.uniform(-1, 1, hidden) / np.sqrt(hidden)
    return Critics(first, last, reads[:, None].astype(np.float32))


def train(
    critics: Critics, samples: Iterator[Sample], *, cap: int, learning_rate: float, plateau: Plateau | None
) -> Trained:
    """Adam on every critic; one that has reached its plateau leaves, the others go on up to the cap.

    Args:
        critics: Fresh ones; not changed.
        samples: The rows of each update, for all critics, whether they have left or not.
        cap: The largest number of updates.
        learning_rate: Adam's, constant.
        plateau: When to end early; None trains to the cap.
    """
    first, last = critics.first.copy(), critics.last.copy()
    steps = np.full(len(first), cap, dtype=np.int64)
    running, ascent = np.arange(len(first)), Ascent(critics, learning_rate)
    watch = None if plateau is None else Watch(plateau, len(first))
    for step in range(1, cap + 1):
        sample = next(samples)
        values = ascent.update(sample if len(running) == len(first) else sample.of(running))
        ended = None if watch is None else watch.see(values, step)
        if ended is None:
            continue
        first[running[ended]], last[running[ended]] = ascent.critics.first[ended], ascent.critics.last[ended]
        steps[running[ended]] = step
        running = running[~ended]
        ascent.keep(~ended)
        if not len(running):
            break
    first[running], last[running] = ascent.critics.first, ascent.critics.last
    return Trained(Critics(first, last, critics.reads), steps)


class Ascent:
    """Adam's upward steps on the bound of each critic; the critics are copied."""

    def __init__(self, critics: Critics, learning_rate: float) -> None:
        self.critics = Critics(critics.first.copy(), critics.last.copy(), critics.reads)
        self.adam = Adam([self.critics.first, self.critics.last])
        self.learning_rate, self.space = learning_rate, Space()

    def update(self, sample: Sample) -> Array:
        """One update; returns the bound of each critic before it `[m]`."""
        outputs, active = self.critics.forward(sample.rows, self.space)
        bound, slope = sample.head.bound_and_gradient(outputs)
        self.adam.step(self.critics.gradients(sample.rows, active, slope), self.learning_rate)
        return bound

    def keep(self, critics: Array) -> None:
        """Go on with some of the critics."""
        self.adam.keep(critics)
        first, last = self.adam.parameters
        self.critics = Critics(first, last, self.critics.reads[critics])


def log_sum_exp(values: Array) -> Array:
    """Log of the sum of e^values along the last axis."""
    highest = values.max(-1, keepdims=True)
    return np.asarray(np.log(np.exp(values - highest).sum(-1)) + highest[..., 0])
