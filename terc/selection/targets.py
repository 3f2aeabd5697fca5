"""What is to be predicted: the actions, the reward, or next values; each is the same question of other data.

The engine asks which columns of a table predict another column. So the reward takes the place of the action,
and the action joins the variables; for next values those of the following step do, and an episode's last
step, which has none, is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from terc.arrays import Array
from terc.errors import BadTypeError, BadValueError, unknown_name
from terc.trajectories.data import Trajectories
from terc.trajectories.names import names_of

TARGETS = ("actions", "reward", "next")
MOST_LEVELS = 16
"""Up to so many different values a single target is a choice among them; beyond, a number."""
FEW_LEVELS = 5
"""Up to so many values a target among several is a choice, one column per value."""


@dataclass(frozen=True)
class Target:
    """What is to be predicted.

    Attributes:
        what: One of `TARGETS`.
        of: For "next", the variables whose next values are meant; None for all.

    Example:
        >>> data = Trajectories([[0], [1], [5]], [0, 1, 0], names=["v"])
        >>> asked = Target("next").asked_of(data)
        >>> asked.names, asked.states.tolist(), asked.actions.tolist()
        (('v', 'action'), [[0.0, 0.0], [1.0, 1.0]], [0, 1])
    """

    what: str = "actions"
    of: Iterable[str] | str | None = None

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
        if self.what == "reward":
            rows = np.arange(len(data))
            target = [self._reward(data)]
        else:
            rows = np.flatnonzero(np.diff(data.episodes) == 0)
            if not rows.size:
                raise BadValueError("select: target 'next' needs episodes of two steps or more, got none.")
            target = [_next(data, rows, name, set(fixed)) for name in self._names(data)]
        return _table(data, rows, target)

    def _names(self, data: Trajectories) -> Sequence[str]:
        names = data.names if self.of is None else names_of("select: of", self.of, data.names)
        if not names:
            raise BadValueError("select: of= wants at least one variable, got none.")
        return names

    def _reward(self, data: Trajectories) -> tuple[Array, bool]:
        if data.rewards is None:
            raise BadValueError(
                "select: target 'reward' needs data with rewards: Trajectories(..., rewards=...)."
            )
        return data.rewards, False


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
    later, change = values[rows + 1], values[rows + 1] - values[rows]
    numbers = not nominal and len(np.unique(later)) > MOST_LEVELS
    return (change if name in fixed and numbers and change.var() < later.var() else later), nominal


def _table(data: Trajectories, rows: Array, target: list[tuple[Array, bool]]) -> Trajectories:
    """Variables and action beside each other, the target in place of the action."""
    acted = data.actions[rows].reshape(len(rows), -1)
    names = action_names(data)
    labels = data.action_kind == "discrete" and (
        data.action_labels is not None or len(np.unique(acted)) <= MOST_LEVELS
    )
    predicted, kind = _predicted(target)
    return Trajectories(
        np.column_stack([data.states[rows], acted]),
        predicted,
        episodes=data.episodes[rows],
        names=[*data.names, *names],
        nominal=[*data.nominal, *(names if labels else ())],
        action_kind=kind,
        source=None if data.source is None else data.source[rows],
    )


def _predicted(target: list[tuple[Array, bool]]) -> tuple[Array, str]:
    """The target as the engine reads it: one choice, or numbers with a choice as one column per value.

    By the chain rule the columns of a choice are asked about one after another, each given those before.
    """
    columns: list[Array] = []
    for values, nominal in target:
        levels, codes = np.unique(values, return_inverse=True)
        codes = codes.reshape(-1)
        if len(target) == 1 and (nominal or len(levels) <= MOST_LEVELS):
            return codes, "discrete"
        choice = len(levels) > 2 and (nominal or len(levels) <= FEW_LEVELS)
        columns += [codes == k for k in range(len(levels) - 1)] if choice else [values]
    return np.column_stack(columns).astype(np.float64), "continuous"


def checked_policies(policies: object) -> str:
    """`policies` if it is "any" or "all"."""
    if not isinstance(policies, str):
        raise BadTypeError(f"select: policies must be 'any' or 'all', got {policies!r}.")
    if policies not in ("any", "all"):
        raise unknown_name("select", "choice of policies", policies, ("any", "all"))
    return policies
