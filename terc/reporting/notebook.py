"""What a notebook shows for a selection: the verdict and a table with bars, without script."""

from __future__ import annotations

from terc.figures.svg import variables
from terc.reporting.bars import Scale, bar
from terc.reporting.first_screen import verdict
from terc.reporting.markup import Markup, join, names_in_a_row, prose, tag, variable
from terc.selection.printing import data_sentence, decimals, number, strongest_first, unit
from terc.selection.result import Selection, Verdict

MOST_ROWS = 40
_STYLE = """
.terc-selection{font:14px/1.45 system-ui,sans-serif;max-width:52rem;--terc-ink:currentColor}
.terc-selection p{margin:.2em 0}.terc-selection .terc-verdict{font-size:1.15em}
.terc-selection em{font-style:normal;font-weight:700}
.terc-selection table{border-collapse:collapse;margin-top:.5em}
.terc-selection th,.terc-selection td{text-align:left;padding:.15em .8em .15em 0;border:0;background:none}
.terc-selection .number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.terc-selection .variable{font-family:ui-monospace,monospace}
.terc-selection .bar{position:relative;display:block;width:9rem;height:.9em}
.terc-selection .bar i{position:absolute;top:0;bottom:0;left:var(--a);width:calc(var(--b) - var(--a))}
.terc-selection .bar-fill{background:var(--terc-blue)}
.terc-selection .removed .bar-fill{background:none;box-shadow:inset 0 0 0 1px #808890}
.terc-selection .bar .bar-interval{left:var(--l);width:calc(var(--h) - var(--l));top:45%;bottom:45%;
background:currentColor}
.terc-selection .bar .bar-null{left:var(--n);width:0;border-left:2px dashed var(--terc-red)}
"""


def selection_html(selection: Selection) -> str:
    """An HTML fragment for notebooks; colours of text come from the notebook, so it fits light and dark.

    Example:
        >>> from terc.figures.made_up import cart_pole
        >>> "<em>4 of 7</em> variables kept" in selection_html(cart_pole())
        True
    """
    rows = [*strongest_first(selection, kept=True), *strongest_first(selection, kept=False)]
    scale, digits = Scale.of(rows), decimals(v.gain for v in rows)
    head = tag(
        "tr",
        *(tag("th", t) for t in ("variable", "", f"gain ({unit(selection)})", "95 % interval", "verdict")),
    )
    body = [_row(row, scale, digits) for row in rows[:MOST_ROWS]]
    hidden = len(rows) - len(body)
    rest = (
        tag("p", prose(f"and {hidden} more; `selection.to_frame()` has all of them.")) if hidden > 0 else ""
    )
    style = Markup(f"<style>.terc-selection{{{_fixed_colours()}}}{_STYLE}</style>")
    return tag(
        "div",
        style,
        tag("p", verdict(selection), class_="terc-verdict"),
        tag("p", data_sentence(selection)),
        tag("table", tag("thead", head), tag("tbody", *body)),
        rest,
        *(tag("p", prose(note.text)) for note in selection.notes),
        class_="terc-selection",
    )


def _fixed_colours() -> str:
    """Blue and red that can be seen on white and on black: notebooks do not say which they are."""
    return f"{variables(dark=False)}--terc-blue:#2f8fd0;--terc-red:#e0453a;"


def _row(row: Verdict, scale: Scale, digits: int) -> Markup:
    state = "kept" if row.kept else "removed"
    given = [" given ", names_in_a_row(row.given, 3)] if row.given else []
    return tag(
        "tr",
        tag("td", variable(row.name)),
        tag("td", bar(row, scale)),
        tag("td", number(row.gain, digits), class_="number"),
        tag("td", f"[{number(row.low, digits)}, {number(row.high, digits)}]", class_="number"),
        tag("td", join([tag("em", state), f": {row.reason}", *given])),
        class_=state,
    )
