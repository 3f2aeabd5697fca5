"""How long a history the agent needs: information about the action against the length of the history."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from terc.errors import BadValueError
from terc.figures.style import KEPT, MUTED, NULL, WIDTH, describe, in_house_style, new_axes, tidy


@dataclass(frozen=True)
class HistoryCurve:
    """Information that histories of growing length hold about the action.

    Attributes:
        lengths: Steps of history, `[k]`.
        information: I(A; last `length` steps) in nats, `[k]`.
        low: Lower end of the 95 % interval, `[k]`; empty if not measured.
        high: Upper end, `[k]`; empty if not measured.
        chosen: The shortest length that is as good as the longest; None if undecided.

    Example:
        >>> HistoryCurve((1, 2, 3), (0.2, 0.5, 0.5), chosen=2).chosen
        2
    """

    lengths: tuple[int, ...]
    information: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    chosen: int | None = None


@in_house_style
def history_length_curve(curve: HistoryCurve, *, width: float = WIDTH) -> Figure:
    """The curve rises while each further step into the past tells something new, then lies flat.

    Raises:
        BadValueError: Lengths and values do not match.

    Example:
        >>> figure = history_length_curve(HistoryCurve((1, 2, 3), (0.2, 0.5, 0.5), chosen=2))
        >>> figure.get_label()
        'Information about the action by length of history: 1: 0.200, 2: 0.500, 3: 0.500 nats. Chosen: 2.'
    """
    if len(curve.lengths) != len(curve.information) or not curve.lengths:
        raise BadValueError(
            f"history_length_curve: wanted one value per length, got {len(curve.lengths)} lengths and "
            f"{len(curve.information)} values."
        )
    figure, axes = new_axes(2.7, width)
    tidy(axes, grid="y")
    axes.grid(False, axis="x")
    x, y = np.array(curve.lengths), np.array(curve.information)
    if curve.low and curve.high:
        axes.fill_between(x, curve.low, curve.high, color=KEPT, alpha=0.18, linewidth=0)
    axes.plot(x, y, color=KEPT, marker="o", linewidth=1.8, markersize=5.5)
    if curve.chosen is not None:
        axes.axvline(curve.chosen, color=NULL, linestyle=(0, (4, 2.5)), linewidth=1.3)
        enough = f"  {curve.chosen} step{'s' * (curve.chosen != 1)} are enough"
        axes.text(curve.chosen, 0.06, enough, transform=axes.get_xaxis_transform(), va="center")
    axes.set_ylim(min(0.0, *curve.low, *y), None)
    axes.set_xticks(x[:: max(1, len(x) // 12)])
    axes.set_xlabel("steps of history")
    axes.set_ylabel("information about the action (nats)")
    axes.yaxis.label.set_color(MUTED)
    values = ", ".join(f"{length}: {value:.3f}" for length, value in zip(x, y, strict=True))
    chosen = f" Chosen: {curve.chosen}." if curve.chosen is not None else ""
    return describe(figure, f"Information about the action by length of history: {values} nats.{chosen}")
