"""The policy's own probabilities of its actions, compared with the actions that were taken."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from terc.arrays import Floats, Integers
from terc.errors import BadValueError
from terc.notes import Note
from terc.trajectories.actions import Actions

NEVER = 1e-9
"""Chances up to here are 0: what arithmetic leaves of one."""
ROUNDED = 0.005
"""What a chance of 0 may have been that was rounded to two decimals."""
FAR = 4.0
"""Standard deviations beyond which a count of steps is no chance: less than one in ten thousand."""
UNLIKELY = "unlikely-actions"
FALSE_ALARMS = 1e-3
"""Chance of a doubt about probabilities that are right."""


def read_probabilities(given: npt.NDArray[Any], actions: Actions) -> tuple[Floats, tuple[Note, ...]]:
    """Checked probabilities `[n, K]`, and what a reader should know about them.

    Column k is the chance of action k, or of the k-th action label.
    """
    probabilities = _checked(given, len(actions.values), actions)
    _refuse_other_actions(probabilities, actions)
    taken = probabilities[np.arange(len(probabilities)), actions.values]
    _refuse_impossible(taken, ROUNDED * np.count_nonzero(probabilities <= NEVER))
    taken = np.where(taken <= NEVER, ROUNDED, taken)
    return probabilities, _doubts(taken, np.bincount(actions.values, minlength=given.shape[1]))


def _checked(given: npt.NDArray[Any], n: int, actions: Actions) -> Floats:
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


def _refuse_impossible(taken: Floats, expected: float) -> None:
    """Refuse actions of chance 0, beyond as many as may be `expected` of chances rounded to 0.

    A few are never refused: what is left of a recording may be the very steps at which rounding shows.
    """
    never = np.flatnonzero(taken <= NEVER)
    if len(never) > expected + FAR * math.sqrt(expected) + FAR:
        raise BadValueError(
            f"probabilities: {len(never)} of {len(taken)} actions taken have chance 0, first in row "
            f"{never[0]}; give each step the probabilities from which its action was drawn (are rows "
            "shifted, or columns in another order?), or leave them out."
        )


def _doubts(taken: Floats, counts: Integers) -> tuple[Note, ...]:
    """A doubt where one who only counts the actions expects them more than the probabilities do.

    Q(a_1, ..., a_n), the counter's forecasts (each action's count so far plus one, divided by their sum)
    multiplied, sums to 1 over all sequences of actions. So Q / P has mean 1 where actions are drawn from P,
    however steps depend on each other, and exceeds 1 / c with a chance of at most c (Markov).
    """
    n, k = int(counts.sum()), len(counts)
    counted = math.lgamma(k) - math.lgamma(n + k) + sum(math.lgamma(count + 1) for count in counts.tolist())
    worse = counted - float(np.log(np.minimum(taken, 1.0)).sum())
    if worse < -math.log(FALSE_ALARMS):
        return ()
    text = (
        "the actions taken are less likely by these probabilities than by their shares alone "
        f"({worse / n:.2g} nats in each step): are rows shifted, columns in another order, or "
        "were the likeliest actions taken, not drawn ones?"
    )
    return (Note("doubt", UNLIKELY, text),)
