"""`terc distill`: a smaller agent on the kept variables, taught by the one that reads them all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from terc.cli.agent import (
    AgentOptions,
    AsJson,
    Folder,
    Hidden,
    Keep,
    Rounds,
    Tolerance,
    show,
    widths,
    with_agent,
)
from terc.errors import BadValueError, DataFileError
from terc.progress import reporting

SUFFIXES = (".npz", ".py", ".onnx")


@with_agent
def distill(  # noqa: PLR0913  (one argument per option)
    typed: AgentOptions,
    keep: Keep = [],  # noqa: B006
    out: Annotated[
        list[Path], typer.Option(help="File to write: .npz (for terc), .py (numpy) or .onnx; repeat it.")
    ] = [],  # noqa: B006
    hidden: Hidden = "64,64",
    tolerance: Tolerance = 0.05,
    rounds: Rounds = 6,
    folder: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Teach an agent on the kept variables alone what another one does; no reward, no retraining."""
    import terc

    _check_files(out)
    chosen = typed.kept(keep)
    if chosen is None:
        raise BadValueError(
            f"distill: say which variables stay, with --keep or --selection; there is {typed.world.names}."
        )
    lessons: dict[str, Any] = {"hidden": widths(hidden), "tolerance": tolerance, "folder": folder}
    make, policy = typed.played
    with reporting(True) as progress:
        small = terc.distill(make, policy, chosen, rounds=rounds, **lessons, **typed.how, progress=progress)
    for path in out:
        (small.save if path.suffix == ".npz" else small.export)(path)
    written = [str(path) for path in out]
    text = "\n".join([str(small), *(f"written: {path}" for path in written)])
    show({**small.to_dict(), "written": written}, text, as_json=as_json)


def _check_files(out: Sequence[Path]) -> None:
    """Found out before the work begins."""
    for path in out:
        if path.suffix not in SUFFIXES:
            raise BadValueError(
                f"--out: wanted a name that ends in {', '.join(SUFFIXES)}, got {path.name!r}."
            )
        if not path.parent.is_dir():
            raise DataFileError(f"--out: there is no folder {str(path.parent)!r}.")
