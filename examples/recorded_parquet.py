"""Steps that somebody recorded, as a parquet file: sensors have costs, and some stand or fall together.

The same on the command line:

    terc select steps.parquet --action valve --episode shift --cost lidar_left=9 --cost lidar_right=9 \
        --group lidar_left,lidar_right
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import terc

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 8_000


def recording(steps: int) -> pd.DataFrame:
    """An operator opens the valve when the tank is full; a cheap float and two expensive lidars see that."""
    rng = np.random.default_rng(0)
    level = rng.normal(size=steps)
    return pd.DataFrame(
        {
            "float": level,
            "lidar_left": level + 0.01 * rng.normal(size=steps),
            "lidar_right": level + 0.01 * rng.normal(size=steps),
            "outside": rng.normal(15, 5, steps),
            "shift": np.arange(steps) // 100,
            "valve": np.where(level + 0.2 * rng.normal(size=steps) > 0, "open", "shut"),
        }
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "steps.parquet"
        recording(STEPS).to_parquet(path)
        data = terc.load(path, action="valve", episode="shift")
    selection = terc.select(
        data,
        costs={"lidar_left": 9.0, "lidar_right": 9.0},  # the most expensive is tried for removal first
        groups=[["lidar_left", "lidar_right"]],  # one device: both go or both stay
    )
    print(selection)
    print(selection.to_frame()[["gain", "kept", "reason"]])
