"""`terc.run`: from an environment to a smaller agent, the proof that it is as good, and what was gained."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terc.agents.policy import load_policy
from terc.entropy.estimators import ESTIMATORS
from terc.entropy.evidence import Terms
from terc.errors import BadValueError, DataFileError, TercWarning, unknown_name
from terc.pipeline.config import FIXED, RunConfig, check_settings, default_folder
from terc.pipeline.inference import Inference
from terc.pipeline.model_identity import model_identity
from terc.pipeline.stages import RunTasks
from terc.pipeline.summary import as_record, summary_lines
from terc.pipeline.training import agent_settings
from terc.pipeline.worlds import Factory, World, name_of, open_world
from terc.progress import Event, Listener, silent
from terc.return_comparison import ReturnComparison
from terc.selection.result import Selection
from terc.store import Store, Task

Floats = NDArray[np.float64]
WAY_OUT = "give another folder, or restart (--restart), which deletes the run that is there"


@dataclass(frozen=True)
class Run:
    """A finished run.

    Attributes:
        folder: Where everything lies; `terc.report(run)` writes its page anew.
        config: Its settings.
        selection: Which variables the agent's actions need.
        comparison: Agents on the full state against agents on the reduced one.
        inference: Times per call.
    """

    folder: Path
    config: RunConfig
    selection: Selection
    comparison: ReturnComparison
    inference: Inference

    @property
    def verdict(self) -> str:
        """The smaller agent against the full one: better, the same within the interval, or worse."""
        return self.comparison.verdict

    @property
    def curves(self) -> dict[str, tuple[Floats, Floats]]:
        """State -> steps `[points]` and returns `[agents, points]`."""
        from terc.reporting.run_folder_schema import read_run_folder

        return dict(read_run_folder(self.folder).curves)

    @property
    def report(self) -> Path:
        """The page."""
        return self.folder / "report.html"

    def __str__(self) -> str:
        """The outcome in a few lines."""
        lines = summary_lines(self.selection, self.comparison, self.inference)
        return "\n".join([*lines, f"report: {self.report}"])

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain JSON types."""
        return as_record(self.selection, self.comparison, self.inference, self.folder)

    @classmethod
    def load(cls, folder: str | Path) -> Run:
        """The finished run that lies in a folder."""
        store = _store(Path(folder))
        parts = [store.read_json(name) for name in ("config.json", "learning.json", "inference.json")]
        if None in parts:
            raise DataFileError(f"run: {folder} holds no finished run.")
        config, learning, inference = (part or {} for part in parts)
        return cls(
            Path(folder),
            RunConfig.from_dict(config),
            Selection.load(store / "selection.json"),
            ReturnComparison.from_dict(learning),
            Inference.from_dict(inference),
        )


def run(  # noqa: PLR0913  (the public contract; all but the first are keywords)
    env: str | Factory | None = None,
    *,
    noise: int | None = None,
    agent: str | None = None,
    out: str | Path | None = None,
    seed: int | None = None,
    seeds: int | None = None,
    preset: str | None = None,
    model: Any = None,
    allow_pickle: bool = False,
    restart: bool = False,
    progress: Listener | None = None,
    **settings: Any,
) -> Run:
    """Train, roll out, select, retrain on the kept variables and on all, time inference, report.

    Everything is saved in a folder task by task. A run that was interrupted continues with the same call,
    or with `run(out=folder)` alone, and ends with the same results. A task whose settings or code have
    changed is done again, the others are not.

    An environment is asked for by its Gymnasium id or as `package.module:factory`, a model by its file. A
    lambda, or an object in memory, cannot be asked for again: the run says so when it begins, and cannot be
    continued.

    Args:
        env: A Gymnasium id, `package.module:factory`, or a function that makes an environment; None goes on
            with the run in `out`.
        noise: Columns of noise to add to the state (0).
        agent: "auto", "actor_critic", "ppo", "tabular_q" or "sb3" ("auto").
        out: The run folder; if not given, one under `runs/` named after the settings.
        seed: Everything random follows from it (0).
        seeds: Agents trained on each state, for the comparison (3).
        preset: Settings of the agent, "fast" or "paper" ("fast").
        model: An agent trained elsewhere whose actions are to be explained: a Stable-Baselines3 model, its
            `.zip`, a policy of ours, or a function states -> actions.
        allow_pickle: Needed for a `.zip`, which can run any code when opened.
        restart: Delete what the folder holds of an earlier run and begin anew.
        progress: Called with an `Event` as the run goes on.
        **settings: Any other field of `terc.pipeline.config.RunConfig`, such as `steps=100_000`.

    Raises:
        BadValueError: A setting cannot be used, or `out` holds a run with other settings.
        DataFileError: The folder cannot be written; what was finished stays.
    """
    named = {"noise": noise, "agent": agent, "seed": seed, "seeds": seeds, "preset": preset}
    check_settings(settings)
    changes = {k: v for k, v in {**named, **settings}.items() if v is not None}
    config, factory = _config(env, out, changes, model)
    world = open_world(config, factory)
    _check_before(config, world)
    if isinstance(model, str | Path):
        # Refused now, before there is a folder, if it cannot be opened.
        load_policy(model, allow_pickle=allow_pickle)
    if config.goal is None:
        config = replace(config, goal=world.goal)
    store = _store(Path(out) if out is not None else default_folder(config))
    with store.locked():
        for note in _prepare(store, config, restart=restart):
            warnings.warn(note, TercWarning, stacklevel=2)
        try:
            return _go(RunTasks(store, config, world, model, allow_pickle), progress or silent)
        except OSError as error:
            raise DataFileError(
                f"run: cannot write in {store.path} ({error.strerror or error}); what was finished is safe, "
                f"go on with the same call or `terc run --out {store.path}`."
            ) from error


