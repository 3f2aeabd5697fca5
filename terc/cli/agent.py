"""What `terc ablate` and `terc distill` both read: an environment, an agent for it, and variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from terc.cli.names import split_names
from terc.errors import BadValueError, DataFileError

Environment = Annotated[
    str, typer.Argument(help="Gymnasium id, or package.module:factory.", metavar="ENV_ID")
]
Model = Annotated[Path, typer.Option(help="The agent: our .npz, or a Stable-Baselines3 .zip.")]
AllowPickle = Annotated[
    bool, typer.Option("--allow-pickle", help="Open a .zip or .pkl, which can run any code; trust it first.")
]
VecNormalize = Annotated[
    Path | None,
    typer.Option("--vecnormalize", help="The VecNormalize .pkl that a .zip was trained with; none."),
]
Noise = Annotated[int, typer.Option(help="Columns of noise that the agent was trained with.")]
Keep = Annotated[list[str], typer.Option(help="Variables that stay: a,b,c; repeat it.")]
SelectionFile = Annotated[
    Path | None, typer.Option("--selection", help="selection.json of terc select or terc run.")
]
Episodes = Annotated[int, typer.Option(help="Fresh episodes that are played.")]
Steps = Annotated[int, typer.Option(help="Steps that are recorded of the agent.")]
Seed = Annotated[int, typer.Option(help="Same seed, same answer.")]
Sampled = Annotated[bool, typer.Option("--sampled", help="Draw actions instead of taking the likeliest.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def open_environment(environment: str, noise: int) -> tuple[Callable[..., Any], tuple[str, ...]]:
    """A function that makes the environment, and the names of its variables."""
    from terc.pipeline.config import RunConfig
    from terc.pipeline.worlds import open_world

    world = open_world(RunConfig(environment, noise=noise))
    return world.maker(), world.names


def open_agent(model: Path, allow_pickle: bool, vec_normalize: Path | None) -> Any:
    """The policy in a file."""
    from terc.agents.policy import load_policy

    if vec_normalize is None:
        return load_policy(model, allow_pickle=allow_pickle)
    if model.suffix != ".zip" and not model.is_dir():
        raise BadValueError(
            f"--vecnormalize belongs to a Stable-Baselines3 .zip, but --model is {model.name}."
        )
    if not vec_normalize.is_file() and str(vec_normalize) != "none":
        raise DataFileError(f"--vecnormalize: there is no file {str(vec_normalize)!r}.")
    return load_policy(model, allow_pickle=allow_pickle, vec_normalize=vec_normalize)


def chosen_variables(keep: Sequence[str], selection: Path | None, names: Sequence[str]) -> Any:
    """Names, a Selection, or None when neither is given."""
    if keep and selection is not None:
        raise BadValueError("--keep and --selection say the same thing twice; give one of them.")
    if selection is not None:
        from terc.selection.result import Selection

        return Selection.load(selection)
    return split_names("--keep", keep, names) or None
