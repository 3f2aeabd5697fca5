"""`ablate`: what happens to the return when variables are unplugged from the policy as it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from terc.agents.policy import Policy
from terc.agents.stepping import EnvLike
from terc.arrays import Array
from terc.checks import one_of, whole_number
from terc.playing.arena import Arena, Turn, seeds
from terc.progress import Report, silent
from terc.returns.ablation import KEPT, REMOVED, Ablation, Unplugging
from terc.returns.play import Returns, mean_interval, random_returns
from terc.returns.replacement import KINDS, Replacement, Unplugged, hide, make_replacement
from terc.returns.teacher import chosen_columns, record, recorded_states, same_actions, some_rows
from terc.seeding import generator
from terc.trajectories.data import Trajectories

# Recorded steps on which the share of other actions is counted: 1 % precise where it is largest.
COUNTED_STEPS = 2000


def ablate(  # noqa: PLR0913  (the public contract; all but three are keywords)
    env: EnvLike,
    policy: Any,
    selection: Any = None,
    *,
    replace: str = "moments",
    data: Trajectories | None = None,
    episodes: int = 100,
    steps: int = 10_000,
    seed: int = 0,
    greedy: bool = True,
    names: Sequence[str] | None = None,
    progress: Report | None = None,
) -> Ablation:
    """The return of `policy`, not retrained, with each variable replaced, and with all removed ones.

    Every row plays the same episodes, from the same seeds, as the policy as it is. A row whose interval
    holds zero says that these episodes show no change, not that the policy ignores the variable: see
    `Unplugging.acts_otherwise`.

    Args:
        env: A Gymnasium id, an environment, a vector environment, a function that makes one.
        policy: Anything `terc.rollout` accepts.
        selection: A Selection, or the names that are kept; its removed variables get a row together,
            "removed". Names get a row "kept" as well. None for single variables only.
        replace: What the policy is shown instead: "moments" (the variable at another moment of the
            recording, drawn anew in each step of each episode), "expectation" (given the kept variables, by
            regression on the recording) or "mean".
        data: A recording of the policy; by default it is made here.
        episodes: Of each row.
        steps: Of the recording, where it is made here.
        greedy: Take the likeliest action instead of drawing one.
        names: Of the variables; by default what `terc.environments.variable_names` knows.

    Example:
        >>> answer = ablate("CartPole-v1", lambda s: (s[:, 2] + s[:, 3] > 0).astype(int), episodes=20)
        >>> answer.matter
        ('pole_angle', 'pole_velocity')
    """
    whole_number("ablate", "episodes", episodes, least=2)
    whole_number("ablate", "steps", steps, least=1)
    one_of(KINDS)("ablate", "replacement", replace)
    report = progress or silent
    report(0, 1, "recording")
    with Arena(env, int(episodes), names) as arena:
        acting = arena.policy(policy)
        given = record(arena, acting, steps, greedy=greedy, seed=seed) if data is None else data
        recording = recorded_states("ablate", given, arena.names)
        how: dict[str, Any] = {"replace": replace, "episodes": int(episodes), "greedy": greedy}
        return unplug(arena, acting, recording, selection, **how, rng=generator(seed), report=report)


def unplug(  # noqa: PLR0913  (what `ablate` has made of its own arguments)
    arena: Arena,
    policy: Policy,
    recording: Array,
    selection: Any = None,
    *,
    replace: str = "moments",
    episodes: int,
    greedy: bool,
    rng: np.random.Generator,
    report: Report = silent,
) -> Ablation:
    """`ablate`, in an arena that is there, with a recording `[n, d]` that is there."""
    chosen = seeds(int(rng.integers(2**31)), episodes)  # those of `play` with the same seed
    rows = plan_rows(arena.names, selection)
    variants = [None, *(row.unplugged for row in rows)]
    whole = bool(np.issubdtype(arena.observation_space.dtype or np.float64, np.integer))
    shown = make_replacement(replace, recording, variants, whole, rng=rng)
    players = Players(policy, shown, hidden_columns(variants, len(arena.names)), greedy)
    every = len(variants) * episodes
    totals = arena.play(
        lambda states, turn: players.act(states, turn, rng=rng),
        chosen,
        len(variants),
        lambda ended: report(ended, every, f"episodes of {len(variants)} variants"),
    )
    beside = random_returns(arena, chosen, rng=rng)
    share = other_actions(players, some_rows(recording, COUNTED_STEPS, rng=rng), arena)
    found = tuple(
        _row(row, totals[0], totals[number], share[number], len(rows))
        for number, row in enumerate(rows, start=1)
    )
    kept = arena.names
    if selection is not None:
        kept = _named(arena.names, chosen_columns("ablate", selection, arena.names))
    return Ablation(found, Returns.of(totals[0], beside), replace, kept)


@dataclass(frozen=True)
class Row:
    """What one row unplugs."""

    name: str
    variables: tuple[str, ...]
    unplugged: Unplugged


def plan_rows(names: Sequence[str], selection: Any) -> list[Row]:
    """One row per variable, then those of the selection.

    Example:
        >>> [row.name for row in plan_rows(["x", "y", "z"], ["x"])]
        ['x', 'y', 'z', 'removed', 'kept']
    """
    everything = tuple(range(len(names)))
    kept = everything if selection is None else chosen_columns("ablate", selection, names)
    groups: list[tuple[str, tuple[int, ...]]] = [(name, (column,)) for column, name in enumerate(names)]
    removed = tuple(column for column in everything if column not in kept)
    if removed:
        groups.append((REMOVED, removed))
    if selection is not None and not hasattr(selection, "kept"):
        groups.append((KEPT, kept))
    return [
        Row(name, _named(names, hidden), (hidden, tuple(k for k in kept if k not in hidden)))
        for name, hidden in groups
    ]


@dataclass(frozen=True)
class Players:
    """The policy in all its variants: which columns each hides, and what is shown there.

    Attributes:
        hidden: `[variants, d]`, true where a variant hides a column.
    """

    policy: Policy
    shown: Replacement
    hidden: Array
    greedy: bool

    def act(self, states: Array, turn: Turn, *, rng: np.random.Generator) -> Array:
        """Actions of each row's variant."""
        seen = hide(states, self.hidden[turn.variant], self.shown(states, turn))
        return self.policy.act(seen, rng=rng, greedy=self.greedy)


