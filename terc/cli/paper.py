"""`terc paper`: the experiments of the paper, with its statements beside what comes out here."""

import json
from pathlib import Path
from typing import Annotated

import typer

from terc.cli.terminal import show
from terc.progress_display import listening_until_stopped

EXPERIMENTS = (
    "theory, synthetic, secret-key, cart-pole, pendulum, lunar-lander (gym: these three), prisoners, "
    "condition-1, inference, or all. Without a word they are listed with their costs."
)
SCALE = "quick (15 minutes on 2 idle cores) or full (the paper's run counts, hours); see --plan."


def paper(  # noqa: PLR0913  (one parameter per option)
    experiments: Annotated[
        list[str] | None, typer.Argument(help=EXPERIMENTS, metavar="EXPERIMENT", show_default=False)
    ] = None,
    scale: Annotated[str, typer.Option(help=SCALE)] = "quick",
    out: Annotated[
        Path | None,
        typer.Option(help="Folder; what is finished there is not done again. [default: runs/paper-SCALE]"),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "--n-jobs", help="Worker processes; the results do not depend on it.")
    ] = 2,
    write_docs: Annotated[
        Path | None, typer.Option(help="Also write reproduction.md and its pictures into this folder.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(help="Also write every picture as .svg and .pdf into this folder.")
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Say how many tasks there are and what they cost; do nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the claims, or the plan, as JSON.")] = False,
) -> None:
    """Reproduce the paper: every figure and table, each claim beside our number, one page at the end.

    A reproduction that was interrupted continues with the same command.
    """
    chosen = experiments or ["all"]
    unasked = not experiments and not any((out, write_docs, figures))  # a folder says that all is wanted
    if plan or unasked:
        from terc.paper import run

        show(run.plan(chosen, scale=scale, as_json=as_json), as_json=as_json)
        if not plan and not as_json:
            show("Nothing was run. Name what you want: terc paper cart-pole, ..., or terc paper all.")
        return
    with listening_until_stopped("continue with the same command (terc paper ...)") as progress:
        # here, because to import it takes long enough for an impatient Ctrl-C
        from terc.paper.run import reproduce

        where = {"out": out, "docs": write_docs, "drawings": figures}
        made = reproduce(chosen, scale=scale, **where, n_jobs=jobs, progress=progress)
    text = json.dumps(made.to_dict(), indent=1, ensure_ascii=False) if as_json else f"{made}"
    show(text, as_json=as_json)
    if figures is not None and not as_json:
        typer.echo(f"figures: {figures}")
