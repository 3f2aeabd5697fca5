"""Which method, or which agent, keeps which variable: a grid."""

from collections.abc import Collection, Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from terc.errors import BadValueError
from terc.figures import style
from terc.selection.result import Selection
from terc.selection.visible_names import listed, visible

LEVEL_LABELS = 4
"""From more columns on their names are slanted."""


@style.in_house_style
def method_agreement(selections: Mapping[str, Selection], *, top: int = 30) -> Figure:
    """A filled square where a method keeps a variable, an empty one where it does not.

    Example:
        >>> from example_data import comparison
        >>> method_agreement(comparison()).get_label()[:46]
        'Kept variables by method. terc: x, x_dot, thet'
    """
    if not selections or not all(s.verdicts for s in selections.values()):
        raise BadValueError(
            "method_agreement: wanted method -> Selection with variables, got nothing to draw."
        )
    names = style.common_names(selections.values(), top)
    return _grid({method: one.kept for method, one in selections.items()}, names, "method")


@style.in_house_style
def agent_agreement(kept: Mapping[str, Sequence[str]], names: Sequence[str], *, top: int = 30) -> Figure:
    """A filled square where an agent needs a variable; further columns for what they need together.

    Args:
        kept: Column -> the variables in it, such as `run.table.columns`.

    Example:
        >>> kept = {"agent 1": ["x"], "agent 2": ["x", "v"], "the task": ["x", "v"]}
        >>> agent_agreement(kept, ["v", "x"]).get_label()
        'Kept variables by agent. agent 1: x; agent 2: x, v; the task: x, v.'
    """
    if not kept:
        raise BadValueError("agent_agreement: wanted agent -> names of variables, got nothing to draw.")
    votes = {name: sum(name in each for each in kept.values()) for name in names}
    shown = sorted(names, key=lambda name: -votes[name])[:top]
    return _grid(kept, shown, "agent")


def _grid(columns: Mapping[str, Collection[str]], names: Sequence[str], what: str) -> Figure:
    figure, axes = style.new_axes(0.75 + 0.27 * len(names))
    axes.grid(False)
    axes.set_frame_on(False)
    for column, kept in enumerate(columns.values()):
        for row, name in enumerate(names):
            face, edge = (style.KEPT, style.KEPT) if name in kept else (style.FAINT, style.MUTED)
            place, size = (column - 0.46, row - 0.4), (0.92, 0.8)
            axes.add_patch(Rectangle(place, *size, facecolor=face, edgecolor=edge, linewidth=0.6))
            if name in kept:
                axes.text(column, row, "kept", color=style.PAPER, ha="center", va="center", fontsize=8)
    axes.set_xticks(range(len(columns)), [style.label(one, 14) for one in columns])
    axes.xaxis.tick_top()
    axes.tick_params(axis="x", colors="#1b1f24")
    if len(columns) > LEVEL_LABELS:
        axes.tick_params(axis="x", rotation=30)
    axes.set_yticks(range(len(names)), [style.label(name, among=names) for name in names])
    axes.set_xlim(-0.6, len(columns) - 0.4)
    axes.set_ylim(len(names) - 0.5, -0.5)
    each = "; ".join(f"{visible(one)}: {listed(tuple(kept), 6) or 'none'}" for one, kept in columns.items())
    return style.describe(figure, f"Kept variables by {what}. {each}.")
