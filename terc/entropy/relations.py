"""What variables carry beside others, for a line on each and its reason: by covariance of residuals alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from terc.arrays import Array
from terc.entropy.base import Subset
from terc.entropy.covariance import gain_error, unit_p_value
from terc.entropy.evidence import Evidence, Level, Unit
from terc.entropy.scores import Scores

if TYPE_CHECKING:
    from terc.entropy.residuals import ResidualInstrument
    from terc.predictors.mixture import Evaluated


def by_residuals(scores: Scores, unit: Unit, steps: int, level: Level, looks: int) -> Evidence:
    """What the covariance of residuals alone says of a unit, as one of so many looks at it."""
    p_value, gain = unit_p_value(looks * scores.p_value, unit), float(scores.gain[list(unit)].max())
    error = gain_error(gain, steps, float(scores.z[list(unit)].max()))
    return Evidence(gain, error, p_value, level.passes(gain, p_value), "residuals")


def looks_at(
    residuals: ResidualInstrument,
    among: Subset,
    givens: Sequence[Subset],
    known: Sequence[Evaluated | None],
) -> list[tuple[Scores, Scores]]:
    """Scores of the variables `among` beside each of `givens`, alone and times what is given."""
    tasks = list(zip(givens, (getattr(one, "residual", None) for one in known), strict=True))
    # One task is spread by its variables, several as they are.
    spread = residuals.spread if len(tasks) > 1 else None
    alone = residuals if spread is None else replace(residuals, spread=None)
    return list((spread or map)(partial(_both_scores, alone, among), tasks))


def _both_scores(
    residuals: ResidualInstrument, among: Subset, task: tuple[Subset, Array | None]
) -> tuple[Scores, Scores]:
    """What is given and the action's residual, as a task of a worker."""
    return residuals.scores_and_products(*task, among=among)


def weighed(
    level: Level, units: Sequence[Unit], looks: Sequence[Scores], most: float
) -> dict[Unit, Evidence]:
    """What several looks at each unit say, where no more than `most` nats can be left to say."""
    found = {}
    for unit in units:
        p_value = min(1.0, len(looks) * min(unit_p_value(scores.p_value, unit) for scores in looks))
        gain = min(most, max(float(scores.gain[list(unit)].max()) for scores in looks))
        found[unit] = Evidence(gain, math.nan, p_value, level.passes(gain, p_value), "residuals")
    return found
