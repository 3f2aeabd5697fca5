"""`ablate`: what happens to the return when variables are unplugged from the policy as it is."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from terc.agents.policy import Policy
from terc.agents.stepping import EnvLike
from terc.arrays import Array
from terc.checks import called_rightly, one_of, whole_number
from terc.playing.arena import Arena, Turn, seeds
from terc.progress import Report, reporting, silent
from terc.returns.ablation import KEPT, REMOVED, REPLACED_BY, Ablation, Unplugging
from terc.returns.play import Returns, mean_interval, random_returns
from terc.returns.replacement import make_replacement
from terc.returns.teacher import chosen_columns, record, recorded_states, same_actions, some_rows
from terc.seeding import generator
from terc.trajectories.data import Trajectories

# Recorded steps on which the share of other actions is counted: 1 % precise where it is largest.
COUNTED_STEPS = 2000


@called_rightly
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
    progress: bool | Report = False,
) -> Ablation:
    """The return of `policy`, not retrained, with each variable replaced, and with all removed ones.

    Every row plays the same episodes, from the same seeds, as the policy as it is. A row whose interval
    holds zero says that these episodes show no change, not that the policy ignores the variable: see
    `Unplugging.acts_otherwise`.

    Args:
        env: A Gymnasium id, an environment, a vector environment, a function that makes one.
        policy: Anything `terc.rollout` accepts.
        selection: A Selection, or the names that are kept; its removed variables get a row together,
            "removed", with those that it says nothing of, which is warned of. Names get a row "kept" as well.
            None for single variables only.
        replace: What the policy is shown instead: "moments" (the variable at another moment of the
            recording, drawn anew in each step of each episode), "expectation" (given the kept variables, by
            regression on the recording) or "mean".
        data: A recording of the policy; by default it is made here.
        episodes: Of each row.
        steps: Of the recording, where it is made here.
        greedy: Take the likeliest action instead of drawing one.
        names: Of the variables; by default those of `data`, or what `terc.environments.variable_names` knows.

    Example:
        >>> answer = ablate("CartPole-v1", lambda s: (s[:, 2] + s[:, 3] > 0).astype(int), episodes=20)
        >>> answer.matter
        ('pole_angle', 'pole_velocity')
    """
    whole_number("ablate", "episodes", episodes, least=2)
    whole_number("ablate", "steps", steps, least=1)
    one_of(tuple(REPLACED_BY))("ablate", "replacement", replace)
    with Arena(env, int(episodes), names) as arena, reporting(progress) as report:
        report(0, 1, "recording")
        acting = arena.policy(policy)
        arena.named_by(data)
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
    names, every = arena.names, tuple(range(len(arena.names)))
    kept = every if selection is None else chosen_columns("ablate", selection, names)
    rows = rows_of(names, kept, by_names=selection is not None and not hasattr(selection, "kept"))
    hidden = [(), *(columns for _, columns in rows)]  # first the policy as it is
    masks = np.array([np.isin(every, columns) for columns in hidden])
    whole = bool(np.issubdtype(arena.observation_space.dtype or np.float64, np.integer))
    shown = make_replacement(replace, recording, hidden, kept, whole, rng=rng)

    def seen(states: Array, turn: Turn) -> Array:
        return np.where(masks[turn.variant], shown(states, turn).astype(states.dtype, copy=False), states)

    totals = arena.play(
        lambda states, turn: policy.act(seen(states, turn), rng=rng, greedy=greedy),
        chosen,
        len(hidden),
        lambda ended: report(ended, len(hidden) * episodes, f"episodes of {len(hidden)} variants"),
    )
    beside = random_returns(arena, chosen)
    states = some_rows(recording, COUNTED_STEPS, rng=rng).astype(arena.observation_space.dtype)
    usual, found = policy.act(states, greedy=True), []
    for variant, (name, columns) in enumerate(rows, start=1):
        others = policy.act(seen(states, Turn.at_once(variant, len(states))), greedy=True)
        share = 1 - same_actions(others, usual, arena.action_space)
        values, change = totals[variant], totals[variant] - totals[0]
        means, ends = (float(values.mean()), float(change.mean())), mean_interval(change, len(rows))
        found.append(Unplugging(name, tuple(names[k] for k in columns), *means, *ends, share))
    return Ablation(tuple(found), Returns.of(totals[0], beside), replace, tuple(names[k] for k in kept))


def rows_of(
    names: Sequence[str], kept: Sequence[int], *, by_names: bool
) -> list[tuple[str, tuple[int, ...]]]:
    """Name and hidden columns of each row: one per variable, the removed ones, and the kept if given by name.

    Example:
        >>> rows_of(["x", "y", "z"], [0], by_names=True)
        [('x', (0,)), ('y', (1,)), ('z', (2,)), ('removed', (1, 2)), ('kept', (0,))]
    """
    rows: list[tuple[str, tuple[int, ...]]] = [(name, (column,)) for column, name in enumerate(names)]
    removed = tuple(column for column in range(len(names)) if column not in kept)
    return rows + [(REMOVED, removed)] * bool(removed) + [(KEPT, tuple(kept))] * by_names
