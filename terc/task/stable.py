"""`Stability`: how often each variable was kept, with intervals that hold, and what stands in for what."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, ClassVar

from terc.errors import unknown_name
from terc.records import Record
from terc.selection.result import Selection
from terc.selection.visible_names import columns, listed, visible

if TYPE_CHECKING:
    import pandas as pd


RECORDINGS, HALVES = "recordings", "halves"
MOST_SETS = 6
NAME_ROOM = 34


@dataclass(frozen=True)
class Kept:
    """How often one variable was kept.

    Attributes:
        low: Lower end of the 95 % interval: over agents like these, or over recordings of half the length.
        stand_ins: Variables that were kept in its place.
        with_stand_ins: Share of the selections that kept it or one of these.
    """

    name: str
    times: int
    frequency: float
    low: float
    high: float
    stand_ins: tuple[str, ...] = ()
    with_stand_ins: float = 0.0


@dataclass(frozen=True)
class Stability(Record):
    """The answer of `terc.stability`.

    Attributes:
        kind: "recordings", one selection of each, or "halves" of the episodes of one recording.
        variables: One line per variable, in column order.
        sets: What was kept in each selection, in order.

    Example:
        >>> found = Stability("recordings", (), (("a", "b"), ("a",), ("a", "c")))
        >>> found.union, found.majority, found.core
        (('a', 'b', 'c'), ('a',), ('a',))
    """

    shown: ClassVar[tuple[str, ...]] = ("union", "majority", "core", "stand_ins")

    kind: str
    variables: tuple[Kept, ...]
    sets: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, selections: Sequence[Selection], kind: str) -> Stability:
        """What several selections of the same variables have in common."""
        sets = tuple(one.kept for one in selections)
        groups = _stand_ins(selections)
        interval = of_recordings if kind == RECORDINGS else of_halves
        lines = []
        for name in selections[0].names:
            times = sum(name in kept for kept in sets)
            group = next((group for group in groups if name in group), (name,))
            either = sum(bool(set(group) & set(kept)) for kept in sets)
            low, high = interval(times, len(sets))
            others = tuple(other for other in group if other != name)
            lines.append(Kept(name, times, times / len(sets), low, high, others, either / len(sets)))
        return cls(kind, tuple(lines), sets)

    def __getitem__(self, name: str) -> Kept:
        for line in self.variables:
            if line.name == name:
                return line
        raise unknown_name("Stability", "variable", name, [line.name for line in self.variables])

    @property
    def union(self) -> tuple[str, ...]:
        """Kept in any selection."""
        return self._kept_at_least(1)

    @property
    def majority(self) -> tuple[str, ...]:
        """Kept in more than half of them."""
        return self._kept_at_least(len(self.sets) // 2 + 1)

    @property
    def core(self) -> tuple[str, ...]:
        """Kept in all of them."""
        return self._kept_at_least(len(self.sets))

    @property
    def stand_ins(self) -> tuple[tuple[str, ...], ...]:
        """Variables that were kept in each other's place, in groups."""
        groups = {tuple(sorted((line.name, *line.stand_ins))) for line in self.variables if line.stand_ins}
        return tuple(sorted(groups))

    def _kept_at_least(self, times: int) -> tuple[str, ...]:
        counted = Counter(name for kept in self.sets for name in kept)
        order = [line.name for line in self.variables] or list(counted)
        return tuple(name for name in order if counted[name] >= times)

    def to_frame(self) -> pd.DataFrame:
        """A pandas table with one row per variable, indexed by name."""
        import pandas as pd

        return pd.DataFrame([asdict(line) for line in self.variables]).set_index("name")

    def __str__(self) -> str:
        lines = [self._heading(), ""]
        shown = sorted((line for line in self.variables if line.times), key=lambda line: -line.times)
        every = [line.name for line in self.variables]
        names = {line.name: listed([line.name], 1, NAME_ROOM, every) for line in shown}
        room = max([columns(name) for name in names.values()] + [8])
        lines.append(f"{'kept in':<{room + 4}}of {len(self.sets):<4}share  [low, high]")
        for line in shown:
            name = names[line.name] + " " * (room - columns(names[line.name]))
            ends = f"[{line.low:.0%}, {line.high:.0%}]"
            lines.append(f"  {name}  {line.times:>5}  {line.frequency:>5.0%}  {ends}")
        lines += [f"  {text}" for text in self._groups()]
        never = [line.name for line in self.variables if not line.times]
        lines += [f"never kept: {listed(never, most=8)}"] if never else []
        lines += ["", *self._sets(), f"core: {listed(self.core, most=12) or 'none'}"]
        lines += [f"majority: {listed(self.majority, most=12) or 'none'}"]
        return "\n".join([*lines, f"union: {listed(self.union, most=12) or 'none'}"])

    def _heading(self) -> str:
        count = len(self.sets)
        what, over = "halves of the episodes", "recordings of half the length"
        if self.kind == RECORDINGS:
            what, over = "recordings", "agents like these"
        return f"Selections of {count} {what}; intervals are over {over}."

    def _groups(self) -> list[str]:
        return [
            f"{' or '.join(visible(name) for name in group)}: "
            f"{round(self[group[0]].with_stand_ins * len(self.sets))} of {len(self.sets)}"
            for group in self.stand_ins
        ]

    def _sets(self) -> list[str]:
        counted = Counter(self.sets).most_common()
        lines = [f"{times} x {{{listed(kept, most=8)}}}" for kept, times in counted[:MOST_SETS]]
        return [*lines, *([f"and {len(counted) - MOST_SETS} more sets"] if len(counted) > MOST_SETS else [])]

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(visible(line.name))}</td><td>{line.times} of {len(self.sets)}</td>"
            f"<td>{line.low:.0%} to {line.high:.0%}</td>"
            f"<td>{escape(', '.join(map(visible, line.stand_ins)))}</td></tr>"
            for line in sorted(self.variables, key=lambda line: -line.times)
        )
        head = "<tr><th>variable</th><th>kept</th><th>95 % interval</th><th>stand-ins</th></tr>"
        return f"<p>{escape(self._heading())}</p><table>{head}{rows}</table>"


