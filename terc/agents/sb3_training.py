"""Training with Stable-Baselines3, recorded: where we have no agent, and for users' own runs."""

import copy
import inspect
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import gymnasium as gym
import numpy as np

from terc.agents.recording import Recorder
from terc.agents.sb3 import SB3Policy
from terc.agents.sb3_files import MISSING, algorithm_class
from terc.agents.spaces import spec_of
from terc.agents.stepping import EnvLike, VectorStepper, make_stepper
from terc.agents.training import EpisodeReturns, Training
from terc.errors import BadTypeError, BadValueError, MissingExtraError
from terc.flattening.layout import Layout
from terc.flattening.old_gym import Guarded, is_environment
from terc.flattening.vec_env import outer_scaling
from terc.progress import Report
from terc.threads import one_thread
from terc.trajectories.data import Trajectories

try:
    import stable_baselines3  # noqa: F401  (whether it is there)
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import Logger
    from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecNormalize

    from terc.agents.sb3_vec_env import ToVecEnv
except ImportError as error:
    raise MissingExtraError(MISSING) from error


# What belongs to one training and not to how it was set up.
OWN = ("self", "policy", "env", "seed", "device", "verbose", "tensorboard_log", "_init_setup_model")
# How a `VecNormalize` was set up, in its own words.
SCALING = ("norm_obs", "norm_reward", "clip_obs", "clip_reward", "gamma", "epsilon")


class RecordTraining(BaseCallback):  # type: ignore[misc, unused-ignore]
    """Callback for `model.learn` that keeps the steps of the training, with `progress`, and its curve.

    States are recorded as the environment gives them, also under `VecNormalize`, dictionaries as flat rows;
    actions as they were played.

    Args:
        cap: Most steps to keep, thinned evenly over the training.
        progress: Called after each step with steps done, steps planned, and the mean return in words.

    Example:
        >>> from stable_baselines3 import PPO
        >>> record, model = RecordTraining(), PPO("MlpPolicy", "CartPole-v1", n_steps=64, device="cpu")
        >>> _ = model.learn(64, callback=record)
        >>> len(record.trajectories())
        64
    """

    def __init__(self, cap: int = 200_000, progress: Report | None = None) -> None:
        super().__init__()
        self._cap, self._progress = cap, progress
        self.recorder: Recorder | None = None
        self.returns: EpisodeReturns | None = None

    def _on_training_start(self) -> None:
        n = self.training_env.num_envs
        if self.recorder is None:
            self.recorder = Recorder(n, self._cap)
            self.returns = EpisodeReturns(n, int(self.locals["total_timesteps"]))
        self._layout = Layout.of(self.training_env.observation_space, where="RecordTraining", shaped=True)
        self._states = self._original(self.model._last_obs)

    def _original(self, observations: Any) -> Any:
        scaling = outer_scaling(self.training_env)
        return self._layout.rows(observations if scaling is None else scaling.get_original_obs())

    def _on_step(self) -> bool:
        found = self.locals
        scaling = self.model.get_vec_normalize_env()
        rewards = found["rewards"] if scaling is None else scaling.get_original_reward()
        rewards = np.asarray(rewards, np.float64)
        done = np.asarray(found["dones"], bool)
        actions = np.asarray(found.get("clipped_actions", found["actions"]))
        played = np.ones(len(done), bool)
        if self.recorder is not None and self.returns is not None:
            # What the agent read: the state, and which actions were allowed where it reads that.
            masks = found.get("action_masks")
            seen = self._states if masks is None else np.concatenate([self._states, masks], axis=1)
            self.recorder.add(seen, actions, rewards, done, played)
            self.returns.add(rewards, done, played)
            if self._progress is not None:
                self._progress(self.returns.steps, self.returns.total, self.returns.words)
        self._states = self._original(found["new_obs"])
        return True

    def trajectories(self, names: Sequence[str] | None = None) -> Trajectories:
        """What was recorded; `terc.environments.variable_names(env)` knows the names of many environments."""
        if self.recorder is None:
            raise BadTypeError(
                "RecordTraining: nothing yet; pass it to model.learn(..., callback=...) first."
            )
        continuous = isinstance(self.model.action_space, gym.spaces.Box)
        return self.recorder.trajectories(names, "continuous" if continuous else "discrete")


@dataclass(frozen=True)
class Recipe:
    """An algorithm with its settings.

    Attributes:
        algorithm: Its class.
        policy: The class of its network, or the name of one.
        settings: For the constructor.
        scaling: For the `VecNormalize` around the environments; None without one.
        n_envs: Environments stepped together.
    """

    algorithm: Any
    policy: Any
    settings: dict[str, Any]
    scaling: dict[str, Any] | None
    n_envs: int

    @classmethod
    def of(cls, policy: SB3Policy) -> Self:
        """The recipe of a model, read from the model itself.

        Example:
            >>> from stable_baselines3 import PPO
            >>> model = PPO("MlpPolicy", "CartPole-v1", n_steps=64, gamma=0.9, device="cpu")
            >>> recipe = Recipe.of(SB3Policy(model))
            >>> recipe.settings["n_steps"], recipe.settings["gamma"], recipe.scaling
            (64, 0.9, None)
        """
        model, scaling = policy.model, policy.vec_normalize
        known = [name for name in inspect.signature(type(model).__init__).parameters if name not in OWN]
        found = {name: getattr(model, _stored(name)) for name in known if hasattr(model, _stored(name))}
        frequency: Any = found.get("train_freq")
        if hasattr(frequency, "unit"):
            found["train_freq"] = (frequency.frequency, frequency.unit.value)
        found["policy_kwargs"] = copy.deepcopy(model.policy_kwargs)
        network = model.policy_class
        if isinstance(model.observation_space, gym.spaces.Dict):
            # The smaller agent reads one flat row.
            network = "MlpPolicy"
            found["policy_kwargs"].pop("features_extractor_class", None)
            found = {name: value for name, value in found.items() if "_buffer_" not in name}
        how = None if scaling is None else {name: getattr(scaling, name) for name in SCALING}
        return cls(type(model), network, found, how, int(model.n_envs))


