"""Is the smaller agent as good: returns while learning, and by the number of variables it reads."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from terc.arrays import Floats
from terc.errors import BadValueError
from terc.figures import style
from terc.interquartile import bootstrap_band, interquartile_mean
from terc.plurals import some
from terc.selection.visible_names import visible

Curve = tuple[npt.ArrayLike, npt.ArrayLike]


@style.in_house_style
def learning_curves(curves: Mapping[str, Curve], *, goal: float | None = None, seed: int = 0) -> Figure:
    """Interquartile mean of the return over the seeds, with a 95 % bootstrap band.

    Args:
        curves: Label -> (steps `[points]`, returns `[seeds, points]`).
        goal: Return at which the task counts as solved, drawn as a dotted line.

    Example:
        >>> figure = learning_curves({"full": ([0, 10], [[1.0, 5.0], [1.0, 7.0]])})
        >>> figure.get_label()
        'Return while learning, interquartile mean over seeds. full ends at 6 (2 seeds).'
    """
    if not curves:
        raise BadValueError("learning_curves: wanted label -> (steps, returns [seeds, points]), got none.")
    figure, axes = style.new_axes(3.1, grid="y")
    rng = np.random.default_rng(seed)
    ends = []
    for number, (name, (steps, returns)) in enumerate(curves.items()):
        values = _checked(name, steps, returns)
        _draw(axes, number, name, np.asarray(steps, dtype=float), values, rng)
        ends.append(
            f"{visible(name)} ends at {interquartile_mean(values)[-1]:.4g} ({some(len(values), 'seed')})"
        )
    if goal is not None:
        axes.axhline(goal, color=style.MUTED, linewidth=1.2, linestyle=(0, (1, 1.6)), label="goal")
    axes.set_xlabel("steps")
    axes.set_ylabel("return")
    axes.yaxis.label.set_color(style.MUTED)
    axes.xaxis.set_major_formatter(_steps_in_words)
    style.legend_above(axes, columns=3)
    return style.describe(figure, f"Return while learning, interquartile mean over seeds. {'; '.join(ends)}.")


def _checked(name: str, steps: npt.ArrayLike, returns: npt.ArrayLike) -> Floats:
    values = np.atleast_2d(np.asarray(returns, dtype=float))
    if values.shape[1] != len(np.asarray(steps)):
        raise BadValueError(
            f"learning_curves: {name!r} wanted returns [seeds, points] with one point per step, got "
            f"{values.shape} for {len(np.asarray(steps))} steps."
        )
    return values


def _draw(
    axes: Axes, number: int, name: str, steps: Floats, returns: Floats, rng: np.random.Generator
) -> None:
    colour = style.colour(number)
    if len(returns) > 1:
        low, high = bootstrap_band(returns, rng=rng)
        axes.fill_between(steps, low, high, color=colour, alpha=0.18, linewidth=0)
    look: dict[str, Any] = {"color": colour, "linewidth": 1.9, "linestyle": style.dash(number)}
    axes.plot(steps, interquartile_mean(returns), label=style.label(name), **look)


def _steps_in_words(value: float, _: float) -> str:
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g} {letter}"
    return f"{value:g}"


@style.in_house_style
def return_by_state_length(states: Mapping[str, tuple[int, npt.ArrayLike]], *, seed: int = 0) -> Figure:
    """One mark per state: its interquartile mean with a 95 % bootstrap interval, seeds as small dots.

    Args:
        states: Label (e.g. the method that chose the state) -> (number of variables, returns `[seeds]`).

    Example:
        >>> return_by_state_length({"terc": (3, [-1.0, -1.2]), "all": (25, [-9.0, -8.0])}).get_label()
        'Final return by length of the state: terc, 3 variables: -1.1; all, 25 variables: -8.5.'
    """
    if not states or any(np.size(returns) == 0 for _, returns in states.values()):
        raise BadValueError("return_by_state_length: wanted label -> (length, returns), each with a return.")
    figure, axes = style.new_axes(2.9, grid="y")
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
        axes.annotate(style.label(name), (length, middle), (8, 0), textcoords="offset points", va="center")
        words.append(f"{visible(name)}, {some(length, 'variable')}: {middle:.3g}")
    longest = max(length for length, _ in states.values())
    axes.set_xlim(0, longest * 1.3 + 1)
    axes.set_xlabel("variables in the state")
    axes.set_ylabel("final return")
    axes.yaxis.label.set_color(style.MUTED)
    return style.describe(figure, f"Final return by length of the state: {'; '.join(words)}.")
