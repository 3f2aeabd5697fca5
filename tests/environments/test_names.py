"""Names of variables, known, looked through wrappers, given."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.wrappers import (
    FlattenObservation,
    FrameStackObservation,
    NormalizeObservation,
    TimeAwareObservation,
    TransformObservation,
)

from terc.environments import Doped, SelectVariables, register, variable_names
from terc.errors import BadValueError
from terc.known_names import KNOWN_NAMES
from terc.playing.rollout import rollout

register()


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("CartPole-v1", "cart_position", "pole_velocity"),
        ("MountainCar-v0", "position", "velocity"),
        ("MountainCarContinuous-v0", "position", "velocity"),
        ("Acrobot-v1", "cos_angle_1", "angular_velocity_2"),
        ("Pendulum-v1", "cos_angle", "angular_velocity"),
        ("LunarLander-v3", "x", "right_leg_contact"),
        ("BipedalWalker-v3", "hull_angle", "lidar_9"),
        ("terc/SecretKey-v0", "key_0", "key_24"),
        ("terc/TitForNTats-v0", "pair_1", "pair_9"),
    ],
)
def test_known_environments(name: str, first: str, last: str) -> None:
    env = gym.make(name)
    names = variable_names(env)
    assert (names[0], names[-1]) == (first, last)
    assert len(names) == len(set(names)) == env.observation_space.shape[0]  # type: ignore[index]


def test_parts_of_a_tuple_have_known_names() -> None:
    assert variable_names(gym.make("Blackjack-v1")) == ("player_sum", "dealer_card", "usable_ace")


def test_known_names_do_not_repeat() -> None:
    for entries in KNOWN_NAMES.values():
        assert len({len(names) for names in entries}) == len(entries)
        assert all(len(set(names)) == len(names) for names in entries)


def test_mujoco_lengths() -> None:
    """From the documentation of Gymnasium's environments."""
    lengths = {"Hopper": [11], "HalfCheetah": [17], "Walker2d": [17], "Swimmer": [8], "Ant": [27, 105]}
    lengths |= {
        "Reacher": [10, 11],
        "Pusher": [23],
        "InvertedPendulum": [4],
        "InvertedDoublePendulum": [9, 11],
    }
    for name, wanted in lengths.items():
        assert [len(names) for names in KNOWN_NAMES[name]] == wanted


def test_wrappers_that_keep_the_shape_are_looked_through() -> None:
    assert variable_names(NormalizeObservation(gym.make("Pendulum-v1")))[0] == "cos_angle"
    assert variable_names(TimeAwareObservation(gym.make("Pendulum-v1")))[-2:] == ("angular_velocity", "time")


def test_wrappers_that_change_it_give_plain_names() -> None:
    doubled = TransformObservation(
        gym.make("Pendulum-v1"), lambda row: np.append(row, row), spaces.Box(-8, 8, (6,), np.float32)
    )
    assert variable_names(doubled) == ("x_0", "x_1", "x_2", "x_3", "x_4", "x_5")


def test_ours_add_and_take_away() -> None:
    env = SelectVariables(Doped(gym.make("Pendulum-v1"), n=2), ["noise_1", "cos_angle"])
    assert variable_names(NormalizeObservation(env)) == ("noise_1", "cos_angle")


def test_vector_environments() -> None:
    assert variable_names(gym.make_vec("CartPole-v1", 2))[0] == "cart_position"
    assert variable_names(gym.make_vec("CartPole-v1", 2, vectorization_mode="sync"))[0] == "cart_position"
    assert variable_names(gym.make_vec("terc/SecretKey-v0", 2, keys=3)) == ("key_0", "key_1", "key_2")
    wrapped = gym.make_vec(
        "CartPole-v1", 2, vectorization_mode="sync", wrappers=[lambda env: Doped(env, n=1)]
    )
    assert variable_names(wrapped)[-1] == "noise_0"


def test_flattened_dictionaries_use_their_keys() -> None:
    class Car(gym.Env[Any, Any]):
        observation_space = spaces.Dict(
            speed=spaces.Box(0, 1, (1,)), wheel=spaces.Box(0, 1, (2,)), gear=spaces.Discrete(3)
        )
        action_space = spaces.Discrete(2)

    names = variable_names(FlattenObservation(Car()))
    assert set(names) == {"speed", "wheel_0", "wheel_1", "gear_0", "gear_1", "gear_2"}
    flat = spaces.flatten(Car.observation_space, {"speed": [7.0], "wheel": [1.0, 2.0], "gear": 2})
    assert dict(zip(names, np.asarray(flat).tolist(), strict=True)) == {
        "speed": 7.0,
        "wheel_0": 1.0,
        "wheel_1": 2.0,
        "gear_0": 0.0,
        "gear_1": 0.0,
        "gear_2": 1.0,
    }


def test_a_single_code_is_the_state() -> None:
    assert variable_names(gym.make("FrozenLake-v1")) == ("state",)


def test_given_names_are_checked() -> None:
    env = gym.make("Pendulum-v1")
    assert variable_names(env, ["a", "b", "c"]) == ("a", "b", "c")
    with pytest.raises(BadValueError, match="wanted 3, one per variable of the environment, got 2"):
        variable_names(env, ["a", "b"])
    with pytest.raises(BadValueError, match=r"each may occur once, but \['a'\]"):
        variable_names(env, ["a", "b", "a"])
    assert SelectVariables(env, ["b"], names=["a", "b", "c"]).variable_names == ("b",)


def test_stacked_frames_carry_their_lag() -> None:
    names = variable_names(FrameStackObservation(gym.make("MountainCar-v0"), 3))
    oldest = ("position[t-2]", "velocity[t-2]", "position[t-1]", "velocity[t-1]")
    assert names == (*oldest, "position", "velocity")


def test_names_that_are_too_few():
    env = gym.make("Pendulum-v1")
    env.variable_names = ("cos", "sin")
    with pytest.raises(BadValueError, match="has 3 variables, not 2"):
        variable_names(env)


def test_given_names_stand_in_for_wrong_ones():
    env = gym.make("Pendulum-v1")
    env.variable_names = ("cos", "sin")
    data = rollout(env, lambda states: np.zeros((len(states), 1)), steps=20, names=("u", "v", "w"))
    assert data.names == ("u", "v", "w")
    env.variable_names = lambda: 3  # somebody else's
    assert variable_names(env) == KNOWN_NAMES["Pendulum"][0]


def test_environments_in_other_processes_have_names_too():
    env = gym.vector.AsyncVectorEnv([lambda: gym.make("Pendulum-v1")] * 2)
    try:
        assert variable_names(env) == KNOWN_NAMES["Pendulum"][0]
    finally:
        env.close()
