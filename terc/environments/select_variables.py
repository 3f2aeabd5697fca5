"""`SelectVariables`: an environment that shows only the chosen variables."""

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv

from terc.arrays import Array
from terc.checks import called_rightly
from terc.environments.names import variable_names
from terc.environments.spaces import AnyEnv, ShownVector, flat_env, flat_space, observation_space
from terc.errors import BadTypeError, BadValueError, UnknownNameError, available_names


class SelectVariables(gym.ObservationWrapper[Array, Any, Any], RecordConstructorArgs):
    """Shows only the chosen variables of `env`, in the order chosen.

    Takes single and vector environments; for the latter it makes a `SelectVariablesVector`.

    Args:
        env: With observations that are numbers; dictionaries become columns.
        chosen: A `terc.Selection` (its kept variables), names, or column numbers from 0.
        names: Names of the columns of `env`, where `variable_names(env)` does not know them.

    Example:
        >>> env = SelectVariables(gym.make("CartPole-v1"), ["pole_angle", "pole_velocity"])
        >>> env.reset(seed=0)[0].shape, env.variable_names
        ((2,), ('pole_angle', 'pole_velocity'))
    """

    def __new__(cls, env: Any = None, *args: Any, **options: Any) -> Any:  # noqa: D102
        if isinstance(env, VectorEnv):
            return SelectVariablesVector(env, *args, **options)
        return super().__new__(cls)

    @called_rightly
    def __init__(self, env: Any, chosen: Any, names: Sequence[str] | None = None) -> None:
        env = flat_env("SelectVariables", env)
        self.columns, self.variable_names = chosen_columns(env, chosen, names)
        given = None if names is None else list(names)
        RecordConstructorArgs.__init__(self, chosen=self.columns.tolist(), names=given)
        gym.ObservationWrapper.__init__(self, env)
        self.observation_space = _subspace(env, self.columns)

    def observation(self, observation: Array) -> Array:
        """The chosen columns."""
        return observation[self.columns]


class SelectVariablesVector(ShownVector):
    """`SelectVariables` for a vector environment."""

    @called_rightly
    def __init__(
        self, env: VectorEnv[Any, Any, Any], chosen: Any, names: Sequence[str] | None = None
    ) -> None:
        env = flat_env("SelectVariables", env)
        self.columns, self.variable_names = chosen_columns(env, chosen, names)
        super().__init__(env, _subspace(env, self.columns))

    def _shown(self, observations: Array) -> Array:
        return np.take(observations, self.columns, axis=-1)


def chosen_columns(
    env: AnyEnv, chosen: Any, names: Sequence[str] | None = None
) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """Column numbers and names of what is `chosen` among the variables of `env`."""
    flat_space("SelectVariables", env)
    available = variable_names(env, names)
    # Duck-typed, because environments do not know selections.
    wanted = _as_list(getattr(chosen, "kept", chosen))
    if not wanted:
        raise BadValueError(
            "SelectVariables: nothing is chosen, and an environment needs at least one variable."
            f"{available_names(available)}"
        )
    if all(isinstance(item, str) for item in wanted):
        columns = _by_name(wanted, available)
    elif all(isinstance(item, (int, np.integer)) and not isinstance(item, bool) for item in wanted):
        columns = _by_number(wanted, available)
    else:
        raise BadTypeError(
            "SelectVariables: wanted a Selection, names, or column numbers (one kind only), got "
            f"{[type(item).__name__ for item in wanted][:10]}."
        )
    if repeated := sorted({available[k] for k in columns if columns.count(k) > 1}):
        raise BadValueError(
            f"SelectVariables: each variable can be chosen once, but {repeated} are repeated."
        )
    return np.array(columns, dtype=np.int64), tuple(available[k] for k in columns)


def _as_list(chosen: Any) -> list[Any]:
    if isinstance(chosen, str):
        return [chosen]
    if not isinstance(chosen, Iterable):
        raise BadTypeError(
            f"SelectVariables: wanted a Selection, names, or column numbers, got {type(chosen).__name__}."
        )
    return list(chosen)


def _by_name(wanted: list[str], available: tuple[str, ...]) -> list[int]:
    if missing := [name for name in wanted if name not in available]:
        raise UnknownNameError(
            f"SelectVariables: wanted {wanted}, available {list(available)}, missing {missing}. "
            "Pass names= if the environment's columns are called otherwise."
        )
    return [available.index(name) for name in wanted]


def _by_number(wanted: list[Any], available: tuple[str, ...]) -> list[int]:
    numbers = [int(item) for item in wanted]
    if missing := [k for k in numbers if not 0 <= k < len(available)]:
        raise BadValueError(
            f"SelectVariables: wanted columns {numbers}, available 0..{len(available) - 1} "
            f"({list(available)}), missing {missing}."
        )
    return numbers


def _subspace(env: AnyEnv, columns: npt.NDArray[np.int64]) -> spaces.Space[Any]:
    """The observation space of the chosen columns, of the same kind as that of `env`."""
    space = observation_space(env)
    if isinstance(space, spaces.MultiDiscrete):
        return spaces.MultiDiscrete(space.nvec[columns], dtype=space.dtype.type, start=space.start[columns])
    if isinstance(space, spaces.MultiBinary):
        return spaces.MultiBinary(len(columns))
    if not isinstance(space, spaces.Box):  # flat_space has let nothing else through
        raise BadTypeError(f"SelectVariables: cannot choose columns of {space}.")
    return spaces.Box(space.low[columns], space.high[columns], dtype=space.dtype.type)
