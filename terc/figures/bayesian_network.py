"""The Bayesian network of a selection: which variables have an arrow to the action, which have none."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from terc.errors import BadValueError
from terc.figures import style
from terc.figures.redundancy_groups import bare_axes, pill
from terc.selection.printing import subject_of
from terc.selection.result import Selection, Verdict
from terc.selection.visible_names import listed

ROW = 0.42
# In rows, from the middle of the action's node to its edge, and a little air.
NODE = 0.75
NAMES_END, ACTION = 0.52, 0.86
# Letters that fit between the edge of the picture and the end of the names.
WIDEST = 38


@style.in_house_style
def bayesian_network(selection: Selection, *, top: int = 12) -> Figure:
    """Kept variables with an arrow to the action, as wide as their gain; removed ones without.

    Example:
        >>> from example_data import cart_pole
        >>> bayesian_network(cart_pole()).get_label()
        'Bayesian network: the action depends on theta_dot, theta, x_dot, x; no arrow from 3 irrelevant.'
    """
    if not selection.verdicts:
        raise BadValueError(
            "bayesian_network: the selection holds no variables, so there is nothing to draw."
        )
    kept = [v for v in style.shown_rows(selection, len(selection.verdicts))[0] if v.kept]
    boxes = [style.label(v.name, among=selection.names) for v in kept[:top]]
    if len(kept) > top:
        boxes.append(f"{len(kept) - top} more kept")
    unused = _unused(selection)
    middle, rows = max(0.0, (len(boxes) - 1) / 2), len(boxes) + len(unused)
    top_edge, bottom_edge = min(-0.5, middle - NODE), max(rows - 0.5, middle + NODE)
    figure = style.new_figure(0.4 + ROW * (bottom_edge - top_edge))
    axes = bare_axes(figure, rows)
    axes.set_ylim(bottom_edge, top_edge)
    _arrows(axes, boxes, kept, middle)
    for place, text in enumerate(boxes):
        pill(axes, NAMES_END, place, text, kept=True, side="right")
    for place, (_, words) in enumerate(unused):
        pill(axes, NAMES_END, len(boxes) + place, words, kept=False, side="right")
    about = subject_of(selection)
    _target(axes, middle, about)
    depends = f"{about} depend{'s' * (not about.endswith('s'))} on {listed((v.name for v in kept), 8)}"
    depends = depends if kept else f"no arrow to {about}"
    none = f"; no arrow from {', '.join(count for count, _ in unused)}" if unused else ""
    return style.describe(figure, f"Bayesian network: {depends}{none}.")


def _unused(selection: Selection) -> list[tuple[str, str]]:
    """The removed ones, by reason: (count and reason, words of the box)."""
    reasons = dict.fromkeys(v.reason for v in selection.verdicts if not v.kept)
    boxes = []
    for reason in reasons:
        names = [v.name for v in selection.verdicts if not v.kept and v.reason == reason]
        words = f"{reason}: {listed(names, 2, 14)}"
        words = words if len(words) <= WIDEST else f"{reason}: {listed(names, 1, 14)}"
        boxes.append((f"{len(names)} {reason}", style.plain(words)))
    return boxes


def _arrows(axes: Axes, boxes: Sequence[str], kept: Sequence[Verdict], middle: float) -> None:
    strongest = max([v.gain for v in kept if np.isfinite(v.gain)] + [1e-12])
    for place in range(len(boxes)):
        gain = kept[place].gain if np.isfinite(kept[place].gain) else 0.0
        look: dict[str, Any] = {"arrowstyle": "-|>,head_length=6,head_width=3.5", "shrinkA": 3, "shrinkB": 23}
        look |= {"linewidth": 0.9 + 2.6 * max(0.0, gain) / strongest, "color": style.KEPT, "zorder": 0.5}
        axes.add_patch(FancyArrowPatch((NAMES_END + 0.015, place), (ACTION, middle), **look))


def _target(axes: Axes, middle: float, subject: str) -> None:
    """A round node for what is predicted, drawn in points so that it stays round."""
    axes.plot(ACTION, middle, marker="o", markersize=40, color=style.PAPER, mec=style.INK, mew=1.4)
    words = subject.partition(" of ")[0].removeprefix("the ").replace(" ", "\n")
    axes.text(ACTION, middle, words, ha="center", va="center", fontweight="bold")
