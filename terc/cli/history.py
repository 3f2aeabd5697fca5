"""`terc history`: how many past steps the recorded actions depend on."""

from typing import Annotated

import typer

from terc.cli import data_options as recorded


@recorded.with_columns
def history(  # noqa: PLR0913  (one argument per option)
    file: recorded.File,
    typed: recorded.DataOptions,
    max_length: Annotated[int, typer.Option(help="The longest history to look at, in steps.")] = 9,
    per_variable: Annotated[bool, typer.Option("--per-variable", help="Also that of each variable.")] = False,
    alpha: Annotated[float, typer.Option(help="Chance of a history that is too long.")] = 0.05,
    min_effect: Annotated[
        float | None, typer.Option(help="Share of the information that does not matter. [0.1]")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same answer.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Find the shortest history that carries as much information about the recorded actions as a long one."""
    import terc

    data = typed.load(file, seed=seed)
    found = terc.history_length(
        data, max_length, per_variable=per_variable, alpha=alpha, min_effect=min_effect, seed=seed
    )
    typer.echo(found.to_json() if as_json else f"{found}")
