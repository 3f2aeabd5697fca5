"""`terc frontier`: how few variables, or how cheap ones, still give the return."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from terc.cli.agent import AgentOptions, AsJson, Folder, Hidden, SelectionFile, widths, with_agent
from terc.cli.options import read_costs
from terc.errors import BadValueError


@with_agent
def frontier(  # noqa: PLR0913  (one argument per option)
    agent: AgentOptions,
    selection: SelectionFile = None,
    cost: Annotated[
        list[str], typer.Option(help="What a variable costs: name=number; repeat it. [default: 1 each]")
    ] = [],  # noqa: B006
    budget: Annotated[
        float | None, typer.Option(help="Try only sets of at most this cost, or this number of variables.")
    ] = None,
    tolerance: Annotated[float, typer.Option(help="Share of the return that may be lost.")] = 0.05,
    rounds: Annotated[int, typer.Option(help="Lessons of each agent at most.")] = 4,
    out: Annotated[
        Path | None, typer.Option(help="Folder for frontier.json, report.html and the smallest agent.")
    ] = None,
    hidden: Hidden = "64,64",
    folder: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Distill an agent onto ever fewer variables: what do they return, and which few are enough?"""
    import terc

    if out is not None and out.is_file():
        raise BadValueError(f"--out: wanted a folder, {str(out)!r} is a file.")
    opened = agent.open()
    costs = read_costs(cost, opened.names) or None
    lessons: dict[str, Any] = {"hidden": widths(hidden), "tolerance": tolerance, "rounds": rounds}
    chosen = opened.chosen([], selection)
    front = opened.call(terc.frontier, costs, selection=chosen, budget=budget, **lessons, folder=folder)
    written = [] if out is None else [*front.write(out), terc.report(out)]
    result = {**front.to_dict(), "written": list(map(str, written))}
    text = "\n".join([str(front), *(f"written: {path}" for path in written)])
    typer.echo(json.dumps(result, indent=1, allow_nan=False) if as_json else text)
