"""`Claim`: a statement of the paper, and what we measured about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

AGREES, PARTLY, DIFFERS, OPEN = "agrees", "agrees in part", "differs", "not decided"
PLURAL = {AGREES: "agree", PARTLY: "agree in part", DIFFERS: "differ", OPEN: "not decided"}


@dataclass(frozen=True)
class Claim:
    """One statement of the paper beside our number.

    Attributes:
        where: Figure, table or section of the paper.
        statement: What the paper says there, in our words.
        ours: What we measured.
        verdict: "agrees", "agrees in part", "differs", or "not decided" within the limits of the scale.
        why: Why it differs, or what to bear in mind; may be empty.

    Example:
        >>> claim = Claim.counted("Fig. 1", "finds it", [True, True, False], "right")
        >>> claim.ours, claim.verdict
        ('right in 2 of 3', 'agrees in part')
    """

    where: str
    statement: str
    ours: str
    verdict: str
    why: str = ""

    @classmethod
    def counted(
        cls, where: str, statement: str, found: Iterable[bool], word: str, why: str = "", extra: str = ""
    ) -> Claim:
        """A claim that holds, or not, in each of several runs."""
        each = list(found)
        ours = f"{word} in {sum(each)} of {len(each)}{f'; {extra}' if extra else ''}"
        return cls(where, statement, ours, verdict_of(each), why)

    @classmethod
    def checked(cls, where: str, statement: str, ours: str, holds: bool, why: str = "") -> Claim:
        """A claim that holds or does not."""
        return cls(where, statement, ours, AGREES if holds else DIFFERS, why)


def verdict_of(found: Sequence[bool]) -> str:
    """The verdict on something that held in some of several cases.

    Example:
        >>> verdict_of([False, False])
        'differs'
    """
    if all(found) and found:
        return AGREES
    return PARTLY if any(found) else DIFFERS


def updates_of(config: Mapping[str, Any]) -> str:
    """What the paper's estimator was given, as a sentence.

    Example:
        >>> updates_of({"runs": 10, "batch": 1000, "updates": 800, "cap": 4000})
        '10 runs, b = 1,000, 800 updates (median) of at most 4,000.'
    """
    return (
        f"{config['runs']} runs, b = {config['batch']:,}, {config['updates']:,} updates (median) of at most "
        f"{config['cap']:,}."
    )


def braces(names: Iterable[str]) -> str:
    """Names as a set; four and more that count on are written by their ends.

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
    """The name that counts on: x2 after x1; no name has none."""
    stem = name.rstrip("0123456789")
    return f"{stem}{int(name[len(stem) :]) + 1}" if stem != name else ""


def different(sets: Iterable[Sequence[str]]) -> str:
    """The different sets among several, each with how often it came.

    Example:
        >>> different([("a",), ("a",), ("b",)])
        '{a} (2), {b} (1)'
    """
    counts: dict[tuple[str, ...], int] = {}
    for names in sets:
        counts[tuple(names)] = counts.get(tuple(names), 0) + 1
    if len(counts) == 1:
        return braces(next(iter(counts)))
    return ", ".join(f"{braces(names)} ({count})" for names, count in counts.items())
