"""Self-check: would columns that cannot tell anything have been kept?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from terc.entropy.inputs import Inputs
from terc.entropy.residuals import ResidualInstrument

if TYPE_CHECKING:
    from terc.entropy.base import Array, Subset

COPIES = 60


@dataclass(frozen=True)
class SelfCheck:
    """How many shifted copies of the user's own columns looked informative at the uncorrected level.

    Attributes:
        false_alarms: Copies with a p-value below alpha.
        copies: Copies tried.
        alpha: The level; about alpha * copies false alarms are to be expected at most.
        null_high: Nats that 95 % of the copies stay below.

    Example:
        >>> SelfCheck(3, 60, 0.05, 0.0004).sentence
        'self-check: 3 of 60 shifted copies of the columns looked informative at 0.05 (at most 3 expected).'
    """

    false_alarms: int
    copies: int
    alpha: float
    null_high: float

    @property
    def off(self) -> bool:
        """Whether so many false alarms would be rare (1 in 1000) in a calibrated test."""
        return bool(stats.binom.sf(self.false_alarms - 1, self.copies, self.alpha) < 1e-3)

    @property
    def sentence(self) -> str:
        """The result in words."""
        found = (
            f"self-check: {self.false_alarms} of {self.copies} shifted copies of the columns looked "
            f"informative at {self.alpha} (at most {round(self.alpha * self.copies)} expected)"
        )
        return (
            f"{found}: p-values are too small here, doubt variables near the floor."
            if self.off
            else f"{found}."
        )


def self_check(
    instrument: ResidualInstrument,
    given: Subset,
    action_residual: Array | None,
    *,
    alpha: float,
    rng: np.random.Generator,
) -> SelfCheck:
    """Score copies of the columns, each shifted in time by a random number of steps.

    A shift keeps what a column is like (its values, how slowly it drifts) and breaks its tie to the action.
    """
    shifted = _shifted_copies(instrument, rng)
    scores = shifted.scores(
        given, action_residual, among=tuple(range(instrument.n_variables, shifted.n_variables))
    )
    fresh = slice(instrument.n_variables, None)
    alarms = int((scores.p_value[fresh] < alpha).sum())
    null_high = float(np.quantile(scores.gain[fresh], 0.95))
    return SelfCheck(alarms, shifted.n_variables - instrument.n_variables, alpha, null_high)


def _shifted_copies(instrument: ResidualInstrument, rng: np.random.Generator) -> ResidualInstrument:
    """The instrument with copies of its columns added as further variables."""
    n, d = len(instrument.probes.values), instrument.n_variables
    blocks, owners = [instrument.probes.values], [instrument.probes.owner]
    sources = np.resize(rng.permutation(d), COPIES)
    for copy, source in enumerate(sources):
        block = instrument.probes.values[:, instrument.probes.columns_of((int(source),))]
        blocks.append(np.roll(block, int(rng.integers(n // 10, n - n // 10)), axis=0))
        owners.append(np.full(block.shape[1], d + copy))
    return replace(
        instrument,
        probes=Inputs(np.concatenate(blocks, axis=1), np.concatenate(owners)),
        n_variables=d + COPIES,
    )