def _stored(name: str) -> str:
    return "_stats_window_size" if name == "stats_window_size" else name


def train_sb3(  # noqa: PLR0913  (those of every agent, and the algorithm with its settings)
    env: EnvLike,
    *,
    seed: int,
    algorithm: str = "PPO",
    steps: int = 200_000,
    n_envs: int = 8,
    progress: Report | None = None,
    record: int = 200_000,
    names: Sequence[str] | None = None,
    settings: dict[str, Any] | None = None,
) -> Training:
    """Train a Stable-Baselines3 agent on states scaled by `VecNormalize`.

    Args:
        env: A Gymnasium id, a function that makes an environment, or one environment (then `n_envs` is 1). A
            vector environment has its own number of copies.
        seed: Same seed, same training, on the same machine.
        algorithm: "PPO" (discrete and continuous actions), or any other of the two packages.
        steps: Environment steps.
        n_envs: Environments stepped together.
        progress: Called after each step with steps done, steps planned, and the mean return in words.
        record: Most steps to keep as `Training.data`; 0 for none.
        names: Of the variables, for `Training.data`.
        settings: For the constructor of the algorithm, such as `{"learning_rate": 1e-3}`.
    """
    # Larger batches than the library's own: fewer calls for the same steps.
    ours = {"n_steps": 256, "batch_size": 256, "ent_coef": 0.01} if algorithm == "PPO" else {}
    chosen = {**ours, **(settings or {})}
    scaling = {"norm_reward": algorithm in ("PPO", "A2C")}
    recipe = Recipe(algorithm_class(algorithm), "MlpPolicy", chosen, scaling, n_envs)
    callback = RecordTraining(record, progress)
    return train_recipe(env, recipe, seed=seed, steps=steps, callback=callback, names=names)


def train_like(
    model: Any,
    env: EnvLike,
    *,
    seed: int,
    steps: int | None = None,
    progress: Report | None = None,
    names: Sequence[str] | None = None,
) -> Training:
    """Train a model like `model` on another environment: its algorithm, its settings, its `VecNormalize`.

    Args:
        model: Of Stable-Baselines3 or sb3-contrib, or an `SB3Policy` of one.
        env: As in `train_sb3`; for instance `lambda: SelectVariables(make(), selection)`.
        seed: Same seed, same training, on the same machine.
        steps: Environment steps; by default as many as the model was trained for.
        progress: As in `train_sb3`.
        names: As in `train_sb3`.

    Returns:
        `Training.policy.model` is a model of the same class; `training.policy.vec_normalize` its scaling.
    """
    policy = model if isinstance(model, SB3Policy) else SB3Policy(model)
    recipe = Recipe.of(policy)
    planned = steps if steps is not None else int(policy.model.num_timesteps)
    if planned < 1:
        raise BadValueError("train_like: the model was never trained; say how long with steps=.")
    callback = RecordTraining(0, progress)
    return train_recipe(env, recipe, seed=seed, steps=planned, callback=callback, names=names)


def train_recipe(
    env: EnvLike,
    recipe: Recipe,
    *,
    seed: int,
    steps: int,
    callback: RecordTraining,
    names: Sequence[str] | None,
) -> Training:
    """Train by a recipe; see `train_sb3`."""
    began = time.process_time()
    with _global_random_state_kept():
        plain = _vec_env(env, recipe.n_envs)
        envs = plain if recipe.scaling is None else VecNormalize(plain, **recipe.scaling)
        envs.seed(seed)
        chosen = {"device": "cpu", "seed": seed, **recipe.settings}
        model = recipe.algorithm(recipe.policy, envs, **chosen)
        if not (chosen.get("verbose") or chosen.get("tensorboard_log")):
            model.set_logger(Logger(None, []))  # its own makes an empty folder among the temporary files
        with one_thread():
            model.learn(steps, callback=callback)
    if isinstance(envs, VecNormalize):
        envs.training = False
    returns = callback.returns or EpisodeReturns(1, steps)
    return Training(
        policy=SB3Policy(model),
        curve=np.array(returns.curve, np.float64).reshape(-1, 2),
        data=callback.trajectories(names) if callback.recorder and callback.recorder.cap else None,
        steps=returns.steps,
        seconds=time.process_time() - began,
    )


def _vec_env(env: EnvLike, n_envs: int) -> VecEnv:
    """`n_envs` copies, or those of a vector environment; a ready-made environment is one copy."""
    first = make_stepper(env, 1)
    if isinstance(first, VectorStepper):
        return ToVecEnv(first)
    spec_of(None, first.observation_space, first.action_space)
    further = 0 if is_environment(env) else n_envs - 1
    envs = [*first.envs, *(make_stepper(env, 1).sample for _ in range(further))]
    return DummyVecEnv([partial(Guarded, one) for one in envs])


@contextmanager
def _global_random_state_kept() -> Iterator[None]:
    """Stable-Baselines3 seeds the global random states; what the caller had is restored."""
    import torch

    python, numpy_state = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy_state)  # noqa: NPY002
