"""`terc ablate`: what happens to the return when variables are unplugged."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from terc.cli.agent import (
    AllowPickle,
    AsJson,
    Environment,
    Episodes,
    Keep,
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
)
from terc.progress import reporting


def ablate(  # noqa: PLR0913  (one argument per option)
    environment: Environment,
    model: Model,
    keep: Keep = [],  # noqa: B006
    selection: SelectionFile = None,
    replace: Annotated[
        str, typer.Option(help="What the agent is shown instead: moments, expectation or mean.")
    ] = "moments",
    noise: Noise = 0,
    episodes: Episodes = 100,
    steps: Steps = 10_000,
    seed: Seed = 0,
    sampled: Sampled = False,
    allow_pickle: AllowPickle = False,
    vec_normalize: VecNormalize = None,
    as_json: AsJson = False,
) -> None:
    """Play an agent with each variable replaced, and with all that are not kept: what is it worth?"""
    import terc

    make, names = open_environment(environment, noise)
    policy = open_agent(model, allow_pickle, vec_normalize)
    chosen = chosen_variables(keep, selection, names)
    with reporting(True) as progress:
        found = terc.ablate(
            make,
            policy,
            chosen,
            replace=replace,
            episodes=episodes,
            steps=steps,
            seed=seed,
            greedy=not sampled,
            progress=None if isinstance(progress, bool) else progress,
        )
    typer.echo(json.dumps(found.to_dict(), indent=1, allow_nan=False) if as_json else f"{found}")
