"""`terc frontier`: how few variables, or how cheap ones, still give the return."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from terc.cli.agent import (
    AllowPickle,
    AsJson,
    Environment,
    Episodes,
    Folder,
    Hidden,
    Model,
    Noise,
    Sampled,
    Seed,
    SelectionFile,
    Steps,
    VecNormalize,
    chosen_variables,
    open_agent,
    open_environment,
    widths,
)
from terc.cli.names import read_costs
from terc.errors import BadValueError
from terc.progress import reporting


def frontier(  # noqa: PLR0913  (one argument per option)
    environment: Environment,
    model: Model,
    selection: SelectionFile = None,
    cost: Annotated[
        list[str], typer.Option(help="What a variable costs: name=number; repeat it for all of them.")
    ] = [],  # noqa: B006
    budget: Annotated[
        float | None, typer.Option(help="Try only sets of at most this cost, or so many variables.")
    ] = None,
    tolerance: Annotated[float, typer.Option(help="Share of the return that may be lost.")] = 0.05,
    rounds: Annotated[int, typer.Option(help="Lessons of each agent at most.")] = 4,
    out: Annotated[
        Path | None, typer.Option(help="Folder for frontier.json, report.html and the smallest agent.")
    ] = None,
    hidden: Hidden = "64,64",
    folder: Folder = None,
    noise: Noise = 0,
    episodes: Episodes = 100,
    steps: Steps = 10_000,
    seed: Seed = 0,
    sampled: Sampled = False,
    allow_pickle: AllowPickle = False,
    vec_normalize: VecNormalize = None,
    as_json: AsJson = False,
) -> None:
    """Distill an agent onto ever fewer variables: what do they return, and which few are enough?"""
    import terc

    make, names = open_environment(environment, noise)
    costs = read_costs(cost, names) or None
    if out is not None and out.is_file():
        raise BadValueError(f"--out: wanted a folder, {str(out)!r} is a file.")
    policy = open_agent(model, allow_pickle, vec_normalize)
    with reporting(True) as progress:
        front = terc.frontier(
            make,
            policy,
            costs,
            selection=chosen_variables([], selection, names),
            budget=budget,
            hidden=widths(hidden),
            tolerance=tolerance,
            rounds=rounds,
            episodes=episodes,
            steps=steps,
            seed=seed,
            greedy=not sampled,
            folder=folder,
            progress=progress,
        )
    written = [] if out is None else [*front.write(out, tolerance), terc.report(out)]
    result = {
        **front.to_dict(),
        "smallest": list(front.smallest(tolerance)),
        "written": list(map(str, written)),
    }
    text = "\n".join([str(front), *(f"written: {path}" for path in written)])
    typer.echo(json.dumps(result, indent=1, allow_nan=False) if as_json else text)
