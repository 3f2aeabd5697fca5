"""`terc compare`: several methods on the same recorded data."""

from pathlib import Path
from typing import Annotated, Any

import typer

from terc.cli import data_options as recorded
from terc.cli.options import read_options, split_names, with_options
from terc.cli.terminal import room, show
from terc.selection.settings import Settings


@with_options(Settings, without=["seed"], may_be_unset=True)
@recorded.with_columns
def compare(  # noqa: PLR0913  (one argument per option)
    file: recorded.File,
    typed: recorded.DataOptions,
    methods: Annotated[
        list[str], typer.Option(help="Methods by name, a,b,c; terc,umfi,permutation by default.")
    ] = [],  # noqa: B006
    truth: Annotated[list[str], typer.Option(help="The right names a,b,c, where they are known.")] = [],  # noqa: B006
    seed: Annotated[int, typer.Option(help="Same seed, same answer.")] = 0,
    jobs: Annotated[int, typer.Option(help="Worker processes; -1 for one per core.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Folder; a comparison continues there.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    **options: Any,
) -> None:
    """Compare what several methods keep of the same recorded data.

    The options from --estimator on are those of terc itself; the other methods have their own.
    """
    import terc
    from terc.baselines.compare import DEFAULT
    from terc.baselines.comparison import WIDTH

    chosen = [name.strip() for text in methods for name in text.split(",")] or list(DEFAULT)
    data = typed.load(file, seed=seed)
    right = split_names("--truth", truth, data.names) or None
    how: dict[str, Any] = {"n_jobs": jobs, "out": out, "options": read_options(options, data.names)}
    sides = terc.compare(data, chosen, truth=right, seed=seed, progress=True, **how)
    show(sides.to_json() if as_json else sides.text(room(WIDTH)), as_json=as_json)
