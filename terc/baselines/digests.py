"""What a comparison is saved under: the digest of its data, and the names of its methods as files."""

from __future__ import annotations

import hashlib

import numpy as np

from terc.trajectories.data import Trajectories


def file_name(name: str) -> str:
    """The method's name as that of a file, which may hold fewer signs."""
    safe = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in name)
    return safe if safe == name else f"{safe}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def data_digest(data: Trajectories) -> str:
    """Short digest of everything a method may read."""
    total = hashlib.sha256(repr((data.names, data.action_kind, sorted(data.levels.items()))).encode())
    for array in (data.states, data.actions, data.episodes, data.rewards, data.probabilities):
        total.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
    return total.hexdigest()[:16]
