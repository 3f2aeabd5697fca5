"""`Frontier`: return against the number, or the cost, of the variables that an agent reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from terc.errors import BadValueError
from terc.records import Record
from terc.returns.distilled import Distilled, holds
from terc.returns.play import Returns
from terc.trajectories.files import write_text_atomically

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Point:
    """One set of variables and the agent distilled onto it.

    Attributes:
        cost: Sum of their costs; their number where no costs were given.
        returns: Of the agent; the same seeds for every point.
        policy: The agent itself; None where the frontier was read from JSON.
    """

    shown: ClassVar[tuple[str, ...]] = ()

    variables: tuple[str, ...]
    cost: float
    returns: Returns
    agreement: float
    policy: Distilled | None = field(default=None, metadata={"saved": False})


@dataclass(frozen=True, eq=False)
class Frontier(Record):
    """The answer of `terc.frontier`: nested sets of variables, an agent for each.

    Attributes:
        points: From the largest set to the smallest.
        teacher: Returns of the policy that taught them, on the same seeds.
        order: Names in the order in which they were taken away; the last one never was.

    Example:
        >>> import numpy as np
        >>> from terc.returns.intervals import Range
        >>> def returns(mean):
        ...     return Returns(mean, Range(mean - 1, mean + 1), np.full(9, mean))
        >>> points = (Point(("x", "y"), 2, returns(10.0), 1.0), Point(("x",), 1, returns(6.0), 0.7))
        >>> front = Frontier(points, returns(10.0), ("y", "x"), {})
        >>> front.smallest(), front.smallest(tolerance=0.5), front.within(1).returns.mean
        (('x', 'y'), ('x',), 6.0)
    """

    shown: ClassVar[tuple[str, ...]] = ("smallest",)

    points: tuple[Point, ...]
    teacher: Returns
    order: tuple[str, ...]
    costs: Mapping[str, float]
    budget: float | None = None

    @property
    def by_cost(self) -> bool:
        """Whether costs were given."""
        return bool(self.costs)

    def smallest(self, tolerance: float = 0.05, *, sure: bool = False) -> tuple[str, ...]:
        """Names of the smallest (or cheapest) set whose agent holds the teacher's return.

        Args:
            tolerance: Share of the teacher's return that may be lost; inside the interval of the teacher's
                mean counts as held.
            sure: Ask it of the lower end of the agent's interval instead of its mean.

        Returns:
            All names when no set holds it: then only the teacher does.
        """
        enough = self._enough(tolerance, sure=sure)
        if not enough:
            whole = max(self.points, key=lambda point: len(point.variables)).variables
            return (*whole, *(name for name in self.order if name not in whole))
        return min(enough, key=lambda point: (point.cost, len(point.variables))).variables

    def _enough(self, tolerance: float, *, sure: bool = False) -> list[Point]:
        """Sets whose agent holds the teacher's return."""
        return [
            point
            for point in self.points
            if holds(point.returns.interval.low if sure else point.returns.mean, self.teacher, tolerance)
        ]

    def within(self, budget: float) -> Point:
        """The best agent whose variables cost at most `budget` (or are at most so many)."""
        affordable = [point for point in self.points if point.cost <= budget]
        if not affordable:
            raise BadValueError(
                f"frontier: no set costs {budget:g} or less; the cheapest costs "
                f"{min(point.cost for point in self.points):g}."
            )
        return max(affordable, key=lambda point: (point.returns.mean, -point.cost))

    @property
    def best(self) -> Point:
        """The best agent within the budget, or of all when there is none."""
        return self.within(float("inf") if self.budget is None else self.budget)

    def to_frame(self) -> pd.DataFrame:
        """A pandas table, one row per set: how many variables, cost, return and its interval, names."""
        import pandas as pd

        columns = ["variables", "cost", "return", "low", "high", "difference", "agreement", "names"]
        rows = [
            (len(p.variables), p.cost, p.returns.mean, *p.returns.interval,
             p.returns.mean - self.teacher.mean, p.agreement, p.variables)
            for p in self.points
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=columns)

    def write(self, folder: str | Path, tolerance: float = 0.05) -> list[Path]:
        """`frontier.json`, which `terc report` shows, and the agent of the smallest set that is enough."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        record = self.to_dict() | {"smallest": list(self.smallest(tolerance))}
        written = [folder / "frontier.json"]
        write_text_atomically(written[0], json.dumps(record, indent=1, allow_nan=False) + "\n")
        for point in self.points:
            if point.variables == self.smallest(tolerance) and point.policy is not None:
                written.append(folder / "smallest.npz")
                point.policy.save(written[-1])
        return written

    def answer(self, tolerance: float = 0.05) -> str:
        """Which set is enough, in one line."""
        if not self._enough(tolerance):
            return f"none of these sets holds the return within {100 * tolerance:g} %"
        names = self.smallest(tolerance)
        return f"smallest within {100 * tolerance:g} %: {', '.join(names)} ({len(names)})"

    def table(self) -> str:
        """The sets and their returns, for a terminal."""
        lines = [f"Teacher {self.teacher}", "variables       cost     return  95 % interval"]
        for point in self.points:
            lines.append(
                f"{len(point.variables):9} {point.cost:10.4g} {point.returns.mean:10.4g}  "
                f"{point.returns.interval!s:22} {', '.join(point.variables)}"
            )
        return "\n".join(lines)

    def __str__(self) -> str:
        return f"{self.table()}\n{self.answer()}"

    def _repr_html_(self) -> str:
        table = self.to_frame().to_html(index=False, float_format="{:.4g}".format)
        return f"<p>{escape(f'Teacher {self.teacher}')}</p>{table}<p>{escape(self.answer())}</p>"
