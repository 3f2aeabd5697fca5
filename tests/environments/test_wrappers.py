"""Doped, SelectVariables and HistoryOf, on single and vector environments."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import FlattenObservation, FrameStackObservation

from terc.environments import (
    Doped,
    DopedVector,
    HistoryOf,
    HistoryOfVector,
    SelectVariables,
    SelectVariablesVector,
    register,
    variable_names,
)
from terc.errors import BadTypeError, BadValueError, UnknownNameError
from terc.trajectories.data import Trajectories

register()


def cart_pole() -> gym.Env[Any, Any]:
    return gym.make("CartPole-v1")


def play(env: Any, seed: int, steps: int = 12) -> np.ndarray[Any, Any]:
    """Observations of a fixed sequence of actions."""
    seen = [env.reset(seed=seed)[0]]
    for t in range(steps):
        shape = getattr(env, "num_envs", None)
        action = t % 2 if shape is None else np.full(shape, t % 2)
        seen.append(env.step(action)[0])
    return np.stack(seen)


@pytest.mark.filterwarnings("ignore:.*WARN.*")
@pytest.mark.parametrize(
    "wrap",
    [
        lambda env: Doped(env, n=3),
        lambda env: SelectVariables(env, [0, 2]),
        lambda env: HistoryOf(env, 2),
        lambda env: SelectVariables(Doped(HistoryOf(env, 1), n=2), ["noise_1", "pole_angle[t-1]"]),
    ],
)
def test_gymnasium_accepts_the_wrapped_environment(wrap: Any) -> None:
    check_env(wrap(cart_pole()), skip_render_check=True)
    vector = wrap(gym.make_vec("CartPole-v1", 3))
    seen = play(vector, 0)
    assert all(vector.observation_space.contains(rows) for rows in seen)
    assert vector.single_observation_space.shape == seen.shape[2:]
    assert vector.single_observation_space == wrap(cart_pole()).observation_space


def test_doped_leaves_the_environment_alone_and_adds_fresh_noise() -> None:
    seen = play(Doped(cart_pole(), n=3), 1)
    assert np.array_equal(seen[:, :4], play(cart_pole(), 1))
    noise = seen[:, 4:]
    assert len(np.unique(noise)) == noise.size
    assert -5 <= noise.min() < -3 < 3 < noise.max() <= 5


def test_doped_noise_is_seeded_by_reset() -> None:
    env = Doped(cart_pole(), n=2, low=0, high=1)
    assert np.array_equal(play(env, 1), play(env, 1))
    assert not np.array_equal(play(env, 1)[:, 4:], play(env, 2)[:, 4:])
    env.reset(seed=1)
    assert not np.array_equal(env.reset()[0][4:], env.reset(seed=1)[0][4:])


def test_doping_twice_gives_other_noise_and_other_names() -> None:
    env = Doped(Doped(cart_pole(), n=2), n=2)
    assert env.variable_names[4:] == ("noise_0", "noise_1", "noise_2", "noise_3")
    seen = play(env, 3)
    assert not np.array_equal(seen[:, 4:6], seen[:, 6:8])


def test_doped_chooses_the_vector_form_by_itself() -> None:
    env = Doped(gym.make_vec("CartPole-v1", 4), n=3)
    assert isinstance(env, DopedVector)
    seen = play(env, 1)
    assert seen.shape == (13, 4, 7)
    assert len(np.unique(seen[:, :, 4:])) == 13 * 4 * 3
    assert np.array_equal(seen, play(env, 1))
    assert np.array_equal(seen[:, :, :4], play(gym.make_vec("CartPole-v1", 4), 1))


def test_doped_codes_become_numbers() -> None:
    env = Doped(gym.make("terc/TitForNTats-v0", history=3), n=1)
    assert isinstance(env.observation_space, spaces.Box)
    assert env.observation_space.high.tolist() == [3, 3, 3, 5]
    assert env.variable_names == ("pair_1", "pair_2", "pair_3", "noise_0")


@pytest.mark.parametrize(
    "wrap", [lambda env: Doped(env, n=2), lambda env: SelectVariables(env, [1, 0]), HistoryOf]
)
def test_last_observations_of_same_step_resets_are_wrapped_too(wrap: Any) -> None:
    inner = SyncVectorEnv([cart_pole] * 3, autoreset_mode=AutoresetMode.SAME_STEP)
    env = wrap(inner)
    env.reset(seed=0)
    found = 0
    for _ in range(40):
        _, _, terminated, _, info = env.step(np.ones(3, int))
        for k in np.flatnonzero(terminated):
            assert env.single_observation_space.contains(info["final_obs"][k])
            found += 1
    assert found > 3
    keys = wrap(gym.make_vec("terc/SecretKey-v0", 3, keys=4))
    keys.reset(seed=0)
    *_, info = keys.step(np.zeros(3, int))
    assert all(keys.single_observation_space.contains(row) for row in info["final_obs"])


def test_select_by_name_number_and_selection() -> None:
    whole = play(cart_pole(), 1)
    by_name = SelectVariables(cart_pole(), ["pole_angle", "cart_position"])
    assert np.array_equal(play(by_name, 1), whole[:, [2, 0]])
    assert np.array_equal(play(SelectVariables(cart_pole(), np.array([2, 0])), 1), whole[:, [2, 0]])
    selection = SimpleNamespace(kept=("cart_velocity", "pole_velocity"))
    chosen = SelectVariables(cart_pole(), selection)
    assert np.array_equal(play(chosen, 1), whole[:, [1, 3]])
    assert chosen.variable_names == selection.kept
    assert chosen.observation_space.shape == (2,)
    assert play(SelectVariables(cart_pole(), "pole_angle"), 1).shape == (13, 1)


def test_select_chooses_the_vector_form_by_itself() -> None:
    env = SelectVariables(gym.make_vec("CartPole-v1", 4), ["pole_angle"])
    assert isinstance(env, SelectVariablesVector)
    assert np.array_equal(play(env, 1), play(gym.make_vec("CartPole-v1", 4), 1)[:, :, [2]])


@pytest.mark.filterwarnings("ignore:.*WARN.*")
def test_select_keeps_the_kind_of_space() -> None:
    env = SelectVariables(gym.make("terc/TitForNTats-v0"), ["pair_1", "pair_2"])
    assert env.observation_space == spaces.MultiDiscrete([4, 4])
    check_env(env, skip_render_check=True)


def test_select_undoes_doping() -> None:
    doped = Doped(cart_pole(), n=3)
    undone = SelectVariables(doped, variable_names(cart_pole()))
    assert np.array_equal(play(undone, 1), play(cart_pole(), 1))


def test_select_errors_list_wanted_available_missing() -> None:
    with pytest.raises(
        UnknownNameError, match=r"wanted \['pole', 'pole_angle'\], available \['cart_.*missing \['pole'\]"
    ):
        SelectVariables(cart_pole(), ["pole", "pole_angle"])
    with pytest.raises(
        BadValueError, match=r"wanted columns \[0, 4, -1\], available 0..3 .*missing \[4, -1\]"
    ):
        SelectVariables(cart_pole(), [0, 4, -1])
    with pytest.raises(BadValueError, match=r"each variable can be chosen once, but \['pole_angle'\]"):
        SelectVariables(cart_pole(), [2, 2])
    with pytest.raises(BadValueError, match="nothing is chosen"):
        SelectVariables(cart_pole(), SimpleNamespace(kept=()))
    with pytest.raises(BadTypeError, match="one kind only"):
        SelectVariables(cart_pole(), [0, "pole_angle"])
    with pytest.raises(BadTypeError, match="wanted a Selection, names, or column numbers, got float"):
        SelectVariables(cart_pole(), 1.5)


@pytest.mark.parametrize("wrap", [Doped, lambda env: SelectVariables(env, [0]), HistoryOf, variable_names])
def test_images_are_refused_with_the_way_out_and_dictionaries_taken(wrap: Any) -> None:
    class Shows(gym.Env[Any, Any]):
        def __init__(self, space: spaces.Space[Any]) -> None:
            self.observation_space, self.action_space = space, spaces.Discrete(2)

    with pytest.raises(BadTypeError, match=r"shape \(8, 8, 3\), like an image.*FlattenObservation"):
        wrap(Shows(spaces.Box(0, 255, (8, 8, 3), np.uint8)))
    dictionary = spaces.Dict(speed=spaces.Box(0, 1, (1,)), position=spaces.Box(0, 1, (2,)))
    for env in (Shows(dictionary), FlattenObservation(Shows(dictionary))):
        assert wrap(env) is not None
    with pytest.raises(BadTypeError, match=r"wanted a Gymnasium environment .* got str.*gymnasium.make"):
        wrap("CartPole-v1")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n": 0}, BadValueError, "n must be a whole number of at least 1, got 0"),
        ({"n": 2.0}, BadTypeError, "n must be a whole number"),
        ({"n": 1, "low": 2, "high": 1}, BadValueError, "low must be below high"),
    ],
)
def test_bad_doping(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Doped(cart_pole(), **arguments)


def test_history_equals_that_of_trajectories() -> None:
    whole = play(cart_pole(), 1, steps=12)
    lagged = Trajectories(whole, np.arange(13) % 2, names=variable_names(cart_pole())).with_history(3)
    env = HistoryOf(cart_pole(), 3)
    seen = play(env, 1, steps=12)
    assert env.variable_names == lagged.names
    assert np.array_equal(seen[3:], lagged.states.astype(np.float32))
    assert np.array_equal(seen[0], np.repeat(whole[0], 4))


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_vector_history_never_crosses_an_episode(mode: AutoresetMode) -> None:
    """Each copy's rows against its own single episodes, restarts included."""
    env = HistoryOf(SyncVectorEnv([cart_pole] * 2, autoreset_mode=mode), 2)
    plain = SyncVectorEnv([cart_pole] * 2, autoreset_mode=mode)
    assert isinstance(env, HistoryOfVector)
    rows, _ = env.reset(seed=3)
    flat, _ = plain.reset(seed=3)
    past, ended = [[row] * 3 for row in flat], np.zeros(2, bool)
    for _ in range(60):
        rows, _, terminated, _, _ = env.step(np.ones(2, int))
        flat, _, _, _, _ = plain.step(np.ones(2, int))
        fresh = ended if mode is AutoresetMode.NEXT_STEP else terminated
        for k in range(2):
            past[k] = [flat[k]] * 3 if fresh[k] else [flat[k], *past[k][:2]]
            assert np.array_equal(rows[k], np.stack(past[k], axis=1).ravel())
        ended = terminated


