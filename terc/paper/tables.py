"""Known from the learnt tables of the dilemma: in how many steps some pairs leave the best move open."""

import numpy as np

from terc.paper.worlds import saved
from terc.store import Store, Task
from terc.trajectories.data import Trajectories
from terc.trajectories.files import load

CODE = ("terc.paper.worlds",)


def table_task(needs: Task, pairs: int) -> Task:
    """How often the last `pairs` pairs leave open what the table of a learner does."""
    key, options = f"{needs.key.removesuffix('/agent')}/table", {"agent": needs.key, "pairs": pairs}
    return Task(key, f"{needs.words}: its table", table, options, (needs,), code=CODE)


def table(store: Store, key: str, *, agent: str, pairs: int) -> float:
    """`left_open` of a learner's play with random moves among its own."""
    names = [f"pair_{k}" for k in range(1, pairs + 1)]
    return left_open(load(store / saved(agent, "rollout.npz")), names)


def left_open(played: Trajectories, names: list[str]) -> float:
    """Share of the steps in which the best forecast of the likeliest move from these variables is wrong.

    Example:
        The move is that of the second pair where the first one is 1.
        >>> states = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2)
        >>> move = states[:, 0] * states[:, 1]
        >>> data = Trajectories(states, move, names=["pair_1", "pair_2"],
        ...                     probabilities=0.05 + 0.9 * np.column_stack([1 - move, move]))
        >>> left_open(data, ["pair_1"]), left_open(data, ["pair_1", "pair_2"])
        (0.25, 0.0)
    """
    if played.probabilities is None:
        return float("nan")
    moves = np.asarray(played.probabilities).argmax(1)
    columns = played.states[:, [played.names.index(name) for name in names]]
    _, group = np.unique(columns, axis=0, return_inverse=True)
    defections, steps = np.bincount(group.ravel(), moves), np.bincount(group.ravel())
    return float(np.minimum(defections, steps - defections).sum() / len(moves))
