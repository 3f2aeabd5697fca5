"""`terc run`: the whole pipeline, from an environment to a smaller agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from terc.cli.agent import AllowPickle, Keywords, VecNormalize, read_keywords
from terc.cli.options import read_options, with_options
from terc.cli.run_progress import run_progress
from terc.selection.settings import Settings


@with_options(Settings, may_be_unset=True)
def run(  # noqa: PLR0913  (one argument per option)
    environment: Annotated[
        str | None,
        typer.Argument(
            help="Gymnasium id, or package.module:factory; not needed to go on with --out.",
            metavar="[ENV_ID]",
            show_default=False,
        ),
    ] = None,
    noise: Annotated[int | None, typer.Option(help="Columns of noise to add to the state. [0]")] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            help="auto, actor_critic, ppo, tabular_q, sb3, or model: as --model was trained. [auto]"
        ),
    ] = None,
    preset: Annotated[str | None, typer.Option(help="Settings of the agent: fast or paper. [fast]")] = None,
    model: Annotated[
        Path | None,
        typer.Option(help="An agent trained elsewhere: Stable-Baselines3 .zip or folder, CleanRL, our .npz."),
    ] = None,
    vec_normalize: VecNormalize = None,
    allow_pickle: AllowPickle = False,
    retrain: Annotated[
        bool | None,
        typer.Option(
            "--retrain/--no-retrain", help="Train agents anew on the kept variables. [unless --model]"
        ),
    ] = None,
    frontier: Annotated[
        bool | None, typer.Option("--frontier", help="Distill onto ever fewer variables, too.")
    ] = None,
    tolerance: Annotated[
        float | None, typer.Option(help="Share of the return that may be lost. [0.05]")
    ] = None,
    lessons: Annotated[int | None, typer.Option(help="Of a distilled agent, at most. [6]")] = None,
    play_episodes: Annotated[
        int | None, typer.Option(help="Fresh episodes of the agent, its ablation, its student. [100]")
    ] = None,
    option: Keywords = [],  # noqa: B006
    steps: Annotated[int | None, typer.Option(help="Training steps of each agent. [the preset's]")] = None,
    rollout_steps: Annotated[
        int | None, typer.Option(help="Steps the selection uses. [10000 or 30000]")
    ] = None,
    expert: Annotated[float | None, typer.Option(help="Use only episodes with at least this return.")] = None,
    goal: Annotated[float | None, typer.Option(help="Return that counts as solved.")] = None,
    seeds: Annotated[int | None, typer.Option(help="Agents trained anew on each state. [3]")] = None,
    agents: Annotated[
        int | None, typer.Option(help="Agents that are explained, side by side and together. [1]")
    ] = None,
    episodes: Annotated[
        int | None, typer.Option(help="Fresh episodes of each agent trained anew. [20]")
    ] = None,
    calls: Annotated[int | None, typer.Option(help="Calls of a policy that are timed. [10000]")] = None,
    out: Annotated[Path | None, typer.Option(help="Run folder; a run in it is continued. [runs/...]")] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Delete the run in the folder first.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    **options: Any,
) -> None:
    """Train or read an agent, select, ablate, distill, retrain, time inference, report.

    A run that was interrupted continues with the same command, or with `terc run --out DIR` alone.
    """
    given = read_options(options)
    given["environment_options"] = read_keywords(option) or None
    given |= {"evaluation_episodes": episodes, "timing_calls": calls, "rollout_steps": rollout_steps}
    given |= {"steps": steps, "expert": expert, "goal": goal}
    given |= {"tolerance": tolerance, "lessons": lessons, "retrain": retrain, "frontier": frontier}
    given["play_episodes"] = play_episodes
    with run_progress(_how_to_continue(environment, out)) as progress:
        # here, because to import it takes long enough for an impatient Ctrl-C
        from terc.pipeline.run import run as start

        done = start(
            environment,
            noise=noise,
            agent=agent,
            out=out,
            seeds=seeds,
            agents=agents,
            preset=preset,
            model=model,
            vec_normalize=vec_normalize,
            allow_pickle=allow_pickle,
            restart=restart,
            progress=progress,
            **given,
        )
    typer.echo(json.dumps(done.to_dict(), indent=1) if as_json else f"{done}")


def _how_to_continue(environment: str | None, out: Path | None) -> str:
    if out is not None:
        return f"go on with: terc run --out {out}"
    return f"go on with the same command (terc run {environment} ...)"
