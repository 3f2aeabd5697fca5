"""The stages of a run, in order; each reads what the ones before it saved and saves its own files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from terc.agents.policy import Policy, as_policy, load_policy
from terc.errors import BadValueError
from terc.pipeline.config import RunConfig
from terc.pipeline.inference import time_policies
from terc.pipeline.learning import Agents, Comparison, compare, on_one_grid
from terc.pipeline.networks import plain_policy
from terc.pipeline.rollout import rollout
from terc.pipeline.run_folder import RunFolder
from terc.pipeline.training import Agent, Progress, read_trained, train_stage
from terc.pipeline.worlds import World
from terc.seeding import generator
from terc.selection.result import Selection
from terc.selection.select import select
from terc.trajectories.data import Trajectories
from terc.trajectories.files import load, write_atomically

MODEL_FILE = "agents/model.npz"
# Steps of one episode are alike: where the first number is but few episodes, the second is played.
FEWER_STEPS, MORE_STEPS, ENOUGH_EPISODES = 10_000, 30_000, 200


@dataclass(frozen=True)
class Stage:
    """One stage of a run.

    Attributes:
        name: As in the run folder.
        words: What it is called on the terminal.
        work: Does it.
        alone: Whether it rests on no stage before it, so that it holds when those are done anew.
    """

    name: str
    words: str
    work: Callable[[Progress | None], None]
    alone: bool = False


@dataclass(frozen=True)
class Bench:
    """Everything the stages of one run share.

    Attributes:
        folder: Where they save.
        config: What was asked for.
        world: Where the agents act.
        model: An agent trained elsewhere, or the path of its file; None trains one here.
        allow_pickle: Whether that file may be unpickled.
    """

    folder: RunFolder
    config: RunConfig
    world: World
    model: Any = None
    allow_pickle: bool = False

    def first_stages(self) -> list[Stage]:
        """Up to the selection."""
        first = Agent("full", 0)
        begin = (
            self._training(first)
            if self.config.model is None
            else Stage("model", "read the model", self._model)
        )
        return [
            begin,
            Stage("rollout", "roll out", self._rollout),
            Stage("select", "select", self._select),
        ]

    def last_stages(self, selection: Selection) -> list[Stage]:
        """What follows the selection; an agent on the reduced state only if there is one to train."""
        full = [Agent("full", number) for number in range(self.config.seeds)]
        if self.config.model is None:
            del full[0]
        agents = [*full, *self._reduced(selection)]
        return [
            *(self._training(agent) for agent in agents),
            Stage("learning", "compare", self._learning),
            Stage("inference", "time inference", self._inference),
        ]

    def _reduced(self, selection: Selection) -> list[Agent]:
        kept = selection.kept
        if not kept or len(kept) == len(selection.names):
            return []
        return [Agent("reduced", number, kept) for number in range(self.config.seeds)]

    def _training(self, agent: Agent) -> Stage:
        count = "all" if agent.kept is None else len(agent.kept)
        words = f"train on {count} variables, agent {agent.number + 1} of {self.config.seeds}"
        return Stage(
            agent.stage,
            words,
            lambda progress: train_stage(self.folder, self.config, self.world, agent, progress),
            alone=agent.kept is None,
        )

    def _model(self, progress: Progress | None) -> None:
        plain = plain_policy(self._given_model())
        if plain is None:
            # It has no form without pickle: it is asked for again if the rollout is interrupted.
            self.folder.finish("model", [])
            return
        plain.save(self.folder / MODEL_FILE)
        self.folder.finish("model", [MODEL_FILE])

    def _given_model(self) -> Policy:
        if self.model is None:
            raise BadValueError("run: this run began with a model; pass it again (model=, --model) to go on.")
        if isinstance(self.model, str | Path):
            return load_policy(self.model, allow_pickle=self.allow_pickle)
        return as_policy(self.model)

    def _acting(self) -> Policy:
        if self.config.model is None:
            return load_policy(self.folder / Agent("full", 0).policy_file)
        file = self.folder / MODEL_FILE
        return load_policy(file) if file.exists() else self._given_model()

    def _rollout(self, progress: Progress | None) -> None:
        config = self.config
        policy = self._acting()

        def played(steps: int) -> Trajectories:
            return rollout(self.world.maker(), policy, steps, config.seed, expert=config.expert)

        data = played(config.rollout_steps or FEWER_STEPS)
        if config.rollout_steps is None and data.n_episodes < ENOUGH_EPISODES:
            data = played(MORE_STEPS)
        data.save(self.folder / "trajectories.parquet")
        self.folder.finish("rollout", ["trajectories.parquet"])

    def _select(self, progress: Progress | None) -> None:
        config = self.config

        def report(done: int, total: int, what: str) -> None:
            if progress is not None:
                progress(done, total, float("nan"))

        selection = select(
            sampled_only(load(self.folder / "trajectories.parquet")),
            estimator=config.estimator,
            method=config.method,
            alpha=config.alpha,
            min_effect=config.min_effect,
            keep=config.keep,
            seed=config.seed,
            progress=report,
        )
        selection.save(self.folder / "selection.json")
        self.folder.finish("select", ["selection.json"])

    def _groups(self) -> list[Agents]:
        selection = Selection.load(self.folder / "selection.json")
        full = [Agent("full", number) for number in range(self.config.seeds)]
        groups = []
        for agents, count in ((full, len(selection.names)), (self._reduced(selection), len(selection.kept))):
            if agents:
                found = [read_trained(self.folder, agent)[1] for agent in agents]
                curves, returns = [one.curve for one in found], [one.returns for one in found]
                groups.append(Agents(agents[0].state, count, curves, returns))
        return groups

    def _learning(self, progress: Progress | None) -> None:
        groups = self._groups()
        found = compare(groups, self.config.goal, rng=generator(self.config.seed))
        self.folder.write_json("learning.json", found.to_dict())
        self.folder.write_json("state_lengths.json", _state_lengths(found))
        _write_curves(self.folder / "curves.parquet", groups, self.config)
        self.folder.finish("learning", ["learning.json", "state_lengths.json", "curves.parquet"])

    def _inference(self, progress: Progress | None) -> None:
        selection, data = (
            Selection.load(self.folder / "selection.json"),
            load(self.folder / "trajectories.parquet"),
        )
        policies = {"full": read_trained(self.folder, Agent("full", 0))[0]}
        states = {"full": data.states}
        for agent in self._reduced(selection)[:1]:
            policies["reduced"] = read_trained(self.folder, agent)[0]
            states["reduced"] = data.states[:, list(selection.kept_indices)]
        found = time_policies(policies, states, calls=self.config.timing_calls, progress=progress)
        self.folder.write_json("inference.json", found.to_dict())
        self.folder.finish("inference", ["inference.json"])


def sampled_only(data: Trajectories) -> Trajectories:
    """The same steps without the policy's probabilities: the actions taken are judged, as in the paper.

    Every trained network leaves a small weight on a column of noise. Probabilities show it (6e-4 nats on Cart
    Pole), and it would be kept, rightly by the letter and against the purpose of a smaller state.
    """
    return Trajectories(
        data.states,
        data.actions,
        episodes=data.episodes,
        names=data.names,
        action_kind=data.action_kind,
        rewards=data.rewards,
        nominal=data.nominal,
    )


def _state_lengths(found: Comparison) -> dict[str, Any]:
    return {one.state: {"length": one.variables, "returns": list(one.finals)} for one in found.states}


def _write_curves(path: Path, groups: list[Agents], config: RunConfig) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    grid, tables = on_one_grid({group.state: group.curves for group in groups})
    rows = [(state, seed, values) for state, table in tables.items()
            for seed, values in zip(config.agent_seeds, table, strict=True)]  # fmt: skip
    table = pa.table(
        {
            "state": np.repeat([state for state, _, _ in rows], len(grid)).tolist(),
            "seed": np.repeat([seed for _, seed, _ in rows], len(grid)),
            "step": np.tile(grid, len(rows)),
            "return": np.concatenate([values for _, _, values in rows]),
        }
    )
    write_atomically(path, lambda sink: pq.write_table(table, sink))
