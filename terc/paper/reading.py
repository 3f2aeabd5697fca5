"""How much a policy's choice depends on a variable beyond what the other variables give away.

`agents.uses` shows the policy any other value of a variable. Where variables move together that says too
much: what the others nearly fix is hardly needed, however much of it is read. Here the variable takes the
values that it had when the others were nearly as they are now.
"""

import warnings
from typing import Any

import numpy as np

from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import load_policy
from terc.arrays import Array
from terc.errors import TercWarning
from terc.paper.agents import apart, choice, choices_with
from terc.paper.worlds import at_most, saved
from terc.selection.select import select
from terc.store import Store, Task
from terc.trajectories.data import Trajectories
from terc.trajectories.files import load

NEIGHBOURS = 20
"""Moments whose values a variable is given: enough for the mean of the policy's choices over them."""
STATES, MOMENTS = 1_000, 5_000
"""States that are asked about, and moments among which the nearest are sought."""
CODE = ("terc.agents.policy", "terc.paper.agents", "terc.paper.worlds")


def reading_task(needs: Task, seed: int) -> Task:
    """What a trained agent reads; `needs` trained it."""
    key = f"{needs.key.removesuffix('/agent')}/reading"
    return Task(key, f"{needs.words}: what it reads", reading, {"agent": needs.key, "seed": seed}, (needs,),
                code=CODE)  # fmt: skip


def reading(store: Store, key: str, *, agent: str, seed: int) -> dict[str, float]:
    """`beyond_the_others` of a trained agent and its play."""
    policy = load_policy(store / saved(agent, "policy.npz"))
    return beyond_the_others(policy, load(store / saved(agent, "rollout.npz")), seed=seed)


def chances_task(needs: Task, steps: int) -> Task:
    """What terc.select keeps when it is shown the chances of all actions and not only the one drawn."""
    key = f"{needs.key.removesuffix('/agent')}/chances"
    return Task(key, f"{needs.words}: chances of its actions", by_chances,
                {"agent": needs.key, "steps": steps}, (needs,), code=("terc.selection.select",))  # fmt: skip


def by_chances(store: Store, key: str, *, agent: str, steps: int) -> list[str] | None:
    """The kept variables; None where the chances were not recorded, as of continuous actions."""
    data = at_most(load(store / saved(agent, "rollout.npz")), steps)
    if data.probabilities is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TercWarning)
        return list(select(data).kept)


def read_shares(store: Store, folder: str, information: float, *, independent: bool) -> dict[str, float]:
    """Variable -> share of the information that an agent's choice takes from it, given all others, at most.

    Where the variables are independent the others give nothing away, and `agents.uses` says it.
    """
    nats = store[f"{folder}/agent"]["uses"] if independent else store[f"{folder}/reading"]
    return {name: value / max(information, 1e-6) for name, value in nats.items()}


def beyond_the_others(policy: Any, played: Trajectories, *, seed: int) -> dict[str, float]:
    """Nats that the choice of the policy depends on each variable when all others are known, at most.

    Whoever sees all but one variable can forecast the choice by the mean of what the policy would do with
    the values of that variable in similar moments of other episodes. The mean over states of
    KL(policy || forecast) is what this forecast loses; the best one loses no more: the Phi of the paper.

    Example:
        The policy reads x and its copy, of which one gives the other away.
        >>> from terc.agents.policy import PolicySpec
        >>> layers = ((np.array([[0.0, 3.0], [0.0, 3.0], [0.0, 3.0]], np.float32), np.zeros(2, np.float32)),)
        >>> policy = NetworkPolicy(PolicySpec(None, 3, n_actions=2), layers)
        >>> x, y = np.random.default_rng(0).standard_normal((2, 2000))
        >>> states = np.column_stack([x, x, y])
        >>> episodes, names = np.arange(2000), ["x", "copy", "y"]
        >>> data = Trajectories(states, (y > 0).astype(int), names=names, episodes=episodes)
        >>> found = beyond_the_others(policy, data, seed=0)
        >>> found["copy"] < 0.01, found["y"] > 0.1
        (True, True)
    """
    if not isinstance(policy, NetworkPolicy):
        return {}
    rng = np.random.default_rng(seed)
    count = len(played)
    rows, moments = (rng.choice(count, min(most, count), replace=False) for most in (STATES, MOMENTS))
    states, before = played.states[rows], choice(policy, played.states[rows])
    scale = played.states.std(0)
    even = played.states / np.where(scale > 0, scale, 1.0)
    same = played.episodes[rows][:, None] == played.episodes[moments][None]
    found = {}
    for j, name in enumerate(played.names):
        near = _nearest(np.delete(even[rows], j, 1), np.delete(even[moments], j, 1), same)
        after = choices_with(policy, states, j, played.states[moments, j][near].T)
        found[name] = max(0.0, apart(policy, before, after.mean(axis=0, keepdims=True)))
    return found


def _nearest(states: Array, moments: Array, excluded: Array) -> Array:
    """Of each state the nearest moments `[n, NEIGHBOURS]`, none of its own episode where there are others."""
    distance = (moments**2).sum(1)[None] - 2.0 * states @ moments.T
    distance = np.where(excluded & ~excluded.all(1, keepdims=True), np.inf, distance)
    nearest = min(NEIGHBOURS, len(moments) - 1)
    return np.argpartition(distance, nearest, axis=1)[:, :nearest]
