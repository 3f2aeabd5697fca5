"""The roles of the columns of a frame or file, as a caller names them or as D4RL, RLDS and LeRobot do.

A column without a role is a variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from terc.errors import BadTypeError, BadValueError, available_names, unknown_name
from terc.notes import Note
from terc.trajectories.lists import ROW_PER_STEP
from terc.trajectories.names import some_of, without_repeats
from terc.trajectories.next_values import NEXT, SEEN_WAY_OUT, named_as_next
from terc.trajectories.suspicions import LEAVE_OUT

ENDS = r"dones?|terminated|terminals?|terminations?|truncated|truncations?|timeouts?|is_last|is_terminal"
OUTCOMES = re.compile(rf"rew(ard)?s?|next_(observations?|obs|states?|actions?)|{ENDS}")
"""Names of what is known only after the action was taken."""
PERHAPS_OUTCOMES = re.compile("returns?(_to_go)?")
"""Names that may mean the same, or a variable (the return of an asset)."""
NUMBER_AT_END = re.compile(r"[_. \[]?\d+\]?$")


MANY = ("action", "probabilities", "drop", "done")
ONE = ("episode", "rewards", "progress", "source", "sort")
"""Roles of several columns, and of one; of several columns `episode` is the combination."""


@dataclass(frozen=True)
class Roles:
    """Which columns are not variables, and how the variables are to be read.

    Attributes:
        action: One name, or several for an action of several dimensions.
        episode: One name, or several whose values together label an episode.
        probabilities: The columns with the chances of actions 0, 1, ...
        done: Columns that are true in the last step of an episode.
        sort: The column by which the steps of an episode are sorted; the episode column keeps their order.
        ignore: Names or patterns ("debug_*") of further columns to leave out.
        nominal: Variables whose values are labels.
        seen: Names or patterns of variables that the agent sees, though their names or values are of later.
        missing: What becomes of empty cells; see `missing.WAYS`.
    """

    action: tuple[str, ...]
    episode: str | tuple[str, ...] | None = None
    rewards: str | None = None
    progress: str | None = None
    probabilities: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    sort: str | None = None
    source: str | None = None
    ignore: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    action_kind: str | None = None
    missing: str | None = None

    @classmethod
    def given(cls, where: str, **said: Any) -> Roles:
        """The roles as a caller writes them: a name, a list of names, or None for none."""
        lists = (*MANY, *ONE, "ignore", "nominal", "seen")
        named = {key: _named(where, key, said[key]) for key in lists if key in said}
        return cls(**said | named | {key: _alone(named[key]) for key in ONE if key in named})

    def taken(self) -> list[str]:
        """Every column with a role, in the order of the fields; sorting by episode is not a second role."""
        named = [field.name for field in fields(self) if field.name in (*MANY, *ONE[:-1])]
        values = [getattr(self, name) for name in named]
        values.append(None if self.sort in listed(self.episode) else self.sort)
        return [name for value in values for name in listed(value)]

    def used(self) -> list[str]:
        """The columns with a role that are read: all but those left out."""
        return [name for name in self.taken() if name not in self.drop]


def listed(names: str | Iterable[str] | None) -> tuple[str, ...]:
    """A single name stands for a list of one, None for no name."""
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)


def _alone(names: Sequence[str]) -> Any:
    """A single name without its list, None for no name; several as they are."""
    return names[0] if len(names) == 1 else tuple(names) or None


def _named(where: str, role: str, given: Any) -> tuple[str, ...]:
    """The names that a caller gave to a role; a number is the name of a column, and values are none."""
    if given is None or isinstance(given, str | int | np.integer):
        return () if given is None else (str(given),)
    several = "" if role in ONE[1:] else ", or a list of names"
    wanted = f"{where}: {role} wants the name of a column{several}, got"
    try:
        names = list(given)
    except TypeError:
        raise BadTypeError(f"{wanted} {type(given).__name__}; give its name as text.") from None
    # The columns of a frame are an index, of numbers too; no other array of numbers holds names.
    array = hasattr(given, "dtype") and not type(given).__name__.endswith("Index")
    texts = all(isinstance(name, str) for name in names)
    is_named = texts or not array and all(isinstance(name, str | int | np.integer) for name in names)
    if not is_named or len(set(names)) < len(names) and (array or not texts):
        way_out = "put them into the table as a column and give its name"
        raise BadTypeError(f"{wanted} {len(names)} values ({type(given).__name__}); {way_out}.")
    return tuple(map(str, names))


def resolved(where: str, roles: Roles, names: Sequence[str], blocks: Mapping[str, tuple[str, ...]]) -> Roles:
    """The roles with whole arrays replaced by their columns and patterns by names, all of them known."""

    def columns(wanted: Iterable[str]) -> tuple[str, ...]:
        return tuple(column for name in wanted for column in meant(name, names, blocks) or (name,))

    def single(role: str) -> Any:
        given = listed(getattr(roles, role))
        parts = [part for name in given for part in ((name,) if name in names else blocks.get(name, (name,)))]
        if len(parts) > 1 and role != "episode":
            came = f"{given[0]!r} is" if len(given) == 1 else "got"
            text = f"{role} wants one column, {came} {len(parts)}; name one of them: {_quoted(parts)}"
            text += f", or {ROW_PER_STEP}." if role == "rewards" else "."
            raise BadValueError(f"{where}: {text}")
        return _alone(parts)

    many: dict[str, Any] = {key: columns(getattr(roles, key)) for key in (*MANY, "seen")}
    one: dict[str, Any] = {key: single(key) for key in ONE}
    found, ignore = replace(roles, **many, **one), roles.ignore
    if not found.action:
        raise BadValueError(
            f"{where}: name the column of the actions, action=... (--action).{available_names(names)}"
        )
    for name in found.taken():
        if name not in names:
            raise unknown_name(where, "column", name, [*blocks, *names])
    one_role = f"{where}: a column can have only one role"
    taken = without_repeats(one_role, found.taken())
    left_out = dict.fromkeys(name for text in ignore for name in _matching(where, text, names, blocks))
    exact = [name for name in left_out if name in ignore and name not in found.drop]
    without_repeats(one_role, [*taken, *exact])
    return replace(found, drop=(*found.drop, *(name for name in left_out if name not in taken)))


def _matching(
    where: str, text: str, names: Sequence[str], blocks: Mapping[str, tuple[str, ...]]
) -> Sequence[str]:
    """The columns that `text` means, of which there must be some."""
    found = meant(text, names, blocks)
    if not found:
        raise unknown_name(f"{where}: ignore", "column", text, [*blocks, *names])
    return found


def meant(text: str, names: Sequence[str], blocks: Mapping[str, tuple[str, ...]]) -> Sequence[str]:
    """The columns behind the name of one, or of an array of several, or that fit a pattern."""
    if text in names or text in blocks:
        return blocks.get(text, (text,))
    return [name for name in names if fnmatchcase(name, text)]


def refuse_outcomes(
    where: str, variables: Sequence[str], names: Sequence[str], blocks: Mapping[str, tuple[str, ...]]
) -> tuple[Note, ...]:
    """Raise an error for variables whose name says that they are known only after the action.

    Args:
        names: All columns: one may be called the next of another.
        blocks: The columns of each list.

    Returns:
        A doubt about those whose name may say so.
    """
    if outcomes := outcomes_by_name(variables):
        several = [name for name in outcomes_by_name(blocks) if len(blocks[name]) > 1 and NEXT not in name]
        rows = f"; {ROW_PER_STEP}" if several else ""
        raise BadValueError(
            f"{where}: {_quoted(outcomes)} would be known only after the action: no part of "
            "the state; name rewards with rewards= (--reward), ends of episodes with done= (--done), leave "
            f"others out with ignore= (--ignore); {SEEN_WAY_OUT}{rows}."
        )
    return outcome_doubt(perhaps_outcomes(variables, names), LEAVE_OUT)


def outcomes_by_name(variables: Iterable[str]) -> list[str]:
    """Those whose name says that they are known only after the action.

    Example:
        >>> outcomes_by_name(["speed", "rewards_0", "info.done", "next_obs", "reward_rate"])
        ['rewards_0', 'info.done', 'next_obs']
    """
    return [name for name in variables if any(map(OUTCOMES.fullmatch, _plain(name)))]


def perhaps_outcomes(variables: Sequence[str], names: Sequence[str]) -> list[str]:
    """Those whose name may say so, of all columns `names`."""
    later = named_as_next(variables, names)
    return [name for name in variables if name in later or PERHAPS_OUTCOMES.fullmatch(_plain(name)[-1])]


def outcome_doubt(names: Sequence[str], leave_out: str) -> tuple[Note, ...]:
    """A doubt about variables that by their names may be known only after the action; none without any."""
    text = f"{_quoted(names)} may be known only after the action; if so, {leave_out}."
    return (Note("doubt", "outcome", text),) if names else ()


def _plain(name: str) -> list[str]:
    return re.split("[./]", NUMBER_AT_END.sub("", name.lower()))


def numbered_like(action: Sequence[str], variables: Sequence[str]) -> tuple[Note, ...]:
    """A doubt about variables that by their names are further parts of the action: `tau_1` beside `tau_0`.

    A name that most variables share (`x0`, `x2` beside the action `x1`) says nothing about any of them.
    """
    stems = {stem for name in action if (stem := NUMBER_AT_END.sub("", name)) not in ("", name)}
    also = [name for name in variables if NUMBER_AT_END.sub("", name) in stems - {name}]
    if not 0 < len(also) <= len(variables) / 2:
        return ()
    text = f"{_quoted(also)} may be of the action, as {_quoted(action)} by name; if so, name them too: "
    text += "action= (--action)."
    return (Note("doubt", "parts-of-action", text),)


def _quoted(names: Sequence[str]) -> str:
    return some_of([repr(name) for name in names], 5)


STATES = ("observations", "observation", "obs", "states", "observation.state")
ACTIONS = ("actions", "action", "acts")
REWARDS = ("rewards", "reward", "next.reward")
EPISODES = ("episode_index", "episode_id", "episode", "episodes")
END_FLAGS = (
    "terminals", "timeouts", "terminations", "truncations", "terminated", "truncated", "dones", "done",
    "next.done",
)  # fmt: skip
LAST_STEP = "is_last"
"""RLDS: true in the last step of an episode, which has an observation but no action."""


@dataclass(frozen=True)
class Convention:
    """What a recognised layout says.

    Attributes:
        roles: Every array that is not the observations has one, or is left out.
        skip_ends: Whether the last step of each episode has no action.
    """

    roles: Roles
    skip_ends: bool = False
    notes: tuple[Note, ...] = ()

    def completed(self, given: Roles) -> Roles:
        """Its roles, where the caller's own words go first."""
        said: dict[str, Any] = {key: value for key, value in vars(given).items() if value}
        named = {name for key in said if key in (*MANY, *ONE) for name in listed(said[key])}
        drop = tuple(name for name in self.roles.drop if name not in named)
        return replace(self.roles, **{**said, "drop": (*drop, *given.drop)})


