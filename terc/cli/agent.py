"""What `terc ablate`, `terc distill` and `terc frontier` read: an environment, an agent, variables."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from terc.cli.names import split_names
from terc.cli.options import with_fields
from terc.errors import BadValueError

if TYPE_CHECKING:
    from terc.pipeline.worlds import World

AllowPickle = Annotated[
    bool, typer.Option("--allow-pickle", help="Open a .zip or .pkl, which can run any code; trust it first.")
]
VecNormalize = Annotated[
    Path | None,
    typer.Option("--vecnormalize", help="The VecNormalize .pkl that a .zip was trained with; none."),
]
Keep = Annotated[list[str], typer.Option(help="Variables that stay: a,b,c; repeat it.")]
Hidden = Annotated[str, typer.Option(help="Widths of the hidden layers of the smaller agent.")]
Tolerance = Annotated[float, typer.Option(help="Share of the return that may be lost.")]
Rounds = Annotated[int, typer.Option(help="Lessons of an agent, at most.")]
Folder = Annotated[
    Path | None, typer.Option(help="Keep each lesson here; the same command continues if interrupted.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@dataclass(frozen=True)
class AgentOptions:
    """What was typed about an agent and how it is played: each field is an argument or a flag."""

    environment: Annotated[
        str, typer.Argument(help="Gymnasium id, or package.module:factory.", metavar="ENV_ID")
    ]
    model: Annotated[Path, typer.Option(help="The agent: our .npz, or a Stable-Baselines3 .zip.")]
    selection: Annotated[Path | None, typer.Option(help="selection.json of terc select or terc run.")] = None
    noise: Annotated[int, typer.Option(help="Columns of noise that the agent was trained with.")] = 0
    episodes: Annotated[int, typer.Option(help="Fresh episodes that are played.")] = 100
    steps: Annotated[int, typer.Option(help="Steps that are recorded of the agent.")] = 10_000
    seed: Annotated[int, typer.Option(help="Same seed, same answer.")] = 0
    sampled: Annotated[
        bool, typer.Option("--sampled", help="Draw actions instead of taking the likeliest.")
    ] = False
    allow_pickle: AllowPickle = False
    vec_normalize: VecNormalize = None

    @cached_property
    def world(self) -> World:
        """The environment."""
        from terc.pipeline.config import RunConfig
        from terc.pipeline.worlds import open_world

        return open_world(RunConfig(self.environment, noise=self.noise))

    @property
    def played(self) -> tuple[Callable[..., Any], Any]:
        """A function that makes the environment, and the policy."""
        from terc.pipeline.model_identity import Model

        return self.world.maker(), Model(self.model, self.allow_pickle, self.vec_normalize).policy()

    def kept(self, keep: Sequence[str] = ()) -> Any:
        """Names, a Selection, or None when neither is given."""
        if keep and self.selection is not None:
            raise BadValueError("--keep and --selection say the same thing twice; give one of them.")
        if self.selection is not None:
            from terc.selection.result import Selection

            return Selection.load(self.selection)
        return split_names("--keep", keep, self.world.names) or None

    @property
    def how(self) -> dict[str, Any]:
        """How it is played, as `terc.ablate`, `terc.distill` and `terc.frontier` take it."""
        return {
            "episodes": self.episodes,
            "steps": self.steps,
            "seed": self.seed,
            "greedy": not self.sampled,
        }


with_agent = with_fields(AgentOptions)


def show(result: Mapping[str, Any], text: str, *, as_json: bool) -> None:
    """Print the result as JSON, or in words."""
    typer.echo(json.dumps(result, indent=1, allow_nan=False) if as_json else text)


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
