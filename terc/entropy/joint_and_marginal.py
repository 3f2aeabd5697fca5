"""Rows of the joint distribution of action and variables, and of the product of their marginals.

Drawn in minibatches (`Drawn`), or every different row once with its weight (`Merged`): then the two
expectations of the Donsker-Varadhan bound are those over all steps, and an update costs a fraction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from terc.entropy.base import Subset
from terc.entropy.counting import encode
from terc.entropy.donsker_varadhan import Critics, Rows, Sample
from terc.predictors.encoding import one_hot
from terc.trajectories.columns import FloatArray, IntArray

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

# Activations of the critics trained together. Minibatches are drawn once for all of a block, which pays for
# more than the cache holds; tables cost nothing to draw, and are fastest when they fit.
DRAWN_AT_ONCE = 1 << 20
MERGED_AT_ONCE = 1 << 18
PAIRS_TO_JUDGE = 100_000
ROWS_AT_ONCE = 5_000


@dataclass(frozen=True, eq=False)
class Columns:
    """Inputs of the critics.

    Attributes:
        actions: float32 `[n, q]`.
        states: float32 `[n, p]`: 1, then the variables.
        owner: int64 `[q + p]`, the variable of each column; -1 for the action and the constant, which all
            read.
    """

    actions: Tensor
    states: Tensor
    owner: IntArray

    @classmethod
    def of(cls, data: Trajectories) -> Columns:
        """Numbers as they are, with zero mean and unit variance; labels as one column per level."""
        n = len(data)
        actions = np.asarray(data.actions, dtype=np.float64).reshape(n, -1)
        acted = _read(actions, labels=data.action_labels is not None)
        read = [_read(data.states[:, [j]], labels=name in data.nominal) for j, name in enumerate(data.names)]
        states = np.concatenate([np.ones((n, 1)), *read], axis=1, dtype=np.float32)
        widths = [acted.shape[1] + 1, *(block.shape[1] for block in read)]
        owner = np.repeat(np.arange(len(widths)) - 1, widths)
        return cls(torch.as_tensor(acted.astype(np.float32)), torch.as_tensor(states), owner)

    def __len__(self) -> int:
        return len(self.states)

    def reads(self, subsets: list[Subset]) -> np.ndarray:
        """Mask `[subset, p]` of the columns that each subset reads."""
        return np.stack([np.isin(self.owner, (-1, *subset)) for subset in subsets])

    def beside(self, steps: IntArray, *partners: IntArray) -> Rows:
        """The states of `steps`, each beside the action of one step from each of the `partners`."""
        whose = torch.as_tensor(np.concatenate(partners))
        actions = self.actions.index_select(0, whose).view(1, len(partners), len(steps), -1)
        return Rows(actions, self.states.index_select(0, torch.as_tensor(steps))[None])


def _read(columns: FloatArray, *, labels: bool) -> FloatArray:
    if labels:
        return one_hot(columns[:, 0].astype(np.int64))
    # The first value goes first, so that a large constant costs no digits.
    shifted = columns - columns[:1]
    centred = shifted - shifted.mean(0)
    spread = centred.std(0)
    return centred / np.where(spread > 0, spread, 1.0)


@dataclass(frozen=True)
class Block:
    """Critics that are trained together.

    Attributes:
        subsets: What each reads.
        runs: The run each belongs to.
        places: Where each goes in an array `[subset, run]`.
    """

    subsets: list[Subset]
    runs: list[int]
    places: tuple[IntArray, IntArray]

    @classmethod
    def of(cls, subsets: list[Subset], pairs: list[tuple[int, int]]) -> Block:
        """The block of some pairs (place among the subsets, run)."""
        which, runs = np.array(pairs).T
        return cls([subsets[i] for i in which], runs.tolist(), (which, runs))


@dataclass(frozen=True, eq=False)
class Drawn:
    """Minibatches of joint rows, and of the same rows with the actions of other steps.

    Attributes:
        columns: The inputs.
        seed: Of the draws; those of a run depend on nothing else, so all subsets of a run see the same.
        runs: Independent runs.
        hidden: Width of the critics.
        batch: Steps per minibatch.
    """

    columns: Columns
    seed: int
    runs: int
    hidden: int
    batch: int

    def blocks(self, subsets: list[Subset]) -> Iterator[Block]:
        """Critics of one run, as many as the cache holds; the empty subset needs none."""
        size = max(1, DRAWN_AT_ONCE // (2 * self.batch * self.hidden))
        places = [i for i, subset in enumerate(subsets) if subset]
        for run in range(self.runs):
            for start in range(0, len(places), size):
                yield Block.of(subsets, [(i, run) for i in places[start : start + size]])

    def samples(self, block: Block) -> Iterator[Sample]:
        """Minibatches without end."""
        rng = np.random.default_rng([self.seed, block.runs[0]])
        n, b = len(self.columns), self.batch
        joint = torch.stack([torch.full((b,), 1 / b), torch.zeros(b)])[None]
        log_marginal = torch.stack([torch.full((b,), -torch.inf), torch.full((b,), -float(np.log(b)))])[None]
        while True:
            steps = rng.integers(n, size=b)
            rows = self.columns.beside(steps, steps, _other_steps(steps, n, rng))
            yield Sample(rows, joint, log_marginal)

    @torch.no_grad()
    def local(self, block: Block, critics: Critics) -> np.ndarray:
        """F of each step less the log of the mean of e^F over steps with another step's action `[m, n]`."""
        n, beside = len(self.columns), self.columns.beside
        rng = np.random.default_rng([self.seed, block.runs[0], 1])
        in_order = np.array_split(np.arange(n), -(-n // ROWS_AT_ONCE))
        joint = torch.cat([critics.values(beside(steps, steps)).flatten(1) for steps in in_order], 1)
        every_step_often = np.tile(np.arange(n), -(-PAIRS_TO_JUDGE // n))
        log_sums = [
            torch.logsumexp(critics.values(beside(steps, _other_steps(steps, n, rng))).flatten(1), 1)
            for steps in np.array_split(every_step_often, -(-len(every_step_often) // ROWS_AT_ONCE))
        ]
        partition = torch.logsumexp(torch.stack(log_sums, 1), 1, keepdim=True) - np.log(len(every_step_often))
        return (joint - partition).numpy()


def _other_steps(steps: IntArray, n: int, rng: np.random.Generator) -> IntArray:
    """For each step a random other one: t' differs from t, as Algorithm 2 wants."""
    return (steps + rng.integers(1, n, size=len(steps))) % n


@dataclass(frozen=True, eq=False)
class Merged:
    """Every pair of a different state and a different action, weighted by the counts.

    Attributes:
        columns: The inputs.
        runs: Independent runs.
        hidden: Width of the critics.
        states: The variables `[n, d]`.
        actions: Compact codes of the actions `[n]`.
    """

    columns: Columns
    runs: int
    hidden: int
    states: FloatArray
    actions: IntArray

    def blocks(self, subsets: list[Subset]) -> Iterator[Block]:
        """Critics of all runs, subsets with tables of like size side by side; the empty one needs none."""
        sizes = {i: self._sample(subset).joint.numel() for i, subset in enumerate(subsets) if subset}
        pairs: list[tuple[int, int]] = []
        for i, run in product(sorted(sizes, key=sizes.__getitem__), range(self.runs)):
            if pairs and (len(pairs) + 1) * sizes[i] * self.hidden > MERGED_AT_ONCE:
                yield Block.of(subsets, pairs)
                pairs = []
            pairs.append((i, run))
        if pairs:
            yield Block.of(subsets, pairs)

    def samples(self, block: Block) -> Iterator[Sample]:
        """The same sample without end: every update sees all steps."""
        tables = {subset: self._sample(subset) for subset in dict.fromkeys(block.subsets)}
        longest = max(table.joint.shape[-1] for table in tables.values())
        padded = [_padded(tables[subset], longest) for subset in block.subsets]
        sample = Sample(
            Rows(
                torch.cat([one.rows.actions for one in padded]),
                torch.cat([one.rows.states for one in padded]),
            ),
            torch.cat([one.joint for one in padded]),
            torch.cat([one.log_marginal for one in padded]),
        )
        while True:
            yield sample

    def _states(self, subset: Subset) -> tuple[IntArray, IntArray]:
        """A step that shows each different state, and each step's state `[n]`."""
        states = encode(self.states[:, list(subset)])
        return np.unique(states, return_index=True)[1], states

    def _sample(self, subset: Subset) -> Sample:
        shown, states = self._states(subset)
        acted = np.unique(self.actions, return_index=True)[1]
        place = self.actions * len(shown) + states
        joint = np.bincount(place, minlength=len(acted) * len(shown)).reshape(len(acted), -1) / len(place)
        marginal = joint.sum(1, keepdims=True) * joint.sum(0)
        return Sample(
            self.columns.beside(shown, *(np.full(len(shown), step) for step in acted)),
            torch.as_tensor(joint, dtype=torch.float32)[None],
            torch.as_tensor(np.log(marginal), dtype=torch.float32)[None],
        )

    @torch.no_grad()
    def local(self, block: Block, critics: Critics) -> np.ndarray:
        """F of each step less the log of the exact mean of e^F under independence `[m, n]`."""
        local = np.empty((len(block.subsets), len(self.states)), dtype=np.float32)
        for k, subset in enumerate(block.subsets):
            sample, states = self._sample(subset), self._states(subset)[1]
            f = critics.of(torch.tensor([k])).values(sample.rows)[0]
            partition = torch.logsumexp((f + sample.log_marginal[0]).flatten(), 0)
            local[k] = (f - partition).numpy()[self.actions, states]
        return local


def _padded(sample: Sample, length: int) -> Sample:
    """The sample with rows of no weight at its end."""
    missing = length - sample.joint.shape[-1]
    pad = torch.nn.functional.pad
    return Sample(
        Rows(pad(sample.rows.actions, (0, 0, 0, missing)), pad(sample.rows.states, (0, 0, 0, missing))),
        pad(sample.joint, (0, missing)),
        pad(sample.log_marginal, (0, missing), value=-torch.inf),
    )
