"""What `terc ablate`, `terc distill` and `terc frontier` read: an agent in an environment, and variables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from terc.cli.options import Command, flag, split_names, with_fields
from terc.errors import BadValueError
from terc.progress import reporting

if TYPE_CHECKING:
    from terc.agents.policy import Policy
    from terc.pipeline.worlds import World

MODEL = "The agent: our .npz, a Stable-Baselines3 .zip or folder, or a CleanRL checkpoint."
PICKLE = "Open a .zip or .pkl, which can run any code; trust it first."
KEYWORD = "Keyword of the environment: name=value; repeat it."
AllowPickle = Annotated[bool, typer.Option("--allow-pickle", help=PICKLE)]
Keywords = Annotated[list[str], typer.Option("--option", help=KEYWORD)]
Keep = Annotated[list[str], typer.Option(help="Variables that stay: a,b,c; repeat it.")]
SelectionFile = Annotated[
    Path | None, typer.Option("--selection", help="selection.json of terc select or terc run.")
]
Hidden = Annotated[str, typer.Option(help="Widths of the hidden layers of the smaller agent.")]
Folder = Annotated[
    Path | None, typer.Option(help="Keep each lesson here; the same command continues if interrupted.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@dataclass(frozen=True)
class AgentOptions:
    """What was typed about an agent and the environment it plays in: each field is a flag."""

    environment: str = field(
        metadata={"typer": typer.Argument(help="Gymnasium id, or package.module:factory.", metavar="ENV_ID")}
    )
    model: Path = field(metadata={"typer": typer.Option(help=MODEL)})
    vec_normalize: Path | None = flag(
        "The .pkl of the VecNormalize that it was trained behind; 'none' for none.", None, "--vecnormalize"
    )
    allow_pickle: bool = flag(PICKLE, False, "--allow-pickle")
    option: list[str] = flag(KEYWORD)
    noise: int = flag("Columns of noise that the agent was trained with.", 0)
    episodes: int = flag("Fresh episodes that are played.", 100)
    steps: int = flag("Steps that are recorded of the agent.", 10_000)
    seed: int = flag("Same seed, same answer.", 0)
    sampled: bool = flag("Draw actions instead of taking the likeliest.", False, "--sampled")

    @cached_property
    def opened(self) -> tuple[World, Policy]:
        """The environment as the agent sees it, and the agent."""
        from terc.pipeline.config import RunConfig
        from terc.pipeline.model_identity import Model as GivenModel
        from terc.pipeline.worlds import open_world

        policy = GivenModel(self.model, self.allow_pickle, self.vec_normalize).policy()
        keywords = read_keywords(self.option)
        world = open_world(RunConfig(self.environment, environment_options=keywords, noise=self.noise))
        return replace(world, masks=getattr(policy, "reads_masks", False)), policy

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.opened[0].names

    def chosen(self, keep: Sequence[str], selection: Path | None) -> Any:
        """Names of the variables that stay, a Selection, or None when neither is given."""
        if keep and selection is not None:
            raise BadValueError("--keep and --selection say the same thing twice; give one of them.")
        if selection is None:
            return split_names("--keep", keep, self.names) or None
        from terc.selection.result import Selection

        return Selection.load(selection)

    def call(self, function: Callable[..., Any], *given: Any, **options: Any) -> Any:
        """`function` of the environment and the agent, which shows its progress."""
        world, policy = self.opened
        options |= {"episodes": self.episodes, "steps": self.steps, "seed": self.seed}
        options |= {"greedy": False} if self.sampled else {}
        with reporting(True) as progress:
            return function(world.maker(), policy, *given, progress=progress, **options)


def with_agent(command: Command) -> Command:
    """The command with a flag for each field of `AgentOptions`, which it receives as `agent`."""
    return with_fields(AgentOptions, command, "agent")


def read_keywords(texts: Iterable[str]) -> dict[str, Any]:
    """Keywords from name=value, where the value is read as JSON if it is, else as text.

    Example:
        >>> read_keywords(["keys=50", "mode=hard"])
        {'keys': 50, 'mode': 'hard'}
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise BadValueError(f"--option: wanted name=value, got {text!r}.")
        try:
            found[name] = json.loads(value.lower() if value in ("True", "False") else value)
        except ValueError:
            found[name] = value
    return found


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
