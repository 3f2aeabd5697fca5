"""The house style of the pictures: colours by role, one way to begin a figure, names as labels.

Colours follow Okabe and Ito, darkened where the original is too pale for a line on white, and every
distinction is also made by shape, filling or place, so a grey print can be read. Each colour has a
second value for dark pages: `terc.figures.svg` writes colours as CSS variables, the page decides.
"""

import functools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ParamSpec, TypeVar

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from terc.checks import called_rightly
from terc.errors import BadTypeError
from terc.selection.printing import strongest_first
from terc.selection.result import Selection, Verdict
from terc.selection.visible_names import listed

WIDTH = 4.8
"""Inches. As wide as a phone, so that a figure need not shrink there and its words can be read."""

COLOURS: dict[str, tuple[str, str]] = {
    "ink": ("#1b1f24", "#e8eaed"),
    "muted": ("#5a626c", "#a9b2bd"),
    "grid": ("#dde1e6", "#343b44"),
    "paper": ("#ffffff", "#191d23"),
    "faint": ("#eceff2", "#262c34"),
    "blue": ("#0072b2", "#5cb3ee"),
    "vermillion": ("#c94f00", "#ff9350"),
    "green": ("#007f5f", "#36c99d"),
    "purple": ("#a2477f", "#e79fcb"),
    "gold": ("#8a6100", "#e3b341"),
    "red": ("#c4161c", "#ff7b72"),
}
"""Role -> (on light pages, on dark pages)."""

INK, MUTED, GRID, PAPER, FAINT = (COLOURS[role][0] for role in ("ink", "muted", "grid", "paper", "faint"))
KEPT, NULL = COLOURS["blue"][0], COLOURS["red"][0]
SERIES = tuple(COLOURS[role][0] for role in ("blue", "vermillion", "green", "purple", "gold", "ink"))
MARKERS = ("o", "s", "D", "^", "v", "P")
DASHES: tuple[str, ...] = ("-", "--", "-.", ":", "-", "--")


def colour(number: int) -> str:
    """Colour of a series by its number, which may exceed the number of colours."""
    return SERIES[number % len(SERIES)]


def marker(number: int) -> str:
    """Marker of a series."""
    return MARKERS[number % len(MARKERS)]


def dash(number: int) -> str:
    """Dashes of a series."""
    return DASHES[number % len(DASHES)]


