"""How far back the agent looks: gains by variable and lag, and information by length of the history."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from terc.errors import BadValueError
from terc.figures import style
from terc.redundancy.history_length import HistoryLength, LagGain
from terc.redundancy.lags import split_lag
from terc.selection.result import Selection
from terc.selection.visible_names import visible

_MOST_NUMBERS = 10


def has_lags(selection: Selection) -> bool:
    """Whether the variables are steps of a history."""
    return any(split_lag(name)[1] for name in selection.names)


@style.in_house_style
def lag_heat_map(source: Selection | HistoryLength, *, top: int = 30) -> Figure:
    """Gain of each variable at each lag: darker cells gain more, kept ones are framed and dotted.

    Args:
        source: A selection made from `data.with_history(...)`, whose columns are named `v`, `v[t-1]`,
            `v[t-2]`, ..., or the answer of `terc.history_length(..., per_variable=True)`.

    Example:
        >>> from example_data import prisoners
        >>> lag_heat_map(prisoners()).get_label()
        'Gain by variable and lag, lags 1 to 9. Kept: pair 1, 2, 3.'
    """
    cells: Sequence[LagGain]
    if isinstance(source, HistoryLength):
        cells = source.gains
    else:
        cells = [LagGain(*split_lag(v.name), v.gain, v.kept) for v in source.verdicts]
    if not any(cell.lag for cell in cells):
        raise BadValueError("lag_heat_map: no variable has a lag; make the data with `data.with_history(l)`.")
    lags = sorted({cell.lag for cell in cells})
    strength: dict[str, float] = {}
    for cell in cells:
        strength[cell.variable] = max(strength.get(cell.variable, -np.inf), float(np.nan_to_num(cell.gain)))
    names = sorted(strength, key=lambda name: -strength[name])[:top]
    figure, axes = style.new_axes(0.95 + 0.36 * len(names))
    strongest = max(*strength.values(), 1e-12)
    for cell in cells:
        if cell.variable in names:
            place = (lags.index(cell.lag), names.index(cell.variable))
            _draw(axes, place, cell, strongest, numbers=len(lags) <= _MOST_NUMBERS)
    _frame(axes, names, lags)
    words = f"Gain by variable and lag, lags {lags[0]} to {lags[-1]}. Kept: {_kept(cells)}."
    return style.describe(figure, words)


def _kept(cells: Sequence[LagGain]) -> str:
    lags: dict[str, list[str]] = {}
    for cell in cells:
        if cell.needed:
            lags.setdefault(cell.variable, []).append(str(cell.lag))
    return "; ".join(f"{visible(name)} {', '.join(found)}" for name, found in lags.items()) or "none"


def _draw(axes: Axes, place: tuple[int, int], cell: LagGain, strongest: float, *, numbers: bool) -> None:
    depth = float(np.clip(np.nan_to_num(cell.gain) / strongest, 0.0, 1.0))
    corner, size = (place[0] - 0.46, place[1] - 0.44), (0.92, 0.88)
    colour = style.PAPER if depth > 0.5 else style.INK
    axes.add_patch(Rectangle(corner, *size, facecolor=style.PAPER, edgecolor=style.GRID, linewidth=0.8))
    axes.add_patch(Rectangle(corner, *size, facecolor=style.KEPT, alpha=depth, edgecolor="none"))
    if cell.needed:
        axes.add_patch(Rectangle(corner, *size, facecolor="none", edgecolor=style.INK, linewidth=1.6))
        axes.plot(place[0] + 0.36, place[1] - 0.28, marker="o", markersize=3, color=colour)
    if numbers and np.isfinite(cell.gain):
        text = "0" if f"{cell.gain:.2f}" in ("0.00", "-0.00") else f"{cell.gain:.2f}"
        axes.text(*place, text, ha="center", va="center", fontsize=8, color=colour)


def _frame(axes: Axes, names: list[str], lags: list[int]) -> None:
    axes.grid(False)
    axes.spines["left"].set_visible(False)
    every = max(1, len(lags) // 12)
    axes.set_xticks(range(0, len(lags), every), [f"{lag}" for lag in lags[::every]])
    axes.set_yticks(range(len(names)), [style.label(name, among=names) for name in names])
    axes.set_xlim(-0.55, len(lags) - 0.45)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel("steps into the past (0 = now)")
    axes.set_title("gain in nats; framed: kept", loc="left", fontsize=9)


@style.in_house_style
def history_length_curve(found: HistoryLength) -> Figure:
    """The curve rises while each further step into the past carries something new, then lies flat.

    Example:
        >>> from example_data import history
        >>> history_length_curve(history()).get_label()[-64:]
        '3: 0.550, 4: 0.550, 5: 0.550, 6: 0.550 nats. 3 steps are enough.'
    """
    if not found.lost:
        raise BadValueError("history_length_curve: no length of history was examined.")
    figure, axes = style.new_axes(2.7, grid="y")
    lengths = np.arange(len(found.lost))
    held, low, high = (
        found.information - np.array([getattr(lost, end) for lost in found.lost])
        for end in ("value", "high", "low")
    )
    axes.fill_between(lengths, low, high, color=style.KEPT, alpha=0.18, linewidth=0)
    axes.plot(lengths, held, color=style.KEPT, marker="o", linewidth=1.8, markersize=5.5)
    axes.axvline(found.length, color=style.NULL, linestyle=(0, (4, 2.5)), linewidth=1.3)
    enough = f"{found.length} step{' is' if found.length == 1 else 's are'} enough"
    right = found.length > 0.6 * lengths[-1]
    axes.annotate(
        enough, (found.length, 0.08), (-5 if right else 5, 0), xycoords=("data", "axes fraction"),
        textcoords="offset points", ha="right" if right else "left",
    )  # fmt: skip
    axes.set_ylim(min(0.0, float(np.nanmin(low))), None)
    axes.set_xticks(lengths[:: max(1, len(lengths) // 12)])
    axes.set_xlabel("steps of history")
    axes.set_ylabel("information about the action (nats)", color=style.MUTED)
    values = ", ".join(f"{length}: {value:.3f}" for length, value in zip(lengths, held, strict=True))
    words = f"Information about the action by length of history: {values} nats. {enough}."
    return style.describe(figure, words)
