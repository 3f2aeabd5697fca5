"""What the caller of `select` asked for, checked once and turned into column numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from terc.entropy.evidence import Unit
from terc.errors import BadValueError, warn
from terc.plurals import some
from terc.selection.settings import Settings
from terc.trajectories.missing import joined

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

FEWEST_STEPS = 100
STEPS_PER_VARIABLE = 2
_few_allowed: ContextVar[bool] = ContextVar("terc_few_steps_allowed", default=False)


@dataclass(frozen=True)
class Request:
    """The units to decide on, in the order in which they are tried for removal.

    Attributes:
        offered: Units that may be removed; the first is tried first if `ordered`.
        fixed: Units the caller wants kept.
        constant: Columns that never change; they are not tried at all.
        asked_for: Names the caller wants kept, constant or not, and the rest of their groups.
        ordered: Whether the caller said in which order.
        stays_with: For each constant column in a group that has others: the unit that decides for it.
        units: All units, fixed and offered.
    """

    offered: tuple[Unit, ...]
    fixed: tuple[Unit, ...]
    constant: tuple[int, ...]
    asked_for: frozenset[str]
    ordered: bool
    stays_with: Mapping[int, Unit] = field(default_factory=dict)
    units: tuple[Unit, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "units", (*self.fixed, *self.offered))


def read_request(data: Trajectories, wanted: Settings, *, rng: np.random.Generator) -> Request:
    """Names to units: groups joined, constants set aside, in the order given, by cost, or random.

    Constants go last: a group is asked for, costs and comes in its turn with all its members.
    """
    _enough_steps(data)
    groups: Sequence[Sequence[str]] = wanted.groups or ()
    units = _units(data, joined(groups, data.groups) if data.groups else groups)
    constant = tuple(int(j) for j in np.flatnonzero((data.states == data.states[0]).all(0)))
    moving = {unit: tuple(j for j in unit if j not in constant) for unit in units}
    named = {data.column(name) for name in wanted.keep}
    fixed = tuple(unit for unit in units if named & set(unit))
    offered = tuple(unit for unit in units if moving[unit] and unit not in fixed)
    if wanted.costs is not None:
        offered = _most_expensive_first(data, offered, wanted.costs)
    if wanted.order is not None:
        offered = _in_order(data, offered, wanted.order, rng)
    return Request(
        tuple(moving[unit] for unit in offered),
        tuple(moving[unit] for unit in fixed if moving[unit]),
        constant,
        frozenset(data.names[j] for unit in fixed for j in unit),
        ordered=wanted.order is not None or wanted.costs is not None,
        stays_with={j: moving[unit] for unit in units for j in unit if j in constant and moving[unit]},
    )


@contextmanager
def few_steps_allowed() -> Iterator[None]:
    """Inside, too few steps are a warning: other tools' pipelines go on with whatever rows they have."""
    before = _few_allowed.set(True)
    try:
        yield
    finally:
        _few_allowed.reset(before)


def _enough_steps(data: Trajectories) -> None:
    needed = max(FEWEST_STEPS, STEPS_PER_VARIABLE * len(data.names))
    if len(data) >= needed:
        return
    problem = (
        f"select: {some(len(data), 'step')} cannot support a test of {some(len(data.names), 'variable')}; "
        f"at least {needed} are needed. Record more steps, or offer fewer variables."
    )
    if not _few_allowed.get():
        raise BadValueError(problem)
    warn(problem)


def _units(data: Trajectories, groups: Sequence[Sequence[str]]) -> tuple[Unit, ...]:
    """All columns in units, constant ones included."""
    unit_of: dict[int, Unit] = {j: (j,) for j in range(len(data.names))}
    taken: set[int] = set()
    for group in groups:
        columns = tuple(sorted({data.column(name) for name in group}))
        if taken & set(columns):
            again = [data.names[j] for j in sorted(taken & set(columns))]
            raise BadValueError(f"select: groups must not overlap, {again} is in more than one.")
        taken |= set(columns)
        unit_of.update(dict.fromkeys(columns, columns))
    return tuple(dict.fromkeys(unit_of[j] for j in range(len(data.names))))


def _most_expensive_first(
    data: Trajectories, units: tuple[Unit, ...], costs: Mapping[str, float]
) -> tuple[Unit, ...]:
    for name in costs:
        data.column(name)
    price = {unit: sum(float(costs.get(data.names[j], 0.0)) for j in unit) for unit in units}
    return tuple(sorted(units, key=lambda unit: -price[unit]))


def _in_order(
    data: Trajectories, units: tuple[Unit, ...], order: Sequence[str] | str, rng: np.random.Generator
) -> tuple[Unit, ...]:
    if isinstance(order, str):
        return tuple(units[i] for i in rng.permutation(len(units)))
    columns = [data.column(name) for name in order]
    if len(set(columns)) < len(columns):
        raise BadValueError("select: order names a variable more than once.")
    first = {
        unit: min((columns.index(j) for j in unit if j in columns), default=len(columns)) for unit in units
    }
    return tuple(sorted(units, key=lambda unit: first[unit]))
