"""Parts of pages that are made of the files in `benchmarks/results`, so that no number is typed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from statistics import mean, median
from typing import Any

from measurements import COMMANDS, RESULTS, Measurement, command_of, measurements

WHAT = {
    "table": "the standard cases: redundant sets, secret keys, controllers, histories",
    "kinds": "kinds closer to what agents record: frames, encodings, gates, proxies",
    "kinds-set-aside": "kinds that nothing was tuned on",
    "power": "a weak variable beside strong ones, or sixteen weak ones",
    "nulls": "nothing may be kept",
    "networks": "Markov boundaries of Bayesian networks",
    "many-columns": "300 columns",
    "nulls-set-aside": "nothing may be kept, kinds that nothing was tuned on",
}


def state() -> str:
    """One row per file of results: how it is made, when it was, and whether the code has changed since."""
    rows = []
    for one in measurements():
        commits = ", ".join(f"`{commit}`" for commit in one.commits) or "not recorded"
        if one.commits and one.without_commit:
            commits += f" (not recorded for {one.without_commit})"
        seeds = "" if one.seeds is None else f"{one.seeds[0]} to {one.seeds[1]}"
        minutes = "" if one.cpu_minutes is None else f"{one.cpu_minutes:,.0f}"
        command = f"`{one.command}`" if one.command else ""
        rows.append(
            [
                one.path.name,
                _age(one),
                commits,
                len(one.outcomes),
                seeds,
                one.about.get("date"),
                minutes,
                command,
            ]
        )
    for name in COMMANDS:
        if not (RESULTS / name).exists():
            rows.append([name, "not measured yet", "", 0, "", "", "", f"`{command_of(COMMANDS[name][0])}`"])
    heads = ["file", "state", "commit", "outcomes", "seeds", "date", "CPU minutes", "made by"]
    return _table(heads, rows)


def _age(one: Measurement) -> str:
    if one.changes_since is None:
        return "**older code** (commit not known)"
    if one.changes_since == 0 and not one.without_commit:
        return "current"
    return f"**older code** ({one.changes_since} changes since)"


def age(name: str) -> str:
    """Of which code one file is, and what makes it again."""
    one = Measurement.read(RESULTS / name)
    return f"State of these numbers: {_age(one)}. `{one.command}` measures them again."


def accuracy() -> str:
    """One row per suite of `benchmarks/accuracy.py`."""
    rows = []
    for path in sorted(RESULTS.glob("accuracy-*.json")):
        one = Measurement.read(path)
        sets = one.outcomes
        steps = sorted({outcome["steps"] for outcome in sets})
        rows.append(
            [
                f"`{path.stem.removeprefix('accuracy-')}`: {WHAT.get(one.about['suite'], '')}",
                " to ".join(f"{n:,}" for n in dict.fromkeys((steps[0], steps[-1]))),
                len(sets),
                sum(outcome["exact"] for outcome in sets),
                sum(outcome["silent"] for outcome in sets),
                f"{median(outcome['cpu_seconds'] for outcome in sets):.1f}",
                _age(one),
            ]
        )
    return _table(["suite", "steps", "data sets", "exact", "silently wrong", "CPU s", "state"], rows)


def exact(*suites: str) -> str:
    """How many of how many data sets of these suites are exactly right, in one sentence."""
    found = [Measurement.read(RESULTS / f"accuracy-{suite}.json").outcomes for suite in suites]
    every = [outcome for outcomes in found for outcome in outcomes]
    right = sum(outcome["exact"] for outcome in every)
    seconds = median(outcome["cpu_seconds"] for outcome in every)
    return f"Exactly right in **{right} of {len(every)}** data sets, in {seconds:.1f} CPU seconds (median)."


def cases(name: str) -> str:
    """One row per case of one suite."""
    outcomes = Measurement.read(RESULTS / f"accuracy-{name}.json").outcomes
    grouped: dict[str, list[dict[str, Any]]] = {}
    for outcome in outcomes:
        grouped.setdefault(outcome["case"], []).append(outcome)
    rows = [
        [
            case,
            f"{sum(one['exact'] for one in ones)} of {len(ones)}",
            sum(bool(one["missed"]) for one in ones),
            sum(bool(one["wrong"]) for one in ones),
            sum(one["silent"] for one in ones),
            f"{median(one['cpu_seconds'] for one in ones):.1f}",
        ]
        for case, ones in grouped.items()
    ]
    return _table(["case", "exact", "missed some", "kept too much", "silently wrong", "CPU s"], rows)


def boundaries() -> str:
    """One row per Bayesian network: how much of the Markov boundary is found, beside IAMB."""
    grouped: dict[str, list[dict[str, Any]]] = {}
    for outcome in Measurement.read(RESULTS / "accuracy-networks.json").outcomes:
        grouped.setdefault(outcome["case"].removeprefix("network "), []).append(outcome)
    rows = [
        [
            case,
            f"{mean(one['f1'] for one in ones):.2f}",
            f"{mean(one['rival']['limit'] for one in ones):.2f}",
            f"{mean(one['rival']['f1'] for one in ones):.2f}",
            f"{median(one['cpu_seconds'] for one in ones):.1f}",
            f"{median(one['rival']['cpu_seconds'] for one in ones):.2f}",
        ]
        for case, ones in grouped.items()
    ]
    return _table(["network", "F1", "F1 if known", "F1 of IAMB", "CPU s", "CPU s of IAMB"], rows)


def beside() -> str:
    """One row per case: version 0.1 on the same data sets, in one run."""
    outcomes = [
        outcome
        for name in ("beside", "beside-many-columns")
        for outcome in Measurement.read(RESULTS / f"accuracy-{name}.json").outcomes
    ]
    rows = [
        [
            one["case"],
            "yes" if one["exact"] else "no",
            "yes" if one["beside"]["exact"] else "no",
            f"{one['cpu_seconds']:.1f}",
            f"{one['beside']['cpu_seconds']:.1f}",
            f"{one['cpu_seconds'] / one['beside']['cpu_seconds']:.2f}",
        ]
        for one in outcomes
    ]
    return _table(["case", "exact", "0.1 exact", "CPU s", "CPU s of 0.1", "ratio"], rows)


def benchmark_table(name: str) -> str:
    """The table that a benchmark prints of its own file: baselines, return, task or agents."""
    if not any(RESULTS.glob(f"{name}.json*")):
        return f"*Not measured yet: `python benchmarks/{name}.py`.*"
    if str(RESULTS.parent) not in sys.path:  # mkdocs puts the path back as it was after loading its hooks
        sys.path.insert(0, str(RESULTS.parent))
    module: Any = import_module(name)
    if name == "baselines":
        cells = str(module.table(module.read(module.CACHE)))
        return cells.replace(" (", "&nbsp;(").replace(" s |", "&nbsp;s |").replace(") ", ")&nbsp;")
    if name == "agents":
        return str(
            module.table(module.Line(**one) for one in Measurement.read(RESULTS / "agents.json").outcomes)
        )
    if name == "task":
        return str(module.table(module.Outcomes(module.RESULTS)))
    if name == "task_agents":
        return "\n".join(module.table(module.Outcomes(module.RESULTS)))
    return str(module.table(Measurement.read(module.RESULTS).outcomes))


def bad_inputs() -> str:
    """How soon bad recordings are answered, in one sentence."""
    one = Measurement.read(RESULTS / "bad_inputs.json")
    answered = sum(outcome["answered"] for outcome in one.outcomes)
    slowest = max(outcome["cpu_seconds"] for outcome in one.outcomes)
    return (
        f"{answered} of {len(one.outcomes)} bad recordings, most of them of {one.about['rows']:,} steps, are "
        f"answered in one line that says what to do; the slowest after {slowest:.1f} CPU seconds in all."
    )


def scale(part: str) -> str:
    """One part of `benchmarks/scale.py`."""
    if str(RESULTS.parent) not in sys.path:
        sys.path.insert(0, str(RESULTS.parent))
    return str(import_module("scale_page").part(part, Measurement.read(RESULTS / "scale.json").outcomes))


def records(name: str, *columns: str) -> str:
    """The outcomes of a file as they are, these columns or all that are plain values."""
    outcomes = Measurement.read(RESULTS / name).outcomes
    plain = [key for key, value in outcomes[0].items() if isinstance(value, str | int | float | bool)]
    chosen = list(columns) or plain
    rows = [[one.get(key, "") for key in chosen] for one in outcomes]
    return _table([key.replace("_", " ") for key in chosen], rows)


def _table(heads: list[str], rows: list[list[Any]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(
        f"| {' | '.join('' if cell is None else str(cell) for cell in line)} |" for line in lines
    )


PARTS: dict[str, Callable[..., str]] = {
    "state": state,
    "age": age,
    "accuracy": accuracy,
    "exact": exact,
    "cases": cases,
    "boundaries": boundaries,
    "beside": beside,
    "table": benchmark_table,
    "records": records,
    "bad_inputs": bad_inputs,
    "scale": scale,
}
