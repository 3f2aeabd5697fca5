"""Played steps, and how much better than expected each of them did."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from terc.arrays import Array


@dataclass(frozen=True)
class Steps:
    """Played steps, one row each: what the update needs of them.

    Attributes:
        states: Scaled `[m, d]`.
        actions: Index `[m]`, or the actor's own numbers before they are cut to the bounds `[m, k]`.
        log_chance: Log probability or density of the action when it was chosen `[m]`.
        advantages: How much better than expected it did `[m]`.
        returns: What the critic should have said `[m]`.
        weights: Of the step in the actor's update `[m]`: 1, or gamma^t.
    """

    states: Array
    actions: Array
    log_chance: Array
    advantages: Array
    returns: Array
    weights: Array

    def rows(self, chosen: Array | slice) -> Steps:
        """Some of the steps."""
        return Steps(*(getattr(self, field.name)[chosen] for field in fields(self)))


def gae(  # noqa: PLR0913
    rewards: Array, values: Array, ahead: Array, terminated: Array, done: Array, gamma: float, lam: float
) -> Array:
    """Generalised advantage estimate `[T, n]` (Schulman et al. 2016), all arguments `[T, n]`.

    delta_t = r_t + gamma v(s_t+1) - v(s_t), with v = 0 after a terminated episode but not after a truncated
    one; A_t = delta_t + gamma lambda A_t+1, cut at the end of each episode.

    Example:
        With lambda = 1 and v = 0 it is the discounted sum of the rewards.
        >>> nothing, end = np.zeros((3, 1)), np.array([[False], [False], [True]])
        >>> gae(np.ones((3, 1)), nothing, nothing, end, end, 0.5, 1.0).ravel()
        array([1.75, 1.5 , 1.  ], dtype=float32)
    """
    delta = (rewards + gamma * ahead * ~terminated - values).astype(np.float32)
    keep = (gamma * lam * ~done).astype(np.float32)
    for t in range(len(delta) - 2, -1, -1):
        delta[t] += keep[t] * delta[t + 1]
    return delta
