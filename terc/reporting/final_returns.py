"""Where learning ends, and whether one state ends better than another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from terc.figures.interquartile import interquartile_mean
from terc.reporting.material import Floats

LAST_SHARE = 0.1
DRAWS = 2000


@dataclass(frozen=True)
class FinalReturn:
    """The end of one learning curve.

    Attributes:
        state: Its label.
        value: Interquartile mean over the seeds of the mean return in the last tenth of training.
        low: Lower end of the 95 % bootstrap interval.
        high: Upper end.
        verdict: Against the first state: better, worse or the same within the interval; "" for the first.

    Example:
        >>> flat = (np.arange(10.0), np.full((3, 10), 5.0))
        >>> [f.verdict for f in final_returns({"full": flat, "reduced": flat})]
        ['', 'the same within the interval']
    """

    state: str
    value: float
    low: float
    high: float
    verdict: str = ""


def final_returns(curves: Mapping[str, tuple[Floats, Floats]], *, seed: int = 0) -> list[FinalReturn]:
    """The end of every curve, each compared with the first (or with the one called "full")."""
    rng = np.random.default_rng(seed)
    ends = {name: _ends(returns) for name, (_, returns) in curves.items()}
    drawn = {
        name: interquartile_mean(v[rng.integers(len(v), size=(DRAWS, len(v)))], axis=1)
        for name, v in ends.items()
    }
    first = next((name for name in ends if name.startswith("full")), next(iter(ends), ""))
    return [_final(name, ends[name], drawn, first) for name in sorted(ends, key=lambda n: n != first)]


def _ends(returns: Floats) -> Floats:
    runs = np.atleast_2d(returns)
    last = max(1, round(LAST_SHARE * runs.shape[1]))
    return np.asarray(runs[:, -last:].mean(axis=1))


def _final(name: str, ends: Floats, drawn: Mapping[str, Floats], first: str) -> FinalReturn:
    low, high = np.quantile(drawn[name], [0.025, 0.975])
    verdict = "" if name == first else _against(drawn[name] - drawn[first], len(ends))
    return FinalReturn(name, float(interquartile_mean(ends)), float(low), float(high), verdict)


def _against(difference: Floats, seeds: int) -> str:
    if seeds < 2:
        return "one seed only, so no comparison"
    low, high = np.quantile(difference, [0.025, 0.975])
    if low > 0:
        return "better than the first"
    return "worse than the first" if high < 0 else "the same within the interval"
