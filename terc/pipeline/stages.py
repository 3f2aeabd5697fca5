"""The tasks of a run, in order; each reads what the ones before it saved and saves its own files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from terc.agents.policy import Policy, load_policy
from terc.errors import warn
from terc.exporting.plain_policy import plain_policy
from terc.notes import Note
from terc.pipeline import files
from terc.pipeline.config import RunConfig
from terc.pipeline.inference import Inference, time_policies
from terc.pipeline.model_identity import Model
from terc.pipeline.run_doubts import not_learned
from terc.pipeline.smaller import offered, read_smaller
from terc.pipeline.training import (
    LIKE_THE_MODEL,
    Agent,
    algorithm_words,
    read_trained,
    train_and_save,
    write_curves,
)
from terc.pipeline.worlds import World
from terc.playing.rollout import rollout
from terc.plurals import some
from terc.progress import Event, Listener, Report, silent, within
from terc.return_comparison import AgentGroup, compare_returns
from terc.returns.ablate import ablate
from terc.returns.distill import distill
from terc.returns.frontier import frontier
from terc.returns.play import play
from terc.seeding import generator
from terc.selection.result import Selection
from terc.selection.select import select
from terc.selection.settings import OPTIONS
from terc.store import Store, Task
from terc.trajectories.data import Trajectories
from terc.trajectories.files import load

TAKEN = (
    "this explains the actions that were taken; `terc select` on the recording uses their probabilities, so "
    "that its numbers differ and it may keep more."
)
LEARNING_FILES = (files.LEARNING, files.CURVES)
# Written only where the settings, or what was selected, ask for them.
FRONTIER_FILES = (files.FRONTIER, files.SMALLEST)
OPTIONAL_FILES = (*LEARNING_FILES, files.DISTILLED, *FRONTIER_FILES)
# Steps of one episode are alike: where the first number is but few episodes, the second is played.
FEWER_STEPS, MORE_STEPS, ENOUGH_EPISODES = 10_000, 30_000, 200


@dataclass
class RunTasks:
    """The tasks of one run, and everything they share."""

    store: Store
    config: RunConfig
    world: World
    model: Model = Model()
    report: Report = silent

    def go(self, listen: Listener) -> int:
        """Do what is not done yet; the number of tasks, including the report that follows."""
        first, names = self.first(), self.world.names
        likely = len(first) + len(self.last(names, names[:1]))  # if a smaller set of variables is selected
        total = likely + 1
        self.do(first, 0, total, listen)
        kept = Selection.load(self.store / files.SELECTION).kept
        last = self.last(names, kept)
        # Results that these settings do not ask for are not those of this run.
        for name in set(OPTIONAL_FILES) - {name for task in last for name in task.files}:
            (self.store / name).unlink(missing_ok=True)
        before = likely - len(last)
        if before > len(first):
            event = Event("agents on the kept variables", before, total, 1, 1, finished=True)
            why = f"none, {'every' if kept else 'no'} variable was kept"
            listen(replace(event, what=why, kept_from_before=True))
        self.do(last, before, total, listen)
        return total

    def first(self) -> list[Task]:
        """Up to the selection."""
        return [self._beginning(), self._learned(), self._rollout(), self._selecting()]

    def last(self, names: Sequence[str], kept: Sequence[str]) -> list[Task]:
        """What follows the selection; smaller agents only if there is a smaller set of variables."""
        smaller, distilling = 0 < len(kept) < len(names), self.distilling()
        made = [self._after_selection("ablate", self._ablate, files.ABLATION)]
        timed = [self._beginning(), self._rollout(), self._selecting()]
        made += [distilling] * smaller
        timed += [distilling] * smaller
        if self.config.frontier:
            made.append(self._after_selection("frontier", self._frontier, *FRONTIER_FILES))
            timed.append(made[-1])
        if smaller and self.config.retrains:
            trained = [self.training(agent) for agent in (*self._full(), *self._reduced(kept))]
            made += trained[self.config.model is None :]
            made.append(self._comparing(tuple(trained)))
            timed.append(self.training(self._reduced(kept)[0]))
        return [*made, self._timing(tuple(timed))]

    def distilling(self) -> Task:
        """The smaller agent, where there is a smaller set of variables."""
        return self._after_selection("distill", self._distill, files.DISTILLED)

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

    def _reduced(self, kept: Sequence[str]) -> list[Agent]:
        return [Agent("reduced", number, tuple(kept)) for number in range(self.config.seeds)]

    def training(self, agent: Agent) -> Task:
        """One agent, on all variables or on some."""
        count = "all variables" if agent.kept is None else some(len(agent.kept), "variable")
        which = f", agent {agent.number + 1} of {self.config.seeds}" if self.config.seeds > 1 else ""
        options = self._world_options | self.config.only("agent", "preset", "steps", "evaluation_episodes")
        options |= {"seed": self.config.agent_seeds[agent.number]}
        options |= {"kept": None if agent.kept is None else list(agent.kept)}

        def train(store: Store, key: str, **_: Any) -> None:
            like = self.config.agent == LIKE_THE_MODEL and self.model.source is not None
            given = self.model.policy() if like else None  # the model that agents are trained like
            train_and_save(store, self.config, self.world, agent, self.report, given)

        words, files = f"train on {count}{which}", (agent.policy_file, agent.record_file)
        return Task(agent.task, words, train, options, files=files, code=(train_and_save.__module__,))

    def _beginning(self) -> Task:
        """The task that gives the agent whose actions are explained."""
        if self.config.model is None:
            return self.training(Agent("full", 0))
        options = {"model": self.config.model}
        return Task("model", "read the model", self._save_model, options, files=(files.MODEL,))

    def _save_model(self, store: Store, key: str, **_: Any) -> bool:
        """Whether it reads masks, which a run that continues need not open the model for."""
        policy = self.model.policy()
        plain = plain_policy(policy)
        # One that has no form without pickle is asked for again if the run is interrupted.
        if plain is not None:
            plain.save(store / files.MODEL)
        return bool(getattr(policy, "reads_masks", False))

    def _acting(self) -> Policy:
        if self.config.model is None:
            return load_policy(self.store / Agent("full", 0).policy_file)
        file = self.store / files.MODEL
        return load_policy(file) if file.exists() else self.model.policy()

    def _learned(self) -> Task:
        options = self._world_options | self.config.only("seed", "play_episodes")
        words, needs = "has it learned?", (self._beginning(),)
        return Task("learned", words, self._play_fresh, options, needs, (files.RETURNS,), (play.__module__,))

    def _play_fresh(self, store: Store, key: str, **_: Any) -> None:
        """The agent's returns beside those of random actions, and of itself shown other moments."""
        options = self.config.play_episodes, self.config.seed
        found = play(self.world.maker(), self._acting(), *options, blind=True)
        store.write_json(files.RETURNS, found.to_dict())
        if not found.has_learned:
            warn(
                f"run: {not_learned('the agent', found)}. The run continues, but will not say whether a "
                "smaller agent is as good."
            )

    def _after_selection(self, key: str, work: Callable[..., Any], *made: str) -> Task:
        """A task that plays the agent with what was selected; `key` names the module that does it."""
        options = self._world_options | self.config.only("seed", "play_episodes", "tolerance", "lessons")
        needs = (self._beginning(), self._rollout(), self._selecting())
        return Task(key, key, work, options, needs, made, (f"terc.returns.{key}",))

    def _ablate(self, store: Store, key: str, **_: Any) -> None:
        """Each variable unplugged, and all that the selection removed."""
        found = ablate(self.world.maker(), self._acting(), _kept(store), **self._shown(store))
        store.write_json(files.ABLATION, found.to_dict())

    def _distill(self, store: Store, key: str, **_: Any) -> None:
        """The smaller agent; without the seconds it took, which differ from one time to the next."""
        small = distill(self.world.maker(), self._acting(), _kept(store), **self._course(store, key))
        replace(small, seconds=0.0).save(store / files.DISTILLED)

    def _frontier(self, store: Store, key: str, **_: Any) -> None:
        """An agent for each of ever smaller sets of variables; that on the confirmed one is saved."""
        options = self._course(store, key)
        found = frontier(self.world.maker(), self._acting(), selection=_kept(store), **options)
        store.write_json(files.FRONTIER, found.to_dict())
        (store / files.SMALLEST).unlink(missing_ok=True)
        if (small := found.agent) is not None and len(small.variables) < small.n_full:
            replace(small, seconds=0.0).save(store / files.SMALLEST)

    def _shown(self, store: Store) -> dict[str, Any]:
        """What is played, and on which recording."""
        played = {"episodes": self.config.play_episodes, "seed": self.config.seed}
        return played | {"data": load(store / files.RECORDING), "progress": self.report}

    def _course(self, store: Store, key: str) -> dict[str, Any]:
        """The same with what distilling takes besides."""
        course = {"tolerance": self.config.tolerance, "rounds": self.config.lessons}
        return self._shown(store) | course | {"folder": store.unfinished(key)}

    def _rollout(self) -> Task:
        options = self._world_options | self.config.only("seed", "rollout_steps", "expert")
        needs, code = (self._beginning(),), (rollout.__module__, World.__module__)
        return Task("rollout", "roll out", self._play, options, needs, (files.RECORDING,), code)

    def _play(self, store: Store, key: str, **_: Any) -> None:
        config, policy = self.config, self._acting()

        def played(steps: int) -> Trajectories:
            return rollout(self.world.maker(), policy, steps, config.seed, expert=config.expert)

        data = played(config.rollout_steps or FEWER_STEPS)
        if config.rollout_steps is None and data.n_episodes < ENOUGH_EPISODES:
            data = played(MORE_STEPS)
        data.save(store / files.RECORDING)

    def _selecting(self) -> Task:
        options, needs = self.config.only(*OPTIONS), (self._rollout(),)
        return Task(
            "select", "select", self._select, options, needs, (files.SELECTION,), (select.__module__,)
        )

    def _select(self, store: Store, key: str, **options: Any) -> None:
        data = load(store / files.RECORDING)
        found = select(data.sampled_only(), **options, progress=self.report)
        if data.probabilities is not None:
            found = replace(found, notes=(*found.notes, Note("fact", "actions-taken", TAKEN)))
        found.save(store / files.SELECTION)

    def _comparing(self, trained: tuple[Task, ...]) -> Task:
        options = self.config.only("goal", "seed")
        code = (compare_returns.__module__, write_curves.__module__)
        return Task("learning", "compare", self._compare, options, trained, LEARNING_FILES, code)

    def _compare(self, store: Store, key: str, *, goal: float | None, seed: int) -> None:
        selection = Selection.load(store / files.SELECTION)
        sides = [(len(selection.names), self._full()), (len(selection.kept), self._reduced(selection.kept))]
        groups = [agent_group([(store, one) for one in every], n) for n, every in sides]
        self.write_comparison(groups, goal, seed)

    def write_comparison(self, groups: list[AgentGroup], goal: float | None, seed: int) -> None:
        """Save which agents return more, and their curves."""
        comparison = compare_returns(groups, goal, rng=generator(seed))
        words = algorithm_words(self.config, self.world)
        self.store.write_json(files.LEARNING, comparison.to_dict() | {"algorithm": words})
        write_curves(self.store / files.CURVES, groups)

    def _timing(self, needs: tuple[Task, ...]) -> Task:
        options, code = {"timing_calls": self.config.timing_calls}, (time_policies.__module__,)
        return Task("inference", "time inference", self._time, options, needs, (files.INFERENCE,), code)

    def _time(self, store: Store, key: str, *, timing_calls: int) -> None:
        selection, data = Selection.load(store / files.SELECTION), load(store / files.RECORDING)
        full = plain_policy(self._acting(), sampling=False)
        reduced, columns = self._smaller(store, selection)
        policies = {"full": full, "reduced": reduced}
        states = {"full": data.states, "reduced": data.states[:, list(columns)]}
        forms = {state: policy for state, policy in policies.items() if policy is not None}
        timed = time_policies(forms, states, calls=timing_calls, progress=self.report) if forms else None
        store.write_json(files.INFERENCE, (timed or Inference(())).to_dict())

    def _smaller(self, store: Store, selection: Selection) -> tuple[Policy | None, Sequence[int]]:
        """The smaller agent and its columns: retrained where that reads the same; None if there is none."""
        distilled, smallest = read_smaller(store)
        small = offered(distilled, smallest)
        if small is not None and small is distilled and self.config.retrains:
            retrained = read_trained(store, self._reduced(selection.kept)[0])[0]
            return plain_policy(retrained), selection.kept_indices
        return (None, ()) if small is None else (small.network, small.columns)


def _kept(store: Store) -> Selection | None:
    found = Selection.load(store / files.SELECTION)
    return found if found.kept else None


def agent_group(agents: list[tuple[Store, Agent]], variables: int) -> AgentGroup:
    """What is known of agents that were trained on one state; each with the store that holds it."""
    found = [read_trained(store, agent)[1] for store, agent in agents]
    curves, returns = [one.curve for one in found], [one.returns for one in found]
    return AgentGroup(agents[0][1].state, variables, curves, returns, [one.seed for one in found])
