"""A comparison of methods: the verdict, a line per method, and a table of variables by methods."""

from __future__ import annotations

import math
from collections.abc import Mapping

from terc.reporting.first_screen import percent
from terc.reporting.markup import Markup, join, names_in_a_row, tag, variable
from terc.reporting.variables_table import filters, header
from terc.selection.printing import decimals, number
from terc.selection.result import Selection


def comparison_head(sides: Mapping[str, Selection], title: str) -> Markup:
    """The first screen when there is no single selection to show."""
    return tag(
        "div",
        tag("div", tag("p", title, class_="eyebrow"), tag("h1", _verdict(sides)), class_="answer"),
        methods_table(sides),
        class_="comparison-head",
    )


def _verdict(sides: Mapping[str, Selection]) -> Markup:
    names = list(dict.fromkeys(name for side in sides.values() for name in side.names))
    kept = [set(side.kept) for side in sides.values()]
    disputed = sum(1 for name in names if 0 < sum(name in k for k in kept) < len(kept))
    agreed = sum(1 for name in names if all(name in k for k in kept))
    start = tag("em", f"{len(sides)} method{'s' * (len(sides) != 1)}")
    return join(
        [
            start,
            f" on {len(names)} variables: all keep {agreed}, they disagree on ",
            tag("em", f"{disputed}"),
            ".",
        ]
    )


def methods_table(sides: Mapping[str, Selection]) -> Markup:
    """One line per method: what it keeps, what that retains, how long it took, agreement with the first."""
    numbers = [header(title, "number") for title in ("kept", "holds", "seconds", "agreement")]
    head = tag("tr", header("method", "text"), *numbers, header("names", "text"))
    first = set(next(iter(sides.values())).kept)
    body = [_method(name, side, first) for name, side in sides.items()]
    words = (
        "Holds: share of the action information in the kept variables. Agreement with the first method: "
        "shared kept variables over all kept by either."
    )
    caption = tag("caption", tag("span", words))
    table = tag("table", caption, tag("thead", head), tag("tbody", *body), class_="methods")
    return tag("div", table, class_="scroll", tabindex="0", role="region", aria_label="Table of methods")


def _method(name: str, side: Selection, first: set[str]) -> Markup:
    share, seconds = side.retained, sum(side.timings.values())
    interval = "" if math.isnan(share.low) else f" [{percent(share.low)}, {percent(share.high)}]"
    either = first | set(side.kept)
    agreement = f"{len(first & set(side.kept)) / len(either):.2f}" if either else "1.00"
    return tag(
        "tr",
        tag("th", variable(name), scope="row"),
        tag("td", f"{len(side.kept)} of {len(side.verdicts)}", class_="number"),
        tag("td", "-" if math.isnan(share.value) else percent(share.value) + interval, class_="number"),
        tag("td", f"{seconds:.1f}" if seconds else "-", class_="number"),
        tag("td", agreement, class_="number"),
        tag("td", names_in_a_row(side.kept, 12) if side.kept else "none"),
    )


def variables_by_methods(sides: Mapping[str, Selection]) -> Markup:
    """Every variable with its score and verdict under each method; sortable and filterable."""
    names = list(dict.fromkeys(name for side in sides.values() for name in side.names))
    head = tag(
        "tr", header("variable", "text"), header("kept by", "number"), *(header(m, "number") for m in sides)
    )
    digits = {method: decimals(v.gain for v in side.verdicts) for method, side in sides.items()}
    by_name = {method: {v.name: v for v in side.verdicts} for method, side in sides.items()}
    body = []
    for name in names:
        found = {method: rows.get(name) for method, rows in by_name.items()}
        votes = sum(bool(v and v.kept) for v in found.values())
        cells = [
            _cell(v.gain, v.kept, digits[m]) if v else tag("td", "-", class_="number")
            for m, v in found.items()
        ]
        count = tag("td", f"{votes}", class_="number", data_sort=votes)
        state = "kept" if votes else "removed"
        body.append(tag("tr", tag("th", variable(name), scope="row"), count, *cells, data_state=state))
    caption = tag(
        "caption", tag("span", "Score of each variable under each method; marked where it is kept.")
    )
    table = tag(
        "table", caption, tag("thead", head), tag("tbody", *body), class_="variables", id="methods-table"
    )
    frame = tag(
        "div", table, class_="scroll", tabindex="0", role="region", aria_label="Table of variables by methods"
    )
    simple = [v for v in next(iter(sides.values())).verdicts if v.kept]
    return join([filters(simple, "methods-table"), frame])


def _cell(gain: float, kept: bool, digits: int) -> Markup:
    words = [number(gain, digits), tag("span", " kept", class_="tick")] if kept else [number(gain, digits)]
    value = None if math.isnan(gain) else f"{gain:.8g}"
    return tag("td", *words, class_="number kept" if kept else "number", data_sort=value)
