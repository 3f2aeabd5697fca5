"""How few variables still give the return: return against the number, or the cost, of the variables read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from terc.errors import BadValueError
from terc.figures import style

if TYPE_CHECKING:
    from terc.returns.front import Frontier

# Up to this many sets, each mark names the variable that was lost there.
LABELLED = 12
# Share of the height that a name below its mark takes.
ROOM = 0.3


@style.in_house_style
def frontier(front: Frontier) -> Figure:
    """One mark per set with its 95 % interval, the teacher's return as a band, random actions as a line.

    Hollow marks are agents distilled afresh to confirm a set; the set that they confirm has a ring.
    """
    if not front.points:
        raise BadValueError("frontier: no set of variables was tried.")
    figure, axes = style.new_axes(3.0, grid="y")
    points = sorted(front.points, key=lambda point: (point.cost, len(point.variables)))
    where = np.array([point.cost for point in points], float)
    means = np.array([point.returns.mean for point in points])
    low, high = (np.array([point.returns.interval[end] for point in points]) for end in (0, 1))
    _references(axes, front)
    axes.vlines(where, low, high, color=style.KEPT, linewidth=1.6)
    axes.plot(where, means, color=style.KEPT, marker="o", linewidth=1.5, markersize=5.5)
    _confirmations(axes, front)
    axes.set_xlabel("cost of the variables" if front.by_cost else "variables the agent reads")
    axes.set_ylabel("return", color=style.MUTED)
    if not front.by_cost:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(x=0.08, y=0.12)
    if axes.dataLim.ymin >= 0:
        axes.set_ylim(bottom=max(0.0, axes.get_ylim()[0]))
    if len(points) <= LABELLED:
        _name_what_joins(axes, points, where, means)
    unit = "cost" if front.by_cost else "variables"
    words = "; ".join(f"{unit} {x:g}: {y:.3g}" for x, y in zip(where, means, strict=True))
    found = front.confirmed()
    enough = "no set" if found is None else ", ".join(found.variables)
    said = f"Return of distilled agents: {words}. Teacher: {front.teacher.mean:.3g}. Confirmed: {enough}."
    return style.describe(figure, said)


def _confirmations(axes: Axes, front: Frontier) -> None:
    """The agents that were distilled afresh, and a ring about the set that they confirm."""
    at = {point.variables: (point.cost, point.returns.mean) for point in front.points}
    for one in front.tried:
        where, height = at[one.variables]
        colour = style.KEPT if front.holds(one) else style.NULL
        values = front.teacher.mean + np.array(one.differences)
        axes.plot(np.full(len(values), where), values, "o", mfc="none", mec=colour, markersize=5.5)
        if front.holds(one):
            axes.plot(where, height, "o", mfc="none", mec=colour, markersize=13)


def _references(axes: Axes, front: Frontier) -> None:
    low, high = front.teacher.interval
    axes.axhspan(low, high, color=style.MUTED, alpha=0.15, linewidth=0)
    axes.axhline(front.teacher.mean, color=style.MUTED, linewidth=1.0)
    _beside(axes, "teacher", front.teacher.mean, style.MUTED)
    if front.teacher.random is not None:
        axes.axhline(front.teacher.random.mean, color=style.NULL, linestyle=(0, (4, 2.5)), linewidth=1.0)
        _beside(axes, "random actions", front.teacher.random.mean, style.NULL)


def _beside(axes: Axes, text: str, height: float, colour: str) -> None:
    axes.annotate(
        text, (1.0, height), (0, 4), xycoords=("axes fraction", "data"), textcoords="offset points",
        ha="right", va="bottom", color=colour, fontsize=8.5,
    )  # fmt: skip


def _name_what_joins(axes: Axes, points: list[Any], where: Any, means: Any) -> None:
    """At each mark the variables that the next smaller set lacks: below it, or above for want of room."""
    bottom, top = axes.get_ylim()
    before: set[str] = set()
    for point, x, y in zip(points, where, means, strict=True):
        new = [name for name in point.variables if name not in before]
        before = set(point.variables)
        text = f"+{style.label(new[0], 14)}" if len(new) == 1 else f"+{len(new)}"
        below = y - bottom > ROOM * (top - bottom)
        offset, rotation, va = ((4, -5), -35, "top") if below else ((4, 5), 35, "bottom")
        axes.annotate(
            text, (x, y), offset, textcoords="offset points", rotation=rotation, va=va, fontsize=8.5,
            color=style.MUTED,
        )  # fmt: skip
