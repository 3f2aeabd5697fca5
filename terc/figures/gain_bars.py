"""What each variable is worth: bars with intervals, and the line that chance alone would reach."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from terc.errors import BadValueError
from terc.figures import style
from terc.plurals import some
from terc.selection.printing import decimals, number, unit
from terc.selection.result import Selection, Verdict
from terc.selection.visible_names import listed, visible

ROW = 0.235
"""Inches from one bar to the next."""


@style.in_house_style
def gain_bars(selection: Selection | Mapping[str, Selection], *, top: int = 30) -> Figure:
    """The gain of every variable with its 95 % interval, kept ones filled and first.

    The dashed red line is what a variable without information would reach; with a null of its own
    for each variable, each bar has its own piece of it.

    Args:
        selection: One selection, or several of one data set by name, drawn side by side as in the
            paper (each with its own scale: the scores of different methods do not compare).
        top: At most this many variables; the weakest removed ones are left out and counted.

    Example:
        >>> from example_data import cart_pole
        >>> figure = gain_bars(cart_pole())
        >>> figure.get_label().split(".")[0]
        'Gain of 7 variables, kept: theta_dot, theta, x_dot and 1 more'
    """
    if isinstance(selection, Mapping):
        return _side_by_side(selection, top)
    if not selection.verdicts:
        raise BadValueError("gain_bars: the selection holds no variables, so there is nothing to draw.")
    rows, hidden = style.shown_rows(selection, top)
    figure, axes = style.new_axes(0.95 + ROW * (len(rows) + bool(hidden)))
    draw_bars(axes, rows)
    _write_values(axes, rows)
    labels = [style.label(v.name, among=selection.names) for v in rows] + (
        [f"{hidden} more, not shown"] if hidden else []
    )
    ticks = axes.set_yticks(range(len(labels)), labels)
    if hidden:
        ticks[-1].label1.set_color(style.MUTED)
        axes.set_ylim(len(rows) + 0.4, -0.6)
    axes.set_xlabel(style.plain(f"gain ({visible(unit(selection))})"))
    key(axes, rows)
    return style.describe(figure, _alternative(selection, rows))


def draw_bars(axes: Axes, rows: Sequence[Verdict]) -> None:
    """Bars, intervals and thresholds of `rows`, from the top down."""
    places, gains = np.arange(len(rows)), np.nan_to_num([v.gain for v in rows])
    axes.barh(places, gains, height=0.62, **style.bars(v.kept for v in rows))
    axes.hlines(places, [v.low for v in rows], [v.high for v in rows], color=style.INK, linewidth=1.3)
    draw_null(axes, [v.null_high for v in rows])
    axes.axvline(0.0, color=style.MUTED, linewidth=0.8)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(*style.span(rows))


def _write_values(axes: Axes, rows: Sequence[Verdict]) -> None:
    """The number behind every bar, with a question mark where more steps are needed to decide."""
    digits = decimals(v.gain for v in rows)
    for place, verdict in enumerate(rows):
        ends = [v for v in (0.0, verdict.gain, verdict.high, verdict.null_high) if np.isfinite(v)]
        text = number(verdict.gain, digits) + (" ?" if verdict.undecided else "")
        axes.annotate(
            text, (max(ends), place), (4, -0.5), textcoords="offset points", va="center", fontsize=8,
            color=style.INK if verdict.kept or verdict.undecided else style.MUTED,
        )  # fmt: skip
    low, high = axes.get_xlim()
    axes.set_xlim(low, high + 0.07 * (high - low))


def draw_null(axes: Axes, thresholds: Sequence[float]) -> None:
    """The threshold of chance: one dashed red line if it is the same for all, else a piece for each bar."""
    heights = np.array(thresholds, dtype=float)
    if not np.isfinite(heights).any():
        return
    lines: list[tuple[str, float, tuple[int, tuple[float, ...]]]] = [
        (style.PAPER, 3.2, (0, ())),
        (style.NULL, 1.5, (0, (4, 2))),
    ]
    common = np.ptp(heights[np.isfinite(heights)]) <= 1e-9 + 0.02 * np.nanmax(np.abs(heights))
    places = np.arange(len(heights))
    for colour, thickness, dashes in lines:  # the pale line below lets the red one be seen on a bar
        look: dict[str, Any] = {"color": colour, "linewidth": thickness, "linestyle": dashes}
        if common:
            axes.axvline(float(np.nanmean(heights)), **look)
        else:
            axes.vlines(heights, places - 0.45, places + 0.45, **look)


def key(axes: Axes, rows: Sequence[Verdict]) -> None:
    """What bars and lines mean, above the figure: only of what `rows` show."""
    handles: list[Artist] = []
    if any(v.kept for v in rows):
        handles.append(Patch(facecolor=style.KEPT, edgecolor=style.KEPT, label="kept"))
    if any(not v.kept for v in rows):
        handles.append(Patch(facecolor=style.FAINT, edgecolor=style.MUTED, label="removed"))
    if np.isfinite([v.low for v in rows]).any():
        handles.append(Line2D([], [], color=style.INK, linewidth=1.3, label="95 % interval"))
    if np.isfinite([v.null_high for v in rows]).any():
        dashes = (0, (4, 2.5))
        handles.append(Line2D([], [], color=style.NULL, linewidth=1.4, linestyle=dashes, label="chance"))
    style.legend_above(axes, handles=handles)


def _side_by_side(selections: Mapping[str, Selection], top: int) -> Figure:
    if not selections or not all(s.verdicts for s in selections.values()):
        raise BadValueError("gain_bars: the comparison holds no variables, so there is nothing to draw.")
    names = style.common_names(selections.values(), top)
    across = 2 if len(selections) == 4 else min(3, len(selections))
    down = -(-len(selections) // across)
    figure = style.new_figure(0.25 + down * (0.85 + ROW * len(names)))
    grid = figure.subplots(down, across, sharey=True, squeeze=False)
    for axes in grid.ravel()[len(selections) :]:
        axes.set_visible(False)
    for axes, (method, selection) in zip(grid.ravel(), selections.items(), strict=False):
        _panel(axes, method, selection, names)
    key(grid[0, 0], [style.row_of(each, name) for each in selections.values() for name in names])
    each = "; ".join(f"{visible(m)} keeps {listed(s.kept, 6) or 'none'}" for m, s in selections.items())
    words = (
        f"Scores of {some(len(names), 'variable')} by {some(len(selections), 'method')} side by side: {each}."
    )
    return style.describe(figure, words)


def _panel(axes: Axes, method: str, selection: Selection, names: Sequence[str]) -> None:
    style.tidy(axes)
    draw_bars(axes, [style.row_of(selection, name) for name in names])
    axes.set_yticks(range(len(names)), [style.label(name, 18, names) for name in names])
    axes.set_title(style.label(method, 20), loc="left", fontweight="bold", color=style.INK)
    axes.set_xlabel(style.plain(visible(unit(selection))))
    axes.locator_params(axis="x", nbins=3)
    axes.patch.set_facecolor(style.PAPER)


def _alternative(selection: Selection, rows: Sequence[Verdict]) -> str:
    kept = [v for v in rows if v.kept]
    digits = decimals(v.gain for v in rows)
    values = "; ".join(f"{visible(v.name)} {number(v.gain, digits)}" for v in rows[:12])
    start = (
        f"Gain of {some(len(selection.verdicts), 'variable')}, kept: {listed(v.name for v in kept) or 'none'}"
    )
    return f"{start}. In {unit(selection)}: {values}."
