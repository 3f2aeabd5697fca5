"""Is the smaller agent faster: microseconds per call on the full and on the reduced state."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from terc.errors import BadValueError
from terc.figures import style
from terc.selection.visible_names import visible


@dataclass(frozen=True)
class InferenceTime:
    """How long one call of a policy takes, in microseconds.

    Attributes:
        batch: States per call.
        minimum: Over all calls: the call least disturbed by the machine.
        low: Lower end of the spread, e.g. the quartile over the calls; NaN if not measured.
        high: Upper end; NaN if not measured.
        inputs: Variables the policy reads; None if not said.
    """

    state: str
    runtime: str
    batch: int
    median: float
    minimum: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    inputs: int | None = None


@style.in_house_style
def inference_times(times: Sequence[InferenceTime]) -> Figure:
    """One row per runtime and batch size: marks are medians with their spread, ticks minima.

    With two states the number at the right is the first median over the second.

    Example:
        >>> rows = [InferenceTime("full", "torch", 1, 16.0), InferenceTime("reduced", "torch", 1, 8.0)]
        >>> inference_times(rows).get_label()
        'Microseconds per call. torch, batch 1: full 16.0, reduced 8.0.'
    """
    if not times:
        raise BadValueError("inference_times: no times were given, so there is nothing to draw.")
    groups = list(dict.fromkeys((t.runtime, t.batch) for t in times))
    states = list(dict.fromkeys(t.state for t in times))
    figure, axes = style.new_axes(0.95 + 0.42 * len(groups))
    for place, group in enumerate(groups):
        rows = [t for t in times if (t.runtime, t.batch) == group]
        medians = [t.median for t in rows]
        axes.hlines(place, min(medians), max(medians), color=style.GRID, linewidth=5, zorder=0.5)
        for row in rows:
            _mark(axes, place, row, states.index(row.state))
        if len(rows) == 2:
            ratio = f"{medians[0] / medians[1]:.2f}\u00d7"
            axes.text(1.0, place, ratio, transform=axes.get_yaxis_transform(), va="center", ha="right")
    for number, state in enumerate(states):
        marker, colour = style.marker(number), style.colour(number)
        axes.plot([], [], linestyle="", marker=marker, color=colour, label=style.label(state))
    axes.plot([], [], linestyle="", marker="|", color=style.INK, label="fastest call")
    labels = [f"{style.label(runtime, 18)}, batch {batch}" for runtime, batch in groups]
    axes.set_yticks(range(len(groups)), labels)
    axes.set_ylim(len(groups) - 0.4, -0.7)
    _scale(axes, times)
    if len(states) == 2:
        across = axes.get_yaxis_transform()
        axes.text(1.0, -0.42, "speed-up", fontsize=8, color=style.MUTED, ha="right", transform=across)
    style.legend_above(axes)
    return style.describe(figure, f"Microseconds per call. {_words(times, groups)}.")


def _mark(axes: Axes, place: int, row: InferenceTime, number: int) -> None:
    colour, shift = style.colour(number), 0.22 * (number - 0.5)
    axes.hlines(place + shift, row.low, row.high, color=colour, linewidth=1.6)
    axes.plot(row.median, place + shift, marker=style.marker(number), color=colour, markersize=7)
    axes.plot(row.minimum, place + shift, marker="|", color=style.INK, markersize=7)


def _scale(axes: Axes, times: Sequence[InferenceTime]) -> None:
    medians = [t.median for t in times]
    if max(medians) > 8 * min(medians):
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
    else:
        axes.set_xlim(0, 1.3 * max(medians))
    axes.set_xlabel("microseconds per call (median; left is faster)", color=style.MUTED)


def _words(times: Sequence[InferenceTime], groups: Sequence[tuple[str, int]]) -> str:
    lines = []
    for runtime, batch in groups:
        rows = [t for t in times if (t.runtime, t.batch) == (runtime, batch)]
        values = ", ".join(f"{visible(t.state)} {t.median:.1f}" for t in rows)
        lines.append(f"{visible(runtime)}, batch {batch}: {values}")
    return "; ".join(lines)
