"""`terc select`: the variables that recorded actions depend on."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from terc.cli import data_options as options
from terc.cli.names import read_costs, split_names
from terc.errors import DataFileError
from terc.progress import reporting
from terc.trajectories.joined import load_all

if TYPE_CHECKING:
    from terc.selection.result import Selection


def select(  # noqa: PLR0913  (one argument per option)
    files: options.Files,
    action: options.Action = [],  # noqa: B006
    episode: options.Episode = None,
    reward: options.Reward = None,
    nominal: options.Nominal = [],  # noqa: B006
    drop: options.Drop = [],  # noqa: B006
    ignore: options.Ignore = [],  # noqa: B006
    done: options.Done = [],  # noqa: B006
    sort: options.Sort = None,
    missing: options.Missing = None,
    steps: options.Steps = None,
    estimator: Annotated[str, typer.Option(help="auto, plugin, predictive, mine or knn.")] = "auto",
    method: Annotated[str, typer.Option(help="sequential, naive or minimal.")] = "sequential",
    alpha: Annotated[
        float, typer.Option(help="Chance of keeping any variable that carries no information.")
    ] = 0.05,
    min_effect: Annotated[
        float | None, typer.Option(help="Share of the information that is immaterial. [0.005; mine, knn: 0]")
    ] = None,
    order: Annotated[list[str], typer.Option(help="Names in the order to try: a,b,c; or random.")] = [],  # noqa: B006
    cost: Annotated[list[str], typer.Option(help="What a variable costs: name=number.")] = [],  # noqa: B006
    group: Annotated[list[str], typer.Option(help="Names that stand or fall together: a,b.")] = [],  # noqa: B006
    keep: Annotated[list[str], typer.Option(help="Variable that is never removed.")] = [],  # noqa: B006
    seed: Annotated[int, typer.Option(help="Same seed, same answer.")] = 0,
    jobs: Annotated[int, typer.Option(help="Worker processes; -1 for one per core.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Folder for selection.json and selection.csv.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Select the variables that the recorded actions depend on."""
    import terc

    folder = _folder(out)
    typed = options.DataOptions(
        "", action, episode, reward, nominal, drop, ignore, done, sort, missing, steps
    )
    data = load_all(files, lambda file: replace(typed, file=file).load(seed=seed))
    with reporting(True) as progress:
        selection = terc.select(
            data,
            estimator=estimator,
            method=method,
            alpha=alpha,
            min_effect=min_effect,
            order=_order(order, data.names),
            costs=read_costs(cost, data.names) or None,
            groups=[split_names("--group", [text], data.names) for text in group] or None,
            keep=split_names("--keep", keep, data.names),
            n_jobs=jobs,
            backend=None,
            seed=seed,
            progress=progress,
        )
    if folder is not None:
        _write(selection, folder)
    typer.echo(as_json_text(selection) if as_json else f"{selection}")


def _folder(out: Path | None) -> Path | None:
    """The folder, made before the work begins, so that no result is lost for lack of one."""
    try:
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataFileError(f"--out: cannot make the folder {out} ({error.strerror}).") from error
    return out


def _order(texts: Sequence[str], known: Sequence[str]) -> list[str] | str | None:
    if list(texts) == ["random"] and "random" not in known:
        return "random"
    return split_names("--order", texts, known) or None


def as_json_text(selection: Selection) -> str:
    """The selection as JSON that every reader accepts."""
    return json.dumps(selection.to_dict(), indent=1, allow_nan=False)


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
