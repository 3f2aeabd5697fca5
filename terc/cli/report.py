"""`terc report` and `terc export`: the HTML page of a run or a saved selection, and its agent as a file."""

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


def export(
    folder: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="DIR")],
    to: Annotated[str, typer.Option(help="numpy (one .py file) or onnx.")] = "numpy",
    state: Annotated[
        str | None,
        typer.Option(
            help="smallest, reduced, distilled or full. [default: that of the verdict if it is as good, else "
            "the first there is]"
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to write; policy_STATE in DIR if not given.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the path as JSON.")] = False,
) -> None:
    """Write the best agent of a run as a file that runs without terc and without torch."""
    from terc.pipeline.export import export as write_policy

    written = write_policy(folder, to, state=state, out=out)
    typer.echo(json.dumps({"policy": str(written)}) if as_json else f"{written}")
