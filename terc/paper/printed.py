"""Algorithm 1 as printed: one variable at a time in random order, with MINE and the paper's rule.

One null model, a column of random bits, is drawn once and measured beside all variables: the red line of the
paper's figures. The value of a run is the bound on all steps after training (`entropy.mine`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from terc.arrays import Floats
from terc.entropy.base import RemovalTest, Subset
from terc.entropy.evidence import Evidence, Question, Unit
from terc.entropy.mine import MineEstimator
from terc.entropy.null_rule import PAPER_WIDTH, null_upper_end, standard_error, welch
from terc.entropy.paper_rule import with_null_model
from terc.selection.algorithm_1 import as_printed
from terc.selection.result import Selection, Verdict
from terc.trajectories.data import Trajectories


@dataclass(frozen=True, eq=False)
class PrintedRule(RemovalTest):
    """Needed if mean - 2 sd / sqrt(runs) of Phi lies above mean + 2 sd / sqrt(runs) of the null model's Phi.

    Attributes:
        updates: Filled with what each network took.
    """

    data: Trajectories
    mine: MineEstimator
    seed: int = 0
    updates: list[int] = field(default_factory=list, repr=False)
    _known: dict[Subset, Floats] = field(default_factory=dict, init=False, repr=False)

    def ask(self, questions: Sequence[Question]) -> list[Evidence]:
        """One piece of evidence per question; networks that are known are not trained again."""
        return [self._evidence(question) for question in questions]

    def _evidence(self, question: Question) -> Evidence:
        columns = tuple(sorted((*question.other_columns, *question.removed_columns)))
        gains = self.information(columns) - self.information(question.other_columns)
        mean, error, line = float(gains.mean()), float(standard_error(gains)), null_upper_end([self.null])
        needed = mean - PAPER_WIDTH * error > line
        return Evidence(mean, error, welch(gains, self.null), needed, "mine", line, tuple(gains.tolist()))

    def information(self, columns: Subset) -> Floats:
        """I(A; columns) in each run, in nats; where all actions are the same it is 0 without any network."""
        if self._constant:
            return np.zeros(self.mine.runs)
        if columns not in self._known:
            trace = self.mine.trace(self._drawn, [columns], rng=np.random.default_rng(self.seed))
            self.updates.extend(int(count) for count in trace.steps.ravel())
            self._known[columns] = trace.information[0]
        return self._known[columns]

    @cached_property
    def _constant(self) -> bool:
        return not np.ptp(self.data.actions, axis=0).any()

    @cached_property
    def null(self) -> Floats:
        """Phi of the null model beside all variables, in each run."""
        every = tuple(range(len(self.data.names)))
        return self.information((*every, len(every))) - self.information(every)

    @cached_property
    def _drawn(self) -> Trajectories:
        return with_null_model(self.data, rng=np.random.default_rng([self.seed, 0]))


def printed_selection(
    data: Trajectories, mine: MineEstimator, *, only: Sequence[str] | None = None, seed: int = 0
) -> Selection:
    """Algorithm 1 as printed, in a random order; with `only`, all variables but those stay.

    Example:
        >>> x = np.random.default_rng(0).integers(0, 2, (400, 3))
        >>> data = Trajectories(x, x[:, 0] ^ x[:, 1], names=["a", "b", "noise"])
        >>> printed_selection(data, MineEstimator(runs=3)).kept
        ('a', 'b')
    """
    rule, names = PrintedRule(data, mine, seed), data.names if only is None else tuple(only)
    order: list[Unit] = [(data.names.index(name),) for name in names]
    shuffled = [order[k] for k in np.random.default_rng(seed).permutation(len(order))]
    others: list[Unit] = [(j,) for j in range(len(data.names)) if (j,) not in order]
    found = as_printed(rule, shuffled, others)
    rows = {one.question.removed[0][0]: _row(data, one.evidence, one.question) for one in found.asked}
    config: dict[str, Any] = {"batch": mine.batch, "cap": mine.iterations, "runs": mine.runs, "seed": seed}
    config |= {"updates": int(np.median(rule.updates or [0])), "most_updates": max(rule.updates, default=0)}
    config |= {"questions": len(found.asked), "all_variables": len(names) == len(data.names)}
    return Selection(
        tuple(rows[j] for j in sorted(rows)),
        information=float(rule.information(tuple(range(len(data.names)))).mean()),
        n_steps=len(data),
        n_episodes=data.n_episodes,
        method="sequential",
        estimator="mine",
        config=config,
    )


def _row(data: Trajectories, evidence: Evidence, question: Question) -> Verdict:
    low, high = evidence.gain - PAPER_WIDTH * evidence.error, evidence.gain + PAPER_WIDTH * evidence.error
    reason = "needed" if evidence.needed else "redundant"
    name = data.names[question.removed[0][0]]
    return Verdict(
        name, evidence.gain, low, high, evidence.null_high, evidence.p_value, evidence.needed, reason,
        instrument="mine", repeats=evidence.repeats,
    )  # fmt: skip
