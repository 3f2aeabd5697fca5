"""Removed variables beside the kept ones that hold the same information and stand in for them."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from terc.errors import BadValueError
from terc.figures import style
from terc.selection.result import Selection
from terc.selection.visible_names import listed, visible

ROW = 0.36


@style.in_house_style
def redundancy_groups(selection: Selection, *, top: int = 24) -> Figure:
    """Redundant variables on the left, joined to the kept variables that already say what they say.

    Example:
        >>> from example_data import copies
        >>> redundancy_groups(copies()).get_label()
        'Redundant variables and who stands in for them. angle_deg: angle; cos_angle: angle, side.'
    """
    groups = _groups(selection, top)
    if not groups:
        raise BadValueError("redundancy_groups: no variable of this selection was removed as redundant.")
    stand_ins = list(dict.fromkeys(name for given in groups.values() for name in given))
    height = max(len(groups), len(stand_ins))
    figure = style.new_figure(0.55 + ROW * height)
    axes = bare_axes(figure, height)
    left = dict(zip(groups, _places(len(groups), height), strict=True))
    right = dict(zip(stand_ins, _places(len(stand_ins), height), strict=True))
    for name, given in groups.items():
        for other in given:
            ribbon(axes, (0.36, left[name]), (0.66, right[other]))
    for name, place in left.items():
        pill(axes, 0.36, place, style.label(name, among=selection.names), kept=False, side="right")
    for name, place in right.items():
        pill(axes, 0.66, place, style.label(name, among=selection.names), kept=True, side="left")
    axes.text(0.36, -0.95, "removed", ha="right", color=style.MUTED)
    axes.text(0.66, -0.95, "kept: says the same", ha="left", color=style.MUTED)
    pairs = "; ".join(f"{visible(name)}: {listed(given) or 'not known'}" for name, given in groups.items())
    return style.describe(figure, f"Redundant variables and who stands in for them. {pairs}.")


def _groups(selection: Selection, top: int) -> dict[str, tuple[str, ...]]:
    names = selection.names
    rows = [v for v in selection.verdicts if not v.kept and v.reason == "redundant"]
    rows.sort(key=lambda v: -(v.alone or 0.0))
    chosen = sorted(rows[:top], key=lambda v: [names.index(n) for n in v.given if n in names])
    return {v.name: v.given for v in chosen}


def _places(count: int, height: int) -> np.ndarray:
    return np.linspace(0, height - 1, count) if count > 1 else np.array([(height - 1) / 2])


def bare_axes(figure: Figure, height: float) -> Axes:
    """Axes without axes: x from 0 to 1, y counts rows from the top down."""
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(height - 0.4, -1.3)
    return axes


def pill(axes: Axes, x: float, y: float, text: str, *, kept: bool, side: str = "center") -> None:
    """A name in a rounded box, filled when kept; it ends at x when `side` is "right"."""
    face, edge, line = (style.KEPT, style.KEPT, "-") if kept else (style.FAINT, style.MUTED, (0, (3, 2)))
    box: dict[str, Any] = {
        "boxstyle": "round,pad=0.4,rounding_size=0.8",
        "facecolor": face,
        "edgecolor": edge,
    }
    box |= {"linewidth": 0.9, "linestyle": line}
    axes.text(x, y, text, ha=side, va="center", color=style.PAPER if kept else style.INK, bbox=box)


def ribbon(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """A soft curve from left to right."""
    middle = (start[0] + end[0]) / 2
    points = [start, (middle, start[1]), (middle, end[1]), end]
    path = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    axes.add_patch(PathPatch(path, facecolor="none", edgecolor=style.MUTED, linewidth=1.1, zorder=0.5))
