"""What a longer state costs: final return against the number of variables the agent reads."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from terc.errors import BadValueError
from terc.figures import style
from terc.figures.style import MUTED, WIDTH, describe, in_house_style, label, new_axes
from terc.interquartile import bootstrap_band, interquartile_mean
from terc.selection.visible_names import visible


@in_house_style
def return_by_state_length(
    states: Mapping[str, tuple[int, npt.ArrayLike]], *, seed: int = 0, width: float = WIDTH
) -> Figure:
    """One mark per state: its interquartile mean with a 95 % bootstrap interval, seeds as small dots.

    Args:
        states: Label (e.g. the method that chose the state) -> (number of variables, returns `[seeds]`).

    Example:
        >>> return_by_state_length({"terc": (3, [-1.0, -1.2]), "all": (25, [-9.0, -8.0])}).get_label()
        'Final return by length of the state: terc, 3 variables: -1.1; all, 25 variables: -8.5.'
    """
    if not states or any(np.size(returns) == 0 for _, returns in states.values()):
        raise BadValueError("return_by_state_length: wanted label -> (length, returns), each with a return.")
    figure, axes = new_axes(2.9, width, grid="y")
    rng = np.random.default_rng(seed)
    words = []
    for number, (name, (length, returns)) in enumerate(states.items()):
        values = np.ravel(np.asarray(returns, dtype=float))
        colour = style.colour(number)
        middle = float(interquartile_mean(values))
        low, high = bootstrap_band(values[:, None], rng=rng)
        axes.vlines(length, low, high, color=colour, linewidth=2.0)
        axes.plot(np.full(len(values), length), values, ".", color=colour, alpha=0.5, markersize=4)
        axes.plot(length, middle, color=colour, marker=style.marker(number), markersize=7.5)
        axes.annotate(label(name), (length, middle), (8, 0), textcoords="offset points", va="center")
        words.append(f"{visible(name)}, {length} variables: {middle:.3g}")
    longest = max(length for length, _ in states.values())
    axes.set_xlim(0, longest * 1.3 + 1)
    axes.set_xlabel("variables in the state")
    axes.set_ylabel("final return")
    axes.yaxis.label.set_color(MUTED)
    return describe(figure, f"Final return by length of the state: {'; '.join(words)}.")
