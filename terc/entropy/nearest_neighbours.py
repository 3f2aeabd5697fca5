"""Nearest neighbours: information of small, continuous or mixed data, and its null by local permutation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import special

from terc.arrays import Integers
from terc.entropy.base import Estimator, RemovalTest, Subset, refuse_what_needs_losses
from terc.entropy.evidence import ALPHA, Terms
from terc.entropy.ksg import NEIGHBOURS, Reals, comparable, local_mutual_information
from terc.errors import BadValueError

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

Distances = npt.NDArray[np.float32]
ROWS_AT_ONCE = 100


@dataclass(frozen=True)
class KnnEstimator(Estimator):
    """-I(A; subset) from distances to nearest neighbours (`entropy.ksg`), for actions of any kind.

    Good for some hundred to some thousand steps of a few variables. With many columns all neighbours are far,
    and the estimate sinks towards zero: ten columns hide about half of the information, so that a difference
    of two such values is no test. `Points.conditional` measures what some variables add to others directly.

    Attributes:
        neighbours: k; more lower the variance and raise the bias.
        most_rows: Steps that are used; of longer data a random part, because the cost grows with their
            square.

    Example:
        >>> from terc.trajectories.data import Trajectories
        >>> rng = np.random.default_rng(0)
        >>> x = rng.standard_normal((2000, 2))
        >>> data = Trajectories(x, 0.8 * x[:, 0] + 0.6 * rng.standard_normal(2000))
        >>> h = KnnEstimator(most_rows=2000).conditional_entropies(data, [(0,), (1,)], rng=rng)
        >>> bool(abs(h[0] - 0.5 * np.log(1 - 0.8**2)) < 0.05), bool(abs(h[1]) < 0.05)
        (True, True)
    """

    default_min_effect: ClassVar[float] = 0.0
    neighbours: int = NEIGHBOURS
    most_rows: int = 1_000

    def __post_init__(self) -> None:
        """Refuse settings without neighbours."""
        if not 1 <= self.neighbours < self.most_rows:
            raise BadValueError(
                f"KnnEstimator: neighbours must lie between 1 and most_rows - 1 = {self.most_rows - 1}, "
                f"got {self.neighbours}."
            )

    def removal_test(self, data: Trajectories, terms: Terms, *, rng: np.random.Generator) -> RemovalTest:
        """The removed variables permuted among steps alike in the others."""
        from terc.entropy.local_permutation import LocalPermutationTest

        return LocalPermutationTest(
            data,
            self,
            rng=rng,
            alpha=terms.alpha or ALPHA,
            tests=terms.units,
            min_effect=terms.min_effect or 0.0,
        )

    def check(self, terms: Terms) -> None:
        """Refuse what a difference of losses is needed for."""
        refuse_what_needs_losses(terms)

    def sample(self, data: Trajectories, *, rng: np.random.Generator) -> Points:
        """The steps that are used, on one scale."""
        rows = self.steps_used(len(data), rng=rng)
        labels = [data.column(name) for name in data.nominal]
        return Points(
            comparable(data.states[rows], labels),
            comparable(data.actions[rows], data.action_kind == "discrete"),
        )

    def steps_used(self, n: int, *, rng: np.random.Generator) -> Integers:
        """Row numbers of the steps that are used of `n`, in order.

        Example:
            >>> KnnEstimator(most_rows=100).steps_used(5000, rng=np.random.default_rng(0)).shape
            (100,)
        """
        if n <= self.most_rows:
            return np.arange(n)
        return np.sort(rng.choice(n, self.most_rows, replace=False))

    def _losses(self, data: Trajectories, subsets: list[Subset], *, rng: np.random.Generator) -> np.ndarray:
        """`[subset, 1, step]`; the steps are those used, at most `most_rows`."""
        points = self.sample(data, rng=rng)
        losses = np.zeros((len(subsets), 1, len(points.states)))
        for row, subset in zip(losses, subsets, strict=True):
            if subset:
                row[0] = -local_mutual_information(
                    points.states[:, list(subset)], points.actions, k=self.neighbours
                )
        return losses


@dataclass(frozen=True, eq=False)
class Points:
    """Steps on one scale.

    Attributes:
        states: float64 `[m, d]`.
        actions: float64 `[m, q]`.
    """

    states: Reals
    actions: Reals

    def conditional(
        self, removed: Subset, others: Subset, *, neighbours: int = NEIGHBOURS
    ) -> ConditionalInformation:
        """I(A; removed | others), laid out so that the removed can be permuted."""
        return ConditionalInformation(
            distances(self.actions),
            distances(self.states[:, list(removed)]),
            distances(self.states[:, list(others)]),
            neighbours,
            conditioned=len(others) > 0,
        )


@dataclass(frozen=True, eq=False)
class ConditionalInformation:
    """I(A; X | Z) by nearest neighbours from tables of distances: cheap to repeat with X permuted.

    After Frenzel and Pompe (2007), with ties as in Mesner and Shalizi (2020).

    Attributes:
        action: float32 `[m, m]`, distances of the actions.
        removed: Likewise of X.
        others: Likewise of Z.
        neighbours: k.
        conditioned: Whether Z has any column.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> a, b = rng.integers(0, 2, (2, 400)).astype(float)
        >>> points = Points(np.stack([a, b], 1), (a != b)[:, None].astype(float))
        >>> bool(abs(points.conditional((0,), (1,)).local().mean() - np.log(2)) < 0.02)
        True
    """

    action: Distances
    removed: Distances
    others: Distances
    neighbours: int
    conditioned: bool

    def local(self, order: Integers | None = None) -> Reals:
        """What each step adds to the estimate `[m]`, with the rows of X in `order` if given."""
        m = len(self.action)
        moved = np.arange(m) if order is None else order
        # A part of the rows at a time: tables of all rows do not fit the cache, and cost four times as much.
        parts = np.array_split(np.arange(m), -(-m // ROWS_AT_ONCE))
        return np.concatenate([self._local(rows, moved) for rows in parts])

    def _local(self, rows: Integers, order: Integers) -> Reals:
        others, with_action = self.others[rows], self._with_action[rows]
        removed = self.removed[order[rows]].take(order, axis=1)
        joint, with_removed = np.maximum(removed, with_action), np.maximum(removed, others)
        reach = np.partition(joint, self.neighbours, axis=1)[:, self.neighbours, None]
        near = np.where(reach[:, 0] == 0, (joint == 0).sum(1), self.neighbours)
        # Nearer than the k-th neighbour, or as near where it coincides with the step itself.
        inner = np.where(reach > 0, np.nextafter(reach, np.float32(0)), np.float32(0))
        within = [special.digamma((space <= inner).sum(1)) for space in (with_removed, with_action)]
        whole = special.digamma((others <= inner).sum(1)) if self.conditioned else np.log(len(order))
        local: Reals = special.digamma(near) + whole - within[0] - within[1]
        return local

    @cached_property
    def _with_action(self) -> Distances:
        return np.maximum(self.action, self.others)

    def permuted(self, times: int, *, among: int, rng: np.random.Generator) -> Iterator[Integers]:
        """Orders of the rows in which each takes the place of one of its `among` nearest in the space of Z.

        Each row is used once as far as that goes (Runge 2018), so that X keeps its distribution, and its tie
        to Z.
        """
        m = len(self.action)
        if not self.conditioned:
            yield from (rng.permutation(m) for _ in range(times))
            return
        # The columns are shuffled first: where many steps coincide in Z, chance decides which of them are
        # nearest.
        shuffle = rng.permutation(m)
        nearest = shuffle[
            np.argpartition(self.others.take(shuffle, axis=1), min(among, m - 1), axis=1)[:, :among]
        ]
        for _ in range(times):
            yield _each_once(rng.permuted(nearest, axis=1).tolist(), rng.permutation(m).tolist())


def _each_once(candidates: list[list[int]], rows: list[int]) -> Integers:
    """For each row its first candidate that no row before it has taken, or else its first."""
    order, used = [0] * len(rows), [False] * len(rows)
    for row in rows:
        order[row] = next((step for step in candidates[row] if not used[step]), candidates[row][0])
        used[order[row]] = True
    return np.array(order)


def distances(columns: Reals) -> Distances:
    """Distance of each pair of rows: the largest over the columns, `[m, m]`.

    Example:
        >>> distances(np.array([[0.0, 0.0], [1.0, 3.0]])).tolist()
        [[0.0, 3.0], [3.0, 0.0]]
    """
    table = np.zeros((len(columns), len(columns)), dtype=np.float32)
    for column in columns.T.astype(np.float32):
        np.maximum(table, np.abs(column[:, None] - column), out=table)
    return table
