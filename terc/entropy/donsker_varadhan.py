"""Many critics F of the Donsker-Varadhan bound, small networks trained together by hand-written gradients.

I(A; X) is the largest value of E_joint[F] - log E_marginal[e^F] over functions F(a, x). The bound does not
change when a constant is added to F, so the output layer has no bias. One hidden ReLU layer, Adam, constant
learning rate: the paper's Algorithm 2 with the logarithm of the mean where the paper prints the mean of the
logarithm.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

BETAS = (0.9, 0.999)
EPSILON = 1e-8


@dataclass(frozen=True)
class Rows:
    """States, each beside k actions; for each critic its own or one set for all (m = 1).

    What a critic makes of a state is computed once and serves all actions beside it.

    Attributes:
        actions: float32 `[m, k, r, q]`.
        states: float32 `[m, r, p]`; the first column is 1.
    """

    actions: Tensor
    states: Tensor

    def of(self, critics: Tensor) -> Rows:
        """Those of some critics only."""
        return self if len(self.states) == 1 else Rows(self.actions[critics], self.states[critics])


@dataclass(frozen=True)
class Sample:
    """Weighted rows.

    Attributes:
        rows: The rows.
        joint: float32 `[m, k, r]`, the weight of each under the joint distribution.
        log_marginal: float32 `[m, k, r]`, log of its weight under the product of the marginals.
    """

    rows: Rows
    joint: Tensor
    log_marginal: Tensor

    def of(self, critics: Tensor) -> Sample:
        """The rows of some critics only."""
        if len(self.joint) == 1:
            return self
        return Sample(self.rows.of(critics), self.joint[critics], self.log_marginal[critics])


@dataclass(frozen=True)
class Plateau:
    """When training may end before its cap: the bound, averaged over windows of updates, has stopped to rise.

    Attributes:
        window: Updates per window.
        patience: Windows in a row without a new best before a critic counts as trained.
        tolerance: Nats by which a window must exceed the best so far to be a new best.
        share: The same as a share of the best so far; the larger of the two counts. On Cart Pole and Lunar
            Lander the bound rises by another 1 % between 1,000 and 4,000 updates, noise of the minibatches
            included.
        fewest: Updates that are made in any case; parities rest at zero before they rise.

    Example:
        >>> Plateau(window=50).fewest
        1000
    """

    window: int = 100
    patience: int = 5
    tolerance: float = 1e-3
    fewest: int = 1000
    share: float = 0.005


class Space:
    """Memory that every update uses again: fresh pages from the system cost more than the arithmetic."""

    def __init__(self) -> None:
        self._blocks: dict[str, Tensor] = {}

    def block(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """The block of that name; what it held before is lost."""
        size = math.prod(shape)
        if name not in self._blocks or len(self._blocks[name]) < size:
            self._blocks[name] = torch.empty(size)
        return self._blocks[name][:size].view(shape)


@dataclass(frozen=True)
class Critics:
    """The parameters of m critics.

    Attributes:
        first: float32 `[m, q + p, h]`, the hidden layer: the action's weights, the bias, the variables'.
        last: float32 `[m, h, 1]`, the output layer.
        reads: float32 `[m, q + p, 1]`, 1 for the columns a critic reads, else 0.
    """

    first: Tensor
    last: Tensor
    reads: Tensor

    def of(self, critics: Tensor) -> Critics:
        """Some of the critics."""
        return Critics(self.first[critics], self.last[critics], self.reads[critics])

    def hidden(self, rows: Rows, space: Space) -> Tensor:
        """Outputs of the hidden layer `[m, k * r, h]`, in the memory of `space`."""
        m, (_, k, r, q), h = len(self.first), rows.actions.shape, self.first.shape[-1]
        of_state, outputs = space.block("states", (m, r, h)), space.block("rows", (m, k, r, h))
        torch.bmm(rows.states.expand(m, -1, -1), self.first[:, q:], out=of_state)
        before = of_state.unsqueeze(1)
        for column, weights in zip(rows.actions.unbind(-1), self.first[:, :q].unbind(1), strict=True):
            before = torch.addcmul(before, column.unsqueeze(-1), weights[:, None, None], out=outputs)
        return outputs.view(m, k * r, h).relu_()

    def values(self, rows: Rows) -> Tensor:
        """F of every row `[m, k, r]`."""
        return self.output(self.hidden(rows, Space())).view(len(self.last), *rows.actions.shape[1:3])

    def output(self, hidden: Tensor) -> Tensor:
        """F of outputs of the hidden layer `[m, n]`.

        As a row times a matrix: a matrix times a column takes torch several times as long in batches.
        """
        return torch.bmm(self.last.transpose(1, 2), hidden.transpose(1, 2)).squeeze(1)


@dataclass(frozen=True)
class Trained:
    """Critics after training.

    Attributes:
        critics: Their parameters.
        steps: int64 `[m]`, updates that each of them got.
    """

    critics: Critics
    steps: np.ndarray


def new_critics(reads: np.ndarray, hidden: int, streams: list[np.random.Generator]) -> Critics:
    """Fresh critics; each weight is uniform within one over the root of its layer's number of inputs.

    Args:
        reads: bool `[m, q + p]`, the columns each critic reads; one of them is the constant 1.
        hidden: Width of the hidden layer.
        streams: One generator per critic, so that a critic does not depend on its neighbours.
    """
    firsts, lasts = [], []
    for columns, rng in zip(reads, streams, strict=True):
        first = np.zeros((len(columns), hidden))
        width = 1 / np.sqrt(max(1, columns.sum() - 1))
        first[columns] = rng.uniform(-width, width, (columns.sum(), hidden))
        firsts.append(first)
        lasts.append(rng.uniform(-1, 1, (hidden, 1)) / np.sqrt(hidden))
    return Critics(_float(np.stack(firsts)), _float(np.stack(lasts)), _float(reads)[..., None])


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
    first, last = critics.first.clone(), critics.last.clone()
    steps = np.full(len(first), cap, dtype=np.int64)
    running, ascent = torch.arange(len(first)), _Ascent(critics, learning_rate)
    watch = None if plateau is None else _Watch(plateau, len(first))
    for step in range(1, cap + 1):
        sample = next(samples)
        values = ascent.update(sample if len(running) == len(first) else sample.of(running))
        ended = None if watch is None else watch.see(values, step)
        if ended is None:
            continue
        first[running[ended]], last[running[ended]] = ascent.critics.first[ended], ascent.critics.last[ended]
        steps[running[ended].numpy()] = step
        running = running[~ended]
        ascent.keep(~ended)
        if not len(running):
            break
    first[running], last[running] = ascent.critics.first, ascent.critics.last
    return Trained(Critics(first, last, critics.reads), steps)


class _Ascent:
    """Adam's upward steps on the bound of each critic."""

    def __init__(self, critics: Critics, learning_rate: float) -> None:
        self.critics = Critics(critics.first.clone(), critics.last.clone(), critics.reads)
        self.learning_rate, self.step, self.space = learning_rate, 0, Space()
        self.moments = [[torch.zeros_like(p), torch.zeros_like(p)] for p in (critics.first, critics.last)]

    def update(self, sample: Sample) -> Tensor:
        """One update; returns the bound of each critic before it `[m]`."""
        first, last = self.critics.first, self.critics.last
        hidden, joint = self.critics.hidden(sample.rows, self.space), sample.joint.flatten(1)
        f = self.critics.output(hidden)
        tilted = f + sample.log_marginal.flatten(1)
        partition = torch.logsumexp(tilted, 1, keepdim=True)
        bound = (joint * f).sum(1) - partition.squeeze(1)
        slope = joint - torch.exp(tilted - partition)
        last_slope = torch.bmm(slope.unsqueeze(1), hidden).transpose(1, 2)
        # A unit passes the slope on where it is active: the sign of its output, 0 or 1. Its weight in the
        # last layer is the same for all rows and waits until they are summed up.
        through = hidden.sign_().mul_(slope.unsqueeze(-1))
        first_slope = _into(sample.rows, through, self.space)
        first_slope.mul_(last.transpose(1, 2)).mul_(self.critics.reads)
        self._adam((first, last), (first_slope, last_slope))
        return bound

    def _adam(self, parameters: tuple[Tensor, Tensor], slopes: tuple[Tensor, Tensor]) -> None:
        self.step += 1
        size = self.learning_rate / (1 - BETAS[0] ** self.step)
        correction = (1 - BETAS[1] ** self.step) ** 0.5
        for parameter, slope, (mean, square) in zip(parameters, slopes, self.moments, strict=True):
            mean.lerp_(slope, 1 - BETAS[0])
            square.mul_(BETAS[1]).addcmul_(slope, slope, value=1 - BETAS[1])
            parameter.addcdiv_(mean, square.sqrt().div_(correction).add_(EPSILON), value=size)

    def keep(self, critics: Tensor) -> None:
        """Go on with some of the critics."""
        self.critics = self.critics.of(critics)
        self.moments = [[moment[critics] for moment in pair] for pair in self.moments]


