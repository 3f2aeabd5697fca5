"""`terc ablate`: what happens to the return when variables are unplugged."""

from __future__ import annotations

from typing import Annotated

import typer

from terc.cli.agent import AgentOptions, AsJson, Keep, show, with_agent
from terc.progress import reporting


@with_agent
def ablate(
    typed: AgentOptions,
    keep: Keep = [],  # noqa: B006
    replace: Annotated[
        str, typer.Option(help="What the agent is shown instead: moments, expectation or mean.")
    ] = "moments",
    as_json: AsJson = False,
) -> None:
    """Play an agent with each variable replaced, and with all that are not kept: what is it worth?"""
    import terc

    chosen = typed.kept(keep)
    make, policy = typed.played
    with reporting(True) as progress:
        found = terc.ablate(make, policy, chosen, replace=replace, **typed.how, progress=progress)
    show(found.to_dict(), f"{found}", as_json=as_json)
