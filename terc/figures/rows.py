"""Which variables a picture shows when there are too many for all of them."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from terc.selection.printing import strongest_first
from terc.selection.result import Selection, Verdict

STRONGEST_REMOVED = 10


def shown_rows(selection: Selection, top: int) -> tuple[list[Verdict], int]:
    """The variables to draw, kept ones first and each part by falling gain, and how many are left out.

    Where not all fit into `top` places, kept variables come first and of the removed the ten strongest,
    as in the paper: they are the ones a reader wants to compare with.
    """
    kept = strongest_first(selection, kept=True)[:top]
    room = top - len(kept)
    if len(selection.verdicts) > top:
        room = min(room, STRONGEST_REMOVED)
    gone = [v for v in selection.verdicts if not v.kept]
    removed = sorted(gone, key=lambda v: (math.isnan(v.gain), -v.gain))[:room]
    return kept + removed, len(selection.verdicts) - len(kept) - len(removed)


def common_names(selections: Iterable[Selection], top: int) -> list[str]:
    """Names to draw for several selections of one data set: kept by anyone first, then the strongest."""
    each = list(selections)
    names = list(dict.fromkeys(v.name for s in each for v in shown_rows(s, top)[0]))
    votes = {name: sum(v.kept for s in each for v in s.verdicts if v.name == name) for name in names}
    return sorted(names, key=lambda name: -votes[name])[:top]


def row_of(selection: Selection, name: str) -> Verdict:
    """The verdict on `name`, or an empty one where this selection did not have it."""
    nan = float("nan")
    missing = Verdict(name, nan, nan, nan, nan, nan, kept=False, reason="not tested")
    return next((v for v in selection.verdicts if v.name == name), missing)


def span(rows: Sequence[Verdict]) -> tuple[float, float]:
    """Ends of an axis that holds zero, every interval and every threshold, with a little air."""
    values = np.array([[v.gain, v.low, v.high, v.null_high] for v in rows], dtype=float).ravel()
    values = values[np.isfinite(values)]
    low, high = min(0.0, *values, 0.0), max(0.0, *values, 0.0)
    width = (high - low) or 1.0
    return low - (0.03 * width if low < 0 else 0.0), high + 0.06 * width
