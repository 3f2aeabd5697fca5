"""What is to be predicted: actions, reward, next values, the episode's end; the same question of other data.

The engine asks which columns of a table predict another column. So the reward takes the place of the action,
and the action joins the variables; for next values those of the following step do, and an episode's last
step, which has none, is left out.

Worlds are often deterministic: rewards and next values that are numbers are asked about with a little noise.
Otherwise a variable that helps where a predictor does not fit exactly would carry information about digits.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from terc.arrays import Array
from terc.errors import BadTypeError, BadValueError, unknown_name
from terc.seeding import generator
from terc.trajectories.actions import indicators
from terc.trajectories.array_doubts import seen_before
from terc.trajectories.columns import of_size_one
from terc.trajectories.data import Trajectories
from terc.trajectories.names import names_of

TARGETS = {
    "actions": "the action",
    "reward": "the reward",
    "next": "the next values",
    "end": "the end of the episode",
}
"""What can be predicted, and how a sentence speaks of it."""
MOST_LEVELS = 16
"""Up to so many different values a single target is a choice among them; beyond, a number."""
FEW_LEVELS = 5
"""Up to so many values a target among several is a choice, one column per value."""
BLUR = 0.1
"""Noise added to a number, in standard deviations: what moves it by a fiftieth of one still shows."""
FEWEST_ENDS = 20
"""Ends of episodes from which what brings them about can be learnt at all."""


@dataclass(frozen=True)
class Target:
    """What is to be predicted.

    Attributes:
        what: One of `TARGETS`.
        of: For "next", the variables whose next values are meant; None for all.
        given: Variables whose next values are known too, as further variables `next ...`.

    Example:
        >>> data = Trajectories([[0], [1], [5]], [0, 1, 0], names=["v"])
        >>> asked = Target("next").asked_of(data)
        >>> asked.names, asked.states.tolist(), asked.actions.tolist()
        (('v', 'action'), [[0.0, 0.0], [1.0, 1.0]], [0, 1])
    """

    what: str = "actions"
    of: Iterable[str] | str | None = None
    given: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what is none."""
        if self.what not in TARGETS:
            raise unknown_name("select", "target", self.what, TARGETS)
        if self.of is not None and self.what != "next":
            raise BadValueError(f"select: of= says whose next values are meant; target is {self.what!r}.")

    def asked_of(self, data: Trajectories, fixed: Iterable[str] = ()) -> Trajectories:
        """`data` with the target in the place of the action; variables that are `fixed` always stay."""
        if self.what == "actions":
            return data
        if self.what == "end":
            rows, ends = episode_ends(data)
            if not rows.size:
                raise BadValueError("select: target 'end' needs episodes of two steps or more, got none.")
            return self._table(data, rows, [(ends, False)])
        if self.what == "reward":
            return self._table(data, np.arange(len(data)), [self._reward(data)])
        rows = np.flatnonzero(np.diff(data.episodes) == 0)
        if not rows.size:
            raise BadValueError("select: target 'next' needs episodes of two steps or more, got none.")
        return self._table(data, rows, [_next(data, rows, name, set(fixed)) for name in self._names(data)])

    def _names(self, data: Trajectories) -> Sequence[str]:
        names = data.names if self.of is None else names_of("select: of", self.of, data.names)
        if not names:
            raise BadValueError("select: of= wants at least one variable, got none.")
        return names

    def why_constant(self) -> str:
        """Why there may be nothing to predict."""
        if self.what == "end":
            return "episodes end at the longest length alone, as by a time limit, or with the recording"
        return "there is nothing to predict"

    def _reward(self, data: Trajectories) -> tuple[Array, bool]:
        if data.rewards is None:
            raise BadValueError(
                "select: target 'reward' needs data with rewards: Trajectories(..., rewards=...)."
            )
        return _blurred(data.rewards), False

    def _table(self, data: Trajectories, rows: Array, target: list[tuple[Array, bool]]) -> Trajectories:
        """Variables, action and what else is given beside each other, the target in place of the action."""
        acted = data.actions[rows].reshape(len(rows), -1)
        names = action_names(data)
        labels = data.action_kind == "discrete" and (
            data.action_labels is not None or len(np.unique(acted)) <= MOST_LEVELS
        )
        later = data.states[np.minimum(rows + 1, len(data) - 1)][:, [data.column(one) for one in self.given]]
        nominal = [next_name(one, data.names) for one in self.given if one in data.nominal]
        predicted, kind = _predicted(target)
        return Trajectories(
            seen_before(np.column_stack([data.states[rows], acted, later])),
            predicted,
            episodes=data.episodes[rows],
            names=[*data.names, *names, *(next_name(one, data.names) for one in self.given)],
            nominal=[*data.nominal, *(names if labels else ()), *nominal],
            action_kind=kind,
            source=None if data.source is None else data.source[rows],
        )


