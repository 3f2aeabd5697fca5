"""What residuals say of each variable: how sure, how much, and how much of it others explain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from terc.arrays import Array
from terc.entropy.covariance import Residuals, chance_of_t, nats, sure_t, typical_of_noise

if TYPE_CHECKING:
    from terc.predictors.splits import Splits

DETERMINED = 0.02
"""Share of a probe below which what is left of it may be an error of the regression: it does not speak."""
SILENT = np.array([[0.0], [1.0], [0.0], [0.0]])
"""`Scores` of a variable that was not looked at."""


@dataclass(frozen=True)
class Scores:
    """Evidence for each variable beyond a given set.

    Attributes:
        z: float64 `[d]`, the largest clustered t-value over the variable's probes; 0 for those already given.
        p_value: float64 `[d]`, corrected for the probes of that variable, not for the number of variables.
        gain: float64 `[d]`, nats that the covariance alone accounts for beyond what noise typically reaches.
        explained: float64 `[d]`, share of the variable, or of one of its probes, that the given set explains;
            where that is all but everything of each, the instrument abstains.
    """

    z: Array
    p_value: Array
    gain: Array
    explained: Array


@dataclass(frozen=True, eq=False)
class Acting:
    """What is left of the action, to be correlated with what is left of the variables.

    Attributes:
        residuals: `[n, q]`.
        drawn: Variance `[q]` that drawing an action from its probabilities added.
        explained: bool `[q]`, levels that are predicted all but perfectly: nothing is left to explain.
        plain: Whether with the variables as they are only, not with their squares and waves.
    """

    residuals: Residuals
    drawn: Array
    explained: Array
    plain: bool = False


def scored(acting: Acting, probes: Residuals, owner: Array, splits: Splits) -> Array:
    """z, p-value, gain and share explained of the variables that the probes belong to, in order."""
    action, order = acting.residuals, np.argsort(owner, kind="stable")
    starts = np.flatnonzero(np.diff(owner[order], prepend=-1))
    hidden = probes.power < DETERMINED
    t = np.where(hidden | acting.explained[:, None], 0.0, sure_t(action, probes, splits))
    tests = np.diff(starts, append=len(order)) * len(action.power)
    raw = np.maximum.reduceat(nats(action, probes, hidden, acting.drawn)[order], starts)
    z = np.maximum.reduceat(t.max(0)[order], starts)
    chance = np.minimum(1.0, 2 * chance_of_t(z, max(splits.n_clusters - 1, 1)) * tests)
    gain = np.maximum(0.0, raw - typical_of_noise(tests) / (2 * len(probes.values)))
    return np.stack([z, chance, gain, np.maximum.reduceat((1 - probes.power)[order], starts)])
