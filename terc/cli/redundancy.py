"""`terc redundancy` and `terc history`: which variables stand in for each other, and how many steps count."""

from typing import Annotated

import typer

from terc.cli import data_options as recorded
from terc.cli.terminal import show
from terc.errors import BadValueError


@recorded.with_columns
def redundancy(  # noqa: PLR0913  (one argument per option)
    file: recorded.File,
    typed: recorded.DataOptions,
    context: Annotated[
        str, typer.Option(help="any: beside some of the others; all: beside all, as the paper defines it.")
    ] = "any",
    alpha: Annotated[float, typer.Option(help="Chance of an error.")] = 0.05,
    min_effect: Annotated[
        float | None, typer.Option(help="Share of the information that does not matter.")
    ] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds after which the search stops; 0 for none.")] = 60,
    seed: Annotated[int, typer.Option(help="Same seed, same answer.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Find pairs of subsets of variables that say the same about the recorded actions."""
    import terc

    if time_limit < 0:
        raise BadValueError(f"--time-limit: wanted seconds, 0 for no limit, got {time_limit:g}.")
    data = typed.load(file, seed=seed)
    found = terc.find_redundancy(
        data, context=context, alpha=alpha, min_effect=min_effect, time_limit=time_limit or None, seed=seed
    )
    show(found.to_json() if as_json else f"{found}", as_json=as_json)


@recorded.with_columns
def history(  # noqa: PLR0913  (one argument per option)
    file: recorded.File,
    typed: recorded.DataOptions,
    max_length: Annotated[int, typer.Option(help="The longest history to look at, in steps.")] = 9,
    per_variable: Annotated[bool, typer.Option("--per-variable", help="Also that of each variable.")] = False,
    alpha: Annotated[float, typer.Option(help="Chance of a history that is too long.")] = 0.05,
    min_effect: Annotated[
        float | None, typer.Option(help="Share of the information that does not matter. [default: 0.1]")
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
    show(found.to_json() if as_json else f"{found}", as_json=as_json)
