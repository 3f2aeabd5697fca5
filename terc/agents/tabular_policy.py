"""A table of values as a policy."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from terc.agents.policy import PolicySpec, write_policy
from terc.arrays import Array
from terc.errors import BadTypeError, BadValueError


@dataclass(frozen=True, eq=False)
class TabularPolicy:
    """The learnt table as a policy: the best action, or with the chance `epsilon` any.

    Attributes:
        spec: What it was made for.
        levels: Number of values of each variable.
        first: The lowest value of each variable.
        values: Q `[states, actions]`; the first variable changes slowest.
        epsilon: Chance of a random action when sampling; `dataclasses.replace(policy, epsilon=0.1)` explores.
        first_action: The action that column 0 of `values` stands for.

    Example:
        >>> spec, table = PolicySpec(None, 1, n_actions=2), np.array([[0.0, 1.0], [5.0, 2.0]])
        >>> policy = TabularPolicy(spec, levels=(2,), first=(0,), values=table)
        >>> policy.act(np.array([[0], [1]])), policy.probabilities(np.array([[0]]))
        (array([1, 0]), array([[0., 1.]]))
    """

    spec: PolicySpec
    levels: tuple[int, ...]
    first: tuple[int, ...]
    values: Array
    epsilon: float = 0.0
    first_action: int = 0

    def act(self, states: Array, *, rng: np.random.Generator | None = None, greedy: bool = True) -> Array:
        """The best actions `[n]`; with `greedy=False` draws from `probabilities`, which needs `rng`."""
        if np.ndim(states) == 1:
            return self.act(np.asarray(states)[None], rng=rng, greedy=greedy)[0]
        best: Array = self.values[self._rows(states)].argmax(axis=1)
        if not greedy and self.epsilon > 0:
            if rng is None:
                raise BadTypeError("policy: sampling (greedy=False) needs rng, a numpy Generator.")
            best = explored(best, self.epsilon, self.values.shape[1], rng=rng)
        return best + self.first_action

    def probabilities(self, states: Array) -> Array:
        """`[n, K]`: 1 for the best action, or with `epsilon` a little less and the rest for all alike."""
        k = self.values.shape[1]
        best = self.values[self._rows(states)].argmax(axis=1)
        mixed: Array = (1 - self.epsilon) * np.eye(k)[best] + self.epsilon / k
        return mixed

    def save(self, path: str | Path) -> None:
        """Write the states that were visited, and the settings, as an npz that `load_policy` reads."""
        visited = np.flatnonzero(self.values.any(axis=1))
        settings: dict[str, Any] = {"levels": list(self.levels), "first": list(self.first)}
        settings |= {"epsilon": self.epsilon, "first_action": self.first_action}
        arrays = {"visited": visited, "values": self.values[visited]}
        write_policy(path, "tabular_q", self.spec, settings, arrays)

    @classmethod
    def restore(cls, spec: PolicySpec, settings: Mapping[str, Any], arrays: Mapping[str, Array]) -> Self:
        """The policy of a file's spec, settings and arrays."""
        levels, first = tuple(settings["levels"]), tuple(settings["first"])
        values = np.zeros((int(np.prod(levels)), arrays["values"].shape[1]))
        values[arrays["visited"]] = arrays["values"]
        return cls(spec, levels, first, values, settings["epsilon"], settings["first_action"])

    def _rows(self, states: Array) -> Array:
        given = np.asarray(states)
        if given.ndim != 2 or given.shape[1] != len(self.levels):
            raise BadValueError(
                f"policy: wanted states [n, {len(self.levels)}], got an array of shape {given.shape}."
            )
        codes = given.astype(np.int64) - np.array(self.first)
        if (codes < 0).any() or (codes >= np.array(self.levels)).any():
            raise BadValueError("policy: a state has a value that the table does not know.")
        rows: Array = codes @ strides(self.levels)
        return rows


def explored(best: Array, epsilon: float, n_actions: int, *, rng: np.random.Generator) -> Array:
    """`best`, with the chance `epsilon` replaced by any action."""
    draws = rng.random((2, len(best)))
    return np.where(draws[0] < epsilon, (draws[1] * n_actions).astype(np.int64), best)


def strides(levels: tuple[int, ...]) -> Array:
    """Row of a state = codes @ strides, the first variable changing slowest."""
    return np.append(np.cumprod(levels[:0:-1])[::-1], 1).astype(np.int64)