def _store(path: Path) -> Store:
    return Store(path, "run", WAY_OUT)


def _prepare(store: Store, config: RunConfig, *, restart: bool) -> tuple[str, ...]:
    """Make the folder ready; notes on what the reader should know."""
    names = " and ".join(config.in_memory)
    if names and not restart and store.saved() is not None:
        raise BadValueError(
            f"run: {store.path} holds a run already, and {names} exists in memory only, so that nothing "
            f"shows whether it is the same; {WAY_OUT}."
        )
    notes = store.prepare(
        config.to_dict() | {"agent_seeds": list(config.agent_seeds)}, fixed=FIXED, restart=restart
    )
    if not names:
        return notes
    return (
        *notes,
        f"run: {names} exists in memory only, so that this run cannot be continued if it is interrupted; "
        "name the environment as package.module:function and the model by its file if that matters.",
    )


def _config(
    env: str | Factory | None, out: str | Path | None, changes: dict[str, Any], model: Any
) -> tuple[RunConfig, Factory | None]:
    if model is not None:
        changes = {**changes, "model": model_identity(model)}
    if env is not None:
        name, factory = name_of(env)
        return RunConfig(name, **changes), factory
    saved = None if out is None else _store(Path(out)).saved()
    if saved is None:
        where = "" if out is None else f"; {out} holds none to go on with"
        raise BadValueError(f"run: name an environment, such as CartPole-v1{where}.")
    return replace(RunConfig.from_dict(saved), **changes), None


def _check_before(config: RunConfig, world: World) -> None:
    """Find out now what the selection would refuse after the training."""
    agent_settings(config, world)
    if config.estimator not in ("auto", *ESTIMATORS):
        raise unknown_name("run", "estimator", config.estimator, ["auto", *ESTIMATORS])
    if config.estimator != "auto":
        terms = Terms(config.alpha, method=config.method, error_rate=config.error_rate)
        ESTIMATORS[config.estimator]().check(terms)
    for name in config.variables():
        if name not in world.names:
            raise unknown_name("run", "variable", name, world.names)


def _go(tasks: RunTasks, listen: Listener) -> Run:
    store, first = tasks.store, tasks.first()
    # Until the selection is known, suppose that there will be agents on a smaller state too.
    guess = len(first) + 2 * tasks.config.seeds - (tasks.config.model is None) + 3
    tasks.do(first, 0, guess, listen)
    last = tasks.last(Selection.load(store / "selection.json"))
    total = len(first) + len(last) + 1
    tasks.do(last, len(first), total, listen)
    listen(Event("report", total, total))
    store.do(Task("report", "report", _report, files=("summary.json", "report.html")))
    listen(Event("report", total, total, 1, 1, finished=True))
    return Run.load(store.path)


def _report(store: Store, key: str) -> None:
    store.write_json("summary.json", Run.load(store.path).to_dict())
    _write_page(store.path)


def _write_page(folder: Path) -> None:
    from terc.reporting.report import report

    report(folder)
