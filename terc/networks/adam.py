"""The one optimiser of the package."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from terc.arrays import Array


class Adam:
    """Kingma and Ba's optimiser with decoupled weight decay; float32 arrays, changed in place.

    Their efficient form: epsilon is added before the spread is corrected for its start at zero.

    Args:
        parameters: What is trained.
        weight_decay: Share of each parameter that is lost per update, as a multiple of the rate.

    Example:
        >>> weights = np.array([1.0], np.float32)
        >>> Adam([weights]).step([np.array([3.0], np.float32)], 0.1)
        >>> round(float(weights[0]), 3)
        0.9
    """

    def __init__(self, parameters: Sequence[Array], weight_decay: float = 0.0) -> None:
        self.parameters, self.weight_decay = list(parameters), weight_decay
        self.mean = [np.zeros_like(p) for p in parameters]
        self.square = [np.zeros_like(p) for p in parameters]
        self.updates = 0

    def step(self, gradients: Sequence[Array], rate: float) -> None:
        """One move downhill of about `rate` in each coordinate; the gradients are used as scratch space."""
        self.updates += 1
        rate_now = np.float32(rate * math.sqrt(1 - 0.999**self.updates) / (1 - 0.9**self.updates))
        keep = np.float32(1 - rate * self.weight_decay)
        for p, g, m, v in zip(self.parameters, gradients, self.mean, self.square, strict=True):
            m *= np.float32(0.9)
            m += np.float32(0.1) * g
            v *= np.float32(0.999)
            g *= g
            v += np.float32(0.001) * g
            np.sqrt(v, out=g)
            g += np.float32(1e-8)
            np.divide(m, g, out=g)
            g *= rate_now
            if self.weight_decay:
                p *= keep
            p -= g

    def keep(self, which: Array) -> None:
        """Go on with some entries of the first axis of every array; the parameters become copies."""
        for arrays in (self.parameters, self.mean, self.square):
            arrays[:] = [array[which] for array in arrays]

    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Numbers and arrays for a checkpoint."""
        moments = {"mean": self.mean, "square": self.square}
        arrays = {f"{name}_{i}": a for name, many in moments.items() for i, a in enumerate(many)}
        return {"updates": self.updates}, arrays

    def restore(self, numbers: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Continue from what `state` gave."""
        self.updates = numbers["updates"]
        for name, many in {"mean": self.mean, "square": self.square}.items():
            many[:] = [arrays[f"{name}_{i}"].copy() for i in range(len(many))]
