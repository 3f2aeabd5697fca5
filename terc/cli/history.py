"""`terc history`: how many past steps the recorded actions depend on."""

from __future__ import annotations

from typing import Annotated

import typer

from terc.cli.recording import Action, AsJson, Drop, Episode, File, Nominal, Seed, load_recording


def history(  # noqa: PLR0913  (one argument per option)
    file: File,
    action: Action = [],  # noqa: B006
    episode: Episode = None,
    nominal: Nominal = [],  # noqa: B006
    drop: Drop = [],  # noqa: B006
    max_length: Annotated[int, typer.Option(help="The longest history to look at, in steps.")] = 9,
    per_variable: Annotated[bool, typer.Option("--per-variable", help="Also that of each variable.")] = False,
    alpha: Annotated[float, typer.Option(help="Chance of a history that is too long.")] = 0.05,
    min_effect: Annotated[
        float | None, typer.Option(help="Share of the information that does not matter. [0.1]")
    ] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Find the shortest history that tells as much about the recorded actions as a long one."""
    import terc

    data = load_recording(file, action, episode, nominal, drop)
    found = terc.history_length(
        data, max_length, per_variable=per_variable, alpha=alpha, min_effect=min_effect, seed=seed
    )
    typer.echo(found.to_json() if as_json else f"{found}")
