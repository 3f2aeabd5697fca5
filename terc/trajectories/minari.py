"""Trajectories from Minari data sets of recorded play (extra `terc[minari]`)."""

from typing import Any

import numpy as np
import numpy.typing as npt

from terc.errors import DataFileError, TercError, extra_module
from terc.trajectories.columns import Column, as_array, column_of, one_line
from terc.trajectories.roles import Convention, Roles
from terc.trajectories.tables import ColumnTable


def minari_table(dataset_id: str) -> ColumnTable:
    """A Minari data set on this machine; the last observation of an episode has no action."""
    columns = _columns(_episodes(dataset_id))
    actions = tuple(column.name for column in columns if column.name.partition("_")[0] == "action")
    table = ColumnTable(f"load: minari:{dataset_id}", columns)
    table.convention = Convention(Roles(actions, "episode", "reward"))
    return table


def _episodes(dataset_id: str) -> list[Any]:
    minari = extra_module("minari", "load: a Minari data set", "minari")
    try:
        return list(minari.load_dataset(dataset_id).iterate_episodes())
    except TercError:
        raise
    except Exception as error:  # Minari raises what its storage raises
        raise DataFileError(
            f"load: there is no readable Minari data set {dataset_id!r} on this machine ({one_line(error)}); "
            f"fetch it with: minari download {dataset_id}"
        ) from error


def _columns(episodes: list[Any]) -> list[Column]:
    lengths = [len(episode.rewards) for episode in episodes]
    if not sum(lengths):
        raise DataFileError("load: the Minari data set holds no step.")
    return [
        *_flat("observation", [e.observations for e in episodes], lengths),
        *_flat("action", [e.actions for e in episodes], lengths),
        Column("episode", np.repeat(np.arange(len(lengths)), lengths)),
        Column("reward", np.concatenate([np.asarray(e.rewards, dtype=np.float64) for e in episodes])),
    ]


def _flat(name: str, parts: list[Any], lengths: list[int]) -> list[Column]:
    """Columns `name_0`, ... of plain, dict and tuple spaces, cut to as many steps as there are actions."""
    if isinstance(parts[0], dict | tuple):
        keys = parts[0] if isinstance(parts[0], dict) else range(len(parts[0]))
        return [c for key in keys for c in _flat(f"{name}_{key}", [part[key] for part in parts], lengths)]
    arrays = [as_array(name, part)[:n] for part, n in zip(parts, lengths, strict=True)]
    joined: npt.NDArray[Any] = np.concatenate(arrays)
    if joined.ndim == 1:
        return [column_of(name, joined)]
    flat = joined.reshape(len(joined), -1)
    return [column_of(f"{name}_{j}", flat[:, j]) for j in range(flat.shape[1])]
