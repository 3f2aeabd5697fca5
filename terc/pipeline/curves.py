"""Learning curves of the agents of a run, as one table."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from terc.return_comparison import AgentGroup, on_one_grid
from terc.trajectories.files import write_atomically


def write_curves(path: Path, groups: Sequence[AgentGroup]) -> None:
    """One row per state, agent and step."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    grid, tables = on_one_grid({group.state: group.curves for group in groups})
    rows = [(group.state, seed, values) for group in groups
            for seed, values in zip(group.seeds, tables[group.state], strict=True)]  # fmt: skip
    table = pa.table(
        {
            "state": np.repeat([state for state, _, _ in rows], len(grid)).tolist(),
            "seed": np.repeat([seed for _, seed, _ in rows], len(grid)),
            "step": np.tile(grid, len(rows)),
            "return": np.concatenate([values for _, _, values in rows]),
        }
    )
    write_atomically(path, lambda sink: pq.write_table(table, sink))
