"""The tasks of a run of several agents: the stages of each, as in a run of one, and what they say together.

The agents lie in `agent-1`, `agent-2`, ..., where `terc report` shows and `terc export` takes each; their
seeds are `seed`, `seed + 1`, ..., so that a run of one of these seeds explains the same agent. What they
say together lies beside these folders.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from terc.pipeline import files
from terc.pipeline.config import RunConfig
from terc.pipeline.model_identity import Model
from terc.pipeline.stages import LEARNING_FILES, RunTasks, agent_group
from terc.pipeline.training import Agent, write_curves
from terc.pipeline.worlds import World
from terc.progress import Listener
from terc.return_comparison import compare_returns
from terc.selection.result import Selection
from terc.selection.select import select
from terc.selection.settings import OPTIONS
from terc.store import Store, Task
from terc.task.audit import Audit, audit
from terc.task.stable import RECORDINGS, Stability
from terc.trajectories.data import Trajectories
from terc.trajectories.files import load
from terc.work_folder import CONFIG

ANY, TASK = "any", "task"
"""States that agents are retrained on: what any of the agents needs, and what the task needs."""


def part_of(number: int) -> str:
    """Where agent `number` lies in the folder of the run."""
    return f"agent-{number + 1}"


@dataclass
class SeveralTasks:
    """The tasks of one run of several agents."""

    store: Store
    config: RunConfig
    world: World
    models: tuple[Model, ...] = ()

    @cached_property
    def agents(self) -> list[RunTasks]:
        """The tasks of each agent."""
        names = self.config.models or (None,) * self.config.agents
        given = self.models or (Model(),) * self.config.agents
        made = []
        for number, (name, model) in enumerate(zip(names, given, strict=True)):
            config = replace(self.config, agents=1, seeds=1, seed=self.config.seed + number, model=name)
            made.append(RunTasks(self.store.within(part_of(number)), config, self.world, model))
        return made

    @cached_property
    def _whole(self) -> RunTasks:
        return RunTasks(self.store, self.config, self.world)

    def go(self, listen: Listener) -> int:
        """Do what is not done yet; the number of tasks, including the report that follows."""
        retrained = 2 * self.config.seeds + 1 if self.config.retrains else 0
        done, total = 0, 5 * len(self.agents) + 3 + retrained + 1
        for number, one in enumerate(self.agents):
            (one.store / CONFIG).parent.mkdir(parents=True, exist_ok=True)
            one.store.write_json(CONFIG, one.config.to_dict())  # for `terc report` and `terc export`
            for tasks in (one.first, lambda one=one: self._students(one)):
                who = f"agent {number + 1} of {len(self.agents)}"
                named = [replace(task, words=f"{who}: {task.words}") for task in tasks()]
                one.do(named, done, total, listen)
                done += len(named)
        together = [self._stability(), self._selecting(), self._auditing()]
        self._whole.do(together, done, total, listen)
        done += len(together)
        last = list(self._retraining())
        total = done + len(last) + 1
        self._whole.do(last, done, total, listen)
        if not last:
            for name in LEARNING_FILES:
                (self.store / name).unlink(missing_ok=True)
        return total

    @staticmethod
    def _students(one: RunTasks) -> list[Task]:
        found = Selection.load(one.store / files.SELECTION)
        return [one.distilling()] if 0 < len(found.kept) < len(found.names) else []

    def _of_each(self, key: str) -> tuple[Task, ...]:
        """The task of that name of every agent, as this store knows it."""
        return tuple(
            replace(task, key=f"{part_of(number)}/{key}")
            for number, one in enumerate(self.agents)
            for task in one.first()
            if task.key == key
        )

    def _recordings(self) -> Trajectories:
        return Trajectories.concat([load(one.store / files.RECORDING).sampled_only() for one in self.agents])

    def _stability(self) -> Task:
        needs, code = self._of_each("select"), (Stability.__module__,)
        return Task("stability", "how stable it is", self._stable, {}, needs, (files.STABILITY,), code)

    def _stable(self, store: Store, key: str) -> None:
        found = [Selection.load(one.store / files.SELECTION) for one in self.agents]
        Stability.of(found, RECORDINGS).save(store / files.STABILITY)

    def _selecting(self) -> Task:
        options, code = self.config.only(*OPTIONS), (select.__module__,)
        needs, words = self._of_each("rollout"), "select for all of them"
        return Task("select", words, self._select, options, needs, (files.SELECTION,), code)

    def _select(self, store: Store, key: str, **options: Any) -> None:
        select(self._recordings(), **options, progress=self._whole.report).save(store / files.SELECTION)

    def _auditing(self) -> Task:
        options = self.config.only("estimator", "alpha", "min_effect", "seed")
        needs, code = (self._selecting(), *self._of_each("rollout")), (audit.__module__,)
        return Task("audit", "what the task needs", self._audit, options, needs, (files.AUDIT,), code)

    def _audit(self, store: Store, key: str, **options: Any) -> None:
        kept = Selection.load(store / files.SELECTION)
        audit(self._recordings(), kept, **options, progress=self._whole.report).save(store / files.AUDIT)

    def _smaller(self) -> dict[str, tuple[str, ...]]:
        """State -> its variables, of those that leave something out and differ."""
        found, every = Audit.load(self.store / files.AUDIT), len(self.world.names)
        states = {ANY: found.kept, TASK: found.state}
        if found.sufficient:
            del states[ANY]
        return {name: kept for name, kept in states.items() if 0 < len(kept) < every}

    def _retraining(self) -> Iterator[Task]:
        """Agents on the smaller states, and how they compare with the agents themselves."""
        if not self.config.retrains or not self._smaller():
            return
        trained = [self._whole.training(agent) for agent in self._smaller_agents()]
        yield from trained
        full = self._of_each(Agent("full", 0).task)
        options = self.config.only("goal", "seed") | {"states": list(self._smaller())}
        code = (compare_returns.__module__, write_curves.__module__)
        needs = (*full, *trained)
        yield Task("learning", "compare", self._compare, options, needs, LEARNING_FILES, code)

    def _smaller_agents(self) -> list[Agent]:
        return [
            Agent(state, number, kept)
            for state, kept in self._smaller().items()
            for number in range(self.config.seeds)
        ]

    def _compare(self, store: Store, key: str, *, goal: float | None, seed: int, states: list[str]) -> None:
        smaller = self._smaller_agents()
        groups = [agent_group([(one.store, Agent("full", 0)) for one in self.agents], len(self.world.names))]
        for state in states:
            these = [agent for agent in smaller if agent.state == state]
            groups.append(agent_group([(store, agent) for agent in these], len(these[0].kept or ())))
        self._whole.write_comparison(groups, goal, seed)
