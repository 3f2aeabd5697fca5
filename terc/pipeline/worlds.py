"""Environments of a run: a Gymnasium id or `package.module:factory`, with noise, with variables hidden."""

import difflib
import importlib
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
from gymnasium.vector import VectorEnv

from terc.agents.policy import PolicySpec
from terc.agents.spaces import spec_of
from terc.environments.doped import Doped
from terc.environments.names import variable_names
from terc.environments.select_variables import SelectVariables
from terc.environments.spaces import observation_space
from terc.errors import (
    BadTypeError,
    BadValueError,
    TercError,
    UnknownNameError,
    unknown_name,
)
from terc.fingerprint import import_name, module_digest
from terc.flattening.flattened import flattened
from terc.flattening.old_gym import is_environment, unmade
from terc.flattening.vec_env import FromVecEnv, is_vec_env
from terc.pipeline.config import IN_MEMORY, RunConfig
from terc.trajectories.columns import one_line
from terc.trajectories.files import alternatives

Factory = Callable[..., Any]


@dataclass(frozen=True)
class World:
    """One environment that can be made any number of times, on the full state or on a part of it.

    Attributes:
        make_one: Makes one environment, before noise is added.
        make_many: Makes a vector environment of a number of copies; None where there is no fast one.
        code: Digest of the module that defines it.
        masks: Whether the actions that the environment allows are shown as further variables.

    Example:
        >>> world = open_world(RunConfig("CartPole-v1", noise=1))
        >>> world.names, world.goal
        (('cart_position', 'cart_velocity', 'pole_angle', 'pole_velocity', 'noise_0'), 475.0)
    """

    id: str | None
    make_one: Factory
    make_many: Factory | None
    noise: int
    goal: float | None
    code: str = ""
    masks: bool = False

    @property
    def spec(self) -> PolicySpec:
        """What a policy for the full state must fit."""
        with closing(self.one()) as env:
            actions = env.single_action_space if isinstance(env, VectorEnv) else env.action_space
            return spec_of(self.id, observation_space(env), actions)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables of the full state, noise last."""
        with closing(self.one()) as env:
            return variable_names(env)

    def one(self, kept: Sequence[str] | None = None) -> Any:
        """One environment that shows the `kept` variables, or all."""
        return self._dressed(self.make_one(), kept)

    def maker(self, kept: Sequence[str] | None = None, *, single: bool = False) -> Factory:
        """A function that makes environments; it takes the number of copies where there is a fast way."""
        many = self.make_many
        if many is None or single:
            return partial(self.one, kept)
        return lambda num_envs: self._dressed(many(num_envs), kept)

    def _dressed(self, env: Any, kept: Sequence[str] | None) -> Any:
        flat = flattened(env, masks=self.masks)
        doped = Doped(flat, n=self.noise) if self.noise else flat
        return doped if kept is None else SelectVariables(doped, list(kept))


def open_world(config: RunConfig, factory: Factory | None = None) -> World:
    """The world of a run."""
    # Gymnasium has a colon too: "terc:terc/SecretKey-v0" imports terc before it looks for the id.
    if factory is None and (":" not in config.environment or re.search(r"-v\d+$", config.environment)):
        return _registered(config)
    make = factory if factory is not None else import_factory(config.environment)
    options = dict(config.environment_options)
    made = _made(config.environment, make, options)
    if is_vec_env(made):
        make_one: Factory = lambda **options: FromVecEnv(make(**options))  # noqa: E731
    elif is_environment(made):
        make_one = make
    else:
        raise BadTypeError(
            f"run: {config.environment} must make a Gymnasium environment or a VecEnv, it made "
            f"{type(made).__name__}."
        )
    threshold = getattr(getattr(made, "spec", None), "reward_threshold", None)
    if hasattr(made, "close"):
        made.close()
    code = "" if config.in_memory else module_digest(make.__module__)
    return World(None, partial(make_one, **options), None, config.noise, threshold, code)


def _registered(config: RunConfig) -> World:
    name, options = config.environment, dict(config.environment_options)
    try:
        spec = gym.spec(name)
    except (gym.error.Error, ImportError) as error:
        raise UnknownNameError(_no_such_environment(name, error)) from error
    _made(name, partial(gym.make, name), options).close()
    many = (
        None
        if spec.vector_entry_point is None
        else partial(gym.make_vec, name, vectorization_mode="vector_entry_point", **options)
    )
    one = partial(gym.make, name, disable_env_checker=True, **options)
    entry = spec.entry_point
    module = entry.partition(":")[0] if isinstance(entry, str) else entry.__module__
    return World(spec.id, one, many, config.noise, spec.reward_threshold, module_digest(module))


def _made(name: str, make: Factory, options: dict[str, Any]) -> Any:
    """One environment; whatever its own code raises is one line."""
    try:
        return make(**options)
    except (TercError, gym.error.DependencyNotInstalled) as error:
        raise unmade(name, error) from error
    except Exception as error:
        given = f" with {options}" if options else ""
        raise BadValueError(
            f"run: cannot make {name}{given} ({type(error).__name__}: {one_line(error)}). Keywords are "
            "given by environment_options={...} (--option name=value)."
        ) from error


def _no_such_environment(name: str, error: Exception) -> str:
    own = "One of your own is named by its file and the function that makes it: my_env.py:make."
    file = Path(name if name.endswith(".py") else f"{name}.py")
    if file.is_file():
        return f"run: {name!r} names a file without the function that makes the environment: {file}:make."
    known = sorted(gym.registry)
    # Without the namespace too, but where both fit the plain id is meant.
    bare = {key.lower().split("/")[-1]: key for key in known} | {key.lower(): key for key in known}
    close = dict.fromkeys(bare[k] for k in difflib.get_close_matches(name.lower(), bare, n=5, cutoff=0.6))
    meant = f"Did you mean {' or '.join(close)}? " if close else ""
    return f"run: no environment {name!r} ({str(error).split('. ')[0].rstrip('.')}). {meant}{own}"


def import_factory(name: str) -> Factory:
    """The function that `package.module:factory` or `folder/file.py:factory` names; first in this folder."""
    if name.startswith(IN_MEMORY):
        raise UnknownNameError(f"run: the environment was {name}; such a run cannot be continued.")
    module_name, _, attribute = name.rpartition(":")
    file, here = Path(module_name), str(Path.cwd())
    if file.suffix == ".py":
        if not file.is_file():
            near = alternatives(file.name, sorted(one.name for one in file.parent.glob("*.py")))
            raise UnknownNameError(f"run: there is no file {module_name}.{near}")
        here, module_name = str(file.parent.absolute()), file.stem
    sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # whatever is wrong with somebody else's file
        raise UnknownNameError(
            f"run: cannot import {module_name!r} ({type(error).__name__}: {one_line(error)}); name a module "
            "in this folder, an installed one, or a file (envs/mine.py:make)."
        ) from error
    finally:
        sys.path.remove(here)
    made: Any = module
    for part in attribute.split("."):
        made = getattr(made, part, None)
    if not callable(made):
        there = [k for k, v in vars(module).items() if callable(v) and not k.startswith("_")]
        raise unknown_name("run", f"function of {module_name}", attribute, there)
    return made


def name_of(env: object) -> tuple[str, Factory | None]:
    """The name of what the caller passed as environment, and the function if it was one."""
    if isinstance(env, str):
        return env, None
    if is_environment(env) or is_vec_env(env):
        raise BadTypeError(
            "run: one ready-made environment cannot be copied safely; pass its id, package.module:factory, "
            "or a function that makes it, such as lambda: MyEnv(size=5)."
        )
    if not callable(env):
        raise BadTypeError(
            f"run: wanted a Gymnasium id or a function that makes an environment, got {type(env).__name__}."
        )
    kind = getattr(env, "__qualname__", type(env).__qualname__)
    return import_name(env) or f"{IN_MEMORY}{kind}", env
