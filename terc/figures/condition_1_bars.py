"""Whether condition 1 holds: the most redundant pairs of subsets, and the region they must not reach."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from terc.errors import BadValueError
from terc.figures import style
from terc.redundancy.condition_1 import Condition1
from terc.redundancy.redundancy_index import MostRedundant, PairIndex
from terc.selection.visible_names import listed

LETTERS = 62
"""Room for a pair in words: what is longer would be cut at the edge of the figure."""


@style.in_house_style
def condition_1_bars(found: Condition1 | MostRedundant, *, top: int = 10) -> Figure:
    """R of the most redundant pairs; a bar in the shaded region says everything about the action twice.

    Example:
        >>> from example_data import condition_1
        >>> condition_1_bars(condition_1()).get_label()
        'The 10 most redundant pairs of subsets share at most 0.260 of H(A) = 0.689 nats. Condition 1 holds.'
    """
    most = found.most_redundant if isinstance(found, Condition1) else found
    if not most.pairs:
        raise BadValueError("condition_1_bars: no pairs were examined, so there is nothing to draw.")
    pairs = sorted(most.pairs, key=lambda p: -p.value.value)[:top]
    entropy = most.action_entropy if entropy_has_meaning(found) else float("nan")
    figure, axes = style.new_axes(0.7 + 0.4 * len(pairs))
    _draw_bars(axes, pairs, entropy)
    _draw_region(axes, pairs, entropy)
    axes.set_yticks([])
    axes.set_ylim(len(pairs) - 0.6, -0.85)
    axes.set_xlabel("redundancy about the action (nats)")
    of = "" if np.isnan(entropy) else f" of H(A) = {entropy:.3f}"
    words = f" Condition 1: {found.verdict}." if isinstance(found, Condition1) else ""
    words = words.replace("1: holds", "1 holds").replace("1: violated", "1 is violated")
    share = f"share at most {pairs[0].value.value:.3f}{of} nats"
    return style.describe(figure, f"The {len(pairs)} most redundant pairs of subsets {share}.{words}")


def entropy_has_meaning(found: Condition1 | MostRedundant) -> bool:
    """Whether R can be compared with H(A): not for a continuous action, whose entropy is not a limit."""
    if isinstance(found, Condition1):
        return found.paper_test != "not decided" and found.most_redundant.action_entropy > 0
    return found.action_entropy > 0


def _draw_bars(axes: Axes, pairs: list[PairIndex], entropy: float) -> None:
    """Each pair in words, its bar below."""
    for place, pair in enumerate(pairs):
        # As many names of each side as there is room for, then how many more.
        tries = [f"{listed(pair.first, k, 16)}  |  {listed(pair.second, k, 16)}" for k in (4, 3, 2, 1)]
        words = style.plain(next((words for words in tries if len(words) <= LETTERS), tries[-1]))
        across = axes.get_yaxis_transform()
        axes.text(0.0, place - 0.14, words, transform=across, fontsize=8.5, va="bottom")
    places = np.arange(len(pairs)) + 0.1
    values = np.array([p.value.value for p in pairs])
    axes.barh(places, values, height=0.36, **style.bars(values >= entropy * (1 - 1e-6), style.NULL))
    axes.hlines(
        places, [p.value.low for p in pairs], [p.value.high for p in pairs], color=style.INK, linewidth=1.3
    )
    axes.axvline(0.0, color=style.MUTED, linewidth=0.8)


def _draw_region(axes: Axes, pairs: list[PairIndex], entropy: float) -> None:
    ends = [0.0, entropy, *(end for p in pairs for end in (p.value.value, p.value.low, p.value.high))]
    low, high = float(np.nanmin(ends)), float(np.nanmax(ends))
    axes.set_xlim(low - 0.05 * (high - low) * (low < 0), high + 0.15 * (high - low))
    if np.isnan(entropy):
        return
    axes.axvspan(entropy, axes.get_xlim()[1], facecolor=style.NULL, alpha=0.12, linewidth=0)
    axes.axvline(entropy, color=style.NULL, linewidth=1.4, linestyle=(0, (4, 2.5)))
    axes.text(entropy, -0.88, "H(A)", color=style.NULL, va="bottom", ha="center")
