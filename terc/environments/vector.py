"""What wrappers of vector environments share: the last observations of episodes that ended in this step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from terc.arrays import Array


def with_final_observations(info: dict[str, Any], change: Callable[[Array], Array]) -> dict[str, Any]:
    """`info` with `change` applied to the observations in `final_obs`, if it has them.

    Gymnasium stores them as an object array, one entry per copy (None where no episode ended); our own
    environments as a plain `[num_envs, d]` array.
    """
    final = info.get("final_obs")
    if final is None:
        return info
    if isinstance(final, np.ndarray) and final.dtype != object:
        return info | {"final_obs": change(final)}
    changed = np.empty(len(final), dtype=object)
    for k, observation in enumerate(final):
        changed[k] = None if observation is None else change(np.asarray(observation))
    return info | {"final_obs": changed}
