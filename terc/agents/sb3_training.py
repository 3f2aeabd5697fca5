"""Training with Stable-Baselines3, recorded: where we have no agent, and for users' own runs."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import VectorEnv

from terc.agents.recording import Recorder
from terc.agents.sb3 import MISSING, SB3Policy
from terc.agents.spaces import check_observation_space, spec_of
from terc.agents.stepping import EnvLike
from terc.agents.training import Returns, Training
from terc.errors import BadTypeError, MissingExtraError, unknown_name
from terc.progress import Report
from terc.threads import one_thread
from terc.trajectories.data import Trajectories

try:
    import stable_baselines3
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import Logger
    from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecNormalize
except ImportError as error:
    raise MissingExtraError(MISSING) from error


class RecordTraining(BaseCallback):  # type: ignore[misc, unused-ignore]
    """Callback for `model.learn` that keeps the steps of the training, with `progress`, and its curve.

    States are recorded as the environment gives them, also under `VecNormalize`; actions as they were played.

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
        self.returns: Returns | None = None

    def _on_training_start(self) -> None:
        n = self.training_env.num_envs
        if self.recorder is None:
            self.recorder = Recorder(n, self._cap)
            self.returns = Returns(n, int(self.locals["total_timesteps"]))
        self._states = self._original(self.model._last_obs)

    def _original(self, observations: Any) -> Any:
        scaling = self.model.get_vec_normalize_env()
        original = observations if scaling is None else scaling.get_original_obs()
        return np.array(original).reshape(len(original), -1)

    def _on_step(self) -> bool:
        found = self.locals
        scaling = self.model.get_vec_normalize_env()
        rewards = found["rewards"] if scaling is None else scaling.get_original_reward()
        rewards = np.asarray(rewards, np.float64)
        done = np.asarray(found["dones"], bool)
        actions = np.asarray(found.get("clipped_actions", found["actions"]))
        played = np.ones(len(done), bool)
        if self.recorder is not None and self.returns is not None:
            self.recorder.add(self._states, actions, rewards, done, played)
            self.returns.add(rewards, done, played)
            if self._progress is not None:
                self._progress(self.returns.steps, self.returns.total, self.returns.words)
        self._states = self._original(found["new_obs"])
        return True

    def trajectories(self, names: Sequence[str] | None = None) -> Trajectories:
        """What was recorded."""
        if self.recorder is None:
            raise BadTypeError(
                "RecordTraining: nothing yet; pass it to model.learn(..., callback=...) first."
            )
        discrete = isinstance(self.model.action_space, gym.spaces.Discrete)
        return self.recorder.trajectories(names, "discrete" if discrete else "continuous")


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
        env: A Gymnasium id, a function that makes one environment, or one environment (then `n_envs` is 1).
        seed: Same seed, same training, on the same machine.
        algorithm: "PPO" (discrete and continuous actions), "A2C", "DQN", "SAC" or "TD3".
        steps: Environment steps.
        n_envs: Environments stepped together.
        progress: Called after each step with steps done, steps planned, and the mean return in words.
        record: Most steps to keep as `Training.data`; 0 for none.
        names: Of the variables, for `Training.data`.
        settings: For the constructor of the algorithm, such as `{"learning_rate": 1e-3}`.
    """
    if algorithm not in ALGORITHMS:
        raise unknown_name("train_sb3", "algorithm", algorithm, ALGORITHMS)
    callback = RecordTraining(record, progress)
    began = time.process_time()
    with _global_random_state_kept():
        envs = VecNormalize(_vec_env(env, n_envs), norm_reward=algorithm in ("PPO", "A2C"))
        envs.seed(seed)
        chosen = {"device": "cpu", "seed": seed, **_defaults(algorithm), **(settings or {})}
        model = getattr(stable_baselines3, algorithm)("MlpPolicy", envs, **chosen)
        if not (chosen.get("verbose") or chosen.get("tensorboard_log")):
            model.set_logger(Logger(None, []))  # its own makes an empty folder among the temporary files
        with one_thread():
            model.learn(steps, callback=callback)
    envs.training = False
    returns = callback.returns or Returns(1, steps)
    return Training(
        policy=SB3Policy(model),
        curve=np.array(returns.curve, np.float64).reshape(-1, 2),
        data=callback.trajectories(names) if record else None,
        steps=returns.steps,
        seconds=time.process_time() - began,
    )


ALGORITHMS = ("PPO", "A2C", "DQN", "SAC", "TD3")


def _defaults(algorithm: str) -> dict[str, Any]:
    """Larger batches than the library's own: fewer calls for the same steps."""
    return {"n_steps": 256, "batch_size": 256, "ent_coef": 0.01} if algorithm == "PPO" else {}


def _vec_env(env: EnvLike, n_envs: int) -> VecEnv:
    make: Callable[[], Any]
    if isinstance(env, str):
        name = env
        make = lambda: gym.make(name)  # noqa: E731
    elif isinstance(env, gym.Env):
        one = env
        make, n_envs = (lambda: one), 1
    elif isinstance(env, VectorEnv) or not callable(env):
        raise BadTypeError(
            "train_sb3: wanted a Gymnasium id, one environment or a function without arguments that makes "
            f"one, got {type(env).__name__}."
        )
    else:
        make = env
    probe = make()
    check_observation_space(probe.observation_space)
    spec_of(None, probe.observation_space, probe.action_space)
    return DummyVecEnv([make] * n_envs)


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