HOUSE_SETTINGS: dict[Any, Any] = {
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.5,
    "axes.titlesize": 10,
    "axes.labelsize": 9.5,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": MUTED,
    "axes.facecolor": "none",
    "axes.axisbelow": True,
    "xtick.color": MUTED,
    "ytick.color": INK,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "hatch.linewidth": 0.7,
    "text.usetex": False,
    "text.parse_math": True,
}

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def in_house_style(draw: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """`draw`, run with our settings of matplotlib and leaving the caller's as they were."""

    @functools.wraps(draw)
    def styled(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        with matplotlib.rc_context(HOUSE_SETTINGS):
            try:
                return draw(*args, **kwargs)
            except AttributeError as error:
                argument, wanted = next(iter(draw.__annotations__.items()))
                got = args[0] if args else kwargs.get(argument)
                if error.obj is not got:
                    raise
                # Without the modules in which they are defined.
                kind = re.sub(r"[\w.]+\.(?=\w)", "", getattr(wanted, "__name__", str(wanted)))
                raise BadTypeError(
                    f"{draw.__name__}: {argument} must be {kind}, got {type(got).__name__}."
                ) from error

    return called_rightly(styled)


def bars(filled: Iterable[bool], colour: str = KEPT) -> dict[str, Any]:
    """How bars look: filled ones in `colour`, the others pale with an outline."""
    each = list(filled)
    faces, edges = ([colour if one else other for one in each] for other in (FAINT, MUTED))
    return {"color": faces, "edgecolor": edges, "linewidth": 0.8}


def new_figure(height: float) -> Figure:
    """An empty figure of our own, outside pyplot, so that nothing needs closing or a display."""
    return Figure(figsize=(WIDTH, height), facecolor=PAPER, layout="constrained")


def new_axes(height: float, grid: str = "x") -> tuple[Figure, Axes]:
    """A new figure with one plot in it."""
    figure = new_figure(height)
    axes = figure.add_subplot()
    tidy(axes, grid)
    return figure, axes


def tidy(axes: Axes, grid: str = "x") -> None:
    """Leave only what the eye needs: no box, quiet ticks, lines along `grid`."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines["left" if grid == "x" else "bottom"].set_color(GRID)
    axes.spines["bottom" if grid == "x" else "left"].set_visible(False)
    axes.tick_params(length=0, pad=4)
    if grid in ("x", "y"):
        axes.grid(True, axis=grid)  # type: ignore[arg-type]


def label(name: object, room: int = 24, among: Iterable[object] = ()) -> str:
    r"""A variable's name as text of a figure: safe, on one line, never read as mathematics.

    A shortened one fits no other name of `among`.

    Example:
        >>> print(label("cost_$"), label("a_rather_long_name_of_a_variable"))
        cost_\$ a_rather_lon…_a_variable
    """
    return plain(listed([name], 1, room, among))


def plain(text: str) -> str:
    """`text` with its dollars escaped: matplotlib would read anything between two as a formula."""
    return text.replace("$", r"\$")


def describe(figure: Figure, text: str) -> Figure:
    """The figure, carrying `text` as its alternative for those who cannot see it."""
    figure.set_label(text)
    return figure


def legend_above(axes: Axes, columns: int = 4, handles: Sequence[Artist] | None = None) -> None:
    """A frameless legend at the top left of the figure; of `handles`, or of all that carries a label."""
    shown = axes.get_legend_handles_labels()[0] if handles is None else handles
    look: dict[str, Any] = {"frameon": False, "borderpad": 0.1, "handlelength": 1.6, "columnspacing": 1.2}
    look |= {"handletextpad": 0.5, "borderaxespad": 0.2, "loc": "outside upper left", "ncols": columns}
    axes.get_figure(root=True).legend(handles=shown, **look)  # type: ignore[union-attr]


STRONGEST_REMOVED = 10


def shown_rows(selection: Selection, top: int) -> tuple[list[Verdict], int]:
    """The variables to draw, kept ones first and each part by falling gain, and how many are left out.

    Where not all fit into `top` places, kept variables come first and of the removed the ten strongest,
    as in the paper: they are the ones a reader wants to compare with.
    """
    kept = strongest_first(selection, kept=True)[:top]
    room = top - len(kept)
    if len(selection.verdicts) > top:
        room = min(room, STRONGEST_REMOVED)
    gone = [v for v in selection.verdicts if not v.kept]
    removed = sorted(gone, key=lambda v: (math.isnan(v.gain), -v.gain))[:room]
    return kept + removed, len(selection.verdicts) - len(kept) - len(removed)


def common_names(selections: Iterable[Selection], top: int) -> list[str]:
    """Names to draw for several selections of one data set: kept by anyone first, then the strongest."""
    each = list(selections)
    names = list(dict.fromkeys(v.name for s in each for v in shown_rows(s, top)[0]))
    votes = {name: sum(v.kept for s in each for v in s.verdicts if v.name == name) for name in names}
    return sorted(names, key=lambda name: -votes[name])[:top]


def row_of(selection: Selection, name: str) -> Verdict:
    """The verdict on `name`, or an empty one where this selection did not have it."""
    nan = float("nan")
    missing = Verdict(name, nan, nan, nan, nan, nan, kept=False, reason="not tested")
    return next((v for v in selection.verdicts if v.name == name), missing)


def span(rows: Sequence[Verdict]) -> tuple[float, float]:
    """Ends of an axis that holds zero, every interval and every threshold, with a little air."""
    values = np.array([[v.gain, v.low, v.high, v.null_high] for v in rows], dtype=float).ravel()
    values = values[np.isfinite(values)]
    low, high = min(0.0, *values, 0.0), max(0.0, *values, 0.0)
    width = (high - low) or 1.0
    return low - (0.03 * width if low < 0 else 0.0), high + 0.06 * width
