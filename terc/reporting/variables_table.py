"""The table of all variables: sortable, filterable, quick with hundreds of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from terc.reporting.bars import Scale, bar
from terc.reporting.markup import Markup, escape, join, names_in_a_row, tag, variable
from terc.selection.printing import decimals, number, unit
from terc.selection.result import Selection, Verdict


def variables_table(selection: Selection) -> Markup:
    """Filter, count and table; without script it is a plain table."""
    rows = selection.verdicts
    digits = decimals(v.gain for v in rows)
    scale = Scale.of(rows)
    body = tag("tbody", *(_row(i, v, scale, digits) for i, v in enumerate(rows)))
    table = tag(
        "table", _caption(selection), _head(unit(selection)), body, class_="variables", id="variables-table"
    )
    frame = tag(
        "div", table, class_="scroll", tabindex="0", role="region", aria_label="Table of all variables"
    )
    return join([filters(rows, "variables-table"), frame])


def filters(rows: Sequence[Verdict], table: str) -> Markup:
    """The field to search by name, the choice of verdicts and the count of rows shown."""
    states = ["all", "kept", "removed", *dict.fromkeys(v.reason for v in rows if not v.kept)]
    if any(v.undecided for v in rows):
        states.append("undecided")
    options = [tag("option", state, value="" if state == "all" else state) for state in states]
    search = tag("input", type="search", id=f"{table}-name", autocomplete="off", spellcheck="false")
    count = f"{len(rows)} of {len(rows)} variables"
    return tag(
        "div",
        tag("label", "Name contains", search),
        tag("label", "Show", tag("select", *options, id=f"{table}-state")),
        tag("p", count, class_="count", role="status", id=f"{table}-count"),
        class_="filters",
        data_table=table,
        hidden=True,
    )


def _caption(selection: Selection) -> Markup:
    text = f"Gain of each variable in {unit(selection)} with its 95 % interval; p-values are corrected."
    return tag("caption", tag("span", text))


def _head(gains_in: str) -> Markup:
    columns = {
        "variable": "text",
        f"gain ({gains_in})": "bar",
        "verdict": "text",
        "p-value": "number",
        "chance": "number",
        "alone": "number",
        "decided by": "text",
        "column": "number",
    }
    return tag("thead", tag("tr", *(header(title, kind) for title, kind in columns.items())))


def header(title: str, kind: str) -> Markup:
    """A column's head; the script turns it into a button that sorts. A "bar" is sorted as a number."""
    return tag("th", title, scope="col", data_kind=kind)


def _row(index: int, row: Verdict, scale: Scale, digits: int) -> Markup:
    state = " ".join(["kept" if row.kept else "removed", row.reason, "undecided" if row.undecided else ""])
    interval = f"[{number(row.low, digits)}, {number(row.high, digits)}]" if not math.isnan(row.low) else ""
    gain = join([bar(row, scale), tag("span", number(row.gain, digits), class_="value"), " ",
                 tag("span", interval, class_="interval")])  # fmt: skip
    return tag(
        "tr",
        tag("th", variable(row.name), scope="row"),
        tag("td", gain, class_="gain", data_sort=_sortable(row.gain)),
        tag("td", _verdict(row), class_="verdict"),
        _number(row.p_value, p_value(row.p_value)),
        _number(row.null_high, number(row.null_high, digits)),
        _number(
            math.nan if row.alone is None else row.alone,
            "-" if row.alone is None else number(row.alone, digits),
        ),
        tag("td", row.instrument or "-"),
        _number(index, f"{index}"),
        data_state=state.strip(),
    )


def _number(value: float, text: str) -> Markup:
    return tag("td", text, class_="number", data_sort=_sortable(value))


def _sortable(value: float) -> str | None:
    return None if math.isnan(value) else f"{value:.8g}"


def p_value(value: float) -> str:
    """A p-value with no more digits than it deserves.

    Example:
        >>> p_value(0.00004), p_value(0.0321)
        ('< 0.001', '0.032')
    """
    if math.isnan(value):
        return "-"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _verdict(row: Verdict) -> Markup:
    words: list[object] = [tag("strong", "kept" if row.kept else "removed"), f": {row.reason}"]
    if row.given:
        words += [" given ", names_in_a_row(row.given, 4)]
    if row.kept and row.acts == "together":
        words.append(", only with others")
    if row.undecided:
        needed = f" ({row.steps_needed:,} steps would decide)" if row.steps_needed else ""
        words.append(tag("span", f" undecided{needed}", class_="undecided"))
    return join(escape(word) for word in words)