def recognised(names: Sequence[str], blocks: Mapping[str, tuple[str, ...]]) -> Convention | None:
    """The layout of a table that has an array of observations and one of actions; None if it has not."""
    arrays = list(dict.fromkeys([*blocks, *names]))
    single = [name for name in arrays if len(blocks.get(name, (name,))) == 1]
    states, actions, rewards, episode = (
        next((word for word in words if word in among), None)
        for words, among in ((STATES, arrays), (ACTIONS, arrays), (REWARDS, single), (EPISODES, single))
    )
    if states is None or states not in blocks or actions is None:
        return None
    ends = (LAST_STEP,) if LAST_STEP in arrays else tuple(word for word in END_FLAGS if word in arrays)
    taken = [states, actions, rewards, episode, *ends]
    variables = set(blocks[states])
    used = {part for name in taken if name is not None for part in blocks.get(name, (name,))}
    drop = tuple(name for name in names if name not in used and name not in variables)
    roles = Roles((actions,), episode, rewards, drop=drop, done=ends)
    said = {"variables": states, "actions": actions, "rewards": rewards, "episodes": episode}
    words = [f"{what} {name!r}" for what, name in said.items() if name is not None]
    words += [f"ends of episodes {', '.join(map(repr, ends))}"] * bool(ends)
    left_out = list(dict.fromkeys(next((b for b in blocks if name in blocks[b]), name) for name in drop))
    more = f"; left out: {', '.join(map(repr, left_out[:10]))}" if left_out else ""
    note = Note("fact", "layout", f"read by the names of the arrays: {', '.join(words)}{more}.")
    return Convention(roles, LAST_STEP in ends, (note,))
