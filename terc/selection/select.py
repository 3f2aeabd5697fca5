"""`select`: which variables do the actions depend on?"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.choose import choose_estimator
from terc.errors import BadTypeError, TercWarning
from terc.parallel.choose import choose_backend
from terc.parallel.serial import Serial
from terc.seeding import generator
from terc.selection.bench import lay_out
from terc.selection.decide import Wish, decide, decide_by_rule
from terc.selection.progress import Report, reporting
from terc.selection.request import Request, read_request
from terc.selection.result import Interval, Selection
from terc.selection.rules import WITH_LOSSES, check_rule, family_size, rule_test
from terc.selection.settings import ALPHA, Settings
from terc.selection.verdicts import idle_row
from terc.trajectories.data import Trajectories

if TYPE_CHECKING:
    from terc.entropy.base import Estimator
    from terc.parallel.backend import Backend


def select(  # noqa: PLR0913  (the public contract)
    data: Trajectories,
    estimator: str | Estimator = "auto",
    method: str = "sequential",
    alpha: float = ALPHA,
    min_effect: float | None = None,
    order: Sequence[str] | str | None = None,
    costs: Mapping[str, float] | None = None,
    groups: Iterable[Sequence[str]] | None = None,
    keep: Iterable[str] = (),
    n_jobs: int = 1,
    backend: str | Backend | None = None,
    seed: int = 0,
    progress: bool | Report = False,
    error_rate: str = "family",
) -> Selection:
    """The variables that the actions depend on, with a stated error rate.

    Phi(X_i) = H(A | X without X_i) - H(A | X) is tested for each variable in turn, as Algorithm 1 of the
    paper does: what can go given the rest goes, and the next is tested without it.

    Args:
        data: Recorded steps.
        estimator: "auto" (chooses by the data and combines instruments), "plugin", "predictive", "mine",
            "knn", or an instance.
        method: "sequential" (Algorithm 1), "naive" (all that is needed beside all others: two copies both
            go), or "minimal" (the smallest sufficient set, searched for at most a CPU minute: a search that
            ends there, which a note says, depends on the speed of the machine).
        alpha: Chance of keeping any variable that tells nothing, over all variables together. "mine" decides
            by the paper's two standard errors and takes none.
        min_effect: Share of I(A; X) below which a loss is immaterial; when None 0.005, or 0 for "mine" and
            "knn".
        order: Names in the order in which they are offered for removal, or "random". None offers the least
            telling first where "auto" takes networks; where it counts, and with any other estimator, columns
            go in their order.
        costs: What each variable costs to sense; the dearest is offered for removal first.
        groups: Lists of names that stand or fall together, those that never change included.
        keep: Names that are never removed.
        n_jobs: Worker processes; -1 for one per core. The answer does not depend on it, unless a "minimal"
            search runs out of its time.
        backend: "serial", "processes", "ray", or an object with `map`; None decides by `n_jobs`.
        seed: Same seed, same answer.
        progress: True for a bar on a terminal, or a function `(done, total, what)`.
        error_rate: What `alpha` bounds: "family", the chance that any is kept wrongly, or "discovery",
            the share of wrong ones among the kept.

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
        raise BadTypeError(
            f"select: data must be Trajectories, got {type(data).__name__}. Use terc.Trajectories(...)."
        )
    rng = generator(seed)
    wanted = Settings.of(
        estimator, method=method, alpha=alpha, min_effect=min_effect, order=order, costs=costs, groups=groups,
        keep=keep, seed=seed, error_rate=error_rate,
    )  # fmt: skip
    request = read_request(data, wanted, rng=rng)
    chosen = choose_estimator(data, estimator)
    check_rule(chosen.estimator, wanted)
    workers = choose_backend(backend, n_jobs)
    if len(np.unique(data.actions, axis=0)) == 1 or not request.units:
        return _nothing_to_tell(data, request, wanted)
    with reporting(progress) as report:
        if isinstance(chosen.estimator, WITH_LOSSES):
            bench = lay_out(data, request, chosen.estimator, wanted, rng=rng, spread=workers.map)
            wish = Wish(method, chosen.combined, wanted.costs, not isinstance(workers, Serial))
            selection = decide(bench, wish, report, rng=rng)
            notes = (chosen.note, bench.splits.note, *selection.notes)
        else:
            wanted = replace(wanted, min_effect=min_effect or 0.0)
            units = len(request.units)
            test = rule_test(data, chosen.estimator, wanted, units, rng=rng)
            tests = family_size(chosen.estimator, units)
            selection = decide_by_rule(data, request, test, method, report, tests=tests)
            notes = selection.notes
    return replace(
        selection,
        config=wanted.to_dict(),
        estimator=wanted.estimator,
        notes=tuple(note for note in notes if note),
        timings={"select": time.perf_counter() - started},
    )


def _nothing_to_tell(data: Trajectories, request: Request, wanted: Settings) -> Selection:
    """The answer where there is nothing to predict, or nothing to predict it from."""
    what = "every variable is constant" if not request.units else "the action never changes"
    note = f"{what}: no variable can tell anything about it."
    warnings.warn(f"select: {note}", TercWarning, stacklevel=3)
    rows = [
        idle_row(name, request, "constant" if j in request.constant else "irrelevant")
        for j, name in enumerate(data.names)
    ]
    return Selection(
        tuple(rows),
        retained=Interval(float("nan"), float("nan"), float("nan")),
        information=0.0,
        action_entropy=0.0,
        n_steps=len(data),
        n_episodes=data.n_episodes,
        method=wanted.method,
        estimator=wanted.estimator,
        config=wanted.to_dict(),
        notes=(note,),
    )
