"""What permutation importance keeps when the actions have nothing to do with the states."""

import numpy as np

from terc.baselines.permutation_importance import permutation_importance
from terc.paper.gains import PI, Gains
from terc.paper.scale import Scale
from terc.paper.worlds import Source, at_most, read
from terc.store import Store, Task
from terc.trajectories.data import Trajectories

SHUFFLES = 5
CODE = ("terc.baselines.permutation_importance", "terc.paper.worlds")


def chance_task(gains: Gains, scale: Scale) -> Task:
    """PI on the steps of one agent, their actions shuffled."""
    given = gains.task(PI, scale).options
    options = {name: given[name] for name in ("source", "steps", "seed", "repeats")} | {"shuffles": SHUFFLES}
    key, words = f"{gains.key}/pi-shuffled", f"{gains.words}: PI by chance"
    return Task(key, words, kept_by_chance, options, gains.needs, code=CODE)


def kept_by_chance(  # noqa: PLR0913  (the settings of the task)
    store: Store, key: str, *, source: Source, steps: int, seed: int, repeats: int, shuffles: int
) -> list[int]:
    """How many variables PI keeps, for each shuffle of the actions."""
    data, rng = at_most(read(store, source), steps), np.random.default_rng(seed)
    kept = []
    for _ in range(shuffles):
        actions = rng.permutation(data.actions)
        shuffled = Trajectories(
            data.states, actions, episodes=data.episodes, names=data.names, action_kind=data.action_kind
        )
        kept.append(len(permutation_importance(shuffled, model="ridge", repeats=repeats, seed=seed).kept))
    return kept
