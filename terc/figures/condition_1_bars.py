"""Whether condition 1 holds: the most redundant pairs of subsets, and the region they must not reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from terc.errors import BadValueError
from terc.figures.style import FAINT, INK, MUTED, NULL, WIDTH, describe, in_house_style, new_axes, plain
from terc.selection.visible_names import listed


@dataclass(frozen=True)
class RedundantPair:
    """Two disjoint subsets of different size and how redundant they are about the action.

    Attributes:
        first: Names of the first subset.
        second: Names of the second.
        redundancy: R = I(P1; A) + I(P2; A) - I(P1, P2; A) in nats; below zero the two are synergetic.
        low: Lower end of its interval; NaN if not measured.
        high: Upper end; NaN if not measured.

    Example:
        >>> RedundantPair(("x",), ("y", "z"), 0.2).redundancy
        0.2
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    redundancy: float
    low: float = float("nan")
    high: float = float("nan")


@in_house_style
def condition_1_bars(
    pairs: Sequence[RedundantPair], entropy: float, *, top: int = 10, width: float = WIDTH
) -> Figure:
    """The most redundant pairs; a bar in the shaded region says everything about the action twice.

    Args:
        pairs: In any order.
        entropy: H(A) in nats: where R reaches it, condition 1 fails.
        top: How many pairs to draw.
        width: In inches.

    Raises:
        BadValueError: No pairs.

    Example:
        >>> condition_1_bars([RedundantPair(("x",), ("y", "z"), 0.2)], entropy=0.69).get_label()
        'The 1 most redundant pairs of subsets share at most 0.200 of H(A) = 0.690 nats: condition 1 holds.'
    """
    if not pairs:
        raise BadValueError("condition_1_bars: no pairs were given, so there is nothing to draw.")
    rows = sorted(pairs, key=lambda p: -p.redundancy)[:top]
    figure, axes = new_axes(0.75 + 0.3 * len(rows), width)
    values, places = np.array([p.redundancy for p in rows]), np.arange(len(rows))
    broken = values >= entropy * (1 - 1e-6)
    axes.axvspan(entropy, 10 * entropy + 1, facecolor=NULL, alpha=0.12, linewidth=0)
    axes.axvline(entropy, color=NULL, linewidth=1.4, linestyle=(0, (4, 2.5)))
    axes.text(entropy, -0.78, " H(A)", color=NULL, va="bottom", ha="center")
    axes.barh(
        places, values, height=0.62, color=[NULL if b else FAINT for b in broken],
        edgecolor=[NULL if b else MUTED for b in broken], linewidth=0.8,
    )  # fmt: skip
    axes.hlines(places, [p.low for p in rows], [p.high for p in rows], color=INK, linewidth=1.3)
    axes.axvline(0.0, color=MUTED, linewidth=0.8)
    axes.set_yticks(places, [plain(f"{listed(p.first, 2, 12)} | {listed(p.second, 2, 12)}") for p in rows])
    axes.set_ylim(len(rows) - 0.4, -0.75)
    axes.set_xlim(min(0.0, float(values.min()) * 1.1), max(entropy, float(values.max())) * 1.15)
    axes.set_xlabel("redundancy about the action (nats)")
    outcome = "condition 1 fails" if broken.any() else "condition 1 holds"
    return describe(
        figure,
        f"The {len(rows)} most redundant pairs of subsets share at most {values.max():.3f} of H(A) = "
        f"{entropy:.3f} nats: {outcome}.",
    )