def _stand_ins(selections: Sequence[Selection]) -> list[tuple[str, ...]]:
    """Groups of variables of which one is kept at a time, the others being redundant given it.

    Two variables belong together if they are never kept together and one was once redundant given the other;
    a group grows while each pair in it belongs together.
    """
    kept = [set(one.kept) for one in selections]
    order = {name: number for number, name in enumerate(selections[0].names)}
    often = sorted({name for one in kept for name in one}, key=order.__getitem__)
    given = {(v.name, other) for one in selections for v in one.verdicts if not v.kept for other in v.given}

    def together(a: str, b: str) -> bool:
        linked = (a, b) in given or (b, a) in given
        return linked and not any(a in one and b in one for one in kept)

    groups: list[list[str]] = []
    for name in often:
        home = next((group for group in groups if all(together(name, other) for other in group)), None)
        if home is None:
            groups.append([name])
        else:
            home.append(name)
    return [tuple(group) for group in groups if len(group) > 1]


ALPHA = 0.05


def of_recordings(times: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a frequency, `times` of `count` independent agents (Clopper and Pearson).

    Example:
        >>> [round(end, 2) for end in of_recordings(5, 5)]
        [0.48, 1.0]
    """
    from scipy.stats import binomtest

    low, high = binomtest(times, count).proportion_ci(1 - ALPHA, method="exact")
    return float(low), float(high)


def of_halves(times: int, count: int) -> tuple[float, float]:
    """The 95 % interval of how often a recording of half the length keeps a variable.

    Let the evidence for a variable in a recording of n episodes be normal about its true value with variance
    v / n, and a half keep it when its evidence passes some threshold. The evidence of the halves scatters
    about that of the recording, which is off by the luck of the recording: with z the probit of the true
    frequency in recordings of half the length, the probit of the frequency among halves is sqrt(2) z plus a
    standard normal error. So z is known to within 1 / sqrt(2) at best, however many halves are drawn; the
    luck of drawing them adds to that.

    Example:
        >>> [round(end, 2) for end in of_halves(10, 20)]
        [0.08, 0.92]
        >>> round(of_halves(20, 20)[0], 2), of_halves(20, 20)[1]  # no half says that it may be left out
        (0.41, 1.0)
    """
    from scipy.special import ndtr, ndtri

    share = (times + 0.5) / (count + 1)
    probit = float(ndtri(share))
    density = math.exp(-(probit**2) / 2) / math.sqrt(2 * math.pi)
    drawn = share * (1 - share) / count / density**2
    error = float(ndtri(1 - ALPHA / 2)) * math.sqrt(0.5 * (1 + drawn))
    middle = probit / math.sqrt(2)
    low, high = float(ndtr(middle - error)), float(ndtr(middle + error))
    return 0.0 if times == 0 else low, 1.0 if times == count else high
