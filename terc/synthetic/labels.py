"""Nominal codes: labels without order decide, among other labels."""

from __future__ import annotations

import numpy as np

from terc.synthetic.labelled import singles
from terc.synthetic.series import Acted, Rng, kind

LEVELS = (6, 5, 4)


@kind
def nominal_codes(n: int, rng: Rng, distractors: int = 9) -> Acted:
    """Three label-coded variables decide by a random table over their 120 combinations; the others do not.

    One of four actions is right for each combination and is taken in 85 % of steps, otherwise any. Codes
    are drawn without order, so treating them as numbers misleads.
    """
    deciding = np.column_stack([rng.integers(0, levels, n) for levels in LEVELS])
    right = rng.integers(0, 4, LEVELS)[tuple(deciding.T)]
    probabilities = np.full((n, 4), 0.05)
    probabilities[np.arange(n), right] = 0.85
    columns = {f"label_{k}": deciding[:, k].astype(np.float64) for k in range(len(LEVELS))}
    columns |= {f"other_{k}": rng.integers(0, 3 + k % 5, n).astype(np.float64) for k in range(distractors)}
    return Acted(columns, probabilities, singles(f"label_{k}" for k in range(len(LEVELS))), nominal=columns)