def _into(rows: Rows, through: Tensor, space: Space) -> Tensor:
    """Sum over the rows of input times slope `[m, q + p, h]`; slopes of one state are added up first."""
    (m, _, h), (k, r, q) = through.shape, rows.actions.shape[1:]
    actions = rows.actions.expand(m, -1, -1, -1).reshape(m, k * r, q)
    by_state = through.view(m, k, r, h)
    summed = space.block("states", (m, r, h)).copy_(by_state[:, 0])  # sum(1) takes more than twice as long
    for slopes in by_state.unbind(1)[1:]:
        summed += slopes
    states = rows.states.expand(m, -1, -1)
    return torch.cat(
        [torch.bmm(actions.transpose(1, 2), through), torch.bmm(states.transpose(1, 2), summed)], 1
    )


class _Watch:
    """Averages the bounds over windows and tells which critics have stopped to rise."""

    def __init__(self, plateau: Plateau, m: int) -> None:
        self.plateau = plateau
        self.best, self.stale, self.sum = torch.full((m,), -torch.inf), torch.zeros(m), torch.zeros(m)

    def see(self, values: Tensor, step: int) -> Tensor | None:
        """Mask of the critics that end with this update, or None."""
        self.sum += values
        if step % self.plateau.window:
            return None
        mean, self.sum = self.sum / self.plateau.window, torch.zeros_like(self.sum)
        rise = (self.plateau.share * self.best).clamp_min(self.plateau.tolerance)  # -inf before the first
        risen = mean > self.best + rise
        self.best = torch.where(risen, mean, self.best)
        self.stale = torch.where(risen, 0, self.stale + 1)
        ended = self.stale >= self.plateau.patience
        if step < self.plateau.fewest or not bool(ended.any()):
            return None
        self.best, self.stale, self.sum = self.best[~ended], self.stale[~ended], self.sum[~ended]
        return ended


def _float(values: np.ndarray) -> Tensor:
    return torch.as_tensor(np.ascontiguousarray(values), dtype=torch.float32)
