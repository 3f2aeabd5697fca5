"""What `terc history` and `terc redundancy` both read: recorded steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories

File = Annotated[
    str, typer.Argument(help="A .parquet, .csv or .npz file, or minari:<data set>.", metavar="FILE")
]
Action = Annotated[list[str], typer.Option(help="Column of the actions; repeat it for several.")]
Episode = Annotated[str | None, typer.Option(help="Column that labels the episodes.")]
Nominal = Annotated[list[str], typer.Option(help="Variable whose values are labels.")]
Drop = Annotated[list[str], typer.Option(help="Column to leave out.")]
Seed = Annotated[int, typer.Option(help="Same seed, same answer.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def load_recording(
    file: str, action: Sequence[str], episode: str | None, nominal: Sequence[str], drop: Sequence[str]
) -> Trajectories:
    """The steps in a file."""
    import terc

    return terc.load(file, action=list(action) or None, episode=episode, nominal=nominal, drop=drop)
