"""tigramite's conditional-independence tests (extra `terc[tigramite]`) of A and X_i given all the rest."""

import warnings
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from terc.arrays import Floats
from terc.baselines import scored
from terc.baselines.methods import require_extra
from terc.baselines.scored import Made
from terc.baselines.target import at_most, target_of
from terc.checks import one_of
from terc.progress import Report
from terc.selection.result import Selection
from terc.trajectories.data import Trajectories

TESTS = {
    "parcorr": ("parcorr", "ParCorr"),
    "robust_parcorr": ("robust_parcorr", "RobustParCorr"),
    "cmiknn": ("cmiknn", "CMIknn"),
}
SLOW = {"cmiknn": 500}
"""Steps that a slow test is given unless the caller says otherwise."""


def tigramite_tests(  # noqa: PLR0913  (one argument per setting; all but one have a default)
    data: Trajectories,
    test: str = "parcorr",
    alpha: float = 0.05,
    n_jobs: int = 1,
    seed: int = 0,
    progress: bool | Report = False,
    *,
    max_steps: int | None = None,
) -> Selection:
    """The variables on which the action depends given all others, by one of tigramite's tests.

    That is the criterion of the paper with another test: two copies both go.

    Args:
        test: "parcorr" (partial correlation: linear), "robust_parcorr" (of ranks) or "cmiknn" (nearest
            neighbours and permutation: any dependence, a minute a variable).
        max_steps: At most this many steps; None for all, and 500 for "cmiknn".
    """
    one_of(list(TESTS))("tigramite", "test", test)
    steps = SLOW.get(test) if max_steps is None else max_steps
    scored.check("tigramite", alpha=alpha, max_steps=steps)
    require_extra("tigramite", "tigramite")
    config = {"test": test, "alpha": alpha, "max_steps": max_steps, "seed": seed}
    made = Made("tigramite", "values of the test statistic", config)
    draw = int(scored.own_stream(seed).integers(2**31))

    def find(data: Trajectories, candidates: list[int], report: Report) -> Selection:
        used, note = at_most(data, steps)
        run = partial(tested, used.states[:, candidates], target_of(used).as_numbers(), test, draw)
        found = scored.mapped(run, range(len(candidates)), n_jobs, report, "tigramite")
        gains, single = np.array(found).T
        p_values = np.minimum(1.0, single * len(candidates)).tolist()
        kept = [p < alpha for p in p_values]
        noted = replace(made, notes=(note,))
        return scored.by_decision(data, candidates, kept, gains, noted, p_values=p_values)

    return scored.answered(data, made, progress, find)


def tested(columns: Floats, target: Floats, test: str, seed: int, variable: int) -> tuple[float, float]:
    """Largest statistic over the target's columns, and its p-value, corrected for their number."""
    own, others = columns[:, [variable]], np.delete(columns, variable, axis=1)
    results = [
        _test(test, seed + variable).run_test_raw(own, column[:, None], others if others.size else None)
        for column in target.T
    ]
    value, p_value = min(results, key=lambda one: float(one[1]))
    return float(value), min(1.0, float(p_value) * len(results))


def _test(name: str, seed: int) -> Any:
    module, kind = TESTS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = getattr(import_module(f"tigramite.independence_tests.{module}"), kind)
    return made(seed=seed, verbosity=0)
