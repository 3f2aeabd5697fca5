"""Recorded states as the policy saw them, and which of their columns were chosen."""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from terc.agents.policy import Policy
from terc.arrays import Array
from terc.errors import BadTypeError, BadValueError, TercWarning, UnknownNameError
from terc.playing.arena import Arena
from terc.playing.rollout import rollout
from terc.trajectories.data import Trajectories


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
    wanted = [wanted] if isinstance(wanted, str) else wanted
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
    if not wanted:
        raise BadValueError(f"{where}: no variable is kept; name at least one of {list(names)}.")
    return tuple(sorted({list(names).index(name) for name in wanted}))


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
