"""`terc select`: the variables that recorded actions depend on."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from terc.cli.options import read_options, with_options
from terc.errors import DataFileError
from terc.selection.settings import Execution, Settings, Subject
from terc.trajectories.joined import load_all

if TYPE_CHECKING:
    from terc.selection.result import Selection


@with_options(Settings, Subject, Execution)
def select(  # noqa: PLR0913  (one argument per option)
    files: Annotated[
        list[str],
        typer.Argument(
            help="A .parquet, .csv or .npz file, a folder of them, or minari:<data set>. Several: one "
            "recording of each policy.",
            metavar="FILE...",
        ),
    ],
    action: Annotated[list[str], typer.Option(help="Column of the actions; repeat it for several.")] = [],  # noqa: B006
    episode: Annotated[str | None, typer.Option(help="Column that labels the episodes.")] = None,
    nominal: Annotated[list[str], typer.Option(help="Variable whose values are labels.")] = [],  # noqa: B006
    drop: Annotated[list[str], typer.Option(help="Column to leave out.")] = [],  # noqa: B006
    out: Annotated[Path | None, typer.Option(help="Folder for selection.json and selection.csv.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    **options: Any,
) -> None:
    """Select the variables that the recorded actions depend on."""
    import terc

    folder = _folder(out)
    read = partial(terc.load, action=action or None, episode=episode, nominal=nominal, drop=drop)
    data = load_all(files, read)
    selection = terc.select(data, **read_options(options, data.names), progress=True)
    if folder is not None:
        _write(selection, folder)
    typer.echo(selection.to_json() if as_json else f"{selection}")


def _folder(out: Path | None) -> Path | None:
    """The folder, made before the work begins, so that no result is lost for lack of one."""
    try:
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataFileError(f"--out: cannot make the folder {out} ({error.strerror}).") from error
    return out


def _write(selection: Selection, folder: Path) -> None:
    from terc.selection.result import Verdict
    from terc.trajectories.files import write_text_atomically

    selection.save(folder / "selection.json")
    text = io.StringIO()
    table = csv.DictWriter(text, [field.name for field in fields(Verdict)], lineterminator="\n")
    table.writeheader()
    for verdict in selection.verdicts:
        table.writerow(asdict(verdict) | {"given": " ".join(verdict.given)})
    write_text_atomically(folder / "selection.csv", text.getvalue())
