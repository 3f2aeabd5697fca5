"""The tables of docs/scaling.md, made of the rows in benchmarks/results/scale.json."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import numpy as np

Row = dict[str, Any]


def with_tables(page: str, rows: Sequence[Row]) -> str:
    """The page with the text between `<!-- scale NAME -->` and `<!-- end -->` replaced by its table."""

    def filled(found: re.Match[str]) -> str:
        name = found.group(1)
        chosen = [row for row in rows if row["part"] == name]
        return f"<!-- scale {name} -->\n{TABLES[name](chosen)}\n<!-- end -->" if chosen else found.group(0)

    return re.sub(r"<!-- scale (\w+) -->\n.*?<!-- end -->", filled, page, flags=re.DOTALL)


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *lines))


def _commits(rows: Sequence[Row]) -> str:
    return "Commit " + ", ".join(dict.fromkeys(row["commit"] for row in rows)) + "."


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
        power = exponent([row[what] for row in rows], [row["cpu_seconds"] for row in rows])
        table = _table(
            ["columns", "steps", "CPU s", "peak GB", "answer"],
            [[f"{row['columns']:,}", f"{row['steps']:,}", *_cost(row)] for row in rows],
        )
        return f"{table}\n\nCPU time grows as {what} to the power {power:.2f}. {_commits(rows)}"

    return made


def cold(rows: Sequence[Row]) -> str:
    """One sentence: the ratio."""
    ratios = sorted(row["cpu_seconds"] / row["bare"] for row in rows)
    return (
        f"`terc select`: {median(row['cpu_seconds'] for row in rows):.1f} CPU s; importing numpy, pandas and "
        f"pyarrow: {median(row['bare'] for row in rows):.2f}; ratio {median(ratios):.1f} "
        f"({ratios[0]:.1f} to {ratios[-1]:.1f} over {len(rows)} rounds). {_commits(rows)}"
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
    """What is left for each process, and how much sooner that is with free cores."""
    alone = next(row for row in rows if row["workers"] == 1)
    lines = []
    for row in rows:
        own, shared = row["own_cpu_seconds"], row["cpu_seconds"] - row["own_cpu_seconds"]
        path = own + shared / row["workers"] if row["workers"] > 1 else row["cpu_seconds"]
        lines.append([f"{row['workers']}", row["backend"], f"{row['cpu_seconds']:.0f}", f"{own:.0f}",
                      f"{path:.0f}", f"{alone['cpu_seconds'] / path:.2f}", _answer(row)])  # fmt: skip
    head = ["workers", "back-end", "CPU s in all", "of the caller", "longest path", "sooner", "answer"]
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
    "cold": cold, "columns": grown("columns"), "steps": grown("steps"), "goals": goals, "workers": workers,
    "rivals": rivals,
}  # fmt: skip
