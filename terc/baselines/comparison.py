"""`Comparison`: what several methods make of the same data, with one yardstick for all kept sets."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from terc.entropy.evidence import Terms
from terc.entropy.predictive import PredictiveEstimator
from terc.errors import unknown_name
from terc.records import Record
from terc.seeding import generator
from terc.selection.request import read_request
from terc.selection.result import Interval, Selection
from terc.selection.settings import Settings
from terc.selection.verdicts import retained
from terc.selection.visible_names import listed, visible
from terc.synthetic.labelled import Labelled
from terc.threads import one_thread
from terc.trajectories.data import Trajectories

if TYPE_CHECKING:
    import pandas as pd


WIDTH = 100
SHOWN_NAMES = 6


@dataclass(frozen=True)
class Comparison(Record, Mapping[str, Selection]):
    """Method -> its `Selection`, in the order asked for.

    `timings["cpu"]` of a selection holds its CPU seconds and `retained` the share of the action information
    that its kept set holds, both measured in the same way for every method.
    """

    shown: ClassVar[tuple[str, ...]] = ("methods",)

    selections: Mapping[str, Selection]
    truth: Labelled | None = field(default=None, repr=False, metadata={"saved": False})

    def __getitem__(self, method: str) -> Selection:
        if method not in self.selections:
            raise unknown_name("Comparison", "method", method, self.selections)
        return self.selections[method]

    def __iter__(self) -> Iterator[str]:
        return iter(self.selections)

    def __len__(self) -> int:
        return len(self.selections)

    def agreement(self, one: str, other: str) -> float:
        """Variables that both keep, as a share of those that either keeps; 1 if neither keeps any."""
        mine, theirs = set(self[one].kept), set(self[other].kept)
        either = mine | theirs
        return len(mine & theirs) / len(either) if either else 1.0

    def is_exact(self, method: str) -> bool | None:
        """Whether the kept set is exactly right; None where the truth is not known."""
        return None if self.truth is None else self.truth.is_exact(self[method].kept)

    def row(self, method: str) -> dict[str, Any]:
        """One method's line as plain values."""
        selection, first = self[method], next(iter(self))
        row: dict[str, Any] = {
            "kept": list(selection.kept),
            "agreement": self.agreement(method, first),
            "retained": selection.retained.value,
            "cpu_seconds": selection.timings.get("cpu", math.nan),
            "wall_seconds": selection.timings.get("wall", math.nan),
        }
        if self.truth is not None:
            row |= {
                "exact": self.truth.is_exact(selection.kept),
                "missed": [list(members) for members in self.truth.missed(selection.kept)],
                "wrong": list(self.truth.wrong(selection.kept)),
            }
        return row

    def methods(self) -> dict[str, dict[str, Any]]:
        """Every method's line."""
        return {method: self.row(method) for method in self}

    def to_frame(self) -> pd.DataFrame:
        """A pandas table with one row per method."""
        import pandas as pd

        return pd.DataFrame.from_dict(self.methods(), orient="index")

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int = WIDTH) -> str:
        """A row per method, then what to doubt, in sentences of at most `width` columns."""
        room = max(6, *(len(visible(method)) for method in self)) if self.selections else 6
        known = self.truth is not None
        head = f"{'method':{room}}  {'agree':>5}  {'retained':>8}  {'cpu s':>7}"
        lines = [f"{head}{'  exact' if known else ''}  kept"]
        for method in self:
            row = self.row(method)
            share, seconds = _shown(row["retained"], 3), _shown(row["cpu_seconds"], 1)
            numbers = f"{row['agreement']:5.2f}  {share:>8}  {seconds:>7}"
            right = f"  {'yes' if row['exact'] else 'no':5}" if known else ""
            start = f"{visible(method):{room}}  {numbers}{right}  "
            kept = self[method].kept
            lines.append(f"{start}{len(kept)}: {listed(kept, SHOWN_NAMES)}" if kept else f"{start}nothing")
        first = next(iter(self), "-")
        lines.append(f"agree: variables kept by both, of those kept by either, beside {first}")
        return "\n".join([*lines, *self._doubts(width)])

    def _doubts(self, width: int) -> Iterator[str]:
        """What to doubt about each selection."""
        for method, selection in self.selections.items():
            for note in selection.notes:
                if note.kind == "doubt":
                    words = visible(f"doubt: {method}: {' '.join(note.text.split())}")
                    yield from textwrap.wrap(words, width, subsequent_indent="  ")


def _shown(value: float, digits: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


UNKNOWN = Interval(np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class Holdings:
    """What each kept set holds.

    Attributes:
        shares: Per set the share of I(A; X), with its interval.
    """

    shares: tuple[Interval, ...]
    information: float
    action_entropy: float


def holdings(data: Trajectories, kept: Sequence[Iterable[str]], *, seed: int = 0) -> Holdings:
    """Share of I(A; X) that each of the sets in `kept` holds, by our own estimator on held-out steps.

    What a set loses is how much worse the action is predicted from it than from the best set known. All sets
    meet the same folds, so that their shares can be compared.

    Example:
        >>> from terc.synthetic import four_redundant
        >>> found = holdings(four_redundant(2000).data, [["x1", "x2", "x3"], ["x1", "x2"]])
        >>> [round(share.value, 1) for share in found.shares]
        [1.0, 0.0]
    """
    if len(np.unique(data.actions, axis=0)) == 1:
        return Holdings((UNKNOWN,) * len(kept), 0.0, 0.0)
    rng, wanted = generator(seed), Settings.of("auto", seed=seed)
    request = read_request(data, wanted, rng=rng)
    if not request.units:
        return Holdings((UNKNOWN,) * len(kept), 0.0, 0.0)
    sets = [tuple(unit for unit in request.units if data.names[unit[0]] in set(names)) for names in kept]
    with one_thread():
        test = PredictiveEstimator().removal_test(data, Terms(units=len(request.units)), rng=rng)
        for units in sets:
            test.held(units)
        # Asked again: the best view of all is the yardstick of each.
        held = [test.held(units) for units in sets]
    count, pairs = len(request.units), zip(held, sets, strict=True)
    shares = [retained(one, everything=len(units) == count) for one, units in pairs]
    first = held[0] if held else test.held(())
    if first is None:
        return Holdings((UNKNOWN,) * len(kept), 0.0, 0.0)
    return Holdings(tuple(shares), first.information, first.action_entropy)
