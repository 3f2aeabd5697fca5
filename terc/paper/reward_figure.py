"""The picture of reward by length of history in the dilemma."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from terc.figures import style


@style.in_house_style
def reward_by_history(
    rewards: Mapping[int, Mapping[str, Sequence[float]]], crosses: Mapping[int, int] | None = None
) -> Figure:
    """Mean over the learners with their range; a star at the history of N - 1 steps.

    Example:
        >>> reward_by_history({3: {"1": [0.8], "2": [1.0]}}).get_label()
        'Normalised reward by length of history. TF3T: 1 0.80, 2 1.00.'
    """
    figure, axes = style.new_axes(3.6)
    style.tidy(axes, grid="y")
    axes.grid(False, axis="x")
    words = []
    for number, (tats, by_length) in enumerate(rewards.items()):
        lengths = np.array([int(length) for length in by_length])
        values = np.array([list(each) for each in by_length.values()], float)
        colour, dash = style.colour(number), style.DASHES[(number // len(style.SERIES)) % len(style.DASHES)]
        axes.vlines(lengths, values.min(1), values.max(1), color=colour, alpha=0.45, linewidth=1.0)
        marker = style.marker(number)
        look: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 3.5, "linewidth": 1.3}
        axes.plot(lengths, values.mean(1), dash, label=f"TF{tats}T", **look)
        at = lengths == tats - 1
        axes.plot(lengths[at], values.mean(1)[at], marker="*", color=colour, markersize=13)
        other = lengths == (crosses or {}).get(tats, 0)
        axes.plot(lengths[other], values.mean(1)[other], marker="x", color=colour, markersize=9, mew=2)
        pairs = zip(lengths, values.mean(1), strict=True)
        words.append(f"TF{tats}T: {', '.join(f'{length} {mean:.2f}' for length, mean in pairs)}")
    axes.set_xlabel("pairs of moves in the state")
    axes.set_ylabel("reward, as a share of the best", color=style.MUTED)
    handles = [*axes.get_legend_handles_labels()[0], _mark("*", "history of N - 1", 11)]
    style.legend_above(
        axes, columns=4, handles=[*handles, *([_mark("x", "oldest of PI", 7)] if crosses else [])]
    )
    return style.describe(figure, f"Normalised reward by length of history. {'; '.join(words)}.")


def _mark(marker: str, label: str, size: float) -> Line2D:
    return Line2D([], [], linestyle="", color=style.MUTED, marker=marker, markersize=size, label=label)
