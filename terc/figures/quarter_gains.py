"""When the agent learned to use a variable: its gain in each quarter of training, and as an expert."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from terc.errors import BadValueError
from terc.figures import style
from terc.selection.result import Selection, Verdict
from terc.selection.visible_names import visible

ACROSS = 3


@style.in_house_style
def quarter_gains(quarters: Mapping[str, Selection], *, top: int = 12) -> Figure:
    """One small panel per variable with a bar for each stage of training, all on one scale.

    Args:
        quarters: Label -> selection of that part of the data, in order, e.g. "1" to "4" and "expert".

    Example:
        >>> from example_data import quarters
        >>> quarter_gains(quarters()).get_label().split(". ")[1]
        'theta_dot: 1 0.02, 2 0.11, 3 0.24, 4 0.30, expert 0.31'
    """
    if not quarters or not all(s.verdicts for s in quarters.values()):
        raise BadValueError("quarter_gains: wanted label -> Selection with variables, got nothing to draw.")
    names = style.common_names(quarters.values(), top)
    across = min(ACROSS, len(names))
    down = -(-len(names) // across)
    figure = style.new_figure(0.3 + 1.25 * down)
    grid = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    stages = {name: [style.row_of(side, name) for side in quarters.values()] for name in names}
    for axes, name in zip(grid.ravel(), names, strict=False):
        _panel(axes, name, stages[name], list(quarters))
    for axes in grid.ravel()[len(names) :]:
        axes.set_visible(False)
    for axes in grid.ravel()[max(0, len(names) - across) : len(names)]:
        axes.tick_params(labelbottom=True)  # also where the place below is empty
    grid[0, 0].set_ylim(*style.span([v for rows in stages.values() for v in rows]))
    figure.supylabel("gain (nats)", color=style.MUTED, fontsize=9.5)
    return style.describe(figure, _alternative(stages, list(quarters)))


def _panel(axes: Axes, name: str, rows: Sequence[Verdict], labels: Sequence[str]) -> None:
    style.tidy(axes, grid="y")
    places, gains = np.arange(len(rows)), np.nan_to_num([v.gain for v in rows])
    axes.bar(places, gains, width=0.72, **style.bars(v.kept for v in rows))
    axes.vlines(places, [v.low for v in rows], [v.high for v in rows], color=style.INK, linewidth=1.2)
    nulls = [v.null_high for v in rows]
    axes.hlines(nulls, places - 0.45, places + 0.45, color=style.NULL, linewidth=1.4, linestyle=(0, (3, 1.5)))
    axes.axhline(0.0, color=style.MUTED, linewidth=0.8)
    axes.set_xticks(places, [style.label(text, 8) for text in labels], fontsize=7.5)
    axes.locator_params(axis="y", nbins=4)
    axes.set_title(style.label(name, 15), loc="left", fontsize=9, color=style.INK)


def _alternative(stages: Mapping[str, Sequence[Verdict]], labels: Sequence[str]) -> str:
    def line(name: str, rows: Sequence[Verdict]) -> str:
        values = ", ".join(f"{visible(q)} {v.gain:.2f}" for q, v in zip(labels, rows, strict=True))
        return f"{visible(name)}: {values}"

    each = ". ".join(line(name, rows) for name, rows in stages.items())
    return f"Gain in nats by stage of training. {each}."
