"""Whether the estimates can be trusted: do the gains of every fold or run agree?"""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from terc.errors import BadValueError
from terc.figures import style


@style.in_house_style
def estimator_health(spread: Mapping[str, Sequence[float]], *, top: int = 12) -> Figure:
    """One row per variable, one dot for its gain in each fold or run; the dots should lie close together.

    Example:
        >>> estimator_health({"speed": (0.31, 0.29, 0.33)}).get_label()
        'Largest spread of a gain over folds or runs: 0.040 nats.'
    """
    if not spread:
        raise BadValueError("estimator_health: no gains of folds or runs were recorded.")
    names = sorted(spread, key=lambda name: -float(np.mean(spread[name])))[:top]
    figure, axes = style.new_axes(0.85 + 0.26 * len(names))
    for place, name in enumerate(names):
        values = np.asarray(spread[name], dtype=float)
        axes.hlines(place, values.min(), values.max(), color=style.MUTED, linewidth=1.0)
        axes.plot(values, np.full(len(values), place), "o", color=style.KEPT, alpha=0.65, markersize=5)
    axes.axvline(0.0, color=style.MUTED, linewidth=0.8)
    axes.set_yticks(range(len(names)), [style.label(name, among=names) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlabel("gain in each fold or run (nats)")
    widest = max(float(np.ptp(spread[name])) for name in names)
    return style.describe(figure, f"Largest spread of a gain over folds or runs: {widest:.3f} nats.")
