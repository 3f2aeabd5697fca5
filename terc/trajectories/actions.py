"""What the agent did: discrete or continuous, one number per step or several, numbers or labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from terc.arrays import Floats, Integers
from terc.errors import BadTypeError, BadValueError
from terc.trajectories.columns import Column, Label, as_float, in_levels, refuse_unusable
from terc.trajectories.text_numbers import refuse_numbers_as_text, warn_of_many_levels

KINDS = ("discrete", "continuous")
MOST_DISCRETE_VALUES = 256
ALWAYS_DISCRETE_VALUES = 20


@dataclass(frozen=True)
class Actions:
    """The actions of all steps.

    Attributes:
        values: int64 `[n]` when discrete; float64 `[n]` or `[n, k]` when continuous.
        labels: What the codes in `values` stand for, or None when they are the numbers that were given.
    """

    values: Integers | Floats
    kind: str
    labels: tuple[Label, ...] | None = None


def read_actions(columns: Sequence[Column], kind: str | None, *, sampled_from_probabilities: bool) -> Actions:
    """The actions in `columns` (one per dimension), as `kind` or, when that is None, as what they look like.

    Text is discrete. Numbers are discrete when all are whole and few differ (at most 20, or at most 256 and
    a tenth of the steps); with `probabilities` whole numbers are always discrete. All else is continuous.
    """
    if kind is not None and not (isinstance(kind, str) and kind in KINDS):
        raise BadValueError(f"action_kind: wanted 'discrete', 'continuous' or None, got {kind!r}.")
    refuse_unusable("actions", columns)
    texts = any(column.levels is not None for column in columns)
    if texts and kind == "continuous":
        raise BadTypeError("actions: text cannot be continuous; use action_kind='discrete' or give numbers.")
    for column in columns if kind is None else ():
        if column.levels is not None:
            refuse_numbers_as_text("actions", column)
            warn_of_many_levels(f"actions: {column.name!r}", column)
    numbers = [] if texts else [as_float("actions", column) for column in columns]
    kind = "discrete" if texts else kind or _kind(numbers, sampled_from_probabilities)
    if kind == "continuous":
        return Actions(numbers[0] if len(numbers) == 1 else np.column_stack(numbers), kind)
    if len(columns) > 1:
        return _joint([in_levels(column) for column in columns])
    if numbers and np.array_equal(numbers[0], np.round(numbers[0])) and np.abs(numbers[0]).max() < 2**62:
        return Actions(numbers[0].astype(np.int64), kind)
    column = in_levels(columns[0])
    return Actions(column.values.astype(np.int64), kind, column.levels)


def _kind(numbers: Sequence[Floats], sampled_from_probabilities: bool) -> str:
    if not all(np.array_equal(column, np.round(column)) for column in numbers):
        return "continuous"
    n_distinct = len(np.unique(numbers[0] if len(numbers) == 1 else np.column_stack(numbers), axis=0))
    most = max(ALWAYS_DISCRETE_VALUES, min(MOST_DISCRETE_VALUES, len(numbers[0]) // 10))
    return "discrete" if sampled_from_probabilities or n_distinct <= most else "continuous"


def _joint(columns: Sequence[Column]) -> Actions:
    """Several discrete dimensions as one action, labelled "first, second"."""
    stacked = np.column_stack([column.values for column in columns])
    found, codes = np.unique(stacked, axis=0, return_inverse=True)
    parts = [[(column.levels or ())[code] for code in found[:, k]] for k, column in enumerate(columns)]
    rows = list(zip(*parts, strict=True))
    labels = tuple(", ".join(map(str, row)) for row in rows)
    if len(set(labels)) < len(labels):  # texts with commas of their own
        labels = tuple(", ".join(map(repr, row)) for row in rows)
    return Actions(codes.reshape(-1).astype(np.int64), "discrete", labels)


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
