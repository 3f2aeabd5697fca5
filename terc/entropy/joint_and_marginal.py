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

from terc.arrays import Array, Floats, Integers
from terc.entropy.base import Subset
from terc.entropy.counting import encode
from terc.entropy.donsker_varadhan import Critics, DonskerVaradhan, Rows, Sample, log_sum_exp
from terc.networks.stack import Space
from terc.predictors.encoding import one_hot
from terc.trajectories.columns import of_size_one

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
        actions: float32 `[q, n]`.
        states: float32 `[n, p]`: 1, then the variables.
        owner: int64 `[q + p]`, the variable of each column; -1 for the action and the constant, which all
            read.
    """

    actions: Array
    states: Array
    owner: Integers

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
        return cls(np.ascontiguousarray(acted.T, dtype=np.float32), states, owner)

    def __len__(self) -> int:
        return len(self.states)

    def reads(self, subsets: list[Subset]) -> np.ndarray:
        """Mask `[subset, p]` of the columns that each subset reads."""
        return np.stack([np.isin(self.owner, (-1, *subset)) for subset in subsets])

    def beside(self, steps: Integers, *partners: Integers, space: Space) -> Rows:
        """The states of `steps`, each beside the action of one step from each of the `partners`."""
        states = space.block("drawn states", (len(steps), self.states.shape[1]))
        actions = space.block("drawn actions", (len(partners), len(self.actions), len(steps)))
        np.take(self.states, steps, axis=0, out=states, mode="clip")  # "raise" would copy once more
        for whose, drawn in zip(partners, actions, strict=True):
            np.take(self.actions, whose, axis=1, out=drawn, mode="clip")
        return Rows(actions[None], states[None])

    def together(self, states: Integers, actions: Integers) -> Rows:
        """Rows of the state of one step and the action of another, the action among the columns."""
        rows = np.concatenate([self.actions.T[actions], self.states[states]], axis=1)
        return Rows(np.empty((1, 1, 0, len(rows)), np.float32), rows[None])


def _read(columns: Floats, *, labels: bool) -> Floats:
    if labels:
        return one_hot(columns[:, 0].astype(np.int64))
    # The first value goes first, so that a large constant costs no digits.
    scaled = of_size_one(columns)
    shifted = scaled - scaled[:1]
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
    places: tuple[Integers, Integers]

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
        n, b, space = len(self.columns), self.batch, Space()
        joint, log_marginal = np.zeros((2, 1, 2 * b), np.float32)
        joint[:, :b], log_marginal[:, :b], log_marginal[:, b:] = 1 / b, -np.inf, -np.log(b)
        head = DonskerVaradhan(joint, log_marginal)
        while True:
            steps = rng.integers(n, size=b)
            yield Sample(self.columns.beside(steps, steps, _other_steps(steps, n, rng), space=space), head)

    def local(self, block: Block, critics: Critics) -> Array:
        """F of each step less the log of the mean of e^F over steps with another step's action `[m, n]`."""
        n, space = len(self.columns), Space()
        rng = np.random.default_rng([self.seed, block.runs[0], 1])

        def values(steps: Integers, partners: Integers) -> Array:
            return critics.values(self.columns.beside(steps, partners, space=space), space)

        in_order = np.array_split(np.arange(n), -(-n // ROWS_AT_ONCE))
        joint = np.concatenate([values(steps, steps) for steps in in_order], axis=1)
        every_step_often = np.tile(np.arange(n), -(-PAIRS_TO_JUDGE // n))
        pieces = np.array_split(every_step_often, -(-len(every_step_often) // ROWS_AT_ONCE))
        log_sums = [log_sum_exp(values(steps, _other_steps(steps, n, rng))) for steps in pieces]
        partition = log_sum_exp(np.stack(log_sums, 1)) - np.log(np.float32(len(every_step_often)))
        return np.asarray(joint - partition[:, None])


def _other_steps(steps: Integers, n: int, rng: np.random.Generator) -> Integers:
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
    states: Floats
    actions: Integers

    def blocks(self, subsets: list[Subset]) -> Iterator[Block]:
        """Critics of all runs, subsets with tables of like size side by side; the empty one needs none."""
        sizes = {i: self._sample(subset).head.joint.size for i, subset in enumerate(subsets) if subset}
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
        longest = max(table.head.joint.size for table in tables.values())
        padded = {subset: _padded(table, longest) for subset, table in tables.items()}
        states, joint, log_marginal = (
            np.concatenate(parts) for parts in zip(*(padded[subset] for subset in block.subsets), strict=True)
        )
        actions = np.empty((len(states), 1, 0, longest), np.float32)
        sample = Sample(Rows(actions, states), DonskerVaradhan(joint, log_marginal))
        while True:
            yield sample

    def _states(self, subset: Subset) -> tuple[Integers, Integers]:
        """A step that shows each different state, and each step's state `[n]`."""
        states = encode(self.states[:, list(subset)])
        return np.unique(states, return_index=True)[1], states

    def _sample(self, subset: Subset) -> Sample:
        shown, states = self._states(subset)
        acted = np.unique(self.actions, return_index=True)[1]
        place = self.actions * len(shown) + states
        joint = np.bincount(place, minlength=len(acted) * len(shown)).reshape(len(acted), -1) / len(place)
        marginal = joint.sum(1, keepdims=True) * joint.sum(0)
        rows = self.columns.together(np.tile(shown, len(acted)), np.repeat(acted, len(shown)))
        flat = (weights.reshape(1, -1).astype(np.float32) for weights in (joint, np.log(marginal)))
        return Sample(rows, DonskerVaradhan(*flat))

    def local(self, block: Block, critics: Critics) -> Array:
        """F of each step less the log of the exact mean of e^F under independence `[m, n]`."""
        local = np.empty((len(block.subsets), len(self.states)), dtype=np.float32)
        for k, subset in enumerate(block.subsets):
            sample, (shown, states) = self._sample(subset), self._states(subset)
            f = critics.of(np.array([k])).values(sample.rows, Space())
            partition = log_sum_exp(f + sample.head.log_marginal)
            local[k] = (f[0] - partition)[self.actions * len(shown) + states]
        return local


def _padded(sample: Sample, length: int) -> tuple[Array, Array, Array]:
    """Rows and both weights of a sample, with rows of no weight at its end."""
    missing = length - sample.head.joint.size
    return (
        np.pad(sample.rows.states, [(0, 0), (0, missing), (0, 0)]),
        np.pad(sample.head.joint, [(0, 0), (0, missing)]),
        np.pad(sample.head.log_marginal, [(0, 0), (0, missing)], constant_values=-np.inf),
    )
