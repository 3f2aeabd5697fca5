"""Many small networks trained at once: one for each question and fold, sharing every minibatch.

Each network is one hidden layer over the same columns, of which it sees some as they are, some with their
rows shuffled, and some not at all. The first layer of all networks of a fold is a single matrix product,
because the rows are shared; that is where the time goes, and where stacking saves it. Rows of the minibatch
come last in every product: torch multiplies a batch of matrices by few columns several times as slowly as it
multiplies few rows by a batch of matrices, and nothing has to be moved between the two layers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from terc.entropy.adam import Adam
from terc.entropy.base import Array, HeldOut
from terc.entropy.likelihoods import Likelihood
from terc.entropy.splits import Splits
from terc.seeding import torch_generator
from terc.threads import one_torch_thread
from terc.trajectories.columns import IntArray

ROWS_AT_ONCE = 4096


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


@dataclass(frozen=True)
class Views:
    """What each network sees of the `p` columns.

    Attributes:
        seen: bool `[nets, p]`, columns read as they are.
        shuffled: bool `[nets, p]`, columns read with rows shuffled within each fold; the rest is absent.
    """

    seen: Array
    shuffled: Array

    def __len__(self) -> int:
        """Number of networks."""
        return len(self.seen)


def held_out(
    values: Array,
    views: Views,
    likelihood: Likelihood,
    splits: Splits,
    *,
    training: Training,
    rng: np.random.Generator,
) -> HeldOut:
    """Train one network per view and fold, and judge each on its held-out fold.

    Args:
        values: float32 `[n, p]` inputs.
        views: What each network sees.
        likelihood: Of the actions, rows as in `values`.
        splits: The folds.
        training: The settings.
        rng: Advanced by this call.
    """
    with one_torch_thread():
        stack = _Stack(values, views, likelihood, splits, training, rng)
        stack.train(rng)
        return stack.judge()


class _Stack:
    """The parameters of all networks and the two passes over them. F folds, S views, h hidden, o outputs."""

    def __init__(
        self,
        values: Array,
        views: Views,
        likelihood: Likelihood,
        splits: Splits,
        training: Training,
        rng: np.random.Generator,
    ) -> None:
        self.likelihood, self.splits, self.training = likelihood, splits, training
        used = (views.seen | views.shuffled).any(0)
        self.x = torch.as_tensor(np.ascontiguousarray(values[:, used]))
        self.seen = torch.as_tensor(views.seen[:, used]).float()[:, None]
        self.shuffled = torch.as_tensor(views.shuffled[:, used]).float()[:, None]
        self.any_shuffled = bool(views.shuffled.any())
        self.partner = torch.as_tensor(shuffle_within(splits.folds, rng)) if self.any_shuffled else None
        self.folds, self.views = splits.n_folds, len(views)
        p, h, o = self.x.shape[1], training.hidden, likelihood.n_outputs
        g = torch_generator(rng)
        # Width of the view, not of the whole table: a network that sees three columns starts like one built
        # for three.
        width = torch.as_tensor((views.seen | views.shuffled).sum(1)).clamp(min=1).sqrt()[:, None, None]
        drawn = torch.randn(self.folds, p, self.views, h, generator=g)
        self.w1 = drawn.permute(0, 2, 3, 1).contiguous() / width
        self.b1 = torch.randn(self.folds, self.views * h, 1, generator=g) * 0.5
        drawn = torch.randn(self.folds * self.views, h, o, generator=g)
        self.w2 = drawn.transpose(1, 2).contiguous() * (0.3 / math.sqrt(h))
        self.b2 = likelihood.first_bias().reshape(1, o, 1).repeat(self.folds * self.views, 1, 1)

    def forward(self, rows: Tensor) -> Tensor:
        """Outputs `[F * S, b, o]` for rows `[F, b]`."""
        x, w = self.x[rows], self.w1 * self.seen
        if self.partner is not None:
            x = torch.cat([x, self.x[self.partner[rows]]], -1)
            w = torch.cat([w, self.w1 * self.shuffled], -1)
        z = torch.baddbmm(self.b1, w.flatten(1, 2), x.transpose(1, 2)).relu_()
        z = z.view(self.folds * self.views, self.training.hidden, -1)
        return torch.baddbmm(self.b2, self.w2, z).transpose(1, 2)

    def train(self, rng: np.random.Generator) -> None:
        """Adam on all networks at once; they share no parameter, so each ends where it would alone."""
        parameters = [self.w1, self.b1, self.w2, self.b2]
        for parameter in parameters:
            parameter.requires_grad_()
        n_train = int(len(self.splits.folds) - np.bincount(self.splits.folds).max())
        total = self.training.updates(n_train)
        adam = Adam(parameters, self.training.weight_decay)
        for update, rows in enumerate(
            _minibatches(self.splits.folds, min(self.training.batch, n_train), total, rng)
        ):
            loss = self.likelihood.loss(self.forward(rows), self._per_network(rows)).mean(1).sum()
            gradients = torch.autograd.grad(loss, parameters)
            adam.step(gradients, self.training.learning_rate * (1 + math.cos(math.pi * update / total)) / 2)

    def _per_network(self, rows: Tensor) -> Tensor:
        return rows.repeat_interleave(self.views, 0)

    @torch.no_grad()
    def judge(self) -> HeldOut:
        """Losses and residuals of every network on the fold it did not see."""
        n = len(self.x)
        losses = np.empty((self.views, n), dtype=np.float32)
        residuals: list[Array] = []
        places: list[Array] = []
        for fold in range(self.folds):
            for rows in torch.as_tensor(np.flatnonzero(self.splits.folds == fold)).split(ROWS_AT_ONCE):
                outputs = self.forward(rows.expand(self.folds, -1)).unflatten(0, (self.folds, self.views))[
                    fold
                ]
                each = rows.expand(self.views, -1)
                losses[:, rows] = self.likelihood.loss(outputs, each)
                residuals.append(self.likelihood.residual(outputs, each).numpy())
                places.append(rows.numpy())
        back = np.argsort(np.concatenate(places))
        return HeldOut(losses, np.concatenate(residuals, axis=1)[:, back])


def shuffle_within(folds: IntArray, rng: np.random.Generator) -> IntArray:
    """A permutation of the rows that leaves every row in its fold."""
    partner = np.arange(len(folds))
    for fold in range(int(folds.max()) + 1):
        rows = np.flatnonzero(folds == fold)
        partner[rows] = rng.permutation(rows)
    return partner


def _minibatches(folds: IntArray, size: int, total: int, rng: np.random.Generator) -> Iterator[Tensor]:
    """`total` minibatches of training rows `[F, size]`, each fold's from the steps it does not hold out."""
    pools = [np.flatnonzero(folds != fold) for fold in range(int(folds.max()) + 1)]
    shortest = min(len(pool) for pool in pools)
    sent = 0
    while True:
        order = torch.as_tensor(np.stack([rng.permutation(pool)[:shortest] for pool in pools]))
        for start in range(0, shortest - size + 1, size):
            if sent == total:
                return
            sent += 1
            yield order[:, start : start + size]
