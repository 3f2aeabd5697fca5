"""The paper's own estimator: mutual information by small networks, Algorithm 2 as corrected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from terc.arrays import Floats, Integers
from terc.entropy.base import Estimator, RemovalTest, Subset, refuse_what_needs_losses
from terc.entropy.counting import encode
from terc.entropy.donsker_varadhan import Trained, new_critics, train
from terc.entropy.evidence import ALPHA, Terms
from terc.entropy.joint_and_marginal import Block, Columns, Drawn, Merged
from terc.entropy.plateau import Plateau
from terc.errors import BadValueError, unknown_name
from terc.threads import one_thread

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

# The appendix of the paper: b and N of each experiment. The learning rate is 0.01 and the layer 50 wide in
# all.
NULL_DRAWS = 5
WORLDS = {
    "synthetic": (10_000, 20_000),
    "secret-key-25": (5_000, 2_000),
    "secret-key-50": (10_000, 20_000),
    "cart-pole": (10_000, 4_000),
    "lunar-lander": (25_000, 100_000),
    "pendulum": (5_000, 4_000),
    "prisoners": (1_000, 10_000),
}


@dataclass(frozen=True)
class MineTrace:
    """What training came to.

    Attributes:
        information: I(A; subset) in nats, `[subset, run]`.
        steps: Updates that were made, `[subset, run]`.
        merged: Whether equal rows were merged, so that every update saw all steps.
    """

    information: Floats
    steps: Integers
    merged: bool


@dataclass(frozen=True)
class MineEstimator(Estimator):
    """-I(A; subset) as Algorithm 2 of the paper estimates it, in `runs` independent runs.

    Each run has its own initial weights and its own minibatches; within a run all subsets share the
    minibatches, as the two networks of Algorithm 2 do. Inputs are the action and the variables as numbers
    of zero mean and unit variance, so that no answer depends on a unit; labels become one column per level.

    The value of a run is taken on all steps after training. It is an in-sample value: on variables that tell
    nothing it is above zero, the more so the more columns there are, and only the comparison with a null
    model of the same size says what it means (`entropy.paper_rule`).

    Where different states times different actions are no more than the steps, equal rows are merged and
    weighted: each update then sees the expectations over all steps instead of a minibatch.

    Attributes:
        batch: Steps per minibatch, b in the paper.
        iterations: Largest number of updates, N in the paper.
        learning_rate: Adam's.
        hidden: Width of the hidden layer.
        runs: Independent runs.
        plateau: When training ends before `iterations`; None always uses them all.
        merge: Whether equal rows may be merged.
        null_draws: Columns of random bits that `select` sets the gains against; 1 is the paper's rule to
            the letter.

    Example:
        The action is the XOR of two fair bits.
        >>> from terc.trajectories.data import Trajectories
        >>> x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 50)
        >>> data, rng = Trajectories(x, x[:, 0] ^ x[:, 1]), np.random.default_rng(0)
        >>> h = MineEstimator(runs=2).conditional_entropies(data, [(0, 1), (0,)], rng=rng)
        >>> [float(abs(value)) for value in h.round(2)]
        [0.69, 0.0]
    """

    default_min_effect: ClassVar[float] = 0.0

    batch: int = 1_000
    iterations: int = 10_000
    learning_rate: float = 0.01
    hidden: int = 50
    runs: int = 10
    plateau: Plateau | None = field(default_factory=Plateau)
    merge: bool = True
    null_draws: int = NULL_DRAWS

    def __post_init__(self) -> None:
        """Refuse settings that cannot train anything."""
        for name in ("batch", "iterations", "hidden", "runs", "null_draws"):
            if getattr(self, name) < 1:
                raise BadValueError(f"MineEstimator: {name} must be at least 1, got {getattr(self, name)}.")
        if not 0 < self.learning_rate < 1:
            raise BadValueError(
                f"MineEstimator: learning_rate must lie between 0 and 1, got {self.learning_rate}."
            )

    @classmethod
    def for_world(cls, world: str) -> MineEstimator:
        """The settings of one of the paper's experiments; its N is the cap.

        Example:
            >>> MineEstimator.for_world("cart-pole").iterations
            4000
        """
        if world not in WORLDS:
            raise unknown_name("MineEstimator", "world", world, list(WORLDS))
        batch, iterations = WORLDS[world]
        return cls(batch=batch, iterations=iterations)

    @one_thread()
    def trace(self, data: Trajectories, subsets: Sequence[Subset], *, rng: np.random.Generator) -> MineTrace:
        """Values and numbers of updates for each subset and run; arguments as those of `losses`."""
        wanted = [tuple(sorted(set(subset))) for subset in subsets]
        information = np.zeros((len(wanted), self.runs))
        steps = np.zeros((len(wanted), self.runs), dtype=np.int64)
        merged = False
        for rows, block, trained in self._trained(data, wanted, rng):
            information[block.places] = rows.local(block, trained.critics).mean(1, dtype=np.float64)
            steps[block.places] = trained.steps
            merged = isinstance(rows, Merged)
        return MineTrace(information, steps, merged)

    @one_thread()
    def removal_test(self, data: Trajectories, terms: Terms, *, rng: np.random.Generator) -> RemovalTest:
        """The paper's rule."""
        from terc.entropy.paper_rule import PaperRuleTest

        return PaperRuleTest(
            data, self, rng=rng, null_draws=self.null_draws, min_effect=terms.min_effect or 0.0
        )

    def check(self, terms: Terms) -> None:
        """Refuse an error rate: the rule of two standard errors has none."""
        refuse_what_needs_losses(terms)
        if terms.alpha not in (None, ALPHA):
            raise BadValueError(
                "select: the paper's rule of two standard errors has no error rate, got alpha "
                f"{terms.alpha}; leave alpha out, or take another estimator than 'mine'."
            )

    def _losses(self, data: Trajectories, subsets: list[Subset], *, rng: np.random.Generator) -> np.ndarray:
        losses = np.zeros((len(subsets), self.runs, len(data)), dtype=np.float32)
        for rows, block, trained in self._trained(data, subsets, rng):
            losses[block.places] = -rows.local(block, trained.critics)
        return losses

    def _trained(
        self, data: Trajectories, subsets: list[Subset], rng: np.random.Generator
    ) -> Iterator[tuple[Drawn | Merged, Block, Trained]]:
        """The critics, block by block."""
        seed = int(rng.integers(2**62))
        rows = self._rows(data, seed)
        for block in rows.blocks(subsets):
            yield rows, block, self._train(rows, block, seed)

    def _rows(self, data: Trajectories, seed: int) -> Drawn | Merged:
        columns, states, actions = Columns.of(data), encode(data.states), encode(data.actions)
        cells = (int(states.max()) + 1) * (int(actions.max()) + 1)
        if self.merge and cells <= len(data):
            return Merged(columns, self.runs, self.hidden, data.states, actions)
        return Drawn(columns, seed, self.runs, self.hidden, self.batch)

    def _train(self, rows: Drawn | Merged, block: Block, seed: int) -> Trained:
        # The weights a critic starts from depend on its run and its subset, not on what else was asked.
        whose = zip(block.runs, block.subsets, strict=True)
        streams = [np.random.default_rng([seed, 2, run, len(subset), *subset]) for run, subset in whose]
        critics = new_critics(rows.columns.reads(block.subsets), self.hidden, streams)
        return train(
            critics,
            rows.samples(block),
            cap=self.iterations,
            learning_rate=self.learning_rate,
            plateau=self.plateau,
        )
