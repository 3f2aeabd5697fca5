"""`Frontier`: return against the number, or the cost, of the variables that an agent reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from terc.errors import BadValueError, warn
from terc.records import Record
from terc.returns.confirmation import Confirmation
from terc.returns.distilled import Distilled
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
        tolerance: Share of the teacher's return that may be lost.
        tried: Sets that seemed to hold the return, from the smallest on, each with agents that were distilled
            afresh; the last one is the first that is confirmed, if there is one.

    Example:
        >>> import numpy as np
        >>> from terc.returns.play import Range
        >>> def returns(mean):
        ...     return Returns(mean, Range(mean - 1, mean + 1), np.full(9, mean))
        >>> points = (Point(("x", "y"), 2, returns(10.0), 1.0), Point(("x",), 1, returns(9.6), 0.7))
        >>> tried = (Confirmation(("x",), (-0.6, -0.3, -0.2), 0.1, 100, 0.025),
        ...          Confirmation(("x", "y"), (0.0, 0.1, -0.1), 0.1, 100, 0.0125))
        >>> front = Frontier(points, returns(10.0), ("y", "x"), {}, tried=tried)
        >>> front.smallest(), front.within(1).returns.mean
        (('x', 'y'), 9.6)
        >>> front.answer().splitlines()[0]
        'smallest set that holds the return within 5 %: x, y (2)'
        >>> front.evidence(tried[0])[:53]
        '3 agents distilled afresh lose 0.3667 against their t'
    """

    shown: ClassVar[tuple[str, ...]] = ("smallest",)

    points: tuple[Point, ...]
    teacher: Returns
    order: tuple[str, ...]
    costs: Mapping[str, float]
    budget: float | None = None
    tolerance: float = 0.05
    tried: tuple[Confirmation, ...] = ()

    @property
    def by_cost(self) -> bool:
        """Whether costs were given."""
        return bool(self.costs)

    def smallest(self, tolerance: float | None = None) -> tuple[str, ...]:
        """Names of the smallest (or cheapest) set whose agents hold the teacher's return.

        Agents that are distilled onto it lose no more than the tolerance in the mean, with 95 % certainty:
        confirmed by `AGENTS` of them that had no part in the choice, on fresh episodes.

        Args:
            tolerance: Share of the teacher's return that may be lost, by default that of the frontier. Sets
                were tried for that one: for a larger one make another frontier.

        Returns:
            All names when no set is confirmed: then only the teacher surely holds it.
        """
        if tolerance is not None and tolerance > self.tolerance:
            warn(
                f"frontier: sets were tried for tolerance={self.tolerance:g}; smaller ones may hold the "
                f"return within {tolerance:g}. Call terc.frontier(..., tolerance={tolerance:g})."
            )
        found = self.confirmed(tolerance)
        return tuple(self.order) if found is None else found.variables

    def confirmed(self, tolerance: float | None = None) -> Confirmation | None:
        """The smallest set of those tried that holds the return; None when there is none."""
        return next((one for one in self.tried if self.holds(one, tolerance)), None)

    def holds(self, one: Confirmation, tolerance: float | None = None) -> bool:
        """Whether its agents certainly lose no more than the tolerance."""
        return one.low >= -self.teacher.tolerated(self.tolerance if tolerance is None else tolerance)

    @property
    def candidates(self) -> list[Point]:
        """Sets whose own agent holds the return in the mean, from the smallest on."""
        least = self.teacher.mean - self.teacher.tolerated(self.tolerance)
        enough = [point for point in self.points if point.returns.mean >= least]
        return sorted(enough, key=lambda point: (point.cost, len(point.variables)))

    def within(self, budget: float) -> Point:
        """The best agent whose variables cost at most `budget` (or are at most so many)."""
        affordable = [point for point in self.points if point.cost <= budget]
        if not affordable:
            raise BadValueError(
                f"frontier: no set costs {budget:g} or less; the cheapest costs "
                f"{min(point.cost for point in self.points):g}."
            )
        return max(affordable, key=lambda point: (point.returns.mean, -point.cost))

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

    def write(self, folder: str | Path) -> list[Path]:
        """`frontier.json`, which `terc report` shows, and an agent on the smallest set that is confirmed."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        written = [folder / "frontier.json"]
        write_text_atomically(written[0], json.dumps(self.to_dict(), indent=1, allow_nan=False) + "\n")
        if (agent := self.agent) is not None:
            written.append(folder / "smallest.npz")
            agent.save(written[-1])
        return written

    @property
    def agent(self) -> Distilled | None:
        """Of the agents that confirmed the smallest set, the one that lost least, if there are any."""
        found = self.confirmed()
        agents = () if found is None else found.agents
        return max(agents, key=lambda one: one.returns.mean - one.teacher.mean, default=None)

    def answer(self) -> str:
        """Which set is enough and how sure that is, in a few lines."""
        worth = self.teacher.worth[1]
        beside = "" if worth == "the return" else f" of {worth}"
        found, share = self.confirmed(), f"the return within {100 * self.tolerance:g} %{beside}"
        if found is None:
            lines = [f"no set is confirmed to hold {share}"]
        else:
            names = f"{', '.join(found.variables)} ({len(found.variables)})"
            lines = [f"smallest set that holds {share}: {names}"]
        for one in reversed(self.tried):
            which = "confirmed" if one is found else f"not confirmed for {', '.join(one.variables)}"
            lines.append(f"  {which}: {self.evidence(one)}")
        if self.teacher.beats_random is False:
            lines.append(f"  the teacher is {self.teacher.beside_random}: to hold its return says little")
        return "\n".join(lines)

    def evidence(self, one: Confirmation) -> str:
        """What the agents on one of the tried sets returned, in words."""
        verb = "gain" if one.difference > 0 else "lose"
        most, allowed = max(0.0, -one.low), self.teacher.tolerated(self.tolerance)
        return (
            f"{len(one.differences)} agents distilled afresh {verb} {abs(one.difference):.4g} against their "
            f"teacher in the mean (95 %: they lose at most {most:.4g}; {allowed:.4g} is allowed)"
        )

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
