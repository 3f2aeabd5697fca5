"""Twins: columns with the values of other episodes, aligned in time; what they gain, chance gains."""

from dataclasses import replace

import numpy as np

from terc.arrays import Array
from terc.predictors.base import Laid, Subset
from terc.predictors.encoding import Encoding, Inputs

ALIKE = 0.5
"""Correlation from which a twin is no stranger: of a clock, or a reference that every episode follows."""


def twin_of(laid: Laid, columns: Subset, clusters: Array) -> Laid | None:
    """The data with some columns taken, cluster by cluster, from the cluster half the recording away.

    None where these are alike there: what they gain then shows no chance.
    """
    rows = aligned_rows(clusters, shift=(int(clusters[-1]) + 1) // 2)
    old = laid.encoding
    own = old.numbers.only(columns).values
    if np.square(own - own[rows]).mean(0).sum() < 2 * (1 - ALIKE) * own.var(0).sum():
        return None
    codes = old.codes.copy()
    codes[:, columns] = old.codes[rows][:, columns]

    def moved(inputs: Inputs) -> Inputs:
        here = inputs.columns_of(columns)
        values = inputs.values.copy()
        values[:, here] = inputs.values[rows][:, here]
        return Inputs(values, inputs.owner)

    encoding = Encoding(
        moved(old.numbers), moved(old.labels), moved(old.values), moved(old.binned), codes, old.nominal
    )
    return replace(laid, encoding=encoding)


def aligned_rows(clusters: Array, shift: int) -> Array:
    """For each step the one at the same time in the cluster `shift` further on, or its last if it is shorter.

    Example:
        >>> aligned_rows(np.array([0, 0, 0, 1, 1]), shift=1).tolist()
        [3, 4, 4, 0, 1]
    """
    starts = np.flatnonzero(np.diff(clusters, prepend=-1))
    lengths = np.diff(np.append(starts, len(clusters)))
    donor = (clusters + shift) % len(starts)
    within = np.arange(len(clusters)) - starts[clusters]
    return np.asarray(starts[donor] + np.minimum(within, lengths[donor] - 1))