@pytest.mark.parametrize("made", [cart_pole, lambda: gym.make_vec("CartPole-v1", 2)])
def test_n_stack_counts_as_frame_stacks_do(made: Any) -> None:
    own = HistoryOf(made(), n_stack=3)
    assert own.variable_names == HistoryOf(made(), 2).variable_names
    assert set(own.variable_names) == set(variable_names(FrameStackObservation(cart_pole(), 3)))
    vec_env = pytest.importorskip("stable_baselines3.common.vec_env")
    theirs = vec_env.VecFrameStack(vec_env.DummyVecEnv([cart_pole]), n_stack=3)
    assert set(own.variable_names) == set(variable_names(theirs))
    with pytest.raises(BadValueError, match=r"length or n_stack, not both \(got 2 and 3\)"):
        HistoryOf(made(), 2, n_stack=3)
    with pytest.raises(BadValueError, match="n_stack must be a whole number of at least 2, got 1"):
        HistoryOf(made(), n_stack=1)


def test_history_needs_a_length() -> None:
    with pytest.raises(BadValueError, match="length must be a whole number of at least 1, got 0"):
        HistoryOf(cart_pole(), 0)
    with pytest.raises(BadTypeError, match="length must be a whole number"):
        HistoryOf(gym.make_vec("CartPole-v1", 2), 1.5)  # type: ignore[arg-type]


def test_wrapped_environments_can_be_made_again_and_copied() -> None:
    env = SelectVariables(HistoryOf(Doped(cart_pole(), n=2), 1), ["noise_1[t-1]", "pole_angle"])
    again = gym.make(env.spec)  # type: ignore[arg-type]
    assert np.array_equal(play(again, 5), play(env, 5))
    assert np.array_equal(play(copy.deepcopy(env), 5), play(env, 5))


def test_more_noise_than_columns_are_read_is_refused():
    with pytest.raises(BadValueError, match="Doped: n must be at most 5,000, got 1,000,000,000"):
        Doped(gym.make("CartPole-v1"), n=10**9)
