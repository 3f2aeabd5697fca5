"""`compare_returns`: is the smaller agent as good? The one verdict, shown wherever it is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from terc.arrays import Array
from terc.errors import BadValueError
from terc.interquartile import DRAWS, bootstrap, interquartile_mean, small_sample
from terc.records import Record
from terc.selection.result import Interval

GRID_POINTS = 100
# An interval of the difference that is wider than this share of the return says little.
WIDE = 0.1
BETTER, SAME, WORSE = "better", "the same within the interval", "worse"
# Means of the same returns of other numbers of agents differ by so much of their size.
ROUNDING = 1e-12
# Of one or two agents nobody knows how much the next one would differ.
FEWEST_AGENTS = 3
TOO_FEW = "not decided, with fewer than three agents a side"


@dataclass(frozen=True)
class StateReturns:
    """How well agents do that were trained on one state; one entry per agent where there are several.

    Attributes:
        final: Return of the final policies on fresh episodes: interquartile mean, 95 % bootstrap interval.
        area: Mean return over the whole training (area under the curve over its length), likewise.
        steps_to_goal: First step at which the curve stands at the goal, or None.
    """

    state: str
    variables: int
    final: Interval
    finals: tuple[float, ...]
    area: Interval
    steps_to_goal: tuple[int | None, ...]


@dataclass(frozen=True)
class ReturnComparison(Record):
    """The full state against the reduced one.

    Attributes:
        difference: Final return of the last minus that of the full, with its interval; None if alone.
        verdict: "better", "the same within the interval", "worse", or that there are too few agents to say;
            "" if there is nothing to compare.
    """

    states: tuple[StateReturns, ...]
    difference: Interval | None
    verdict: str
    notes: tuple[str, ...] = ()

    def __getitem__(self, state: str) -> StateReturns:
        return next(one for one in self.states if one.state == state)

    @property
    def sentence(self) -> str:
        """The verdict in one sentence; empty if there is nothing to compare."""
        if self.difference is None:
            return ""
        one = self.difference
        numbers = f"{one.value:+.1f} [{one.low:.1f}, {one.high:.1f}]"
        if self.verdict == TOO_FEW:
            return f"difference in return {numbers}: {TOO_FEW}"
        return f"the smaller agent is {self.verdict} (difference in return {numbers})"


@dataclass(frozen=True)
class AgentGroup:
    """What is known of the agents trained on one state.

    Attributes:
        curves: Of each agent, steps and mean return `[k, 2]`.
        returns: Of each agent, returns of fresh episodes.
    """

    state: str
    variables: int
    curves: Sequence[Array]
    returns: Sequence[Array]
    seeds: Sequence[int] = ()


def compare_returns(
    groups: Sequence[AgentGroup], goal: float | None, *, rng: np.random.Generator
) -> ReturnComparison:
    """The comparison of the first group (the full state) with the last.

    The bootstrap draws agents, and within each agent episodes; with a single agent only episodes. Drawn from
    few agents it is too sure of itself, so the interval of the difference is widened (`small_sample`).

    Example:
        >>> fine, poor = [np.full(5, 9.0)] * 3, [np.full(5, 4.0)] * 3
        >>> curves = [np.array([[10, 9.0]])] * 3
        >>> full, less = AgentGroup("full", 4, curves, fine), AgentGroup("reduced", 2, curves, poor)
        >>> compare_returns([full, less], 8.0, rng=np.random.default_rng(0)).verdict
        'worse'
    """
    if not groups or not all(group.returns for group in groups):
        raise BadValueError("compare_returns: wanted at least one agent on each state.")
    _, tables = on_one_grid({g.state: g.curves for g in groups})
    drawn = [bootstrap(group.returns, rng=rng) for group in groups]
    states = tuple(
        _state_returns(group, tables[group.state], draws, goal, rng=rng)
        for group, draws in zip(groups, drawn, strict=True)
    )
    if len(groups) < 2:
        return ReturnComparison(states, None, "")
    value = _less(states[-1].final.value, states[0].final.value)
    counts = [len(group.returns) for group in (groups[0], groups[-1])]
    difference = _around(float(value), _less(drawn[-1], drawn[0]), small_sample(counts))
    said = verdict(difference, min(counts))
    return ReturnComparison(states, difference, said, _notes(states, difference, min(counts)))


def _less(one: Array | float, other: Array | float) -> Array:
    """One minus the other, 0 where they differ by no more than arithmetic does."""
    difference = np.subtract(one, other)
    return np.where(np.abs(difference) <= ROUNDING * np.abs(one), 0.0, difference)


def _notes(states: Sequence[StateReturns], difference: Interval, agents: int) -> tuple[str, ...]:
    size = max(abs(one.final.value) for one in states)
    if agents == 1:
        return ("only one agent on each state: the interval is that of its episodes, not of retraining",)
    if verdict(difference, agents) == SAME and difference.high - difference.low > WIDE * size:
        return (f"that interval is wide; more agents than {agents} on each state would narrow it (seeds)",)
    return ()


def verdict(difference: Interval, agents: int) -> str:
    """In plain words, which side of zero the difference lies on, where there are agents enough to say.

    Example:
        >>> verdict(Interval(3.0, -1.0, 5.0), 3), verdict(Interval(3.0, 1.0, 5.0), 2)
        ('the same within the interval', 'not decided, with fewer than three agents a side')
    """
    if agents < FEWEST_AGENTS:
        return TOO_FEW
    if difference.low > 0:
        return BETTER
    return WORSE if difference.high < 0 else SAME


def _state_returns(
    group: AgentGroup, curves: Array, draws: Array, goal: float | None, *, rng: np.random.Generator
) -> StateReturns:
    finals = [float(np.mean(values)) for values in group.returns]
    areas = curves.mean(axis=1)
    area_draws = interquartile_mean(areas[rng.integers(len(areas), size=(DRAWS, len(areas)))], axis=1)
    return StateReturns(
        group.state,
        group.variables,
        _around(float(interquartile_mean(finals)), draws),
        tuple(finals),
        _around(float(interquartile_mean(areas)), area_draws),
        tuple(steps_to(curve, goal) for curve in group.curves),
    )


def _around(value: float, draws: Array, factor: float = 1.0) -> Interval:
    """The value with the 95 % interval of its draws, made `factor` times as wide; it holds the value."""
    low, high = np.quantile(draws, [0.025, 0.975])
    below, above = factor * max(0.0, value - low), factor * max(0.0, high - value)
    return Interval(value, float(value - below), float(value + above))


def steps_to(curve: Array, goal: float | None) -> int | None:
    """The first step at which the curve `[k, 2]` stands at the goal.

    Example:
        >>> steps_to(np.array([[100, 1.0], [200, 5.0], [300, 4.0]]), 4.5)
        200
    """
    if goal is None:
        return None
    there = np.flatnonzero(curve[:, 1] >= goal)
    return int(curve[there[0], 0]) if len(there) else None


def on_one_grid(curves: Mapping[str, Sequence[Array]]) -> tuple[Array, dict[str, Array]]:
    """All curves at the same steps: steps `[points]` and state -> returns `[agents, points]`.

    An agent that stopped early, at its goal, keeps its last return: it could have been used since.
    """
    end = max(curve[-1, 0] for group in curves.values() for curve in group)
    grid = np.linspace(end / GRID_POINTS, end, GRID_POINTS)
    return grid, {
        state: np.stack([np.interp(grid, curve[:, 0], curve[:, 1]) for curve in group])
        for state, group in curves.items()
    }
