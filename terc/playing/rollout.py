"""`rollout`: a policy plays, and what it did becomes `Trajectories`.

Actions are *sampled* from the policy by default, as in the paper's trajectories. A greedy policy is a
function of the state: it acts on far fewer variables than the agent weighs, any of several redundant sets
explains it, and condition 1 fails more often. Say `greedy=True` to study the policy as it will be deployed.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from terc.agents.function_policy import fitted
from terc.agents.policy import Policy, as_policy
from terc.agents.spaces import fit_actions, spec_of
from terc.agents.statistics import statistics_kept
from terc.agents.stepping import EnvLike, Stepper, make_stepper
from terc.arrays import Array
from terc.checks import called_rightly, whole_number
from terc.environments.names import nominal_variables, variable_names
from terc.errors import BadTypeError, BadValueError, warn
from terc.flattening.old_gym import FILL_GAPS, is_environment
from terc.seeding import generator
from terc.threads import one_thread
from terc.trajectories.array_doubts import seen_before
from terc.trajectories.data import Trajectories

# Long enough per copy for whole episodes, so that many copies do not mean only the beginnings of episodes.
STEPS_PER_COPY, MOST_COPIES = 1000, 32
# A billion states of one number take eight gigabytes.
MOST_STEPS = 1_000_000_000
# How many times `steps` may be played in search of expert episodes.
PATIENCE = 30


@called_rightly
def rollout(  # noqa: PLR0913  (the public contract; all but four are keywords)
    env: EnvLike,
    policy: Any,
    steps: int = 10_000,
    seed: int = 0,
    *,
    expert: float | None = None,
    greedy: bool = False,
    n_envs: int | None = None,
    names: Sequence[str] | None = None,
) -> Trajectories:
    """`steps` steps of `policy` in `env`, episode after episode.

    Same seed, same trajectories, bit for bit. The last episode of each copy of the environment may be cut
    off.

    Args:
        env: A Gymnasium id, an environment (stepped as it is), a vector environment, of Gymnasium or of
            Stable-Baselines3, or a function that makes one.
        policy: One of ours, a Stable-Baselines3 model, a function states `[n, d]` -> actions (`model.predict`
            is one), or a policy file.
        steps: How many to keep.
        seed: Of the environments and of the sampling.
        expert: Keep only whole episodes whose return is at least this.
        greedy: Take the likeliest action instead of drawing one; probabilities are then not recorded.
        n_envs: Copies of the environment stepped together; by default 1 for an environment, else up to 32,
            as many as leave each 1,000 steps.
        names: Of the variables; by default what `terc.environments.variable_names` knows.

    Returns:
        With rewards, and with the policy's action probabilities where it has them.

    Example:
        >>> data = rollout("CartPole-v1", lambda states: (states[:, 2] > 0).astype(int), steps=200)
        >>> len(data), data.names[2]
        (200, 'pole_angle')
    """
    steps = whole_number("rollout", "steps", steps, 1, most=MOST_STEPS)
    rng, acting = generator(seed), as_policy(policy, env)
    masks = getattr(acting, "reads_masks", False)
    with closing(make_stepper(env, _copies(env, steps, n_envs), masks=masks)) as stepper:
        spec = spec_of(stepper.environment, stepper.observation_space, stepper.action_space)
        acting = fitted(acting, spec, stepper.action_space, stepper.sample)
        chosen_names = variable_names(stepper.sample, names)
        nominal = nominal_variables(stepper.sample, chosen_names)
        with one_thread(), statistics_kept(stepper):
            tape = _play(stepper, acting, steps, greedy, expert, rng=rng)
            chances = None if greedy else acting.probabilities(tape.states)
    _refuse_gaps(tape, chosen_names)
    kind = "discrete" if spec.is_discrete else "continuous"
    shown = None if chances is None else _normalised(chances)
    return tape.trajectories(names=chosen_names, action_kind=kind, probabilities=shown, nominal=nominal)


@dataclass(frozen=True)
class _Tape:
    """Rows of one copy after the other, each copy's in time order."""

    states: Array
    actions: Array
    rewards: Array
    done: Array
    lane: Array
    when: Array

    def __len__(self) -> int:
        return len(self.rewards)

    def rows(self, chosen: Array) -> Self:
        return type(self)(*(values[chosen] for values in vars(self).values()))

    def trajectories(self, **described: Any) -> Trajectories:
        """The rows as data, with their names and kinds as `Trajectories` takes them."""
        single = self.actions.ndim == 2 and self.actions.shape[1] == 1
        actions = self.actions[:, 0] if single else self.actions
        states = seen_before(self.states)
        return Trajectories(states, actions, episodes=self.episodes, rewards=self.rewards, **described)

    @property
    def episodes(self) -> Array:
        """Number of the episode of each row: a new one after each end and in each copy."""
        first = np.zeros(len(self), np.int64)
        first[1:] = self.done[:-1] | (np.diff(self.lane) != 0)
        return np.cumsum(first)