def episode_ends(data: Trajectories) -> tuple[Array, Array]:
    """The steps of which it is known whether they ended their episode, and whether they did.

    The longest length, where several episodes share it, is a time limit; and the end of a recording is none.
    """
    last = np.flatnonzero(np.diff(data.episodes, append=data.episodes[-1] + 1))
    lengths = np.diff(last, prepend=-1)
    source = np.zeros(len(data)) if data.source is None else data.source
    cut = np.diff(source[last], append=-1) != 0
    if (lengths == lengths.max()).sum() > 1:
        cut |= lengths == lengths.max()
    ends = np.zeros(len(data), dtype=np.int64)
    ends[last] = 1
    rows = np.setdiff1d(np.arange(len(data)), last[cut])
    return rows, ends[rows]


def next_name(name: str, taken: Sequence[str]) -> str:
    """What a column of next values is called beside the variables."""
    return free_name(f"next {name}", taken)


def action_names(data: Trajectories) -> tuple[str, ...]:
    """What the columns of the action are called beside the variables.

    Example:
        >>> action_names(Trajectories([[0.0], [1.0]], [0, 1], names=["action"]))
        ('_action',)
    """
    width = 1 if data.actions.ndim == 1 else data.actions.shape[1]
    return tuple(
        free_name(name, data.names)
        for name in (["action"] if width == 1 else [f"action_{k}" for k in range(width)])
    )


def free_name(name: str, taken: Sequence[str]) -> str:
    """`name`, or with underscores before it if it is taken."""
    while name in taken:
        name = f"_{name}"
    return name


def _next(data: Trajectories, rows: Array, name: str, fixed: set[str]) -> tuple[Array, bool]:
    """The next value of a variable, and whether it is a label.

    Where its present value is a condition of every question, the change carries the same information, and in
    slow worlds on a scale that shows what moves it.
    """
    values, nominal = data.states[:, data.column(name)], name in data.nominal
    later = values[rows + 1]
    if nominal or len(np.unique(later)) <= MOST_LEVELS:
        return later, nominal
    values = of_size_one(values)
    later, change = values[rows + 1], values[rows + 1] - values[rows]
    return _blurred(change if name in fixed and change.var() < later.var() else later), False


def _blurred(values: Array) -> Array:
    """Numbers of size one with a little noise; few different ones, which are a choice, as they are."""
    if len(np.unique(values)) <= MOST_LEVELS:
        return values
    values = of_size_one(values)
    middle = float(np.subtract(*np.quantile(values, [0.75, 0.25]))) / 1.35
    scale = min(float(values.std()), middle or np.inf)
    return values + BLUR * scale * generator(0).standard_normal(len(values))


def _predicted(target: list[tuple[Array, bool]]) -> tuple[Array, str]:
    """The target as the engine reads it: one choice, or numbers with a choice as columns of 0 and 1."""
    columns: list[Array] = []
    for values, nominal in target:
        levels, codes = np.unique(values, return_inverse=True)
        codes = codes.reshape(-1)
        if len(target) == 1 and (nominal or len(levels) <= MOST_LEVELS):
            return codes, "discrete"
        choice = len(levels) > 2 and (nominal or len(levels) <= FEW_LEVELS)
        columns += [column for _, column in indicators(codes, len(levels))] if choice else [values]
    return np.column_stack(columns).astype(np.float64), "continuous"


def checked_policies(policies: object) -> str:
    """`policies` if it is "any" or "all"."""
    if not isinstance(policies, str):
        raise BadTypeError(f"select: policies must be 'any' or 'all', got {policies!r}.")
    if policies not in ("any", "all"):
        raise unknown_name("select", "choice of policies", policies, ("any", "all"))
    return policies
