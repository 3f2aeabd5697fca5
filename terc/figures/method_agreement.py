"""Which methods keep which variables: a grid of variables by methods."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from terc.errors import BadValueError
from terc.figures.rows import common_names
from terc.figures.style import FAINT, KEPT, MUTED, PAPER, WIDTH, describe, in_house_style, label, new_axes
from terc.selection.result import Selection
from terc.selection.visible_names import listed, visible


@in_house_style
def method_agreement(selections: Mapping[str, Selection], *, top: int = 30, width: float = WIDTH) -> Figure:
    """A filled square with a tick where a method keeps a variable, an empty one where it does not.

    Args:
        selections: Method -> its selection of the same data.
        top: At most so many variables, those kept by most methods first.
        width: In inches.

    Raises:
        BadValueError: No selections.

    Example:
        >>> from example_data import comparison
        >>> method_agreement(comparison()).get_label()[:46]
        'Kept variables by method. terc: x, x_dot, thet'
    """
    if not selections or not all(s.verdicts for s in selections.values()):
        raise BadValueError(
            "method_agreement: wanted method -> Selection with variables, got nothing to draw."
        )
    names = common_names(selections.values(), top)
    figure, axes = new_axes(0.75 + 0.27 * len(names), width)
    axes.grid(False)
    axes.set_frame_on(False)
    for column, selection in enumerate(selections.values()):
        kept = set(selection.kept)
        for row, name in enumerate(names):
            inside = name in kept
            face, edge = (KEPT, KEPT) if inside else (FAINT, MUTED)
            axes.add_patch(
                Rectangle(
                    (column - 0.46, row - 0.4), 0.92, 0.8, facecolor=face, edgecolor=edge, linewidth=0.6
                )
            )
            if inside:
                axes.text(column, row, "kept", color=PAPER, ha="center", va="center", fontsize=8)
    axes.set_xticks(range(len(selections)), [label(m, 14) for m in selections])
    axes.xaxis.tick_top()
    axes.tick_params(axis="x", colors="#1b1f24")
    if len(selections) > 4:
        axes.tick_params(axis="x", rotation=30)
    axes.set_yticks(range(len(names)), [label(name) for name in names])
    axes.set_xlim(-0.6, len(selections) - 0.4)
    axes.set_ylim(len(names) - 0.5, -0.5)
    each = "; ".join(f"{visible(m)}: {listed(s.kept, 6) or 'none'}" for m, s in selections.items())
    return describe(figure, f"Kept variables by method. {each}.")
