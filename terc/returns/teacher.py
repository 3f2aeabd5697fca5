"""What a policy teaches: the states it was recorded in, and what it would do in them."""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import Space, spaces

from terc.agents.policy import Policy
from terc.arrays import Array
from terc.errors import BadTypeError, TercWarning, UnknownNameError, warn
from terc.playing.arena import Arena
from terc.playing.rollout import rollout
from terc.returns.student import Heads
from terc.trajectories.data import Trajectories
from terc.trajectories.names import some_of


def record(arena: Arena, policy: Policy, steps: int, *, greedy: bool, seed: int) -> Trajectories:
    """A rollout of our own; that a policy always does the same is no concern here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TercWarning)
        return rollout(arena.env, policy, steps=steps, seed=seed, greedy=greedy, names=arena.names)


def recorded_states(where: str, data: Trajectories, names: Sequence[str]) -> Array:
    """States `[n, d]` of a recording, in the columns of the environment."""
    if not isinstance(data, Trajectories):
        raise BadTypeError(f"{where}: data must be Trajectories, got {type(data).__name__}.")
    missing = [name for name in names if name not in data.names]
    if missing:
        raise UnknownNameError(
            f"{where}: the environment shows {list(names)}, but data lacks {missing}; it has "
            f"{list(data.names)}. Record with terc.rollout, or pass names= with the names of the data."
        )
    return np.stack([_raw(data, name) for name in names], axis=1)


def some_rows(states: Array, most: int, *, rng: np.random.Generator) -> Array:
    """At most so many of them, in their order."""
    if len(states) <= most:
        return states
    return np.asarray(states[np.sort(rng.choice(len(states), most, replace=False))])


def _shown(chosen: Any) -> str:
    kind = type(chosen).__name__
    inside = sorted({type(one).__name__ for one in chosen}) if isinstance(chosen, list | tuple) else []
    return f"{kind} of {', '.join(inside)}" if inside else kind


def chosen_columns(where: str, chosen: Any, names: Sequence[str]) -> tuple[int, ...]:
    """Column numbers, in order, of a Selection's kept variables or of names."""
    wanted = getattr(chosen, "kept", chosen)
    if isinstance(wanted, str):
        raise BadTypeError(
            f"{where}: wanted a list of names to keep, got the text {wanted!r}. Write [{wanted!r}]."
        )
    wanted = list(wanted) if isinstance(wanted, Iterable) else [None]
    if not all(isinstance(name, str) for name in wanted):
        raise BadTypeError(
            f"{where}: wanted a Selection or the names of the variables to keep, got {_shown(chosen)}. The "
            f"names are {list(names)}."
        )
    missing = [name for name in wanted if name not in names]
    if missing:
        raise UnknownNameError(
            f"{where}: wanted {wanted}, available {list(names)}, missing {missing}. Pass names= if the "
            "environment's variables are called otherwise."
        )
    compare_variables(where, chosen, names)
    return tuple(sorted({list(names).index(name) for name in wanted}))


def compare_variables(where: str, selection: Any, names: Sequence[str]) -> None:
    """Refuse a Selection of other variables than the environment's `names`; warn where some are others."""
    tested = getattr(selection, "names", names)
    strange = [repr(name) for name in tested if name not in names]
    untested = [repr(name) for name in names if name not in tested]
    if len(untested) == len(names):
        raise UnknownNameError(
            f"{where}: the environment shows {list(names)}, and the selection is of {some_of(strange)}. Pass "
            "names= if the environment's variables are called otherwise."
        )
    if strange:
        warn(f"{where}: the environment does not show {some_of(strange)} of the selection.")
    if untested:
        count = "counts" if len(untested) == 1 else "count"
        warn(f"{where}: the selection says nothing of {some_of(untested)}, which {count} as removed.")


def _raw(data: Trajectories, name: str) -> Array:
    """A column as numbers of the environment: labels instead of their codes."""
    values = data.states[:, data.column(name)]
    if name not in data.levels:
        return values
    try:
        return np.array(data.levels[name], np.float64)[values.astype(np.int64)]
    except (TypeError, ValueError) as error:
        raise BadTypeError(
            f"data: the variable {name!r} holds text, but an environment shows numbers."
        ) from error


# Two continuous actions count as the same within this share of the range of the actions that are taken.
CLOSE = 0.05
# A policy is asked about this many states at once.
AT_ONCE = 10_000


class Teacher:
    """A policy, asked for the targets of a student.

    Example:
        >>> from terc.agents.function_policy import FunctionPolicy
        >>> teacher = Teacher(FunctionPolicy(lambda s: (s[:, 0] > 0).astype(int)), spaces.Discrete(2))
        >>> teacher.targets(np.array([[3.0], [-3.0]]))
        array([[0., 1.],
               [1., 0.]])
    """

    def __init__(self, policy: Policy, space: Space[Any]) -> None:
        self.policy, self.heads = policy, Heads.of(space)

    def targets(self, states: Array) -> Array:
        """One row per state: probabilities of each choice side by side, or the continuous action."""
        parts = [self._targets(states[i : i + AT_ONCE]) for i in range(0, len(states), AT_ONCE)]
        return np.concatenate(parts)

    def drawn(self, states: Array, *, rng: np.random.Generator) -> Array:
        """One action per state as it draws them, `[n]` or `[n, k]`."""
        parts = [states[i : i + AT_ONCE] for i in range(0, len(states), AT_ONCE)]
        return np.concatenate([np.asarray(self.policy.act(one, rng=rng, greedy=False)) for one in parts])

    def _targets(self, states: Array) -> Array:
        if not self.heads.levels:
            return np.asarray(self.policy.act(states, greedy=True), np.float64)
        chances = self.policy.probabilities(states)
        if chances is None and hasattr(self.policy, "choice_probabilities"):
            chances = self.policy.choice_probabilities(states)
        if chances is not None:
            return np.asarray(chances, np.float64)
        actions = np.asarray(self.policy.act(states, greedy=True)) - self.heads.first_action
        columns = actions.reshape(len(states), -1)
        return np.concatenate([np.eye(n)[columns[:, k]] for k, n in enumerate(self.heads.levels)], axis=1)


def same_actions(ours: Array, theirs: Array, space: Space[Any]) -> float:
    """Share of rows in which two policies act alike.

    Continuous actions are alike when each number differs by at most 5 % of the range of `theirs`.
    """
    ours, theirs = (np.asarray(actions).reshape(len(theirs), -1) for actions in (ours, theirs))
    if not isinstance(space, spaces.Box):
        return float((ours == theirs).all(axis=1).mean())
    room = CLOSE * (theirs.max(axis=0) - theirs.min(axis=0))
    return float((np.abs(ours - theirs) <= room + 1e-6).all(axis=1).mean())
