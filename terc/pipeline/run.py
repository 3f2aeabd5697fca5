"""`terc.run`: from an environment to a smaller agent, the proof that it is as good, and what was gained."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terc.agents.policy import load_policy
from terc.entropy.choose import ESTIMATORS
from terc.entropy.evidence import Terms
from terc.errors import BadValueError, DataFileError, TercWarning, unknown_name
from terc.identity import UNTOLD
from terc.pipeline.config import RunConfig, check_settings
from terc.pipeline.inference import Inference
from terc.pipeline.learning import Comparison
from terc.pipeline.model_identity import model_identity
from terc.pipeline.run_folder import RunFolder
from terc.pipeline.stages import Bench, Stage
from terc.pipeline.summary import as_record, summary_lines
from terc.pipeline.training import agent_settings
from terc.pipeline.worlds import Factory, World, name_of, open_world
from terc.selection.result import Selection
from terc.selection.settings import METHODS, Settings

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Event:
    """How far a run is.

    Attributes:
        stage: What is being done, in words.
        number: Its place, from 1.
        of: Stages in all, as far as known.
        done: Units of the stage done (training steps, ...); equal to `total` when it ends.
        total: Units in all.
        value: Mean return of the last 100 episodes while training, else NaN.
        finished: Whether the stage is done.
        kept_from_before: Whether it was found done already.
        cpu_seconds: What it took, where several are done at once; else NaN, and the clock tells.
    """

    stage: str
    number: int
    of: int
    done: int = 0
    total: int = 0
    value: float = float("nan")
    finished: bool = False
    kept_from_before: bool = False
    cpu_seconds: float = float("nan")


Listener = Callable[[Event], None]


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
    comparison: Comparison
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
        place = RunFolder(Path(folder))
        config = place.saved_config()
        learning, inference = place.read_json("learning.json"), place.read_json("inference.json")
        if config is None or learning is None or inference is None:
            raise DataFileError(f"run: {folder} holds no finished run.")
        return cls(
            Path(folder),
            config,
            Selection.load(place / "selection.json"),
            Comparison.from_dict(learning),
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

    Everything is saved in a folder stage by stage. A run that was interrupted continues with the same call,
    or with `run(out=folder)` alone, and ends with the same results.

    A function given as `env` or `model` is known again by its name if a module can be asked for it; change
    its code, and it is for you to say `restart`. A lambda, a `functools.partial` or a function of a script or
    a notebook is known by what it does and reads, so that another one is not taken for it: it is refused
    where the run of the first lies. Pass it again to go on. Where nothing tells (it holds an open file, say)
    a warning says that the run could not be continued.

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
    folder = RunFolder(Path(out) if out is not None else default_folder(config))
    bench = Bench(folder, config, world, model, allow_pickle)
    with folder.locked():
        for note in folder.prepare(config, restart=restart, untold=_untold(config, env, model)):
            warnings.warn(note, TercWarning, stacklevel=2)
        try:
            return _go(bench, progress or (lambda event: None))
        except OSError as error:
            raise DataFileError(
                f"run: cannot write in {folder.path} ({error.strerror or error}); what was finished is safe, "
                f"go on with the same call or `terc run --out {folder.path}`."
            ) from error


def default_folder(config: RunConfig) -> Path:
    """Where a run goes that was not told.

    Example:
        >>> default_folder(RunConfig("terc/SecretKey-v0", noise=2, seed=1)).as_posix()
        'runs/terc-SecretKey-v0-noise2-seed1'
    """
    name = "".join(c if c.isalnum() or c in "-_." else "-" for c in config.environment)
    return Path("runs") / f"{name}{f'-noise{config.noise}' if config.noise else ''}-seed{config.seed}"


def _config(
    env: str | Factory | None, out: str | Path | None, changes: dict[str, Any], model: Any
) -> tuple[RunConfig, Factory | None]:
    if model is not None:
        changes = {**changes, "model": model_identity(model)}
    if env is not None:
        name, factory = name_of(env)
        return RunConfig(name, **changes), factory
    saved = None if out is None else RunFolder(Path(out)).saved_config()
    if saved is None:
        where = "" if out is None else f"; {out} holds none to go on with"
        raise BadValueError(f"run: name an environment, such as CartPole-v1{where}.")
    return replace(saved, **changes), None


def _untold(config: RunConfig, env: object, model: object) -> tuple[str, ...]:
    """Which of what the caller passed cannot be known again."""
    given = (config.environment if env is not None else "", (config.model or "") if model is not None else "")
    return tuple(name.removesuffix(UNTOLD) for name in given if name.endswith(UNTOLD))


def _check_before(config: RunConfig, world: World) -> None:
    """Find out now what the selection would refuse after the training."""
    agent_settings(config, world)
    if config.estimator not in ("auto", *ESTIMATORS):
        raise unknown_name("run", "estimator", config.estimator, ["auto", *ESTIMATORS])
    if config.method not in METHODS:
        raise unknown_name("run", "method", config.method, METHODS)
    if not 0 < config.alpha < 1:
        raise BadValueError(f"run: alpha must lie between 0 and 1, got {config.alpha}.")
    if config.min_effect is not None and not 0 <= config.min_effect < 1:
        raise BadValueError(f"run: min_effect must be a share from 0 to below 1, got {config.min_effect}.")
    if config.estimator != "auto":
        wanted = Settings.of(config.estimator, method=config.method, alpha=config.alpha)
        ESTIMATORS[config.estimator]().check(Terms(wanted.alpha, method=wanted.method))
    for name in config.keep:
        if name not in world.names:
            raise unknown_name("run", "variable", name, world.names)


def _go(bench: Bench, tell: Listener) -> Run:
    folder = bench.folder
    first = bench.first_stages()
    # Until the selection is known, suppose that there will be agents on a smaller state too.
    guess = len(first) + 2 * bench.config.seeds - (bench.config.model is None) + 3
    redone = _do(folder, first, 0, guess, tell, redo=False)
    last = bench.last_stages(Selection.load(folder / "selection.json"))
    total = len(first) + len(last) + 1
    _do(folder, last, len(first), total, tell, redo=redone)
    tell(Event("report", total, total))
    finished = Run.load(folder.path)
    folder.write_json("summary.json", finished.to_dict())
    _write_report(folder)
    tell(Event("report", total, total, 1, 1, finished=True))
    return finished


def _do(
    folder: RunFolder, stages: Sequence[Stage], before: int, total: int, tell: Listener, *, redo: bool
) -> bool:
    """Do the stages that are not done; whether any was, because those after it rest on it."""
    for number, stage in enumerate(stages, before + 1):
        found = (stage.alone or not redo) and folder.is_done(stage.name)
        if not found:
            tell(Event(stage.words, number, total))
            stage.work(_telling(tell, Event(stage.words, number, total)))
            redo = redo or not stage.name.startswith("train-") or number == 1
        tell(Event(stage.words, number, total, 1, 1, finished=True, kept_from_before=found))
    return redo


def _telling(tell: Listener, event: Event) -> Callable[[int, int, float], None]:
    return lambda done, total, value: tell(replace(event, done=done, total=total, value=value))


def _write_report(folder: RunFolder) -> None:
    from terc.reporting.report import report

    report(folder.path)
