"""What each variable is worth, by Algorithm 1 as printed, by our engine, and by the three baselines."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from terc.baselines.methods import METHODS as BASELINES
from terc.entropy.base import Estimator
from terc.entropy.mine import MineEstimator
from terc.entropy.predictive import PredictiveEstimator
from terc.errors import TercWarning
from terc.paper.printed import printed_selection
from terc.paper.scale import Scale
from terc.paper.worlds import PAPER_WORLDS, Source, at_most, read
from terc.predictors.counts import Counts
from terc.predictors.linear import Linear
from terc.selection.result import Selection
from terc.selection.select import select
from terc.store import Store, Task
from terc.trajectories.data import Trajectories

PRINTED, OURS, UMFI, PI, SEEK = "TERC as printed", "terc.select", "UMFI", "PI", "SEEK"
METHODS = (PRINTED, OURS, UMFI, PI, SEEK)
SHORT = {PRINTED: "mine", OURS: "ours", UMFI: "umfi", PI: "pi", SEEK: "seek"}
CODE = {
    PRINTED: "terc.paper.printed",
    OURS: "terc.selection.select",
    UMFI: "terc.baselines.umfi",
    PI: "terc.baselines.permutation_importance",
    SEEK: "terc.baselines.knockoffs",
}
"""Where each method's code is."""
DECOYS = 10
"""Other keys that MINE asks about where it does not ask about all: as many as the paper draws."""


@dataclass(frozen=True)
class Gains:
    """What the gains of one data set are to be measured with.

    Attributes:
        world: Name of the appendix's settings of MINE.
        needs: Tasks that save the steps.
        right: Variables that MINE asks about in any case where it does not ask about all.
    """

    key: str
    words: str
    source: Source
    world: str
    trees: int = 100
    needs: tuple[Task, ...] = ()
    right: tuple[str, ...] = ()

    def task(self, method: str, scale: Scale, *, seed: int = 0) -> Task:
        """The task that measures by one method."""
        steps = scale.most_steps if self.world in PAPER_WORLDS else scale.steps
        mine = {"runs": scale.mine_runs, "batch": scale.mine_batch, "updates": scale.mine_updates}
        own: dict[str, dict[str, Any]] = {
            PRINTED: {"world": self.world, **mine, "right": list(self.right)},
            OURS: {"hurried": scale.hurried},
            UMFI: {
                "trees": min(self.trees, scale.forest_trees),
                "runs": scale.forest_runs,
                "max_steps": scale.forest_steps,
            },
            PI: {"repeats": scale.permutations},
            SEEK: {},
        }
        options = {"method": method, "source": self.source, "steps": steps, "seed": seed, **own[method]}
        key, words = f"{self.key}/{SHORT[method]}", f"{self.words}: {method}"
        code = ("terc.paper.worlds", CODE[method])
        return Task(key, words, selected, options, self.needs, code=code)

    def tasks(self, scale: Scale, methods: Sequence[str] = METHODS, *, seed: int = 0) -> list[Task]:
        """One task per method."""
        return [self.task(method, scale, seed=seed) for method in methods]


def selection_of(store: Store, key: str, method: str = OURS) -> Selection:
    """What a method chose for the data set of folder `key`."""
    return Selection.from_dict(store[f"{key}/{SHORT[method]}"])


def selected(
    store: Store, key: str, *, method: str, source: Source, steps: int, **settings: Any
) -> dict[str, Any]:
    """What a method keeps of recorded steps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TercWarning)
        return CHOOSERS[method](at_most(read(store, source), steps), **settings).to_dict()


def by_ours(data: Trajectories, *, seed: int, hurried: bool) -> Selection:
    """`terc.select` as a user would call it; the cheapest predictors alone when hurried."""
    estimator: str | Estimator = PredictiveEstimator((Counts(), Linear())) if hurried else "auto"
    return select(data, estimator, seed=seed)


def by_mine(data: Trajectories, *, seed: int, **options: Any) -> Selection:
    """Algorithm 1 as printed; the updates used stand in `config`."""
    estimator = replace(mine_of(options, len(data)), runs=options["runs"])
    only = strongest(data, options["right"]) if options["right"] else None
    return printed_selection(data, estimator, only=only, seed=seed)


CHOOSERS: dict[str, Callable[..., Selection]] = {
    PRINTED: by_mine,
    OURS: by_ours,
    UMFI: BASELINES["umfi"],
    PI: BASELINES["permutation"],
    SEEK: BASELINES["knockoffs"],
}


def mine_of(options: dict[str, Any], steps: int) -> MineEstimator:
    """The appendix's settings, b and N capped as the options say; b is at most the number of steps."""
    printed = MineEstimator.for_world(options["world"])
    return replace(
        printed,
        batch=min(printed.batch, options["batch"] or printed.batch, steps),
        iterations=min(printed.iterations, options["updates"] or printed.iterations),
    )


def strongest(data: Trajectories, right: Sequence[str]) -> list[str]:
    """The right variables and, of the others, those whose values correlate most with the action."""
    actions = np.asarray(data.actions, float)
    size = {n: abs(np.corrcoef(data.states[:, j], actions)[0, 1]) for j, n in enumerate(data.names)}
    others = sorted((name for name in data.names if name not in right), key=lambda name: -size[name])
    return [name for name in data.names if name in {*right, *others[:DECOYS]}]


def whole_updates(store: Store, key: str, *, source: Source, steps: int, world: str) -> dict[str, Any]:
    """Phi of the first variable in one run, ended at a plateau and after all N updates."""
    data = at_most(read(store, source), steps)
    mine = replace(mine_of({"world": world, "batch": None, "updates": None}, len(data)), runs=1)
    every, found = tuple(range(len(data.names))), {}
    for name, plateau in (("plateau", mine.plateau), ("all", None)):
        trace = replace(mine, plateau=plateau).trace(data, [every, every[1:]], rng=np.random.default_rng(0))
        gains = trace.information[0] - trace.information[1]
        found[name] = {"gain": gains.tolist(), "updates": int(np.median(trace.steps))}
    return {**found, "variable": data.names[0], "batch": mine.batch, "steps": len(data)}
