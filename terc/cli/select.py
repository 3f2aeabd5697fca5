"""`terc select`: the variables that recorded actions depend on."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from terc.cli import data_options as recorded
from terc.cli.options import read_options, with_options
from terc.cli.terminal import room, show
from terc.errors import DataFileError
from terc.selection.printing import WIDTH, table
from terc.selection.settings import Execution, Settings, Subject
from terc.trajectories.joined import load_all

if TYPE_CHECKING:
    from terc.selection.result import Selection


@with_options(Settings, Subject, Execution, without=["steps"])
@recorded.with_columns
def select(
    files: recorded.Files,
    typed: recorded.DataOptions,
    out: Annotated[Path | None, typer.Option(help="Folder for selection.json and selection.csv.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    **options: Any,
) -> None:
    """Select the variables that the recorded actions depend on."""
    import terc

    folder = _folder(out)
    data = load_all(files, lambda file: typed.load(file, seed=options["seed"]))
    selection = terc.select(data, **read_options(options, data.names), steps=typed.looked_at, progress=True)
    # Shown first: a disk that is full then does not cost the answer.
    show(selection.to_json() if as_json else table(selection, room(WIDTH)), as_json=as_json)
    if folder is not None:
        _write(selection, folder)
        if not as_json:
            show(f"\nsaved in {folder}; a page of it: terc report {folder}")


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
