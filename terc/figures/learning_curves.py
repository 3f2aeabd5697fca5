"""Is the smaller agent as good: returns while learning, over several seeds."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from terc.errors import BadValueError
from terc.figures import style
from terc.interquartile import bootstrap_band, interquartile_mean
from terc.selection.visible_names import visible

Curve = tuple[npt.ArrayLike, npt.ArrayLike]


@style.in_house_style
def learning_curves(
    curves: Mapping[str, Curve], *, goal: float | None = None, seed: int = 0, width: float = style.WIDTH
) -> Figure:
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
    figure, axes = style.new_axes(3.1, width, grid="y")
    rng = np.random.default_rng(seed)
    ends = []
    for number, (name, (steps, returns)) in enumerate(curves.items()):
        values = _checked(name, steps, returns)
        _draw(axes, number, name, np.asarray(steps, dtype=float), values, rng)
        ends.append(f"{visible(name)} ends at {interquartile_mean(values)[-1]:.4g} ({len(values)} seeds)")
    if goal is not None:
        axes.axhline(goal, color=style.MUTED, linewidth=1.2, linestyle=(0, (1, 1.6)), label="goal")
    axes.set_xlabel("steps")
    axes.set_ylabel("return")
    axes.yaxis.label.set_color(style.MUTED)
    axes.xaxis.set_major_formatter(_steps_in_words)
    style.legend_above(axes, columns=3)
    return style.describe(figure, f"Return while learning, interquartile mean over seeds. {'; '.join(ends)}.")


def _checked(name: str, steps: npt.ArrayLike, returns: npt.ArrayLike) -> npt.NDArray[np.float64]:
    values = np.atleast_2d(np.asarray(returns, dtype=float))
    if values.shape[1] != len(np.asarray(steps)):
        raise BadValueError(
            f"learning_curves: {name!r} wanted returns [seeds, points] with one point per step, got "
            f"{values.shape} for {len(np.asarray(steps))} steps."
        )
    return values


def _draw(
    axes: Axes,
    number: int,
    name: str,
    steps: npt.NDArray[np.float64],
    returns: npt.NDArray[np.float64],
    rng: np.random.Generator,
) -> None:
    colour = style.colour(number)
    if len(returns) > 1:
        low, high = bootstrap_band(returns, rng=rng)
        axes.fill_between(steps, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.plot(
        steps, interquartile_mean(returns), color=colour, linewidth=1.9, label=style.label(name),
        linestyle=style.dash(number),
    )  # fmt: skip


def _steps_in_words(value: float, _: float) -> str:
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g} {letter}"
    return f"{value:g}"
