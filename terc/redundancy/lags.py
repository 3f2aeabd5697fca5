"""Columns as a history: which variable each one is, and how many steps ago."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING

from terc.checks import whole_number
from terc.errors import BadValueError, unknown_name
from terc.trajectories.episodes import rows_with_past

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

_LAGGED = re.compile(r"(?s)(.*)\[t?-(\d+)\]\Z")
_NUMBERED = re.compile(r"(pair|lag)_(\d+)\Z")


def split_lag(name: str) -> tuple[str, int]:
    """Variable and lag behind a column of `Trajectories.with_history`, or of an environment with a history.

    Example:
        >>> split_lag("speed[t-3]"), split_lag("speed"), split_lag("pair_2")
        (('speed', 3), ('speed', 0), ('pair', 2))
    """
    match = _LAGGED.match(name) or _NUMBERED.match(name)
    return (match[1], int(match[2])) if match else (name, 0)


@dataclass(frozen=True)
class Lags:
    """A history read from columns.

    Attributes:
        data: The steps, each with its history.
        variable: Name of the variable behind each column.
        lag: Steps ago of each column; 0 is the present.
        note: How the columns were read.
    """

    data: Trajectories
    variable: tuple[str, ...]
    lag: tuple[int, ...]
    note: str

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables, in column order."""
        return tuple(dict.fromkeys(self.variable))

    @property
    def longest(self) -> int:
        """Age of the oldest column, in steps."""
        return max(self.lag)

    def columns(self, length: int, variable: str | None = None) -> frozenset[int]:
        """Columns at most `length` steps old, of one variable or of all."""
        return frozenset(
            column
            for column, (name, lag) in enumerate(zip(self.variable, self.lag, strict=True))
            if lag <= length and variable in (None, name)
        )


def read_lags(data: Trajectories, max_length: int, lags: Mapping[str, int] | None) -> Lags:
    """The history in `data`, or one made of it.

    Columns named `v`, `v[t-1]`, `v[t-2]` (from `with_history`), `pair_1`, `pair_2` or `lag_1`, `lag_2` are a
    history; `lags` says so for any other names. Else each step gets its `max_length` predecessors.
    """
    whole_number("history_length", "max_length", max_length, least=1)
    parsed = _given(data, lags) if lags is not None else _from_names(data.names)
    if parsed is None:
        rows_with_past(data.episodes, max_length, "history_length: max_length (--max-length)")
        past = data.with_history(max_length)
        names = tuple(name for name in data.names for _ in range(max_length + 1))
        steps = tuple(lag for _ in data.names for lag in range(max_length + 1))
        return Lags(
            past, names, steps, f"Each step with its {max_length} predecessors ({len(past)} steps have them)."
        )
    variable, lag = parsed
    _check_once(data.names, variable, lag)
    within = [column for column, steps in enumerate(lag) if steps <= max_length]
    if not within:
        raise BadValueError(f"history_length: no column is at most max_length={max_length} steps old.")
    kept = data if len(within) == len(lag) else data.only([data.names[column] for column in within])
    found = Lags(kept, tuple(variable[c] for c in within), tuple(lag[c] for c in within), "")
    whose = ", ".join(found.variables[:5])
    return replace(found, note=f"Columns read as the history of {whose}, up to {found.longest} steps back.")


def _given(data: Trajectories, lags: Mapping[str, int]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    for name in lags:
        if name not in data.names:
            raise unknown_name("history_length", "column", name, data.names)
    missing = [name for name in data.names if name not in lags]
    if missing or not all(isinstance(lag, Real) and lag >= 0 == lag % 1 for lag in lags.values()):
        raise BadValueError(
            "history_length: lags must give every column its age in whole steps of at least 0; "
            f"{f'missing: {missing[:5]}' if missing else f'got {dict(lags)}'}."
        )
    return _variables({name: int(lags[name]) for name in data.names})


def _variables(lags: Mapping[str, int]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The variable behind each column: its name without an ending that says its lag.

    `x_0` now is x if there is an older x; else, like `joint_0` beside `joint_1`, it is a name of its own.

    Example:
        >>> _variables({"x1": 0, "x2": 0, "x1_1": 1, "x2[-1]": 1})[0]
        ('x1', 'x2', 'x1', 'x2')
    """
    past = {_without_lag(name, lag) for name, lag in lags.items() if lag > 0}
    variables = [
        name
        if lag == 0 and (name in past or _without_lag(name, lag) not in past)
        else _without_lag(name, lag)
        for name, lag in lags.items()
    ]
    return tuple(variables), tuple(lags.values())


def _without_lag(name: str, lag: int) -> str:
    ending = re.search(rf"(\[t?-?{lag}\]|[_@ -]{lag})$", name)
    return name[: ending.start()] if ending and ending.start() > 0 else name


def _check_once(names: tuple[str, ...], variables: tuple[str, ...], lags: tuple[int, ...]) -> None:
    """Refuse two columns for one variable at one lag."""
    first: dict[tuple[str, int], str] = {}
    for name, variable, lag in zip(names, variables, lags, strict=True):
        if (other := first.setdefault((variable, lag), name)) != name:
            raise BadValueError(
                f"history_length: a variable must have one column for each lag, got {other!r} and {name!r} "
                f"for {variable!r} {lag} steps ago. Rename one of them, or leave one out."
            )


def _from_names(names: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[int, ...]] | None:
    """Variable and lag of each column, where all of them are steps of some history; else None."""
    stems = {variable for variable, lag in map(split_lag, names) if lag}
    found = [(name, 0) if name in stems else split_lag(name) for name in names]
    if not stems or not all(variable in stems for variable, _ in found):
        return None
    return tuple(variable for variable, _ in found), tuple(lag for _, lag in found)
