"""A `VecEnv` of Stable-Baselines3 as a vector environment of Gymnasium, its states in their own units."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from terc.arrays import Array, Info
from terc.flattening.layout import Layout
from terc.trajectories.episodes import lagged_name

# Wrappers that leave the observations alone, or only scale them, which the policy does (`SB3Policy`).
PEELED = ("VecNormalize", "VecMonitor", "VecCheckNan", "VecVideoRecorder")


class FromVecEnv(VectorEnv[Any, Any, Any]):
    """`venv` stepped as it is, but for a `VecNormalize` at its outside.

    That one is left to the policy, so that states and rewards have the environment's own units and its
    statistics stay as they are. Inside a `VecFrameStack` it belongs to the environment: stacked frames are
    scaled ones.

    Args:
        venv: A DummyVecEnv or SubprocVecEnv, with or without wrappers.
    """

    def __init__(self, venv: Any) -> None:
        self.venv = venv
        while _kind(self.venv) in PEELED:
            self.venv = self.venv.venv
        self.num_envs = venv.num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
        self.single_observation_space = self.venv.observation_space
        self.single_action_space = self.venv.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._layers = list(_layers(self.venv))
        self.envs = tuple(getattr(self._layers[-1], "envs", ()))
        self.spec = spec_of_copies(self.venv)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        """Start all copies; copy i from `seed + i`."""
        if seed is not None:
            self.venv.seed(seed)
        with self._statistics_kept():
            return _copied(self.venv.reset()), {}

    def step(self, actions: Any) -> tuple[Any, Array, Array, Array, Info]:
        """Play one action per copy; a finished one restarts at once."""
        with self._statistics_kept():
            observations, rewards, done, infos = self.venv.step(np.asarray(actions))
        cut = np.array([bool(info.get("TimeLimit.truncated", False)) for info in infos])
        final = np.empty(self.num_envs, dtype=object)
        for k in np.flatnonzero(done):
            final[k] = infos[k]["terminal_observation"]
        info = {"final_obs": final} if done.any() else {}
        return _copied(observations), np.array(rewards, np.float64), done & ~cut, done & cut, info

    def call(self, name: str, *args: Any, **options: Any) -> Any:
        """What the method `name` of each copy answers."""
        return tuple(self.venv.env_method(name, *args, **options))

    def close(self, **options: Any) -> None:
        """Close the environments."""
        self.venv.close()

    def stacked(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names of the columns, given those of one copy's environment: with their lag where frames stack."""
        spaces = [layer.observation_space for layer in reversed(self._layers)]
        for inner, outer, layer in zip(spaces, spaces[1:], reversed(self._layers[:-1]), strict=False):
            if _kind(layer) == "VecFrameStack":
                layout = Layout.of(inner, shaped=True)
                names = stacked_names(layout, names, Layout.of(outer, shaped=True).size // layout.size)
        return tuple(names)

    @property
    def base_space(self) -> Any:
        """Observations of one copy before any wrapper of Stable-Baselines3."""
        return self._layers[-1].observation_space

    @contextmanager
    def _statistics_kept(self) -> Iterator[None]:
        """Playing is not training: statistics of a `VecNormalize` inside stay, rewards keep their units."""
        inside = [layer for layer in self._layers if _kind(layer) == "VecNormalize"]
        before = [(layer.training, layer.norm_reward) for layer in inside]
        for layer in inside:
            layer.training = layer.norm_reward = False
        try:
            yield
        finally:
            for layer, (training, norm_reward) in zip(inside, before, strict=True):
                layer.training, layer.norm_reward = training, norm_reward


def is_vec_env(thing: object) -> bool:
    """Whether `thing` is a `VecEnv`; Stable-Baselines3 need not be installed to ask."""
    return any(
        kind.__name__ == "VecEnv" and kind.__module__.startswith("stable_baselines3")
        for kind in type(thing).__mro__
    )


def outer_scaling(venv: Any) -> Any:
    """The `VecNormalize` that scales what a model sees and lies outside of all stacking; None without."""
    while _kind(venv) in PEELED:
        if _kind(venv) == "VecNormalize":
            return venv
        venv = venv.venv
    return None


def stacked_names(layout: Layout, names: Sequence[str], frames: int) -> tuple[str, ...]:
    """Names of stacked frames, oldest first, part by part.

    Example:
        >>> from gymnasium import spaces
        >>> stacked_names(Layout.of(spaces.Box(-1, 1, (1,))), ["position"], 3)
        ('position[t-2]', 'position[t-1]', 'position')
    """
    return tuple(
        lagged_name(name, lag)
        for part in layout.parts
        for lag in reversed(range(frames))
        for name in names[part.first : part.first + part.size]
    )


def _layers(venv: Any) -> Iterator[Any]:
    while venv is not None:
        yield venv
        venv = getattr(venv, "venv", None)


def _kind(venv: Any) -> str:
    """The wrapper of Stable-Baselines3 that it is, or is derived from."""
    known = (*PEELED, "VecFrameStack")
    return next((kind.__name__ for kind in type(venv).__mro__ if kind.__name__ in known), "")


def spec_of_copies(venv: Any) -> Any:
    """The `spec` of the first environment of a `VecEnv`, if it has one."""
    try:
        return venv.get_attr("spec")[0]
    except AttributeError:
        return None


def _copied(observations: Any) -> Any:
    """Copies: a later step may write into the arrays of an earlier one."""
    if isinstance(observations, dict):
        return {key: np.array(values) for key, values in observations.items()}
    if isinstance(observations, tuple):
        return tuple(np.array(values) for values in observations)
    return np.array(observations)
