"""The tables of docs/scaling.md, made of the rows in benchmarks/results/scale.json."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import numpy as np

Row = dict[str, Any]
FEWEST_SIZES = 3


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *lines))


def _commits(rows: Sequence[Row]) -> str:
    return "Commit " + ", ".join(dict.fromkeys(row["commit"][:7] for row in rows)) + "."


def _answer(row: Row) -> str:
    if row["exact"] is None:
        return "stopped"
    if row["exact"]:
        return "right"
    parts = [f"misses {row['missed']}"] * bool(row["missed"]) + [f"{row['wrong']} wrong"] * bool(row["wrong"])
    return ", ".join(parts)


def _cost(row: Row) -> list[str]:
    return [f"{row['cpu_seconds']:.0f}", f"{row['peak_gb']:.2f}", _answer(row)]


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Slope of log time over log size.

    Example:
        >>> round(exponent([10, 100, 1000], [1.0, 10.0, 100.0]), 3)
        1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def grown(what: str) -> Callable[[Sequence[Row]], str]:
    """A table of the cost over one size, and the exponent."""

    def made(rows: Sequence[Row]) -> str:
        rows = sorted(rows, key=lambda row: row[what])
        table = _table(
            ["columns", "steps", "CPU s", "peak GB", "answer"],
            [[f"{row['columns']:,}", f"{row['steps']:,}", *_cost(row)] for row in rows],
        )
        sizes, seconds = ([row[key] for row in rows] for key in (what, "cpu_seconds"))
        grows = ""
        if len(sizes) >= FEWEST_SIZES:
            grows = f"CPU time grows as {what} to the power {exponent(sizes, seconds):.2f}. "
        return f"{table}\n\n{grows}{_commits(rows)}"

    return made


def cold(rows: Sequence[Row]) -> str:
    """One sentence: the ratio."""
    ratios = sorted(row["cpu_seconds"] / row["bare"] for row in rows)
    return (
        f"`terc select`: {median(row['cpu_seconds'] for row in rows):.1f} CPU s; importing numpy, pandas and "
        f"pyarrow: {median(row['bare'] for row in rows):.2f}; ratio {median(ratios):.1f} "
        f"({ratios[0]:.1f} to {ratios[-1]:.1f} over {len(rows)} rounds). {_commits(rows)}"
    )


def keys(rows: Sequence[Row]) -> str:
    """One sentence: the ratio."""
    ratios = sorted(row["cpu_seconds"] / row["before"] for row in rows)
    return (
        f"`terc select`: {median(row['cpu_seconds'] for row in rows):.1f} CPU s; version 0.1: "
        f"{median(row['before'] for row in rows):.1f}; ratio {median(ratios):.2f} ({ratios[0]:.2f} to "
        f"{ratios[-1]:.2f} over {len(rows)} rounds). {_commits(rows)}"
    )


def goals(rows: Sequence[Row]) -> str:
    """A line per size."""
    lines = []
    for size in dict.fromkeys((row["columns"], row["steps"]) for row in rows):
        some = [row for row in rows if (row["columns"], row["steps"]) == size]
        seconds, peak = ([row[key] for row in some] for key in ("cpu_seconds", "peak_gb"))
        right = sum(bool(row["exact"]) for row in some)
        lines.append([f"{size[0]:,}", f"{size[1]:,}", f"{median(seconds):.0f}", f"{max(seconds):.0f}",
                      f"{max(peak):.2f}", f"{right} of {len(some)}"])  # fmt: skip
    head = ["columns", "steps", "CPU s, median", "most", "peak GB", "right"]
    return f"{_table(head, lines)}\n\n{_commits(rows)}"


def workers(rows: Sequence[Row]) -> str:
    """How much sooner an answer comes."""
    alone = next(row for row in rows if row["workers"] == 1)
    lines = [
        [f"{row['workers']}", row["backend"], f"{row['wall_seconds']:.0f}",
         f"{alone['wall_seconds'] / row['wall_seconds']:.2f}", f"{row['cpu_seconds']:.0f}", _answer(row)]
        for row in rows
    ]  # fmt: skip
    head = ["workers", "back-end", "seconds", "times as fast", "CPU s in all", "answer"]
    return f"{_table(head, lines)}\n\n{_commits(rows)}"


def rivals(rows: Sequence[Row]) -> str:
    """Methods by sizes."""
    sizes = sorted({row["columns"] for row in rows})
    by_key = {(row["method"], row["columns"]): row for row in rows}
    lines = []
    for method in dict.fromkeys(row["method"] for row in rows):
        cells = [by_key.get((method, size)) for size in sizes]
        shown = ["-" if row is None else f"{_seconds(row)}, {_answer(row)}" for row in cells]
        lines.append([method, *shown])
    head = ["method", *(f"{size} columns" for size in sizes)]
    return f"{_table(head, lines)}\n\nCPU seconds at {rows[0]['steps']:,} steps. {_commits(rows)}"


def _seconds(row: Row) -> str:
    return f"{'> ' if row['exact'] is None else ''}{math.ceil(row['cpu_seconds'])} s"


TABLES: dict[str, Callable[[Sequence[Row]], str]] = {
    "cold": cold, "keys": keys, "columns": grown("columns"), "steps": grown("steps"), "goals": goals,
    "workers": workers, "rivals": rivals,
}  # fmt: skip


def part(name: str, rows: Sequence[Row]) -> str:
    """What the page shows of one part of the benchmark."""
    chosen = [row for row in rows if row["part"] == name]
    if not chosen:
        return f"*Not measured yet: `python benchmarks/scale.py --only {name}`.*"
    return TABLES[name](chosen)
