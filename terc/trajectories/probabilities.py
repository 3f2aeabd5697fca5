"""The policy's own probabilities of its actions, checked against the actions that were taken."""

from typing import Any

import numpy as np
import numpy.typing as npt

from terc.arrays import Floats
from terc.errors import BadValueError
from terc.trajectories.actions import Actions


def read_probabilities(given: npt.NDArray[Any], actions: Actions) -> Floats:
    """Checked probabilities `[n, K]`: column k is the chance of action k, or of the k-th action label."""
    n = len(actions.values)
    if given.dtype.kind not in "biuf" or given.ndim != 2:
        raise BadValueError(
            f"probabilities: wanted numbers [steps, actions], got {given.dtype} of shape {given.shape}."
        )
    if actions.kind != "discrete":
        raise BadValueError(
            "probabilities: only discrete actions have them, and these actions are continuous."
        )
    if len(given) != n:
        raise BadValueError(
            f"probabilities: wanted one row for each of the {n} steps, got {len(given)} rows."
        )
    probabilities: Floats = given.astype(np.float64)
    bad = np.flatnonzero(
        ~np.isfinite(probabilities).all(axis=1)
        | (probabilities < 0).any(axis=1)
        | ~np.isclose(probabilities.sum(axis=1), 1, rtol=0, atol=1e-3)
    )
    if bad.size:
        raise BadValueError(
            f"probabilities: each row must be non-negative and sum to 1; "
            f"{bad.size} rows are not, first row {bad[0]}."
        )
    _refuse_other_actions(probabilities, actions)
    return probabilities


def _refuse_other_actions(probabilities: Floats, actions: Actions) -> None:
    k = probabilities.shape[1]
    if actions.labels is not None and len(actions.labels) != k:
        raise BadValueError(
            f"probabilities: {k} columns do not match the {len(actions.labels)} actions "
            f"{list(actions.labels[:10])}; "
            "give actions as numbers 0..K-1 if some were never taken."
        )
    low, high = int(actions.values.min()), int(actions.values.max())
    if low < 0 or high >= k:
        raise BadValueError(
            f"probabilities: {k} columns stand for actions 0 to {k - 1}, but the actions run "
            f"from {low} to {high}."
        )
