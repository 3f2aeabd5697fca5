"""`terc ablate`: what happens to the return when variables are unplugged."""

import json
from typing import Annotated

import typer

from terc.cli.agent import AgentOptions, AsJson, Keep, SelectionFile, chosen_variables, with_agent
from terc.progress import reporting


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

    opened = agent.open()
    chosen = chosen_variables(keep, selection, opened.names)
    with reporting(True) as progress:
        found = terc.ablate(
            opened.make,
            opened.policy,
            chosen,
            replace=replace,
            progress=None if isinstance(progress, bool) else progress,
            **agent.played,
        )
    typer.echo(json.dumps(found.to_dict(), indent=1, allow_nan=False) if as_json else f"{found}")
