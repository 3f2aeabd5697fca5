"""Where the steps of a selection come from: a synthetic family, or a file of a task, whole or in part."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from terc import synthetic
from terc.store import Store
from terc.trajectories.data import Trajectories
from terc.trajectories.files import load

Source = Mapping[str, Any]


def family(name: str, steps: int, seed: int) -> Source:
    """A data set of `terc.synthetic`."""
    return {"family": name, "steps": steps, "seed": seed}


def saved(key: str, file: str) -> str:
    """Name, within the store, of a file of a task."""
    return f"files/{key}/{file}"


def of_task(key: str, file: str = "rollout.npz", *, quarter: int | None = None) -> Source:
    """Steps that a task saved; `quarter` 0..3 takes that quarter of the training."""
    return {"task": key, "file": file, "quarter": quarter}


def read(store: Store, source: Source) -> Trajectories:
    """The steps, without the policy's probabilities: the actions taken are explained, as in the paper."""
    if "family" in source:
        return getattr(synthetic, source["family"])(source["steps"], seed=source["seed"]).data
    data = load(store / saved(source["task"], source["file"]))
    if source["quarter"] is not None:
        data = data.quarters()[source["quarter"]]
    return data.sampled_only()


def at_most(data: Trajectories, steps: int) -> Trajectories:
    """The first rows, cut so that no more than `steps` are left."""
    return data if len(data) <= steps else data.rows(np.arange(len(data)) < steps)
