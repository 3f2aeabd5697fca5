"""Learning curves of the agents of a run, as one table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from terc.return_comparison import AgentGroup, on_one_grid
from terc.trajectories.files import write_atomically


def write_curves(path: Path, groups: Sequence[AgentGroup], seeds: Sequence[int]) -> None:
    """One row per state, agent and step.

    Args:
        path: The parquet file.
        groups: The agents of each state.
        seeds: Of the agents, in order.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    grid, tables = on_one_grid({group.state: group.curves for group in groups})
    rows = [(state, seed, values) for state, table in tables.items()
            for seed, values in zip(seeds, table, strict=True)]  # fmt: skip
    table = pa.table(
        {
            "state": np.repeat([state for state, _, _ in rows], len(grid)).tolist(),
            "seed": np.repeat([seed for _, seed, _ in rows], len(grid)),
            "step": np.tile(grid, len(rows)),
            "return": np.concatenate([values for _, _, values in rows]),
        }
    )
    write_atomically(path, lambda sink: pq.write_table(table, sink))
