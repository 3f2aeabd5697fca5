"""`Selection`: which variables are kept, which are removed and why, with everything needed to evaluate it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from terc.errors import unknown_name
from terc.notes import Note as Note
from terc.records import Record

if TYPE_CHECKING:
    import pandas as pd

SURE = 0.05
"""Chance below which a gain is not luck; its interval must say so, too."""
NEEDED_BY_SOME = "needed by some"
"""Reason of what goes where all of several policies must need a variable, and only some need this one."""
GIVEN_WHAT_SOME_NEED = "redundant given what some need"
"""Reason of what only repeats variables of which some went because only some of the policies need them."""


@dataclass(frozen=True)
class Interval:
    """A value with the ends of its 95 % interval.

    Example:
        >>> print(Interval(0.996, 0.991, 0.999))
        0.996 [0.991, 0.999]
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Three digits and the two ends."""
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def __float__(self) -> float:
        """The value alone."""
        return self.value


@dataclass(frozen=True)
class Removed:
    """Why one variable was removed.

    Attributes:
        name: The variable.
        reason: "irrelevant" (no sure sign that it adds anything, alone or beside the kept ones), "redundant",
            "negligible" (a gain beyond luck, but less than `min_effect`: it may be of the predictors, which
            are never perfect) or "constant". By the rules of "mine" and "knn" irrelevant is what adds nothing
            to the others: alone it was not asked. With `policies="all"` also "needed by some" of the
            policies, and "redundant given what some need".
        given: The variables that already hold what it knows: kept ones, or such as some of the policies need
            where the reason says so. Empty unless redundant.
        shared: Nats about the action that it holds alone and that `given` holds too; None if not measured.
    """

    name: str
    reason: str
    given: tuple[str, ...] = ()
    shared: float | None = None


@dataclass(frozen=True)
class Verdict:
    """One variable's line in the table; all quantities in nats.

    Attributes:
        name: The variable.
        gain: Phi: fall in the uncertainty of the action when it joins the other kept variables. By the rules
            of "mine" and "knn" beside those that were there when it was last asked about alone.
        low: Lower end of the 95 % interval of `gain`.
        high: Upper end.
        null_high: The red line of the figures: what a variable without information would reach (95 %), or the
            smallest gain that is material where that is more.
        p_value: Chance of such evidence from a variable without information, corrected for the number tested;
            not corrected for "mine", since the paper's rule has no error rate.
        kept: Whether it stays.
        reason: "needed", "asked for" (by `keep`, or as a constant member of a group that stays),
            "irrelevant", "redundant", "negligible" or "constant"; with `policies="all"` also "needed by some"
            or "redundant given what some need".
        given: For a redundant variable those that stand in for it: kept ones, unless the reason says that
            some of the policies need them.
        instrument: What decided: "mixture", "residuals", "counts", ...; with ", p-value by" another where the
            gain and its interval are of the first alone.
        undecided: The interval straddles the material floor, or that of a removed one lies above it and its
            p-value says that this may be luck: more steps would be needed to be sure. Of a kept variable
            whose gain is `beyond_luck` only whether it is material is open.
        steps_needed: About how many steps would decide it, more than there are; None when decided, or when
            more than a hundred times as many would be needed.
        alone: Information the variable holds without any other, I(A; X_i); None if not measured.
        shared: For a redundant variable the nats about the action that `given` carries too.
        acts: For kept variables "alone" (it surely holds `min_effect` or more by itself), "together" (it is
            seen only in company of others) or "" (something, but less; or not measured).
        repeats: `gain` in each fold or run, where there were several.
    """

    name: str
    gain: float
    low: float
    high: float
    null_high: float
    p_value: float
    kept: bool
    reason: str
    given: tuple[str, ...] = ()
    instrument: str = ""
    undecided: bool = False
    steps_needed: int | None = None
    alone: float | None = None
    shared: float | None = None
    acts: str = ""
    repeats: tuple[float, ...] = ()

    @property
    def beyond_luck(self) -> bool:
        """Whether both its p-value and its interval say that the gain is above zero.

        They may differ: two instruments answer, and the surer one gives the p-value.
        """
        return self.p_value < SURE and self.low > 0


@dataclass(frozen=True)
class Step:
    """One test of the elimination, in the order it happened.

    Attributes:
        tried: Names whose joint removal was tested.
        given: How many variables stayed beside them in that test.
        gain: Nats lost by removing them.
        p_value: p-value of that loss, corrected like those of the verdicts.
        removed: Whether they were removed.
        because: Short words on what decided; "screening" for all that was set aside before the elimination.
    """

    tried: tuple[str, ...]
    given: int
    gain: float
    p_value: float
    removed: bool
    because: str = ""


@dataclass(frozen=True)
class Selection(Record):
    """The answer of `terc.select` and of every baseline.

    Attributes:
        verdicts: One per variable, in column order.
        steps: The path of the elimination.
        retained: Share of I(A; X) that the kept variables hold, with its interval.
        information: I(A; X) of all variables, in nats.
        action_entropy: H(A) in nats (for continuous actions at the estimator's resolution).
        n_steps: Steps in the data.
        n_episodes: Episodes in the data.
        method: "sequential", "naive", "minimal", or a baseline's name.
        estimator: Name of the estimator.
        config: The settings of the call, JSON-ready.
        timings: Seconds per stage.
        notes: What a reader should know, doubts first.

    Example:
        >>> row = Verdict("x", 0.69, 0.68, 0.70, 0.01, 0.0, True, "needed")
        >>> other = Verdict("y", 0.0, -0.01, 0.01, 0.01, 1.0, False, "irrelevant")
        >>> selection = Selection((row, other), retained=Interval(1.0, 0.99, 1.0))
        >>> selection.kept, selection.removed[0].reason
        (('x',), 'irrelevant')
    """

    shown: ClassVar[tuple[str, ...]] = ("kept",)

    verdicts: tuple[Verdict, ...]
    steps: tuple[Step, ...] = ()
    retained: Interval = field(default_factory=lambda: Interval(float("nan"), float("nan"), float("nan")))
    information: float = float("nan")
    action_entropy: float = float("nan")
    n_steps: int = 0
    n_episodes: int = 0
    method: str = "sequential"
    estimator: str = "auto"
    config: Mapping[str, Any] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    @property
    def kept(self) -> tuple[str, ...]:
        """Names of the kept variables, in column order."""
        return tuple(v.name for v in self.verdicts if v.kept)

    @property
    def removed(self) -> tuple[Removed, ...]:
        """One record per removed variable, in column order."""
        return tuple(Removed(v.name, v.reason, v.given, v.shared) for v in self.verdicts if not v.kept)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all variables, in column order."""
        return tuple(v.name for v in self.verdicts)

    @property
    def kept_indices(self) -> tuple[int, ...]:
        """Column numbers of the kept variables."""
        return tuple(i for i, v in enumerate(self.verdicts) if v.kept)

    def __getitem__(self, name: str) -> Verdict:
        """The verdict on one variable."""
        for verdict in self.verdicts:
            if verdict.name == name:
                return verdict
        raise unknown_name("Selection", "variable", name, self.names)

    def to_frame(self) -> pd.DataFrame:
        """A pandas table with one row per variable, indexed by name."""
        import pandas as pd

        return pd.DataFrame([asdict(v) for v in self.verdicts]).set_index("name")

    def __str__(self) -> str:
        """A readable table."""
        from terc.selection.printing import table

        return table(self)

    def _repr_html_(self) -> str:
        """What a notebook shows. Imported by name: drawing lives in a room above this one."""
        from importlib import import_module

        return str(import_module("terc.reporting.notebook").selection_html(self))
