"""Estimators with a rule of their own instead of held-out losses: the paper's ("mine"), and "knn"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from terc.entropy.mine import NULL_DRAWS, MineEstimator
from terc.entropy.nearest_neighbours import KnnEstimator
from terc.entropy.plugin import PluginEstimator
from terc.entropy.predictive import PredictiveEstimator
from terc.errors import BadValueError
from terc.selection.local_permutation import LocalPermutationTest
from terc.selection.paper_rule import PaperRuleTest
from terc.selection.settings import ALPHA, Settings

if TYPE_CHECKING:
    import numpy as np

    from terc.entropy.base import Estimator
    from terc.selection.evidence import RemovalTest
    from terc.trajectories.data import Trajectories


WITH_LOSSES = (PluginEstimator, PredictiveEstimator)


def check_rule(estimator: Estimator, wanted: Settings) -> None:
    """Refuse what the rule of an estimator cannot do.

    Example:
        >>> check_rule(KnnEstimator(), Settings.of("knn", method="minimal"))
        Traceback (most recent call last):
        terc.errors.BadValueError: select: method 'minimal' needs estimator 'auto', 'plugin' or 'predictive'.
    """
    if isinstance(estimator, WITH_LOSSES):
        return
    for what, asked in (("method", wanted.method), ("error_rate", wanted.error_rate)):
        if asked in ("minimal", "discovery"):
            raise BadValueError(f"select: {what} {asked!r} needs estimator 'auto', 'plugin' or 'predictive'.")
    if wanted.alpha != ALPHA and not isinstance(estimator, KnnEstimator):
        raise BadValueError(
            f"select: the paper's rule of two standard errors has no error rate, got alpha {wanted.alpha}; "
            f"leave alpha out, or take another estimator than {wanted.estimator!r}."
        )


def rule_test(
    data: Trajectories, estimator: Estimator, wanted: Settings, units: int, *, rng: np.random.Generator
) -> RemovalTest:
    """The test by which the estimator decides on `units` variables or groups."""
    if isinstance(estimator, KnnEstimator):
        return LocalPermutationTest(
            data, estimator, rng=rng, alpha=wanted.alpha, tests=units, min_effect=wanted.min_effect
        )
    draws = estimator.null_draws if isinstance(estimator, MineEstimator) else NULL_DRAWS
    return PaperRuleTest(data, estimator, rng=rng, null_draws=draws, min_effect=wanted.min_effect)


def family_size(estimator: Estimator, units: int) -> int:
    """How many tests the p-values stand for: "knn" decides family-wise, the paper's rule knows no family."""
    return units if isinstance(estimator, KnnEstimator) else 1
