"""The options of commands that read recorded data: which column is what, and how much is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from terc.cli.options import Command, flag, separated, with_fields
from terc.errors import BadValueError

if TYPE_CHECKING:
    from terc.trajectories.data import Trajectories
    from terc.trajectories.recorded import Recorded

DEFAULT_STEPS = 100_000
"""Steps that are read of a longer recording unless `--steps` says otherwise: with a floor on the effect, some
tens of thousands decide almost everything."""

File = Annotated[
    str,
    typer.Argument(
        help="A .parquet, .csv, .npz or .hdf5 file, a folder of them, or minari:NAME.",
        metavar="FILE",
    ),
]
Files = Annotated[
    list[str],
    typer.Argument(
        help="A .parquet, .csv, .npz or .hdf5 file, a folder of them, or minari:NAME. "
        "Several: one recording of each policy.",
        metavar="FILE",
    ),
]


@dataclass(frozen=True)
class DataOptions:
    """What was typed about the columns of a recording: each field is a flag."""

    action: list[str] = flag("Column of the actions; several: a,b or 'a_*' or repeated.")
    episode: list[str] = flag("Column that labels the episodes; several together: a,b or repeated.")
    reward: str | None = flag("Column of the rewards: no variable.", None, "--reward", "--rewards")
    nominal: list[str] = flag("Variable whose values are labels.")
    drop: list[str] = flag("Column to leave out: a,b or repeated.")
    ignore: list[str] = flag("Columns to leave out by name or pattern: a,debug_* or repeated.")
    seen: list[str] = flag(
        "Variables that the agent sees when it acts, though their names or values are of later: next_piece."
    )
    done: list[str] = flag("Column that is true in the last step of an episode: no variable.")
    sort: str | None = flag(
        "Column by which the steps of each episode are sorted: no variable; the episode column itself brings "
        "episodes together.",
        None,
    )
    missing: str | None = flag(
        "indicator: fill missing values and add a variable that says where. [default: refuse]", None
    )
    steps: str | None = flag(
        f"About how many steps to read, in whole episodes; all for all. [default: {DEFAULT_STEPS:,} of a "
        "longer recording]",
        None,
    )

    def open(self, file: str) -> Recorded:
        """The recording, with every name checked and no value read."""
        from terc.trajectories.files import open_table
        from terc.trajectories.recorded import Recorded
        from terc.trajectories.roles import Roles

        table = open_table(file)
        known = {*table.names, *table.blocks}
        several = ("action", "episode", "nominal", "drop", "ignore", "seen", "done")
        named = {role: separated(getattr(self, role), known) for role in several}
        roles = Roles.given("load", **named, rewards=self.reward, sort=self.sort, missing=self.missing)
        return Recorded.of(table, roles)

    def load(self, file: str, *, seed: int) -> Trajectories:
        """The steps: all, or a sample of a long recording."""
        wanted = self._wanted_steps()
        return self.open(file).sample(DEFAULT_STEPS if wanted is None else wanted, seed=seed)

    @property
    def looked_at(self) -> str | None:
        """For `terc.select`: all that was read where a number was asked for, else as many as it takes."""
        return None if self.steps is None else "all"

    def _wanted_steps(self) -> int | str | None:
        if self.steps is None or self.steps == "all":
            return self.steps
        try:
            return int(self.steps.replace(",", "").replace("_", ""))
        except ValueError:
            raise BadValueError(f"--steps: wanted a whole number or all, got {self.steps!r}.") from None


def with_columns(command: Command) -> Command:
    """The command with a flag for each field of `DataOptions`, which it receives as `typed`."""
    return with_fields(DataOptions, command, "typed")
