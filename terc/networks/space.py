"""Memory for the arithmetic of one update after another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Space:
    """Memory that every update uses again: fresh pages from the system cost more than the arithmetic."""

    def __init__(self) -> None:
        self._blocks: dict[str, Array] = {}

    def block(self, name: str, shape: tuple[int, ...], dtype: type = np.float32) -> Any:
        """The block of that name; what it held before is lost."""
        size = math.prod(shape)
        if name not in self._blocks or len(self._blocks[name]) < size:
            self._blocks[name] = np.empty(size, dtype)
        return self._blocks[name][:size].reshape(shape)
