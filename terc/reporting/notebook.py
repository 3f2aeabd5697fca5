"""What a notebook shows for a selection or a run: the verdict and a table with bars, without script."""

from collections.abc import Sequence

from markupsafe import Markup

from terc.figures.svg import variables
from terc.reporting.render import BarScale, render
from terc.selection.printing import data_sentence, decimals, strongest_first, unit
from terc.selection.result import Selection

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
    """An HTML fragment for notebooks; colours of text come from the notebook, so it fits light and dark."""
    rows = [*strongest_first(selection, kept=True), *strongest_first(selection, kept=False)]
    return render(
        "notebook.html",
        selection=selection,
        rows=rows[:MOST_ROWS],
        hidden=len(rows) - MOST_ROWS,
        scale=BarScale.of(rows),
        digits=decimals(v.gain for v in rows),
        unit=unit(selection),
        data=data_sentence(selection),
        # Blue and red that can be seen on white and on black: notebooks do not say which they are.
        colours=Markup(f"{variables(dark=False)}--terc-blue:#2f8fd0;--terc-red:#e0453a;"),
        notebook_style=Markup(_STYLE),
    )


def run_html(lines: Sequence[str], selection: Selection) -> str:
    """An HTML fragment for a run: its verdict line by line, then its selection.

    Example:
        >>> from example_data import cart_pole
        >>> run_html(["The smaller agent returns < 500."], cart_pole()).splitlines()[0]
        '<p>The smaller agent returns &lt; 500.</p>'
    """
    said = Markup("").join(Markup("<p>{}</p>\n").format(line) for line in lines)
    return f"{said}{selection_html(selection).lstrip()}"
