"""A gain as a small bar made of HTML: it shrinks with the page while the words beside it stay readable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from terc.figures.rows import span
from terc.selection.result import Verdict


@dataclass(frozen=True)
class BarScale:
    """From nats to per cent of the width.

    Example:
        >>> BarScale(0.0, 0.5).percent(0.25)
        50.0
    """

    low: float
    high: float

    @classmethod
    def of(cls, rows: Sequence[Verdict]) -> BarScale:
        """The scale that holds all of `rows`."""
        return cls(*span(rows))

    def percent(self, value: float) -> float:
        """Place of `value` between the ends, kept inside them."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, share)), 2)


def bar_style(verdict: Verdict, scale: BarScale) -> str:
    """The places of bar, interval and threshold as CSS variables."""
    gain = 0.0 if math.isnan(verdict.gain) else verdict.gain
    low = gain if math.isnan(verdict.low) else verdict.low
    high = gain if math.isnan(verdict.high) else verdict.high
    null = 0.0 if math.isnan(verdict.null_high) else verdict.null_high
    places = {"a": min(0.0, gain), "b": max(0.0, gain), "l": low, "h": high, "n": null}
    return "".join(f"--{key}:{scale.percent(value)}%;" for key, value in places.items())
