"""How far back the agent looks: variables down, steps into the past across."""

from __future__ import annotations

import re

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from terc.errors import BadValueError
from terc.figures.style import GRID, INK, KEPT, PAPER, WIDTH, describe, in_house_style, label, new_axes
from terc.selection.result import Selection, Verdict
from terc.selection.visible_names import listed

_LAGGED = re.compile(r"(?s)(.*)\[-(\d+)\]\Z")
_MOST_NUMBERS = 10


def split_lag(name: str) -> tuple[str, int]:
    """Variable and lag behind a column of `Trajectories.with_history`.

    Example:
        >>> split_lag("speed[-3]"), split_lag("speed")
        (('speed', 3), ('speed', 0))
    """
    match = _LAGGED.match(name)
    return (match.group(1), int(match.group(2))) if match else (name, 0)


def has_lags(selection: Selection) -> bool:
    """Whether the variables are steps of a history."""
    return any(split_lag(name)[1] for name in selection.names)


@in_house_style
def lag_heat_map(selection: Selection, *, top: int = 30, width: float = WIDTH) -> Figure:
    """Gain of each variable at each lag; the darker the more, kept cells framed and dotted.

    Args:
        selection: Made from `data.with_history(...)`, whose columns are named `v`, `v[-1]`, `v[-2]`, ...
        top: At most so many variables, the strongest first.
        width: In inches.

    Raises:
        BadValueError: No variable has a lag.

    Example:
        >>> from terc.figures.made_up import prisoners
        >>> lag_heat_map(prisoners()).get_label()
        'Gain by variable and lag, lags 1 to 9. Kept: moves[-1], moves[-2], moves[-3].'
    """
    if not has_lags(selection):
        raise BadValueError("lag_heat_map: no variable has a lag; make the data with `data.with_history(l)`.")
    cells = {split_lag(v.name): v for v in selection.verdicts}
    lags = sorted({lag for _, lag in cells})
    names = sorted(dict.fromkeys(n for n, _ in cells), key=lambda n: -_strength(cells, n))[:top]
    figure, axes = new_axes(0.95 + 0.36 * len(names), width)
    strongest = max([v.gain for v in cells.values() if np.isfinite(v.gain)] + [1e-12])
    for row, name in enumerate(names):
        for column, lag in enumerate(lags):
            if (name, lag) in cells:
                _cell(axes, column, row, cells[name, lag], strongest)
                if len(lags) <= _MOST_NUMBERS:
                    _value(axes, column, row, cells[name, lag], strongest)
    _frame(axes, names, lags)
    kept = listed(selection.kept, 8) or "none"
    return describe(figure, f"Gain by variable and lag, lags {lags[0]} to {lags[-1]}. Kept: {kept}.")


def _strength(cells: dict[tuple[str, int], Verdict], name: str) -> float:
    return max(float(np.nan_to_num(v.gain)) for (n, _), v in cells.items() if n == name)


def _cell(axes: Axes, column: int, row: int, verdict: Verdict, strongest: float) -> None:
    depth = float(np.clip(np.nan_to_num(verdict.gain) / strongest, 0.0, 1.0))
    corner, size = (column - 0.46, row - 0.44), (0.92, 0.88)
    axes.add_patch(Rectangle(corner, *size, facecolor=PAPER, edgecolor=GRID, linewidth=0.8))
    axes.add_patch(Rectangle(corner, *size, facecolor=KEPT, alpha=depth, edgecolor="none"))
    if verdict.kept:
        axes.add_patch(Rectangle(corner, *size, facecolor="none", edgecolor=INK, linewidth=1.6))
        axes.plot(column + 0.36, row - 0.28, marker="o", markersize=3, color=PAPER if depth > 0.5 else INK)


def _value(axes: Axes, column: int, row: int, verdict: Verdict, strongest: float) -> None:
    dark = np.nan_to_num(verdict.gain) / strongest > 0.5
    text = f"{verdict.gain:.2f}" if np.isfinite(verdict.gain) else ""
    text = "0" if text in ("0.00", "-0.00") else text
    axes.text(column, row, text, ha="center", va="center", fontsize=8, color=PAPER if dark else INK)


def _frame(axes: Axes, names: list[str], lags: list[int]) -> None:
    axes.grid(False)
    axes.spines["left"].set_visible(False)
    every = max(1, len(lags) // 12)
    axes.set_xticks(range(0, len(lags), every), [f"{lag}" for lag in lags[::every]])
    axes.set_yticks(range(len(names)), [label(name) for name in names])
    axes.set_xlim(-0.55, len(lags) - 0.45)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel("steps into the past (0 = now)")
    axes.set_title("gain in nats; framed: kept", loc="left", fontsize=9)
