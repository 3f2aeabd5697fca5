"""What `terc ablate`, `terc distill` and `terc frontier` read: an environment, an agent, variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from terc.cli.names import split_names
from terc.errors import BadValueError

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
Hidden = Annotated[str, typer.Option(help="Widths of the hidden layers of the smaller agent.")]
Folder = Annotated[
    Path | None, typer.Option(help="Keep each lesson here; the same command continues if interrupted.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def open_environment(environment: str, noise: int) -> tuple[Callable[..., Any], tuple[str, ...]]:
    """A function that makes the environment, and the names of its variables."""
    from terc.pipeline.config import RunConfig
    from terc.pipeline.worlds import open_world

    world = open_world(RunConfig(environment, noise=noise))
    return world.maker(), world.names


def open_agent(model: Path, allow_pickle: bool, vec_normalize: Path | None) -> Any:
    """The policy in a file."""
    from terc.pipeline.model_identity import Model as GivenModel

    return GivenModel(model, allow_pickle, vec_normalize).policy()


def chosen_variables(keep: Sequence[str], selection: Path | None, names: Sequence[str]) -> Any:
    """Names, a Selection, or None when neither is given."""
    if keep and selection is not None:
        raise BadValueError("--keep and --selection say the same thing twice; give one of them.")
    if selection is not None:
        from terc.selection.result import Selection

        return Selection.load(selection)
    return split_names("--keep", keep, names) or None


def widths(text: str) -> tuple[int, ...]:
    """Widths of the layers.

    Example:
        >>> widths("32,16")
        (32, 16)
    """
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise BadValueError(f"--hidden: wanted whole numbers such as 64,64; got {text!r}.") from error
