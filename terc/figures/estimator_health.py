"""Whether the estimates can be trusted: losses while fitting, spread over folds and runs, warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from terc.errors import BadValueError
from terc.figures.style import (
    DASHES,
    KEPT,
    MUTED,
    SERIES,
    WIDTH,
    describe,
    in_house_style,
    label,
    legend_above,
    new_figure,
    tidy,
)


@dataclass(frozen=True)
class EstimatorHealth:
    """What an estimator recorded about its own work.

    Attributes:
        losses: Curve -> loss after each epoch, e.g. {"training": (...), "held out": (...)}.
        spread: Variable -> its gain in each fold or run.
        warnings: Plain sentences, e.g. on too few steps.

    Example:
        >>> EstimatorHealth(losses={"held out": (0.7, 0.4)}).losses["held out"][-1]
        0.4
    """

    losses: Mapping[str, Sequence[float]] = field(default_factory=dict)
    spread: Mapping[str, Sequence[float]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@in_house_style
def estimator_health(health: EstimatorHealth, *, top: int = 12, width: float = WIDTH) -> Figure:
    """Losses above (they should fall and lie flat), gains of every fold or run below (they should agree).

    Args:
        health: With losses, spread or both.
        top: At most so many variables in the lower part, the strongest first.
        width: In inches.

    Raises:
        BadValueError: Neither losses nor spread were recorded.

    Example:
        >>> estimator_health(EstimatorHealth(losses={"held out": (0.7, 0.4)})).get_label()
        'Health of the estimates. Losses at the end: held out 0.400.'
    """
    if not health.losses and not health.spread:
        raise BadValueError("estimator_health: neither losses nor spread were recorded.")
    names = sorted(health.spread, key=lambda n: -float(np.mean(health.spread[n])))[:top]
    heights = [h for h in (2.1 if health.losses else 0, 0.55 + 0.26 * len(names) if names else 0) if h]
    figure = new_figure(0.3 + sum(heights), width)
    panels = figure.subplots(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    words = []
    if health.losses:
        _draw_losses(panels[0], health.losses)
        ends = ", ".join(f"{label(name)} {values[-1]:.3f}" for name, values in health.losses.items())
        words.append(f"Losses at the end: {ends}.")
    if names:
        _draw_spread(panels[-1], health.spread, names)
        widest = max(float(np.ptp(health.spread[n])) for n in names)
        words.append(f"Largest spread of a gain over folds or runs: {widest:.3f} nats.")
    return describe(figure, " ".join(["Health of the estimates.", *words]))


def _draw_losses(axes: Axes, losses: Mapping[str, Sequence[float]]) -> None:
    tidy(axes, grid="y")
    for number, (name, values) in enumerate(losses.items()):
        axes.plot(
            range(1, len(values) + 1), values, linewidth=1.7, label=label(name),
            color=SERIES[number % len(SERIES)], linestyle=DASHES[number % len(DASHES)],
        )  # fmt: skip
    axes.set_xlabel("epoch")
    axes.set_ylabel("loss (nats)", color=MUTED)
    legend_above(axes)


def _draw_spread(axes: Axes, spread: Mapping[str, Sequence[float]], names: Sequence[str]) -> None:
    tidy(axes)
    for place, name in enumerate(names):
        values = np.asarray(spread[name], dtype=float)
        axes.hlines(place, values.min(), values.max(), color=MUTED, linewidth=1.0)
        axes.plot(values, np.full(len(values), place), "o", color=KEPT, alpha=0.65, markersize=5)
    axes.axvline(0.0, color=MUTED, linewidth=0.8)
    axes.set_yticks(range(len(names)), [label(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlabel("gain in each fold or run (nats)")
