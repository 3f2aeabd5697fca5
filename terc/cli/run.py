"""`terc run`: the whole pipeline, from an environment to a smaller agent."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from terc.cli.agent import AllowPickle, AsJson, Keywords, read_keywords
from terc.cli.options import read_options, with_options
from terc.cli.terminal import show
from terc.pipeline.config import RunConfig
from terc.progress_display import listening_until_stopped


@with_options(RunConfig, without=["environment", "environment_options", "model"], may_be_unset=True)
def run(  # noqa: PLR0913  (one argument per option)
    environment: Annotated[
        str | None,
        typer.Argument(
            help="Gymnasium id, or package.module:factory; not needed to continue with --out.",
            metavar="ENV_ID",
            show_default=False,
        ),
    ] = None,
    option: Keywords = [],  # noqa: B006
    model: Annotated[
        list[Path],
        typer.Option(
            help="An agent trained elsewhere: Stable-Baselines3 .zip or folder, CleanRL, .onnx, our .npz; "
            "repeat it for several agents.",
            show_default=False,
        ),
    ] = [],  # noqa: B006
    vec_normalize: Annotated[
        list[str],
        typer.Option(
            "--vecnormalize",
            help="The VecNormalize .pkl that the .zip was trained with, or none; one for each model.",
            show_default=False,
        ),
    ] = [],  # noqa: B006
    allow_pickle: AllowPickle = False,
    out: Annotated[
        Path | None, typer.Option(help="Run folder; a run in it is continued. [default: runs/...]")
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Delete the run in the folder first.")] = False,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Train or read an agent, select, ablate, distill, retrain, time inference, report.

    A run that was interrupted continues with the same command, or with `terc run --out DIR` alone.
    """
    given = read_options({**options, "environment_options": read_keywords(option) or None, "out": out})
    same = f"continue with the same command (terc run {environment} ...)"
    with listening_until_stopped(same if out is None else f"continue with: terc run --out {out}") as progress:
        # here, because to import it takes long enough for an impatient Ctrl-C
        from terc.pipeline.run import run as start

        given |= {"model": model or None, "vec_normalize": vec_normalize or None}
        given["allow_pickle"] = allow_pickle
        done = start(environment, restart=restart, progress=progress, **given)
    show(json.dumps(done.to_dict(), indent=1) if as_json else f"{done}", as_json=as_json)
