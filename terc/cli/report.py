"""`terc report`: the HTML page of a run or of a saved selection."""

import json
from pathlib import Path
from typing import Annotated

import typer


def report(
    folder: Annotated[
        Path, typer.Argument(help="Folder of a run, or a saved selection (.json).", metavar="DIR")
    ],
    out: Annotated[Path | None, typer.Option(help="File to write; report.html in DIR if not given.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the path as JSON.")] = False,
) -> None:
    """Write report.html: one file that opens offline."""
    from terc.reporting.report import report as write_report

    written = write_report(folder, out)
    typer.echo(json.dumps({"report": str(written)}) if as_json else f"{written}")
