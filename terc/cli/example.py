"""`terc example`: a recording to try the other commands on, whose right answer is known."""

import json
from pathlib import Path
from typing import Annotated

import typer

from terc.cli.terminal import show
from terc.errors import BadValueError, DataFileError

STEPS = 5_000
SUFFIXES = (".parquet", ".csv")


def example(
    file: Annotated[Path, typer.Argument(help="File to write: .parquet or .csv.", metavar="FILE")],
    steps: Annotated[int, typer.Option(help="Steps to record.")] = STEPS,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the path as JSON.")] = False,
) -> None:
    """Write a recording of a controller that balances a pole, to try the other commands on.

    It pushes by four numbers; the pole's angle in degrees stands beside the angle in radians, and three
    columns are noise. Columns: trial (the episode), push (the action), and eight variables.
    """
    import numpy as np
    import pandas as pd

    from terc import synthetic
    from terc.trajectories.files import write_atomically

    if file.suffix not in SUFFIXES:
        raise BadValueError(
            f"example: wanted a file that ends in {' or '.join(SUFFIXES)}, got {file.name!r}."
        )
    if file.exists() and not force:
        raise DataFileError(f"example: {file} exists; choose another name, or replace it with --force.")
    if steps < 100:
        raise BadValueError(f"example: --steps: wanted at least 100, got {steps}.")
    data = synthetic.cart_pole_like(steps, seed=0).data
    frame = pd.DataFrame(data.states, columns=list(data.names))
    frame.insert(3, "pole_degrees", np.degrees(frame["pole_angle"]))
    frame.insert(0, "trial", data.episodes)
    frame["push"] = np.where(data.actions == 1, "right", "left")
    writer = frame.to_parquet if file.suffix == ".parquet" else frame.to_csv
    write_atomically(file, lambda stream: writer(stream, index=False))
    said = f"{file}: {len(frame):,} steps; try: terc select {file} --action push --episode trial"
    show(json.dumps({"file": str(file), "steps": len(frame)}) if as_json else said, as_json=as_json)
