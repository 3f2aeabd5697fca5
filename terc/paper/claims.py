"""`Claim`: a statement of the paper beside two measurements, one as it is printed and one as we do it."""

import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy import stats

from terc.paper.scale import PRESETS
from terc.selection.result import Selection

AGREES, PARTLY, DIFFERS, OPEN = "agrees", "agrees in part", "differs", "not decided"
PLURAL = {AGREES: "agree", PARTLY: "agree in part", DIFFERS: "differ", OPEN: "not decided"}
AS_PRINTED, OURS = "as printed", "ours"
COLUMNS = (AS_PRINTED, OURS)
FEWEST = 3
"""Agents a side below which no ordering is decided."""
LONGEST = 100
"""Characters of a cell: two lines of the page."""
LISTED = 3
"""Names that a cell lists of many."""


@dataclass(frozen=True)
class Side:
    """What one column says about a claim.

    Attributes:
        found: What was measured, with its interval.
        verdict: "agrees", "agrees in part", "differs" or "not decided".
        who: Agents or data sets, steps and seeds.
        cause: Why it differs and what shows that, or what to bear in mind; may be empty.
        method: Whose method: "TERC as printed", "terc.select", "UMFI", ...; "" where none selects.
        agent: Whose agents: "printed", "ours", or "" where no agent is involved.

    Example:
        >>> side = counted([True, True, False], "5 agents, 10,000 steps, seeds 0 to 4")
        >>> side.found, side.verdict
        ('2 of 3 [0.21, 0.94]', 'agrees in part')
    """

    found: str
    verdict: str
    who: str
    cause: str = ""
    method: str = ""
    agent: str = ""

    def by(self, method: str) -> Self:
        """The same, naming the method."""
        return replace(self, method=method)


@dataclass(frozen=True)
class Claim:
    """One statement of the paper.

    Attributes:
        place: Figure, table or section of the paper, one of `page.PLACES`.
        printed: Measured as the paper prints it; None where nothing can be.
        ours: Measured with our agents and our engine; None where nothing is to be.
    """

    place: str
    statement: str
    printed: Side | None
    ours: Side | None

    @property
    def sides(self) -> dict[str, Side]:
        """Column -> what it says, for the columns that say something."""
        both = {AS_PRINTED: self.printed, OURS: self.ours}
        return {column: side for column, side in both.items() if side is not None}


def both(place: str, statement: str, side: Callable[[str], Side]) -> Claim:
    """A claim whose two sides are that of printed agents and that of ours, `side(preset)` each."""
    printed, ours = (replace(side(preset), agent=agent) for preset, agent in PRESETS.items())
    return Claim(place, f"{statement}.", printed, ours)


def counted(found: Iterable[bool | None], who: str, *, cause: str = "", extra: str = "") -> Side:
    """Something that held, or not, in each of several runs, with its 95 % interval (Wilson).

    None is a run in which it is not decided; where the verdict depends on those, it is not decided either.
    The cause is dropped where it held in all of them.

    Example:
        >>> [counted(each, "").verdict for each in ([True, None], [True, False, None], [False, None])]
        ['not decided', 'agrees in part', 'not decided']
    """
    each = list(found)
    decided = [bool(one) for one in each if one is not None]
    unsure = f"{len(each) - len(decided)} not decided" if len(decided) < len(each) else ""
    more = f"; {extra}" if extra else ""
    if not decided:
        return Side(shortened(f"{unsure}{more}" if each else "not measured"), OPEN, who, cause)
    verdict = AGREES if all(decided) else PARTLY if any(decided) else DIFFERS
    verdict = OPEN if unsure and verdict != PARTLY else verdict
    count, of = sum(decided), len(decided)
    text = f"{count} of {of} {wilson(count, of)}{f', {unsure}' if unsure else ''}{more}"
    return Side(shortened(text), verdict, who, "" if verdict == AGREES else cause)


def unless_smaller(side: Side, smaller: str) -> Side:
    """The side; a difference is not decided where `smaller` says what is smaller here than printed.

    Example:
        >>> side = Side("0 of 1", DIFFERS, "1 agent")
        >>> unless_smaller(side, "").verdict, unless_smaller(side, "Few trees.").verdict
        ('differs', 'not decided')
    """
    if not smaller or side.verdict not in (DIFFERS, PARTLY):
        return side
    return replace(side, verdict=OPEN, cause=f"{smaller} {side.cause}".strip())


def consistent(kept: Sequence[Sequence[tuple[str, ...]]], who: str, *, cause: str = "") -> Side:
    """Whether the same was kept with every seed, in each of several cases; one seed decides nothing.

    Example:
        >>> consistent([[("x",), ("x",), ("x", "y")]], "").found
        '2 different sets with 3 seeds; the commonest 2 of 3 [0.21, 0.94]'
    """
    different = [len(set(each)) for each in kept]
    if max(map(len, kept)) < 2:
        return Side("one seed only", OPEN, who)
    most, count = max(different), max(map(len, kept))
    sets = f"{'up to ' * (len(kept) > 1)}{most} different sets" if most > 1 else "the same set"
    commonest, of = sum(Counter(each).most_common(1)[0][1] for each in kept), sum(map(len, kept))
    share = f"; the commonest {commonest} of {of} {wilson(commonest, of)}"
    return checked(f"{sets} with {count} seeds{share}", most == 1, who, cause=cause)


def wilson(count: int, of: int) -> str:
    """The 95 % interval of a share."""
    low, high = stats.binomtest(count, of).proportion_ci(method="wilson")
    return f"[{low:.2f}, {high:.2f}]"


