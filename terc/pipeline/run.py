"""`terc.run`: from an environment to a smaller agent, the proof that it is as good, and what was gained."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from terc.agents.policy import Policy, check_fits
from terc.checks import called_rightly, one_of
from terc.entropy.estimators import ESTIMATORS
from terc.entropy.evidence import Terms
from terc.errors import BadValueError, DataFileError, unknown_name, warn
from terc.pipeline import files
from terc.pipeline.config import BETWEEN_MODELS, FIXED, RunConfig, check_settings, default_folder
from terc.pipeline.finished import Run
from terc.pipeline.model_identity import Model, model_identity, models_of
from terc.pipeline.several_agents import SeveralTasks, part_of
from terc.pipeline.several_finished import SeveralAgents
from terc.pipeline.stages import RunTasks
from terc.pipeline.training import LIKE_THE_MODEL, agent_settings, checked_like
from terc.pipeline.worlds import Factory, World, name_of, open_world
from terc.plurals import some
from terc.progress import Event, Listener, heard
from terc.store import Store, Task

WAY_OUT = "give another folder, or restart (--restart), which deletes the run that is there"


@called_rightly
def run(  # noqa: PLR0913  (the public contract; all but the first are keywords)
    env: str | Factory | None = None,
    *,
    noise: int | None = None,
    agent: str | None = None,
    out: str | Path | None = None,
    seed: int | None = None,
    seeds: int | None = None,
    agents: int | None = None,
    preset: str | None = None,
    model: Any = None,
    vec_normalize: str | Path | Sequence[str | Path] | None = None,
    allow_pickle: bool = False,
    restart: bool = False,
    progress: bool | Listener = False,
    **settings: Any,
) -> Run | SeveralAgents:
    """Train or read an agent, see whether it has learned, select, ablate, distill, retrain, time, report.

    Everything is saved in a folder task by task. A run that was interrupted continues with the same call,
    or with `run(out=folder)` alone, and ends with the same results. A task whose settings or code have
    changed is done again, the others are not.

    A run in an environment, or of a model, that only exists in memory (a lambda, an object) cannot be
    continued, and says so when it begins.

    Args:
        env: A Gymnasium id, `package.module:factory`, or a function that makes an environment; None continues
            the run in `out`.
        noise: Columns of noise to add to the state (0).
        agent: "auto", "actor_critic", "ppo", "tabular_q" or "sb3" ("auto").
        out: The run folder; if not given, one under `runs/` named after the settings.
        seed: Everything random follows from it (0).
        seeds: Agents trained on each state, for the comparison (3).
        agents: Agents whose actions are explained (1). With several there is one table: what each reads and
            returns, which verdicts they share (`terc.stability`), what any of them reads, and what the task
            needs (`terc.audit`); agents are then retrained on the last two.
        preset: Settings of the agent, "fast" or "paper" ("fast").
        model: An agent trained elsewhere whose actions are to be explained: a Stable-Baselines3 model, its
            `.zip`, a policy of ours, or a function states -> actions. Its return is then what a smaller agent
            is held to, and nothing is retrained unless `retrain=True`. A list of them is a run of several
            agents.
        vec_normalize: The file of the `VecNormalize` that a `.zip` was trained with; a list for several.
        allow_pickle: Needed for a `.zip`, which can run any code when opened.
        restart: Delete what the folder holds of an earlier run and start over.
        progress: True for a bar on a terminal, or a function that is called with an `Event` as it proceeds.
        **settings: Any other field of `terc.pipeline.config.RunConfig`, such as `steps=100_000`.
    """
    check_settings(settings)
    settings |= {"noise": noise, "agent": agent, "seed": seed, "seeds": seeds, "agents": agents}
    changes = {k: v for k, v in {**settings, "preset": preset}.items() if v is not None}
    models = models_of(model, allow_pickle, vec_normalize)
    config, factory = _config(env, out, changes, models)
    store = Store(Path(out) if out is not None else default_folder(config), "run", WAY_OUT)
    config, world = _opened(config, factory, models, None if restart else store)
    with heard(progress) as listen, store.locked():
        for note in (*_unnamed(world), *_prepare(store, config, restart=restart)):
            warn(note)
        return _done(_tasks(store, config, world, models), listen)


def _tasks(
    store: Store, config: RunConfig, world: World, models: tuple[Model, ...]
) -> RunTasks | SeveralTasks:
    if config.agents > 1:
        return SeveralTasks(store, config, world, models)
    return RunTasks(store, config, world, models[0] if models else Model())


def _opened(
    config: RunConfig, factory: Factory | None, models: tuple[Model, ...], store: Store | None
) -> tuple[RunConfig, World]:
    """Settings and world, refused now, before there is a folder, if they or a model cannot be used."""
    world = open_world(config, factory)
    known = None if config.model is None else store
    seen = None if known is None else _seen_before(known, config, world, models)
    for model in models if seen is None else ():
        world = _for_the_model(world, model.policy(), config)
    world = seen or world
    _check_before(config, world)
    return (replace(config, goal=world.goal) if config.goal is None else config), world


def _seen_before(store: Store, config: RunConfig, world: World, models: tuple[Model, ...]) -> World | None:
    """The world as the models see it, where they were recorded in it before and need not be opened."""
    parts = [store.within(part_of(k)) for k in range(config.agents)] if config.agents > 1 else [store]
    if config.agent == LIKE_THE_MODEL or not all({"model"} <= {*part.keys()} for part in parts):
        return None
    seen = replace(world, masks=any(part["model"] for part in parts))
    tasks = _tasks(store, config, seen, models)
    agents = tasks.agents if isinstance(tasks, SeveralTasks) else [tasks]
    done = all(one.store.is_done(task) for one in agents for task in one.first()[:-1])
    return seen if done else None


def _unnamed(world: World) -> tuple[str, ...]:
    if world.names[0] != "x_0":
        return ()
    return (
        "run: the environment does not name its variables, so they are x_0, x_1, ...; give it an attribute "
        "variable_names = ('speed', ...).",
    )


def _prepare(store: Store, config: RunConfig, *, restart: bool) -> tuple[str, ...]:
    """Make the folder ready; notes on what the reader should know."""
    names = " and ".join(config.in_memory)
    if names and not restart and store.saved() is not None:
        raise BadValueError(
            f"run: {store.path} holds a run already, and {names} exists in memory only, so that nothing "
            f"shows whether it is the same; {WAY_OUT}."
        )
    there = ((None if restart else store.saved()) or {}).get("agents", config.agents)
    if (there > 1) != (config.agents > 1):
        raise BadValueError(
            f"run: {store.path} holds a run of {there} agent(s), this one has {config.agents}, and a folder "
            f"of several agents is laid out differently; {WAY_OUT}."
        )
    settings = config.to_dict() | {"agent_seeds": list(config.agent_seeds)}
    notes = store.prepare(settings, fixed=FIXED, restart=restart)
    verb = "exists" if len(config.in_memory) == 1 else "exist"
    lost = (
        f"run: {names} {verb} in memory only, so that this run cannot be continued if it is interrupted; "
        "name the environment as package.module:function and the model by its file if that matters."
    )
    return (*notes, lost) if names else notes


def _config(
    env: str | Factory | None, out: str | Path | None, changes: dict[str, Any], models: Sequence[Model]
) -> tuple[RunConfig, Factory | None]:
    if models:
        names = [model_identity(one.source, one.vec_normalize) for one in models]
        changes = {"agents": len(names), **changes, "model": BETWEEN_MODELS.join(names)}
    if env is not None:
        name, factory = name_of(env)
        return RunConfig(name, **changes), factory
    saved = None if out is None else Store(Path(out), "run", WAY_OUT).saved()
    if saved is None:
        where = "" if out is None else f"; {out} holds no run to continue"
        raise BadValueError(f"run: name an environment, such as CartPole-v1{where}.")
    return replace(RunConfig.from_dict(saved), **changes), None


def _check_before(config: RunConfig, world: World) -> None:
    """Find out now what the selection would refuse after the training."""
    agent_settings(config, world)
    one_of(["auto", *ESTIMATORS])("run", "estimator", config.estimator)
    if config.estimator != "auto":
        terms = Terms(config.alpha, method=config.method, error_rate=config.error_rate)
        ESTIMATORS[config.estimator]().check(terms)
    for name in config.variables():
        if name not in world.names:
            raise unknown_name("run", "variable", name, world.names)


def _for_the_model(world: World, policy: Policy, config: RunConfig) -> World:
    """The world as the model sees it; refused now, before there is a folder, if it does not fit."""
    seen = replace(world, masks=getattr(policy, "reads_masks", False))
    made_for, here = policy.spec, seen.spec
    if made_for is not None and seen.noise and made_for.n_variables == here.n_variables - seen.noise:
        raise BadValueError(
            f"run: the model was made for {some(made_for.n_variables, 'variable')}, without noise; leave out "
            "noise (--noise), or train an agent here with it."
        )
    check_fits(policy, here)
    if config.agent == LIKE_THE_MODEL:
        checked_like(policy)
    return seen


def _done(tasks: RunTasks | SeveralTasks, listen: Listener) -> Run | SeveralAgents:
    store = tasks.store
    try:
        total = tasks.go(listen)
        listen(Event("report", total, total))
        store.do(Task("report", "report", _report, files=("summary.json", "report.html")))
        listen(Event("report", total, total, 1, 1, finished=True))
        return _kind(store).load(store.path)
    except OSError as error:
        raise DataFileError(
            f"run: cannot write in {store.path} ({error.strerror or error}); what was finished is safe; "
            f"continue with the same call or `terc run --out {store.path}`."
        ) from error


def _kind(store: Store) -> type[Run] | type[SeveralAgents]:
    return SeveralAgents if (store / files.STABILITY).is_file() else Run


def _report(store: Store, key: str) -> None:
    store.write_json("summary.json", _kind(store).load(store.path).to_dict())
    _write_page(store.path)


def _write_page(folder: Path) -> None:
    from terc.reporting.report import report

    report(folder)
