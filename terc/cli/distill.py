"""`terc ablate`, `distill`, `frontier`: an agent without some variables, and smaller ones that it teaches."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from terc.cli.agent import AgentOptions, AsJson, Folder, Hidden, Keep, SelectionFile, widths, with_agent
from terc.cli.options import read_costs
from terc.cli.terminal import show
from terc.errors import BadValueError, DataFileError, available_names

SUFFIXES = (".npz", ".py", ".onnx")


@with_agent
def distill(  # noqa: PLR0913  (one argument per option)
    agent: AgentOptions,
    keep: Keep = [],  # noqa: B006
    selection: SelectionFile = None,
    out: Annotated[
        list[Path], typer.Option(help="File to write: .npz (for terc), .py (numpy) or .onnx; repeat it.")
    ] = [],  # noqa: B006
    hidden: Hidden = "64,64",
    tolerance: Annotated[float, typer.Option(help="Share of the return that may be lost.")] = 0.05,
    rounds: Annotated[int, typer.Option(help="Lessons at most.")] = 6,
    folder: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Teach an agent on the kept variables alone what another one does; no reward, no retraining."""
    import terc

    _check_files(out)
    chosen = agent.chosen(keep, selection)
    if chosen is None:
        raise BadValueError(
            f"distill: say which variables stay, with --keep or --selection.{available_names(agent.names)}"
        )
    lessons: dict[str, Any] = {"hidden": widths(hidden), "tolerance": tolerance, "rounds": rounds}
    small = agent.call(terc.distill, chosen, **lessons, folder=folder)
    for path in out:
        (small.save if path.suffix == ".npz" else small.export)(path)
    written = [str(path) for path in out]
    result = {**small.to_dict(), "written": written}
    text = "\n".join([str(small), *(f"written: {path}" for path in written)])
    show(json.dumps(result, indent=1, allow_nan=False) if as_json else text, as_json=as_json)


def _check_files(out: Sequence[Path]) -> None:
    """Refuse now what could not be written after the work."""
    for path in out:
        if path.suffix not in SUFFIXES:
            raise BadValueError(
                f"--out: wanted a name that ends in {', '.join(SUFFIXES)}, got {path.name!r}."
            )
        if not path.parent.is_dir():
            raise DataFileError(f"--out: there is no folder {str(path.parent)!r}.")


@with_agent
def ablate(
    agent: AgentOptions,
    keep: Keep = [],  # noqa: B006
    selection: SelectionFile = None,
    replace: Annotated[
        str, typer.Option(help="What the agent is shown instead: moments, expectation or mean.")
    ] = "moments",
    as_json: AsJson = False,
) -> None:
    """Play an agent with each variable replaced, and with all that are not kept: what is it worth?"""
    import terc

    found = agent.call(terc.ablate, agent.chosen(keep, selection), replace=replace)
    text = json.dumps(found.to_dict(), indent=1, allow_nan=False) if as_json else f"{found}"
    show(text, as_json=as_json)


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
    costs = read_costs(cost, agent.names) or None
    lessons: dict[str, Any] = {"hidden": widths(hidden), "tolerance": tolerance, "rounds": rounds}
    chosen = agent.chosen([], selection)
    front = agent.call(terc.frontier, costs, selection=chosen, budget=budget, **lessons, folder=folder)
    written = [] if out is None else [*front.write(out), terc.report(out)]
    result = {**front.to_dict(), "written": list(map(str, written))}
    text = "\n".join([str(front), *(f"written: {path}" for path in written)])
    show(json.dumps(result, indent=1, allow_nan=False) if as_json else text, as_json=as_json)