def _refuse_gaps(tape: _Tape, names: Sequence[str]) -> None:
    gaps = (~np.isfinite(tape.states)).sum(axis=0)
    if not gaps.any():
        return
    found = [f"{names[k]!r} ({gaps[k]} of {len(tape)} steps)" for k in np.flatnonzero(gaps)[:10]]
    raise BadValueError(
        f"rollout: the environment shows missing or infinite values: {', '.join(found)}. {FILL_GAPS}"
    )


def _in_a_row(tapes: Sequence[_Tape]) -> _Tape:
    """The rows of the tapes one after another."""
    columns = zip(*(vars(tape).values() for tape in tapes), strict=True)
    return _Tape(*(np.concatenate(parts) for parts in columns))


def _sorted(tape: _Tape) -> _Tape:
    """By copy and time."""
    return tape.rows(np.lexsort((tape.when, tape.lane)))


def _copies(env: EnvLike, steps: int, n_envs: int | None) -> int:
    if n_envs is not None:
        return whole_number("rollout", "n_envs", n_envs, least=1)
    if is_environment(env):
        return 1
    return int(np.clip(steps // STEPS_PER_COPY, 1, MOST_COPIES))


def _play(
    stepper: Stepper,
    policy: Policy,
    steps: int,
    greedy: bool,
    expert: float | None,
    *,
    rng: np.random.Generator,
) -> _Tape:
    stepper.reset(int(rng.integers(2**31)))
    if expert is not None:
        return _play_experts(stepper, policy, steps, greedy, expert, rng=rng)
    tape = _record(stepper, policy, steps, greedy, 0, rng=rng)
    # the latest steps are dropped where copies brought more than was asked for
    return tape.rows(np.sort(np.lexsort((tape.lane, tape.when))[:steps]))


def _record(
    stepper: Stepper, policy: Policy, steps: int, greedy: bool, start: int, *, rng: np.random.Generator
) -> _Tape:
    """At least `steps` played steps; `start` is the time of the first."""
    seen, taken, outcomes = [], [], []
    count, lanes = 0, np.arange(stepper.n)
    while count < steps:
        states = stepper.states
        actions = np.asarray(policy.act(states, rng=rng, greedy=greedy))
        actions = fit_actions(actions, stepper.n, stepper.action_space)
        step = stepper.step(actions)
        seen.append(states)
        taken.append(actions)
        outcomes.append(step)
        count += int(np.count_nonzero(step.played))
    when = np.repeat(np.arange(start, start + len(seen)), stepper.n)
    tape = _Tape(
        states=np.concatenate(seen),
        actions=np.concatenate(taken),
        rewards=np.concatenate([step.rewards for step in outcomes]),
        done=np.concatenate([step.done for step in outcomes]),
        lane=np.tile(lanes, len(seen)),
        when=when,
    )
    tape = tape.rows(np.concatenate([step.played for step in outcomes]))
    if wrong := np.count_nonzero(~np.isfinite(tape.rewards)):
        raise BadValueError(
            f"env: the reward of {wrong} of {len(tape)} steps is no finite number. Correct the rewards of "
            "the environment."
        )
    return _sorted(tape)


def _play_experts(
    stepper: Stepper, policy: Policy, steps: int, greedy: bool, least: float, *, rng: np.random.Generator
) -> _Tape:
    """Play in blocks of `steps` and keep the episodes that pass, until there are enough."""
    passed: list[_Tape] = []
    all_returns: list[Array] = []
    running: list[_Tape] = []
    kept, when = 0, 0
    for _ in range(PATIENCE):
        block = _record(stepper, policy, steps, greedy, when, rng=rng)
        when = int(block.when.max()) + 1
        tape = _sorted(_in_a_row([*running, block]))
        episodes = tape.episodes
        whole = np.bincount(episodes, weights=tape.done) > 0
        returns = np.bincount(episodes, weights=tape.rewards)
        good = tape.rows((whole & (returns >= least))[episodes])
        running = [tape.rows(~whole[episodes])]
        all_returns.append(returns[whole])
        passed.append(good)
        kept += len(good)
        if kept >= steps:
            break
    _check_enough(kept, steps, least, np.concatenate(all_returns))
    return _in_a_row(passed).rows(np.arange(min(kept, steps)))  # the last episode may be cut


def _check_enough(kept: int, steps: int, least: float, returns: Array) -> None:
    if kept == 0:
        best = f"the best of {len(returns)} returned {max(returns):.1f}" if len(returns) else ""
        played = best or "none came to an end"
        raise BadValueError(
            f"rollout: no whole episode had a return of at least expert={least:g}; {played}. Train "
            "longer, lower expert, or leave it out."
        )
    if kept < steps:
        share = float(np.mean(returns >= least))
        warn(
            f"rollout: only {kept} of {steps} steps: {share:.1%} of the episodes had a return of at "
            f"least expert={least:g} in {PATIENCE} times as many steps."
        )


def _normalised(chances: Array) -> Array:
    """Rows that sum to 1 in double precision; the networks count in single."""
    chances = np.asarray(chances, np.float64)
    if chances.ndim != 2:
        raise BadTypeError(f"policy: probabilities must be an array [n, K], got shape {chances.shape}.")
    return chances / chances.sum(axis=1, keepdims=True)
