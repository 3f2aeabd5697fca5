"""`select`: which variables do the actions depend on?"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from terc.entropy.choose import ESTIMATORS, choose_estimator
from terc.errors import BadTypeError, BadValueError, TercWarning, unknown_name
from terc.parallel.choose import choose_backend
from terc.seeding import generator
from terc.selection import automatic
from terc.selection.bench import Bench, lay_out
from terc.selection.calibration import self_check
from terc.selection.request import Order, Request, read_request
from terc.selection.result import Interval, Selection, Verdict
from terc.selection.verdicts import retained, steps_of, verdicts
from terc.trajectories.data import Trajectories

if TYPE_CHECKING:
    from terc.entropy.base import Estimator
    from terc.parallel.backend import Backend

MIN_EFFECT = 0.002
METHODS = ("naive", "sequential", "minimal")
Progress = Callable[[int, int, str], None]


def select(  # noqa: PLR0913  (the public contract)
    data: Trajectories,
    estimator: str | Estimator = "auto",
    method: str = "sequential",
    alpha: float = 0.05,
    min_effect: float | None = None,
    order: Order = None,
    costs: Mapping[str, float] | None = None,
    groups: Iterable[Sequence[str]] | None = None,
    keep: Iterable[str] = (),
    n_jobs: int = 1,
    backend: str | Backend | None = None,
    seed: int = 0,
    progress: bool | Progress = False,
) -> Selection:
    """The variables that the actions depend on, with a stated error rate.

    Phi(X_i) = H(A | X without X_i) - H(A | X) is tested for each variable in turn, as Algorithm 1 of the paper does:
    what can go given the rest goes, and the next is tested without it.

    Args:
        data: Recorded steps.
        estimator: "auto" (chooses by the data and combines instruments), "plugin", "predictive", "mine", "knn", or
            an instance.
        method: "sequential" (Algorithm 1), "naive" (all that is needed beside all others: two copies both go), or
            "minimal" (the smallest sufficient set).
        alpha: Chance of keeping any variable that tells nothing, over all variables together.
        min_effect: Share of I(A; X) below which a loss is immaterial; 0.002 when None.
        order: Names in the order in which they are offered for removal, or "random". None lets the data decide
            (the least telling first).
        costs: What each variable costs to sense; the dearest is offered for removal first.
        groups: Lists of names that stand or fall together.
        keep: Names that are never removed.
        n_jobs: Worker processes; -1 for one per core. The answer does not depend on it.
        backend: "serial", "processes", "ray", or an object with `map`; None decides by `n_jobs`.
        seed: Same seed, same answer.
        progress: True for a bar on a terminal, or a function `(done, total, what)`.

    Returns:
        The selection: kept, removed with reasons, intervals, and what to doubt.

    Example:
        The action is the XOR of two bits; the third bit is a copy of the first, the fourth is noise.
        >>> rng = np.random.default_rng(0)
        >>> a, b, noise = rng.integers(0, 2, (3, 2000))
        >>> data = Trajectories(np.stack([a, b, a, noise], 1), a ^ b, names=["a", "b", "copy", "noise"],
        ...                     episodes=np.arange(2000))
        >>> select(data, order=["noise", "copy", "a", "b"]).kept
        ('a', 'b')
    """
    started = time.perf_counter()
    if not isinstance(data, Trajectories):
        raise BadTypeError(f"select: data must be Trajectories, got {type(data).__name__}. Use terc.Trajectories(...).")
    share = _checked(method, alpha, min_effect)
    rng = generator(seed)
    request = read_request(data, order=order, costs=costs, groups=groups, keep=keep, rng=rng)
    chosen = choose_estimator(data, estimator)
    config = {
        "estimator": estimator if isinstance(estimator, str) else repr(estimator),
        "method": method,
        "alpha": alpha,
        "min_effect": share,
        "order": order if isinstance(order, str) or order is None else list(order),
        "costs": None if costs is None else dict(costs),
        "groups": None if groups is None else [list(group) for group in groups],
        "keep": list(keep),
        "seed": seed,
    }
    if len(np.unique(data.actions, axis=0)) == 1 or not request.units:
        return _nothing_to_tell(data, request, config)
    workers = choose_backend(backend, n_jobs)
    bench = lay_out(
        data, request, chosen.estimator, alpha=alpha, min_effect=share, rng=rng, spread=workers.map
    )
    selection = _decided(bench, method, combined=chosen.combined, rng=rng)
    notes = (chosen.note, bench.splits.note, *selection.notes)
    return _finished(selection, config, notes, started)


def _decided(bench: Bench, method: str, *, combined: bool, rng: np.random.Generator) -> Selection:
    if combined:
        decided = automatic.decide(bench, method)
    else:
        decided = automatic.decide_by_loss(bench, method)
    kept = decided.elimination.kept
    columns = tuple(sorted(column for unit in kept for column in unit))
    level = bench.level(columns, bench.columns)
    test = bench.combined_test(level) if combined else bench.loss_test(level)
    from terc.entropy.base import View

    check = self_check(bench.residuals, columns, bench.judgements.residuals(View(columns)), alpha=bench.alpha, rng=rng)
    return Selection(
        verdicts(bench, kept, test, level),
        steps=steps_of(bench, decided.elimination.asked, level),
        retained=retained(bench, kept, level),
        information=bench.information(columns, bench.columns),
        action_entropy=bench.action_entropy,
        n_steps=len(bench.data),
        n_episodes=bench.data.n_episodes,
        method=method,
        estimator=bench.instrument,
        notes=(*decided.notes, check.sentence),
    )


def _finished(selection: Selection, config: Mapping[str, Any], notes: tuple[str, ...], started: float) -> Selection:
    from dataclasses import replace

    return replace(
        selection,
        config=config,
        estimator=str(config["estimator"]),
        notes=tuple(note for note in notes if note),
        timings={"select": time.perf_counter() - started},
    )


def _checked(method: str, alpha: float, min_effect: float | None) -> float:
    if method not in METHODS:
        raise unknown_name("select", "method", method, METHODS)
    if not 0 < alpha < 1:
        raise BadValueError(f"select: alpha must lie between 0 and 1, got {alpha}.")
    share = MIN_EFFECT if min_effect is None else min_effect
    if not 0 <= share < 1:
        raise BadValueError(f"select: min_effect is a share of I(A; X) from 0 up to 1, got {min_effect}.")
    return share


def _nothing_to_tell(data: Trajectories, request: Request, config: Mapping[str, Any]) -> Selection:
    """The answer where there is nothing to predict, or nothing to predict it from."""
    what = "every variable is constant" if not request.units else "the action never changes"
    note = f"{what}: no variable can tell anything about it."
    warnings.warn(f"select: {note}", TercWarning, stacklevel=3)
    rows = [
        Verdict(name, 0.0, 0.0, 0.0, 0.0, 1.0, False, "constant" if j in request.constant else "irrelevant")
        for j, name in enumerate(data.names)
    ]
    return Selection(
        tuple(rows),
        retained=Interval(float("nan"), float("nan"), float("nan")),
        information=0.0,
        action_entropy=0.0,
        n_steps=len(data),
        n_episodes=data.n_episodes,
        method=str(config["method"]),
        estimator=str(config["estimator"]),
        config=config,
        notes=(note,),
    )


__all__ = ["ESTIMATORS", "METHODS", "select"]
