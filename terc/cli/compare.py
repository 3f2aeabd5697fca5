"""`terc compare`: several methods on the same recorded data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from terc.cli import data_options as options
from terc.cli.names import split_names


def compare(  # noqa: PLR0913  (one argument per option)
    file: options.File,
    action: options.Action = [],  # noqa: B006
    episode: options.Episode = None,
    reward: options.Reward = None,
    nominal: options.Nominal = [],  # noqa: B006
    drop: options.Drop = [],  # noqa: B006
    ignore: options.Ignore = [],  # noqa: B006
    done: options.Done = [],  # noqa: B006
    sort: options.Sort = None,
    missing: options.Missing = None,
    steps: options.Steps = None,
    methods: Annotated[
        list[str], typer.Option(help="Methods by name, a,b,c; terc,umfi,permutation by default.")
    ] = [],  # noqa: B006
    truth: Annotated[list[str], typer.Option(help="The right names a,b,c, where they are known.")] = [],  # noqa: B006
    seed: Annotated[int, typer.Option(help="Same seed, same answer.")] = 0,
    jobs: Annotated[int, typer.Option(help="Worker processes; -1 for one per core.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Folder; a comparison continues there.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Compare what several methods keep of the same recorded data."""
    import terc
    from terc.baselines.compare import DEFAULT

    chosen = [name.strip() for text in methods for name in text.split(",")] or list(DEFAULT)
    typed = options.DataOptions(
        file, action, episode, reward, nominal, drop, ignore, done, sort, missing, steps
    )
    data = typed.load(seed=seed)
    right = split_names("--truth", truth, data.names) or None
    sides = terc.compare(data, chosen, truth=right, seed=seed, n_jobs=jobs, progress=True, out=out)
    typer.echo(json.dumps(sides.to_dict(), indent=1, allow_nan=False) if as_json else f"{sides}")
