"""`terc frontier`: how few variables, or how cheap ones, still give the return."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from terc.cli.agent import AgentOptions, AsJson, Folder, Hidden, Rounds, Tolerance, show, widths, with_agent
from terc.cli.names import read_costs
from terc.errors import BadValueError
from terc.progress import reporting


@with_agent
def frontier(  # noqa: PLR0913  (one argument per option)
    typed: AgentOptions,
    cost: Annotated[
        list[str], typer.Option(help="What a variable costs: name=number; repeat it for all of them.")
    ] = [],  # noqa: B006
    budget: Annotated[
        float | None, typer.Option(help="Try only sets of at most this cost, or so many variables.")
    ] = None,
    tolerance: Tolerance = 0.05,
    rounds: Rounds = 4,
    out: Annotated[
        Path | None, typer.Option(help="Folder for frontier.json, report.html and the smallest agent.")
    ] = None,
    hidden: Hidden = "64,64",
    folder: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Distill an agent onto ever fewer variables: what do they return, and which few are enough?"""
    import terc

    costs = read_costs(cost, typed.world.names) or None
    if out is not None and out.is_file():
        raise BadValueError(f"--out: wanted a folder, {str(out)!r} is a file.")
    lessons: dict[str, Any] = {"hidden": widths(hidden), "tolerance": tolerance, "folder": folder}
    chosen = typed.kept()
    make, policy = typed.played
    with reporting(True) as progress:
        front = terc.frontier(
            make,
            policy,
            costs,
            selection=chosen,
            budget=budget,
            rounds=rounds,
            **lessons,
            **typed.how,
            progress=progress,
        )
    written = [] if out is None else [str(path) for path in (*front.write(out, tolerance), terc.report(out))]
    text = "\n".join([str(front), *(f"written: {path}" for path in written)])
    result = {**front.to_dict(), "smallest": list(front.smallest(tolerance)), "written": written}
    show(result, text, as_json=as_json)