def hidden_columns(variants: Sequence[Unplugged | None], width: int) -> Array:
    """`[variants, width]`, true where a variant hides a column."""
    hidden = np.zeros((len(variants), width), bool)
    for number, unplugged in enumerate(variants):
        if unplugged is not None:
            hidden[number, list(unplugged[0])] = True
    return hidden


def other_actions(players: Players, states: Array, arena: Arena) -> list[float]:
    """Per variant the share of `states` in which the likeliest action is another than without it."""
    states = states.astype(arena.observation_space.dtype)
    usual = players.policy.act(states, greedy=True)
    shares = []
    for variant, columns in enumerate(players.hidden):
        turn = Turn(np.full(len(states), variant), np.arange(len(states)), np.zeros(len(states), np.int64))
        seen = hide(states, np.broadcast_to(columns, states.shape), players.shown(states, turn))
        shares.append(1 - same_actions(players.policy.act(seen, greedy=True), usual, arena.action_space))
    return shares


def _row(row: Row, usual: Array, values: Array, share: float, tests: int) -> Unplugging:
    difference = values - usual
    means = float(values.mean()), float(difference.mean())
    return Unplugging(row.name, row.variables, *means, *mean_interval(difference, tests), share)


def _named(names: Sequence[str], columns: Sequence[int]) -> tuple[str, ...]:
    return tuple(names[column] for column in columns)
