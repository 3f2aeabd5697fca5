"""`terc run`: the whole pipeline, from an environment to a smaller agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from terc.cli.agent import AllowPickle, AsJson, VecNormalize
from terc.cli.options import read_options, with_options
from terc.cli.run_progress import run_progress
from terc.errors import BadValueError
from terc.pipeline.config import RunConfig


@with_options(RunConfig, without=["environment", "environment_options", "model"], may_be_unset=True)
def run(  # noqa: PLR0913  (one argument per option)
    environment: Annotated[
        str | None,
        typer.Argument(
            help="Gymnasium id, or package.module:factory; not needed to go on with --out.",
            metavar="[ENV_ID]",
            show_default=False,
        ),
    ] = None,
    option: Annotated[
        list[str], typer.Option(help="Keyword of the environment: name=value; repeat it.")
    ] = [],  # noqa: B006
    model: Annotated[
        Path | None, typer.Option(help="An agent trained elsewhere: Stable-Baselines3 .zip, or our .npz.")
    ] = None,
    vec_normalize: VecNormalize = None,
    allow_pickle: AllowPickle = False,
    out: Annotated[Path | None, typer.Option(help="Run folder; a run in it is continued. [runs/...]")] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Delete the run in the folder first.")] = False,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Train or read an agent, select, ablate, distill, retrain, time inference, report.

    A run that was interrupted continues with the same command, or with `terc run --out DIR` alone.
    """
    given = read_options({**options, "environment_options": _options(option) or None, "out": out})
    with run_progress(_how_to_continue(environment, out)) as progress:
        # here, because to import it takes long enough for an impatient Ctrl-C
        from terc.pipeline.run import run as start

        done = start(
            environment,
            model=model,
            vec_normalize=vec_normalize,
            allow_pickle=allow_pickle,
            restart=restart,
            progress=progress,
            **given,
        )
    typer.echo(json.dumps(done.to_dict(), indent=1) if as_json else f"{done}")


def _options(texts: list[str]) -> dict[str, Any]:
    """Keywords from name=value, where the value is read as JSON if it is, else as text.

    Example:
        >>> _options(["keys=50", "mode=hard"])
        {'keys': 50, 'mode': 'hard'}
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise BadValueError(f"--option: wanted name=value, got {text!r}.")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _how_to_continue(environment: str | None, out: Path | None) -> str:
    if out is not None:
        return f"go on with: terc run --out {out}"
    return f"go on with the same command (terc run {environment} ...)"
