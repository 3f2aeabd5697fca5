"""A small network that learns to answer like another policy, or to predict numbers; numpy alone.

Two losses: the cross-entropy with a distribution as target, one softmax per choice, and the squared error
of standardised numbers. Both have the same simple slope by the outputs, answer minus target.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from gymnasium import Space, spaces

from terc.agents.network import DenseNetwork, Scaler, with_labels
from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import PolicySpec
from terc.arrays import Array
from terc.errors import BadTypeError, BadValueError
from terc.networks.adam import Adam
from terc.networks.heads import softmax
from terc.threads import one_thread

# Slopes below this change no weight, and the numbers next to zero that come of them are slow to multiply.
TINY = 1e-20
# Attributes of a student beside its weights and the scale of its inputs.
LEARNED = ("answer_center", "answer_scale", "spread")


@dataclass(frozen=True)
class Schooling:
    """How a student is taught; `benchmarks/return.py` measures the outcome.

    Attributes:
        updates: Steps of Adam in one lesson, whatever the number of recorded steps.
        rate: Learning rate at the start of a lesson; it falls to zero along half a cosine.
    """

    hidden: Sequence[int] = (64, 64)
    updates: int = 3000
    batch: int = 256
    rate: float = 3e-3

    def __post_init__(self) -> None:
        sizes = tuple(self.hidden) if isinstance(self.hidden, Iterable) else ()
        if not sizes or not all(isinstance(size, int | np.integer) and size > 0 for size in sizes):
            raise BadValueError(
                f"hidden: wanted the widths of the hidden layers, such as (64, 64); got {self.hidden!r}."
            )
        object.__setattr__(self, "hidden", tuple(int(size) for size in sizes))


@dataclass(frozen=True)
class Heads:
    """What the outputs of a student stand for.

    Attributes:
        levels: Number of values of each discrete choice; empty for numbers.
        first_action: Number of the first value of each choice.
        bounds: Lowest and highest of the numbers `[2, size]`.
    """

    levels: tuple[int, ...] = ()
    size: int = 0
    first_action: int = 0
    bounds: Array | None = None

    @classmethod
    def of(cls, space: Space[Any]) -> Self:
        """Those of a space of actions."""
        if isinstance(space, spaces.Discrete):
            return cls(levels=(int(space.n),), first_action=int(space.start))
        if isinstance(space, spaces.MultiDiscrete):
            return cls(levels=tuple(int(n) for n in space.nvec), first_action=_one_start(space))
        if isinstance(space, spaces.Box):
            return cls(size=space.shape[0], bounds=np.stack([space.low, space.high]))
        raise BadTypeError(f"distill: actions of the space {space} are not supported.")

    @property
    def width(self) -> int:
        """Outputs in all."""
        return sum(self.levels) or self.size

    def answers(self, outputs: Array) -> Array:
        """Probabilities of each choice side by side, or the numbers as they are.

        Example:
            >>> Heads(levels=(2, 1)).answers(np.zeros((1, 3), np.float32))
            array([[0.5, 0.5, 1. ]], dtype=float32)
        """
        if not self.levels:
            return outputs
        if len(self.levels) == 1:
            return softmax(outputs)
        parts = np.split(outputs, np.cumsum(self.levels)[:-1], axis=1)
        return np.concatenate([softmax(part) for part in parts], axis=1)


class Student:
    """A network from `[n, d]` inputs to the answers of its heads.

    Inputs and, for numbers, targets are standardised by what is seen in the first lesson.

    Example:
        The sign of the first of two columns, from a few hundred examples.
        >>> rng = np.random.default_rng(0)
        >>> inputs = rng.normal(size=(500, 2))
        >>> targets = np.eye(2)[(inputs[:, 0] > 0).astype(int)]
        >>> student = Student(2, Heads(levels=(2,)), Schooling((16,), updates=200), rng=rng)
        >>> student.learn(inputs, targets, rng=rng)
        >>> bool((student.answers(inputs).argmax(1) == targets.argmax(1)).mean() > 0.97)
        True
    """

    def __init__(
        self,
        n_inputs: int,
        heads: Heads,
        schooling: Schooling,
        *,
        rng: np.random.Generator,
        labels: Array | None = None,
    ) -> None:
        self.heads, self.schooling, self.labels = heads, schooling, labels
        width = n_inputs + (0 if labels is None else labels.shape[1])
        sizes = (width, *schooling.hidden, heads.width)
        self.network = DenseNetwork(sizes, "relu", rng=rng, last_gain=0.01)
        self.scaler = Scaler(n_inputs)
        self.answer_center = np.zeros(heads.width, np.float32)
        self.answer_scale = np.ones(heads.width, np.float32)
        self.spread = np.zeros(heads.width)

    def learn(self, inputs: Array, targets: Array, *, rng: np.random.Generator) -> None:
        """One lesson on examples `[n, d]` -> `[n, width]`; a later one continues from where this ended."""
        if self.scaler.count == 0:
            self.scaler.update(inputs)
            if not self.heads.levels:
                self.answer_center = targets.mean(axis=0).astype(np.float32)
                spread = targets.std(axis=0, dtype=np.float64)
                self.answer_scale = np.where(spread > 1e-8, spread, 1.0).astype(np.float32)
        scaled = with_labels(self.scaler(inputs), inputs, self.labels)
        goals = ((targets - self.answer_center) / self.answer_scale).astype(np.float32)
        adam, plan = Adam([self.network.parameters]), self.schooling
        with one_thread():
            for number in range(plan.updates):
                rows = rng.integers(len(goals), size=min(plan.batch, len(goals)))
                slope = self.heads.answers(self.network.forward(scaled[rows])) - goals[rows]
                slope /= np.float32(len(rows))
                slope[np.abs(slope) < TINY] = 0
                rate = plan.rate * 0.5 * (1 + np.cos(np.pi * number / plan.updates))
                adam.step([self.network.backward(slope)], rate)
            self.vary(inputs, targets)

    def vary(self, inputs: Array, actions: Array) -> None:
        """Draw numbers as far from its answers as these `actions` are `[n, width]`."""
        if not self.heads.levels:
            apart = self.answers(inputs) - actions.reshape(len(inputs), -1)
            self.spread = np.sqrt(np.mean(np.square(apart), axis=0))

    def answers(self, inputs: Array) -> Array:
        """Probabilities, or numbers in the units of the targets `[n, width]`."""
        scaled = with_labels(self.scaler(inputs), inputs, self.labels)
        answered = self.heads.answers(self.network.forward(scaled, keep=False))
        return np.asarray(answered * self.answer_scale + self.answer_center)

    def policy(self, spec: PolicySpec) -> NetworkPolicy:
        """The student as a policy; the scale of its numbers is folded into the last layer.

        Sampled continuous actions spread about the mean as those of `vary` do.
        """
        layers = [(weights.copy(), bias.copy()) for weights, bias in self.network.layers]
        scaling = self.scaler.settings() | {"labels": self.labels}
        if self.heads.levels:
            return NetworkPolicy(spec, tuple(layers), **scaling, first_action=self.heads.first_action)
        weights, bias = layers[-1]
        layers[-1] = (weights * self.answer_scale, bias * self.answer_scale + self.answer_center)
        log_std = np.log(np.maximum(self.spread, 1e-3 * self.answer_scale)).astype(np.float32)
        return NetworkPolicy(spec, tuple(layers), **scaling, log_std=log_std, bounds=self.heads.bounds)

    def arrays(self) -> dict[str, Array]:
        """All that it has learned."""
        numbers, sums = self.scaler.state()
        found = {name: getattr(self, name) for name in LEARNED} | sums
        return found | {"count": np.array(numbers["count"]), "parameters": self.network.parameters}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Become the student whose `arrays` these are."""
        for name in LEARNED:
            setattr(self, name, arrays[name])
        self.scaler.restore({"count": float(arrays["count"])}, dict(arrays))
        self.network.parameters[:] = arrays["parameters"]


def _one_start(space: spaces.MultiDiscrete) -> int:
    starts = np.unique(space.start)
    if len(starts) > 1:
        raise BadTypeError(
            f"distill: the choices of {space} are numbered from {space.start.tolist()}; wanted one first "
            "number for all. Wrap the environment in a gymnasium.ActionWrapper that counts from 0."
        )
    return int(starts[0])
