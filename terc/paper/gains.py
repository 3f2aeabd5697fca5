"""What each variable is worth, by the paper's estimator and rule, by ours, and by its two baselines."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from terc.entropy.base import Estimator, Subset
from terc.entropy.mine import MineEstimator
from terc.entropy.paper_rule import PaperRuleTest
from terc.entropy.predictive import PredictiveEstimator
from terc.errors import TercWarning
from terc.paper.scale import Scale
from terc.paper.sources import Source, at_most, read
from terc.predictors.counts import Counts
from terc.predictors.linear import Linear
from terc.selection.algorithm_1 import batched, naive
from terc.selection.reasons import with_reasons
from terc.selection.request import Request
from terc.selection.result import Selection
from terc.selection.select import select
from terc.selection.verdicts import evidence_of, rows_of
from terc.store import Store, Task
from terc.trajectories.data import Trajectories

OURS, MINE, UMFI, PI = "TERC, ours", "TERC, MINE", "UMFI", "PI"
METHODS = (OURS, MINE, UMFI, PI)
SHORT = {OURS: "ours", MINE: "mine", UMFI: "umfi", PI: "pi"}


@dataclass(frozen=True)
class Gains:
    """What the gains of one data set are to be measured with.

    Attributes:
        key: Folder of the data set's tasks.
        words: The data set in words.
        source: Its steps.
        world: Name of the appendix's settings of MINE.
        trees: Of UMFI's forests.
        needs: Tasks that save the steps.
    """

    key: str
    words: str
    source: Source
    world: str
    trees: int = 100
    needs: tuple[Task, ...] = ()

    def task(self, method: str, scale: Scale, *, seed: int = 0, only: Sequence[str] | None = None) -> Task:
        """The task that measures by one method; `only` names the variables that MINE measures."""
        options: dict[str, Any] = {"source": self.source, "steps": scale.steps, "seed": seed}
        if method == OURS:
            options |= {"hurried": scale.hurried}
        if method == MINE:
            options |= {"world": self.world, "runs": scale.mine_runs, "nulls": scale.mine_nulls}
            options |= {"batch": scale.mine_batch, "updates": scale.mine_updates, "only": only}
        if method == UMFI:
            options |= {
                "trees": min(self.trees, scale.forest_trees),
                "runs": scale.forest_runs,
                "most": scale.forest_steps,
            }
        if method == PI:
            options |= {"repeats": scale.permutations}
        works: dict[str, Callable[..., dict[str, Any]]] = {
            OURS: by_ours,
            MINE: by_mine,
            UMFI: by_umfi,
            PI: by_permutation,
        }
        key, words = f"{self.key}/{SHORT[method]}", f"{self.words}: {method}"
        code = {OURS: (select.__module__, read.__module__)}.get(method, ())
        return Task(key, words, works[method], options, self.needs, code=code)

    def tasks(self, scale: Scale, *, seed: int = 0, methods: Sequence[str] = METHODS) -> list[Task]:
        """One task per method."""
        return [self.task(method, scale, seed=seed) for method in methods]


def selection_of(store: Store, key: str, method: str = OURS) -> Selection:
    """What a method chose for the data set of folder `key`."""
    return Selection.from_dict(store[f"{key}/{SHORT[method]}"])


def by_ours(
    store: Store, key: str, *, source: Source, steps: int, seed: int, hurried: bool
) -> dict[str, Any]:
    """`terc.select` as a user would call it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TercWarning)
        return select(at_most(read(store, source), steps), our_estimator(hurried), seed=seed).to_dict()


def our_estimator(hurried: bool) -> str | Estimator:
    """What `terc.select` takes unless told otherwise; the cheapest predictors alone when hurried."""
    return PredictiveEstimator((Counts(), Linear())) if hurried else "auto"


def by_umfi(
    store: Store, key: str, *, source: Source, steps: int, seed: int, **options: Any
) -> dict[str, Any]:
    """UMFI with optimal transport."""
    from terc.baselines.umfi import umfi

    data = at_most(read(store, source), steps)
    return umfi(
        data, trees=options["trees"], runs=options["runs"], max_steps=options["most"], seed=seed
    ).to_dict()


def by_permutation(
    store: Store, key: str, *, source: Source, steps: int, seed: int, repeats: int
) -> dict[str, Any]:
    """Permutation importance of a ridge regression."""
    from terc.baselines.permutation_importance import permutation_importance

    data = at_most(read(store, source), steps)
    return permutation_importance(data, model="ridge", repeats=repeats, seed=seed).to_dict()


def by_mine(
    store: Store, key: str, *, source: Source, steps: int, seed: int, **options: Any
) -> dict[str, Any]:
    """The paper's estimator, null model and rule; the updates used stand in the notes and in `config`.

    b is at most the number of steps: Lunar Lander's 25,000 drawn from 10,000 steps add nothing.
    """
    estimator = replace(MineEstimator.for_world(options["world"]), runs=options["runs"])
    batch, updates = options["batch"], options["updates"]
    estimator = replace(
        estimator,
        batch=min(estimator.batch, batch or estimator.batch, steps),
        iterations=min(estimator.iterations, updates or estimator.iterations),
        null_draws=options["nulls"],
    )
    data = at_most(read(store, source), steps)
    return paper_selection(data, estimator, only=options["only"], seed=seed).to_dict()


@dataclass(frozen=True)
class Counted(Estimator):
    """MINE that notes how many updates each network got.

    Attributes:
        mine: The estimator.
        updates: Filled by each call.
    """

    mine: MineEstimator
    updates: list[int] = field(default_factory=list, compare=False)

    def _losses(self, data: Trajectories, subsets: list[Subset], *, rng: np.random.Generator) -> np.ndarray:
        trace = self.mine.trace(data, subsets, rng=rng)
        self.updates.extend(int(count) for count in trace.steps.ravel())
        return -trace.information[:, :, None]


def paper_selection(
    data: Trajectories,
    mine: MineEstimator,
    *,
    only: Sequence[str] | None = None,
    seed: int = 0,
) -> Selection:
    """Algorithm 1 in a random order with MINE and the paper's rule; with `only` those variables beside all.

    Example:
        >>> x = np.random.default_rng(0).integers(0, 2, (400, 3))
        >>> data = Trajectories(x, x[:, 0] ^ x[:, 1], names=["a", "b", "noise"])
        >>> paper_selection(data, MineEstimator(runs=3, null_draws=1)).kept
        ('a', 'b')
    """
    began, rng, counted = time.perf_counter(), np.random.default_rng(seed), Counted(mine)
    test = PaperRuleTest(data, counted, rng=rng, null_draws=mine.null_draws)
    columns = range(len(data.names)) if only is None else [data.names.index(name) for name in only]
    order = [(int(j),) for j in rng.permutation(list(columns))]
    others = [(j,) for j in range(len(data.names)) if (j,) not in order]
    found = (batched if only is None else naive)(test, order, others)
    rows = rows_of(data, evidence_of(test, found, order), found.kept, test)
    request = Request(tuple(order), tuple(others), (), frozenset(), ordered=True)
    used = {"updates": int(np.median(counted.updates)), "most_updates": int(max(counted.updates))}
    return Selection(
        with_reasons(data, request, found, test, [rows[j] for j in sorted(rows)]),
        n_steps=len(data),
        n_episodes=data.n_episodes,
        method="sequential" if only is None else "naive",
        estimator="mine",
        config={
            "batch": mine.batch,
            "cap": mine.iterations,
            "runs": mine.runs,
            "networks": len(counted.updates),
        }
        | used,
        timings={"select": time.perf_counter() - began},
    )
