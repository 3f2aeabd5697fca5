"""One truth about successors, however an environment is given and restarts."""

import warnings
from functools import partial

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import terc
from terc.agents.spaces import fit_actions, spec_of
from terc.agents.stepping import SerialStepper, VectorStepper, make_stepper
from terc.errors import BadTypeError, BadValueError, MissingExtraError, TercWarning, UnknownNameError


class Counter(gym.Env):
    """Shows how many steps the episode has; ends by itself after `last`, or is cut there."""

    def __init__(self, last=3, cut=False):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (2,), np.float32)
        self.action_space = gym.spaces.Discrete(2)
        self.last, self.cut, self.episode, self.t = last, cut, -1, 0

    def _seen(self):
        return np.array([self.episode, self.t], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.episode, self.t = (0 if seed is not None else self.episode + 1), 0
        return self._seen(), {}

    def step(self, action):
        self.t += 1
        over = self.t >= self.last
        return self._seen(), 1.0, over and not self.cut, over and self.cut, {}


def transitions(stepper, n=20):
    """(state, next state, reward, terminated, truncated) of the first copy, restarts left out."""
    stepper.reset(0)
    rows = []
    for _ in range(n):
        before = stepper.states[0].copy()
        step = stepper.step(np.zeros(stepper.n, int))
        if step.played[0]:
            rows.append(
                (*before, *step.next_states[0], step.rewards[0], step.terminated[0], step.truncated[0])
            )
    return rows


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_every_way_to_restart_tells_the_same_transitions(mode, cut):
    serial = transitions(SerialStepper([Counter(cut=cut), Counter(4, cut=cut)]))
    vector = SyncVectorEnv([lambda: Counter(cut=cut), lambda: Counter(4, cut=cut)], autoreset_mode=mode)
    other = transitions(VectorStepper(vector))
    assert len(other) >= 15 and other == serial[: len(other)]
    # the end of an episode is told as it was, not as the start of the next
    assert serial[2] == (0, 2, 0, 3, 1.0, not cut, cut) and serial[3][:2] == (1, 0)


def test_vectorised_cart_pole_has_the_dynamics_of_the_plain_one():
    vector, plain = make_stepper("CartPole-v1", 2), gym.make("CartPole-v1")
    assert isinstance(vector, VectorStepper)
    vector.reset(3)
    plain.reset(seed=0)
    plain.unwrapped.state = vector.env.unwrapped.state[:, 0].copy()
    rng = np.random.default_rng(0)
    for _ in range(500):
        action = int(rng.integers(2))
        state, reward, terminated, truncated, _ = plain.step(action)
        step = vector.step(np.array([action, 0]))
        np.testing.assert_allclose(step.next_states[0], state, atol=1e-6)
        assert (step.rewards[0], step.terminated[0], step.truncated[0]) == (reward, terminated, truncated)
        if terminated:
            break
    assert terminated


class Sized(gym.Env):
    """It cannot be made without its size."""

    def __init__(self, size, sight=2):
        self.observation_space, self.action_space = gym.spaces.Discrete(size), gym.spaces.Discrete(2)


def test_a_missing_package_is_named_with_the_extra_that_brings_it():
    def make():
        raise gym.error.DependencyNotInstalled('MuJoCo is not installed, run `pip install "x"`')

    gym.register("NoMuJoCo-v0", make)
    try:
        for env in (make, "NoMuJoCo-v0"):
            with pytest.raises(MissingExtraError, match=r"run: pip install 'terc\[mujoco\]'"):
                make_stepper(env, 1)
    finally:
        del gym.registry["NoMuJoCo-v0"]


def test_forms_of_an_environment():
    assert make_stepper(lambda n_envs: gym.make_vec("CartPole-v1", n_envs), 3).n == 3
    assert make_stepper(lambda *, num_envs=1: gym.make("CartPole-v1"), 3).n == 3
    assert isinstance(make_stepper("Pendulum-v1", 2), SerialStepper)
    assert make_stepper(lambda: gym.make("CartPole-v1"), 3).n == 3
    assert make_stepper(lambda num_envs: gym.make_vec("CartPole-v1", num_envs), 3).n == 3
    assert make_stepper(lambda count: gym.make_vec("CartPole-v1", count), 3).n == 3
    assert make_stepper(gym.make_vec("CartPole-v1", 5), 3).n == 5
    assert make_stepper(gym.make("CartPole-v1"), 1).environment == "CartPole-v1"
    assert make_stepper(gym.make_vec("CartPole-v1", 5), 3).environment == "CartPole-v1"


@pytest.mark.parametrize(
    ("env", "copies", "error", "match"),
    [
        (gym.make("CartPole-v1"), 4, BadValueError, "cannot be copied safely.*function that makes it"),
        (3, 1, BadTypeError, "wanted a Gymnasium id.*got int"),
        ("CartPoll-v1", 1, UnknownNameError, "no environment named 'CartPoll-v1'"),
        ("CartPole-v7", 1, UnknownNameError, "Did you mean 'CartPole-v1'.* One of your own is given as"),
        (
            "kiln:make",
            1,
            UnknownNameError,
            "it .from kiln import make., or registered",
        ),
        (lambda: "no env", 1, BadTypeError, "must make a Gymnasium environment, it made str"),
        (
            lambda: 1 / 0,
            1,
            BadValueError,
            r"env: making the environment raised ZeroDivisionError .* line \d+",
        ),
        (lambda states: states, 1, BadTypeError, r"make\(states=...\).* comes first, the policy second"),
        (Sized, 3, BadTypeError, r"^env: Sized needs size; give lambda: Sized\(size=...\)\.$"),
        (lambda size: Sized(size), 3, BadTypeError, r"needs size; give lambda: make\(size=...\)"),
        (partial(Sized, sight=1), 1, BadTypeError, "env: partial needs size; give lambda: partial"),
        ("Reacher-v2", 1, BadValueError, "env: making Reacher-v2 raised ImportError .*gymnasium-robotics"),
    ],
)
def test_what_is_no_environment(env, copies, error, match):
    with pytest.raises(error, match=match):
        make_stepper(env, copies)


@pytest.mark.parametrize(
    ("space", "match"),
    [
        (
            gym.spaces.Box(0, 255, (8, 8, 3), np.uint8),
            r"shape \(8, 8, 3\), like an image.*FlattenObservation",
        ),
        (
            gym.spaces.Dict(camera=gym.spaces.Box(0, 255, (8, 8, 3), np.uint8)),
            r"the observation 'camera' has shape \(8, 8, 3\), like an image.*FilterObservation",
        ),
        (gym.spaces.Text(5), "a Text space.*gymnasium.ObservationWrapper"),
        (
            gym.spaces.Dict(a=gym.spaces.Discrete(2), s=gym.spaces.Text(5)),
            "'s' has a Text .*FilterObservation",
        ),
        (gym.spaces.Dict(), r"the space Dict\(\) holds no number"),
        (gym.spaces.Box(0, 1, (6000,)), "6000 columns are more than terc takes.*ObservationWrapper"),
    ],
)
def test_observations_that_are_no_row_of_numbers(space, match):
    env = gym.Env()
    env.observation_space, env.action_space = space, gym.spaces.Discrete(2)
    with pytest.raises((BadTypeError, BadValueError), match=match):
        make_stepper(env, 1)


@pytest.mark.parametrize(
    ("actions", "space", "match"),
    [
        (np.array([0, 2]), gym.spaces.Discrete(2), "the action 2, but the environment has 0 to 1"),
        (np.array([0.0, np.nan]), gym.spaces.Discrete(2), "action that is not a finite number"),
        (np.array([0.0, 0.5]), gym.spaces.Discrete(2), r"float64 actions.*whole numbers of shape \(2,\)"),
        (np.array([[0, 1], [1, 0]]), gym.spaces.Discrete(2), r"shape \(2, 2\)"),
        (np.array([["a"], ["b"]]), gym.spaces.Box(-1, 1, (1,)), "wants numbers"),
        (np.array([0, 1]), gym.spaces.Discrete(2, start=1), "the action 0, but the environment has 1 to 2"),
        (np.array([[0, 1], [1, 3]]), gym.spaces.MultiDiscrete([2, 3]), "the action 3, but.*has 0 to 2"),
        (np.zeros(2), gym.spaces.Box(-1, 1, (2,)), r"shape \(2,\), but the environment wants.*\(2, 2\)"),
        (np.full((2, 1), np.nan), gym.spaces.Box(-1, 1, (1,)), "not a finite number"),
    ],
)
def test_actions_that_do_not_fit(actions, space, match):
    with pytest.raises(BadValueError, match=match):
        fit_actions(actions, 2, space)


@pytest.mark.parametrize(
    ("actions", "space", "wanted"),
    [
        (np.array([True, False]), gym.spaces.Discrete(2), [1, 0]),
        (np.array([[1.0], [0.0]]), gym.spaces.Discrete(2), [1, 0]),
        (np.array([3.0, 4.0]), gym.spaces.Box(-9, 9, (1,)), [[3.0], [4.0]]),
        (np.ones((2, 3, 1)), gym.spaces.MultiDiscrete([2, 2, 2]), [[1, 1, 1], [1, 1, 1]]),
    ],
)
def test_the_same_actions_in_another_form(actions, space, wanted):
    found = fit_actions(actions, 2, space)
    assert found.tolist() == wanted and (found.dtype.kind == "i") == (not isinstance(space, gym.spaces.Box))


def test_actions_of_an_unknown_kind():
    with pytest.raises(BadTypeError, match="only Discrete and flat.*MultiDiscrete and Box.*Flattened"):
        spec_of(None, gym.spaces.Box(0, 1, (2,)), gym.spaces.MultiDiscrete([[2, 2]]))


def test_playing_does_not_change_running_statistics():
    env = gym.wrappers.NormalizeObservation(gym.make("CartPole-v1"))
    act = lambda states: (states[:, 2] > 0).astype(int)  # noqa: E731
    with pytest.warns(TercWarning, match="NormalizeObservation starts its statistics afresh"):
        terc.rollout(env, act, steps=300)
    before = env.obs_rms.mean.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, again = (terc.rollout(env, act, steps=50, seed=4) for _ in range(2))
        terc.play(env, act, episodes=2)
    np.testing.assert_array_equal(env.obs_rms.mean, before)
    assert first == again and env.update_running_mean


def test_true_and_false_are_forces_too():
    found = fit_actions(np.array([True, False]), 2, gym.spaces.Box(-1, 1, (1,)))
    assert found.dtype == np.float32 and found.tolist() == [[1.0], [0.0]]


@pytest.mark.parametrize(
    ("space", "names"),
    [
        (gym.spaces.Box(-1, 1, (2, 3)), ("x_0_0", "x_0_1", "x_0_2", "x_1_0", "x_1_1", "x_1_2")),
        (
            gym.spaces.Dict(board=gym.spaces.Box(0, 2, (2, 2), np.uint8)),
            ("board.0.0", "board.0.1"),
        ),
    ],
)
def test_small_tables_are_variables(space, names):
    class Table(gym.Env):
        observation_space, action_space = space, gym.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            space.seed(seed)
            return space.sample(), {}

        def step(self, action):
            return space.sample(), 0.0, False, False, {}

    seen = lambda shown: shown["board"] if isinstance(shown, dict) else shown  # noqa: E731
    data = terc.rollout(Table(), lambda shown: int(seen(shown)[0, 1] > 0), steps=40)
    assert data.names[: len(names)] == names
    assert (data.actions == (data.states[:, 1] > 0)).all()
