"""The tasks of a run, in order; each reads what the ones before it saved and saves its own files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from terc.agents.policy import Policy, as_policy, load_policy
from terc.errors import BadValueError
from terc.pipeline.config import RunConfig
from terc.pipeline.inference import time_policies
from terc.pipeline.networks import plain_policy
from terc.pipeline.rollout import rollout
from terc.pipeline.training import LIKE_THE_MODEL, Agent, checked_like, read_trained, train_and_save
from terc.pipeline.worlds import World
from terc.progress import Event, Listener, Report, silent, within
from terc.return_comparison import AgentGroup, compare_returns, on_one_grid
from terc.seeding import generator
from terc.selection.result import Selection
from terc.selection.select import select
from terc.selection.settings import OPTIONS
from terc.store import Store, Task
from terc.trajectories.data import Trajectories
from terc.trajectories.files import load, write_atomically
from terc.trajectories.sampled import sampled_only

MODEL_FILE = "agents/model.npz"
LEARNING_FILES = ("learning.json", "curves.parquet")
# Steps of one episode are alike: where the first number is but few episodes, the second is played.
FEWER_STEPS, MORE_STEPS, ENOUGH_EPISODES = 10_000, 30_000, 200


@dataclass
class RunTasks:
    """The tasks of one run, and everything they share.

    Attributes:
        store: Where they save.
        config: What was asked for.
        world: Where the agents act.
        model: An agent trained elsewhere, or the path of its file; None trains one here.
        allow_pickle: Whether that file may be unpickled.
        report: Where the task that is being done says how far it is.
    """

    store: Store
    config: RunConfig
    world: World
    model: Any = None
    allow_pickle: bool = False
    report: Report = silent

    def first(self) -> list[Task]:
        """Up to the selection."""
        return [self._beginning(), self._rollout(), self._selecting()]

    def last(self, selection: Selection) -> list[Task]:
        """What follows the selection; an agent on the reduced state only if there is one to train."""
        full, reduced = self._full(), self._reduced(selection)
        trained = tuple(self._training(agent) for agent in (*full, *reduced))
        begun = self.config.model is None
        timed = (trained[0], *(self._training(agent) for agent in reduced[:1]))
        return [
            *trained[begun:],
            Task(
                "learning",
                "compare",
                self._compare,
                self.config.only("goal", "seed"),
                trained,
                LEARNING_FILES,
                (compare_returns.__module__,),
            ),
            Task(
                "inference",
                "time inference",
                self._time,
                {"timing_calls": self.config.timing_calls},
                (*timed, self._rollout(), self._selecting()),
                ("inference.json",),
                (time_policies.__module__,),
            ),
        ]

    def do(self, tasks: list[Task], before: int, total: int, listen: Listener) -> None:
        """Do the tasks that are not done; `before` tasks come before them, there are `total` in all."""
        for number, task in enumerate(tasks, before + 1):
            event = Event(task.words, number, total)
            found = self.store.is_done(task)
            if not found:
                listen(event)
                self.report = within(event, listen)
                self.store.do(task)
            listen(Event(task.words, number, total, 1, 1, finished=True, kept_from_before=found))

    @property
    def _world_options(self) -> dict[str, Any]:
        return self.config.only("environment", "environment_options", "noise") | {"code": self.world.code}

    def _full(self) -> list[Agent]:
        return [Agent("full", number) for number in range(self.config.seeds)]

    def _reduced(self, selection: Selection) -> list[Agent]:
        kept = selection.kept
        if not kept or len(kept) == len(selection.names):
            return []
        return [Agent("reduced", number, kept) for number in range(self.config.seeds)]

    def _training(self, agent: Agent) -> Task:
        count = "all" if agent.kept is None else len(agent.kept)
        options = self._world_options | self.config.only("agent", "preset", "steps", "evaluation_episodes")
        options |= {"seed": self.config.agent_seeds[agent.number]}
        options |= {"kept": None if agent.kept is None else list(agent.kept)}
        return Task(
            agent.task,
            f"train on {count} variables, agent {agent.number + 1} of {self.config.seeds}",
            lambda store, key, **_: train_and_save(
                store, self.config, self.world, agent, self.report, self._like()
            ),
            options,
            files=(agent.policy_file, agent.record_file),
            code=(train_and_save.__module__,),
        )

    def _beginning(self) -> Task:
        """The task that gives the agent whose actions are explained."""
        if self.config.model is None:
            return self._training(Agent("full", 0))
        return Task(
            "model", "read the model", self._save_model, {"model": self.config.model}, files=(MODEL_FILE,)
        )

    def _like(self) -> Policy | None:
        """The model that agents are trained like, where that was asked for."""
        return self._given_model() if self.config.agent == LIKE_THE_MODEL and self.model is not None else None

    def _save_model(self, store: Store, key: str, **_: Any) -> None:
        if self.config.agent == LIKE_THE_MODEL:
            checked_like(self._like())
        plain = plain_policy(self._given_model())
        # One that has no form without pickle is asked for again if the rollout is interrupted.
        if plain is not None:
            plain.save(store / MODEL_FILE)

    def _given_model(self) -> Policy:
        if self.model is None:
            raise BadValueError("run: this run began with a model; pass it again (model=, --model) to go on.")
        if isinstance(self.model, str | Path):
            return load_policy(self.model, allow_pickle=self.allow_pickle)
        return as_policy(self.model)

    def _acting(self) -> Policy:
        if self.config.model is None:
            return load_policy(self.store / Agent("full", 0).policy_file)
        file = self.store / MODEL_FILE
        return load_policy(file) if file.exists() else self._given_model()

    def _rollout(self) -> Task:
        return Task(
            "rollout",
            "roll out",
            self._play,
            self._world_options | self.config.only("seed", "rollout_steps", "expert"),
            (self._beginning(),),
            ("trajectories.parquet",),
            (rollout.__module__, World.__module__),
        )

    def _play(self, store: Store, key: str, **_: Any) -> None:
        config, policy = self.config, self._acting()

        def played(steps: int) -> Trajectories:
            return rollout(self.world.maker(), policy, steps, config.seed, expert=config.expert)

        data = played(config.rollout_steps or FEWER_STEPS)
        if config.rollout_steps is None and data.n_episodes < ENOUGH_EPISODES:
            data = played(MORE_STEPS)
        data.save(store / "trajectories.parquet")

    def _selecting(self) -> Task:
        return Task(
            "select",
            "select",
            self._select,
            self.config.only(*OPTIONS),
            (self._rollout(),),
            ("selection.json",),
            (select.__module__,),
        )

    def _select(self, store: Store, key: str, **options: Any) -> None:
        data = sampled_only(load(store / "trajectories.parquet"))
        select(data, **options, progress=self.report).save(store / "selection.json")

    def _compare(self, store: Store, key: str, *, goal: float | None, seed: int) -> None:
        selection, groups = Selection.load(store / "selection.json"), []
        for agents, count in (
            (self._full(), len(selection.names)),
            (self._reduced(selection), len(selection.kept)),
        ):
            if agents:
                found = [read_trained(store, agent)[1] for agent in agents]
                curves, returns = [one.curve for one in found], [one.returns for one in found]
                groups.append(AgentGroup(agents[0].state, count, curves, returns))
        comparison = compare_returns(groups, goal, rng=generator(seed))
        store.write_json("learning.json", comparison.to_dict())
        _write_curves(store / "curves.parquet", groups, self.config)

    def _time(self, store: Store, key: str, *, timing_calls: int) -> None:
        selection = Selection.load(store / "selection.json")
        data = load(store / "trajectories.parquet")
        policies = {"full": read_trained(store, Agent("full", 0))[0]}
        states = {"full": data.states}
        for agent in self._reduced(selection)[:1]:
            policies["reduced"] = read_trained(store, agent)[0]
            states["reduced"] = data.states[:, list(selection.kept_indices)]
        found = time_policies(policies, states, calls=timing_calls, progress=self.report)
        store.write_json("inference.json", found.to_dict())


def _write_curves(path: Path, groups: list[AgentGroup], config: RunConfig) -> None:
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
