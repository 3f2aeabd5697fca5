"""`Ablation`: the return of a policy with variables unplugged, one row each."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, ClassVar

from terc.errors import unknown_name
from terc.records import Record
from terc.returns.play import Returns

if TYPE_CHECKING:
    import pandas as pd

REMOVED, KEPT = "removed", "kept"
REPLACED_BY = {
    "moments": "its values at other moments of the recording",
    "expectation": "its expectation given the kept variables",
    "mean": "its mean",
}
"""What a policy can be shown in place of a variable, and how a sentence speaks of it."""


@dataclass(frozen=True)
class Unplugging:
    """One row: what happens when some variables are replaced.

    Attributes:
        name: The variable, or "removed" or "kept" for all of these together.
        difference: Mean return with minus without it, over pairs of episodes from the same seed.
        low: Lower end of the 95 % interval of `difference`, corrected for the number of rows.
        acts_otherwise: Share of recorded steps in which the policy then takes another action.
    """

    shown: ClassVar[tuple[str, ...]] = ("matters",)

    name: str
    variables: tuple[str, ...]
    mean: float
    difference: float
    low: float
    high: float
    acts_otherwise: float

    @property
    def matters(self) -> bool:
        """Whether the return changes: the interval of the difference does not hold zero."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Ablation(Record):
    """The answer of `terc.ablate`.

    Attributes:
        rows: One per variable in column order, then "removed" and "kept" where there are any.
        returns: Of the policy as it is, on the same seeds.
        kept: Names of the kept variables; all of them when nothing was chosen.

    Example:
        >>> from terc.returns.play import Range
        >>> import numpy as np
        >>> row = Unplugging("x", ("x",), 20.0, -480.0, -485.0, -470.0, 0.4)
        >>> ablation = Ablation((row,), Returns(500.0, Range(500.0, 500.0), np.full(9, 500.0)), "moments")
        >>> ablation.matter, ablation["x"].difference
        (('x',), -480.0)
    """

    rows: tuple[Unplugging, ...]
    returns: Returns
    replace: str
    kept: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Unplugging:
        for row in self.rows:
            if row.name == name:
                return row
        raise unknown_name("Ablation", "row", name, [row.name for row in self.rows])

    @property
    def matter(self) -> tuple[str, ...]:
        """Names of the single variables whose replacement changes the return."""
        return tuple(row.name for row in self.rows if row.matters and row.variables == (row.name,))

    def to_frame(self) -> pd.DataFrame:
        """A pandas table: name, return, difference, low, high; its index holds the names as well."""
        import pandas as pd

        table = [(row.name, row.mean, row.difference, row.low, row.high) for row in self.rows]
        columns = ["name", "return", "difference", "low", "high"]
        return pd.DataFrame(table, columns=columns, index=[row.name for row in self.rows])

    def __str__(self) -> str:
        width = max(len(row.name) for row in self.rows)
        ends = [f"[{row.low:.4g}, {row.high:.4g}]" for row in self.rows]
        room = max(len(one) for one in (*ends, "95 % interval"))
        lines = [
            self._head(),
            f"{'':{width}}     return  difference  {'95 % interval':{room}} acts otherwise",
        ]
        for row, interval in zip(self.rows, ends, strict=True):
            lines.append(
                f"{row.name:{width}} {row.mean:10.4g} {row.difference:11.4g}  {interval:{room}} "
                f"{row.acts_otherwise:14.1%}{'  *' * row.matters}"
            )
        said = (
            "* the return changes"
            if any(row.matters for row in self.rows)
            else "No change of the return is sure"
        )
        lines.append(f"{said}; intervals are corrected for the number of rows.")
        if self.returns.beats_random is False:
            lines.append(f"The policy is {self.returns.beside_random}: what it loses says little.")
        return "\n".join(lines)

    def _head(self) -> str:
        words = REPLACED_BY.get(self.replace, self.replace)
        return f"Return {self.returns}. With a variable replaced by {words}:"

    def _repr_html_(self) -> str:
        table = self.to_frame().to_html(index=False, float_format="{:.4g}".format)
        return f"<p>{escape(self._head())}</p>{table}"
