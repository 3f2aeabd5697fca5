"""The roles that the columns of a frame or file can have; a column without a role is a variable."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase

from terc.errors import BadValueError, unknown_name
from terc.notes import Note
from terc.trajectories.names import without_repeats

ENDS = r"dones?|terminated|terminals?|terminations?|truncated|truncations?|timeouts?|is_last|is_terminal"
OUTCOMES = re.compile(rf"rew(ard)?s?|next_(observations?|obs|states?|actions?)|{ENDS}")
"""Names of what is known only after the action was taken."""
PERHAPS_OUTCOMES = re.compile("returns?(_to_go)?")
"""Names that may mean the same, or a variable (the return of an asset)."""


@dataclass(frozen=True)
class Roles:
    """Which columns are not variables.

    Attributes:
        action: One name, or several for an action of several dimensions.
        probabilities: The columns with the chances of actions 0, 1, ...
        done: Columns that are true in the last step of an episode.
        sort: The column by which the steps of an episode are sorted; the episode column keeps their order.
    """

    action: tuple[str, ...]
    episode: str | None = None
    rewards: str | None = None
    progress: str | None = None
    probabilities: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    sort: str | None = None
    source: str | None = None

    def taken(self) -> list[str]:
        """Every column with a role, in the order of the fields; sorting by episode is no second role."""
        values = [getattr(self, field.name) for field in fields(self) if field.name != "sort"]
        values += [self.sort] if self.sort != self.episode else []
        return [name for value in values if value is not None for name in listed(value)]

    def used(self) -> list[str]:
        """The columns with a role that are read: all but those left out."""
        return [name for name in self.taken() if name not in self.drop]


def listed(names: str | int | Iterable[str | int]) -> tuple[str, ...]:
    """A single name stands for a list of one, a number for the column of that name."""
    return tuple(str(name) for name in ([names] if isinstance(names, str | int) else names))


def resolved(
    where: str,
    roles: Roles,
    ignore: Sequence[str],
    names: Sequence[str],
    blocks: Mapping[str, tuple[str, ...]],
) -> Roles:
    """The roles with whole arrays replaced by their columns and patterns by names, all of them known."""

    def columns(wanted: Iterable[str]) -> tuple[str, ...]:
        return tuple(column for name in wanted for column in blocks.get(name, (name,)))

    def single(wanted: str | None) -> str | None:
        parts = blocks.get(wanted or "", ())
        return parts[0] if len(parts) == 1 else wanted

    many = {key: columns(getattr(roles, key)) for key in ("action", "probabilities", "drop", "done")}
    one = {key: single(getattr(roles, key)) for key in ("episode", "rewards", "progress", "sort", "source")}
    found = Roles(**many, **one)  # type: ignore[arg-type]
    if not found.action:
        raise BadValueError(
            f"{where}: name the column of the actions, action=... (--action); there is {list(names)[:30]}."
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
    """The columns that `text` means: the name of one, of an array of several, or a pattern."""
    if text in names or text in blocks:
        return blocks.get(text, (text,))
    found = [name for name in names if fnmatchcase(name, text)]
    if not found:
        raise unknown_name(f"{where}: ignore", "column", text, [*blocks, *names])
    return found


def refuse_outcomes(where: str, variables: Iterable[str]) -> tuple[Note, ...]:
    """Raise an error for variables whose name says that they are known only after the action.

    Returns:
        A doubt about those whose name may say so.
    """
    plain = {name: re.split("[./]", re.sub(r"[_\[]?\d+\]?$", "", name.lower())) for name in variables}
    outcomes = [name for name, words in plain.items() if any(map(OUTCOMES.fullmatch, words))]
    if outcomes:
        raise BadValueError(
            f"{where}: {_quoted(outcomes)} would be known only after the action, so it is no part of "
            "the state; name rewards with rewards= (--reward), ends of episodes with done= (--done), leave "
            "others out with ignore= (--ignore), or rename a column that the agent does see."
        )
    perhaps = [name for name, words in plain.items() if PERHAPS_OUTCOMES.fullmatch(words[-1])]
    if not perhaps:
        return ()
    text = f"{_quoted(perhaps)} may be known only after the action; if so, leave it out: ignore= (--ignore)."
    return (Note("doubt", "outcome", text),)


def _quoted(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(repr(name) for name in names[:5]) + more