def checked(found: str, holds: bool | None, who: str, *, cause: str = "") -> Side:
    """Something that holds or does not, None where that is not decided; where it holds no cause is given."""
    verdict = OPEN if holds is None else AGREES if holds else DIFFERS
    return Side(shortened(found), verdict, who, "" if holds else cause)


@dataclass(frozen=True)
class Difference:
    """How much larger one group is than another, with its 95 % interval (NaN for fewer than three a side)."""

    value: float
    low: float
    high: float

    @property
    def larger(self) -> bool | None:
        """Whether the first group is surely larger; None where that is not decided."""
        return True if self.low > 0 else False if self.high < 0 else None

    def words(self, digits: int = 2) -> str:
        """The value and the ends of its interval."""
        if math.isnan(self.low):
            return f"{self.value:+.{digits}f}"
        return f"{self.value:+.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"


def difference(first: Sequence[float], second: Sequence[float], *, paired: bool) -> Difference:
    """Mean of the first minus mean of the second, by a t interval (Welch's where they are not paired).

    Example:
        >>> difference([3.0, 3.1, 2.9], [1.0, 1.1, 0.9], paired=False).larger
        True
        >>> print(difference([3.0], [1.0], paired=True).larger)
        None
    """
    one, other = np.asarray(first, float), np.asarray(second, float)
    value = float(one.mean() - other.mean())
    if min(len(one), len(other)) < FEWEST:
        return Difference(value, math.nan, math.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # agents that all return 500 do not vary
        test = stats.ttest_rel(one, other) if paired else stats.ttest_ind(one, other, equal_var=False)
        low, high = test.confidence_interval(0.95)
    return Difference(value, float(low), float(high))


def of_mine(chosen: Sequence[Selection]) -> str:
    """What the paper's estimator was given, to stand after agents and steps; empty for other methods.

    Where all actions of an agent are the same it makes none: the count is that of the agent with the most.
    """
    config: Mapping[str, Any] = max((one.config for one in chosen), key=lambda one: one.get("updates", -1))
    if "updates" not in config:
        return ""
    part = "" if config["all_variables"] else f", {config['questions']} variables asked"
    most = "up to " if len({one.config["updates"] for one in chosen}) > 1 else ""
    return f"; b = {config['batch']:,}, {config['runs']} runs, {most}{config['updates']:,} updates{part}"


def seeds(count: int) -> str:
    """The seeds of `count` agents or data sets, which count from 0."""
    return "seed 0" if count == 1 else f"seeds 0 to {count - 1}"


def shortened(text: str) -> str:
    """The text in at most two lines of the page, cut between words."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rsplit(' ', 1)[0]} …"


def braces(names: Iterable[str]) -> str:
    """Names as a set; of four or more in a numbered row only the ends are written.

    Example:
        >>> braces(["x1", "x2"]), braces(f"pair_{k}" for k in (1, 2, 3, 4, 9)), braces([])
        ('{x1, x2}', '{pair_1 to pair_4, pair_9}', 'nothing')
    """
    runs: list[list[str]] = []
    for name in names:
        if runs and _next(runs[-1][-1]) == name:
            runs[-1].append(name)
        else:
            runs.append([name])
    listed = [f"{run[0]} to {run[-1]}" if len(run) > 3 else ", ".join(run) for run in runs]
    return f"{{{', '.join(listed)}}}" if listed else "nothing"


def _next(name: str) -> str:
    """The next name in a numbered row: x2 after x1; empty for a name without a number."""
    stem = name.rstrip("0123456789")
    return f"{stem}{int(name[len(stem) :]) + 1}" if stem != name else ""


def short(value: float) -> str:
    """A return: one digit after the point below ten, none above.

    Example:
        >>> short(-0.34), short(-185.2)
        ('-0.3', '-185')
    """
    return f"{value:.1f}" if abs(value) < 10 else f"{value:.0f}"


def often(names: Iterable[str], *, of: int = 0) -> str:
    """The commonest names, each with its count unless there is one list only (`of=1`); empty for none.

    Example:
        >>> often(["x", "y", "x"]), often(["x", "y"], of=1), often("abcde", of=1)
        ('x (2), y (1)', 'x, y', 'a, b, c and 2 more')
    """
    found = Counter(names).most_common()
    listed = found if len(found) <= LISTED + 1 else found[:LISTED]
    words = ", ".join(name if of == 1 else f"{name} ({count})" for name, count in listed)
    return f"{words} and {len(found) - LISTED} more" if len(listed) < len(found) else words


def lacking(kept: Sequence[Sequence[str]], wanted: Sequence[str]) -> str:
    """Which wanted variables were missed, and how often."""
    return often((name for names in kept for name in wanted if name not in names), of=len(kept))


def beside(kept: Sequence[Sequence[str]], wanted: Sequence[str]) -> str:
    """Which other variables were kept, and how often."""
    return often((name for names in kept for name in names if name not in wanted), of=len(kept))


def amiss(kept: Sequence[Sequence[str]], wanted: Sequence[str]) -> str:
    """Which wanted variables were missed and which others kept; "exact" for neither.

    Example:
        >>> amiss([("x", "noise_0"), ("x",)], ["x", "y"])
        'missed y (2); kept noise_0 (1)'
    """
    found = (("missed", lacking(kept, wanted)), ("kept", beside(kept, wanted)))
    return "; ".join(f"{word} {names}" for word, names in found if names) or "exact"
