"""How long a history the agent needs: information about the action against the length of the history."""

import numpy as np
from matplotlib.figure import Figure

from terc.errors import BadValueError
from terc.figures.style import KEPT, MUTED, NULL, WIDTH, describe, in_house_style, new_axes
from terc.selection.history_length import HistoryLength


@in_house_style
def history_length_curve(found: HistoryLength, *, width: float = WIDTH) -> Figure:
    """The curve rises while each further step into the past carries something new, then lies flat.

    Example:
        >>> from example_data import history
        >>> history_length_curve(history()).get_label()[-64:]
        '3: 0.550, 4: 0.550, 5: 0.550, 6: 0.550 nats. 3 steps are enough.'
    """
    if not found.lost:
        raise BadValueError("history_length_curve: no length of history was examined.")
    figure, axes = new_axes(2.7, width, grid="y")
    lengths = np.arange(len(found.lost))
    held, low, high = (
        found.information - np.array([getattr(lost, end) for lost in found.lost])
        for end in ("value", "high", "low")
    )
    axes.fill_between(lengths, low, high, color=KEPT, alpha=0.18, linewidth=0)
    axes.plot(lengths, held, color=KEPT, marker="o", linewidth=1.8, markersize=5.5)
    axes.axvline(found.length, color=NULL, linestyle=(0, (4, 2.5)), linewidth=1.3)
    enough = f"{found.length} step{' is' if found.length == 1 else 's are'} enough"
    right = found.length > 0.6 * lengths[-1]
    axes.annotate(
        enough, (found.length, 0.08), (-5 if right else 5, 0), xycoords=("data", "axes fraction"),
        textcoords="offset points", ha="right" if right else "left",
    )  # fmt: skip
    axes.set_ylim(min(0.0, float(np.nanmin(low))), None)
    axes.set_xticks(lengths[:: max(1, len(lengths) // 12)])
    axes.set_xlabel("steps of history")
    axes.set_ylabel("information about the action (nats)", color=MUTED)
    values = ", ".join(f"{length}: {value:.3f}" for length, value in zip(lengths, held, strict=True))
    return describe(figure, f"Information about the action by length of history: {values} nats. {enough}.")
