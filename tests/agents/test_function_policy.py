"""Whatever acts is asked in the form that it answers to, and answers the same as when called by hand."""

import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

import terc
from terc.agents import FunctionPolicy, as_policy
from terc.errors import BadTypeError, BadValueError, TercWarning
from terc.flattening.layout import Layout


def lean(state):
    return int(state[2] > 0)


class OneState:
    """As in many papers' code."""

    def select_action(self, state):
        assert state.shape == (4,)
        return lean(state)


class RLlib:
    """`compute_single_action` of RLlib's policies, which explore unless told not to."""

    def compute_single_action(self, obs, explore=True):
        return (1 - lean(obs) if explore else lean(obs)), [], {"logits": 0}


class Batch:
    """As scikit-learn and d3rlpy predict."""

    def predict(self, x):
        return (x[:, 2] > 0).astype(float)


@pytest.mark.parametrize(
    "policy",
    [
        OneState(),
        OneState().select_action,
        RLlib(),
        Batch(),
        lean,
        lambda states: states[:, 2] > 0,
        lambda states: [(lean(state),) for state in states],
        lambda state: np.array([lean(state)]),
    ],
)
def test_every_form_plays_alike(policy):
    for env, copies in (("CartPole-v1", 3), (gym.make("CartPole-v1"), 1)):
        wanted, found = (
            terc.rollout(env, one, steps=150, greedy=True, n_envs=copies)
            for one in (lambda s: (s[:, 2] > 0).astype(int), policy)
        )
        assert found == wanted
    assert terc.play(env, policy, episodes=2, random=False).mean > 20


class Room(gym.Env):
    """Shows a dictionary, takes two forces in a column."""

    observation_space = spaces.Dict(
        place=spaces.Dict(x=spaces.Box(-9, 9, (2,), np.float64)), door=spaces.Discrete(3)
    )
    action_space = spaces.Box(-1, 1, (2, 1), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.draw(), {}

    def draw(self):
        return {"place": {"x": self.np_random.normal(size=2)}, "door": self.np_random.integers(3)}

    def step(self, action):
        assert action.shape == (2, 1)
        return self.draw(), 0.0, False, bool(self.np_random.random() < 0.1), {}


def test_observations_as_the_environment_shows_them():
    def from_dictionary(seen):
        assert isinstance(seen["door"], (int, np.integer)) and seen["place"]["x"].dtype == np.float64
        return np.clip(seen["place"]["x"], -1, 1)[:, None] * (seen["door"] > 0)

    def from_rows(rows):
        return np.clip(rows[:, :2], -1, 1) * (rows[:, 2:] > 0)

    both = (from_dictionary, from_rows)
    found, wanted = (terc.rollout(Room, one, steps=100, seed=1, n_envs=2) for one in both)
    assert found == wanted and found.names == ("place.x.0", "place.x.1", "door")


@pytest.mark.parametrize(
    ("act", "most"),
    [
        (lambda x: (x[..., 0] > 0) * 1, 70),
        (lambda x: x @ [1.0, 2.0], 70),
        (lambda x: x[..., 0] - x.mean(), 1_070),  # of several observations it would take one mean
        (lambda x: int(x[0] > 0), 1_070),
        (lambda x: 0 * x[..., 0], 1_070),  # the same for all: whether it mixes them up does not show
    ],
)
def test_many_observations_are_shown_together_where_that_is_the_same(act, most):
    calls = []
    shown = Layout.of(Room.observation_space, shaped=True)
    policy = FunctionPolicy(lambda seen: calls.append(1) or act(seen["place"]["x"]), shown=shown)
    states = np.random.default_rng(0).normal(size=(1_000, 3)).round()
    policy.act(states[:1])
    calls.clear()
    np.testing.assert_allclose(policy.act(states), [act(row[:2]) for row in states])
    assert len(calls) < most


def test_a_table_is_read_by_the_number_of_the_state():
    table = {state: state % 4 for state in range(16)}
    data = terc.rollout("FrozenLake-v1", lambda state: table[state], steps=50)
    states = np.array(data.levels["state"])[data.states[:, 0].astype(int)]
    assert (data.actions == states % 4).all()


def test_frames_as_they_are_stacked():
    stacked = lambda: gym.wrappers.FrameStackObservation(gym.make("CartPole-v1"), 3)  # noqa: E731
    data = terc.rollout(stacked, lambda s: (s[:, -1, 2] > 0).astype(int), steps=50)
    assert (data.actions == (data.states[:, data.column("pole_angle")] > 0)).all()


class Pair(Room):
    """Shows a tuple."""

    observation_space = spaces.Tuple([spaces.Box(-9, 9, (3,), np.float64), spaces.Discrete(2)])

    def draw(self):
        return self.np_random.normal(size=3), self.np_random.integers(2)


def test_of_a_tuple_the_second_part_is_not_the_second_number():
    data = terc.rollout(Pair, lambda seen: np.full((2, 1), float(seen[1])), steps=50, n_envs=2)
    assert (data.actions[:, 0] == data.states[:, data.column("part1")]).all()
    with pytest.raises(BadValueError, match="one observation as the environment shows it, it raised Attr"):
        terc.rollout(Pair, lambda seen: seen.x, steps=50)


class Table(Room):
    """Shows a square of numbers, and takes a force for each row."""

    observation_space = spaces.Box(-9, 9, (2, 2), np.float64)

    def draw(self):
        return self.np_random.normal(size=(2, 2)).clip(-1, 1)


def test_a_column_of_a_table_is_not_a_row_of_several():
    first = ["x_0_0", "x_1_0"]
    single = terc.rollout(Table, lambda table: table[:, 0], steps=50, n_envs=2)
    several = terc.rollout(gym.vector.SyncVectorEnv([Table] * 2), lambda tables: tables[:, :, 0], steps=50)
    for data in (single, several):
        np.testing.assert_allclose(data.actions, data.only(first).states, atol=1e-6)


@pytest.mark.parametrize("n", [1, 3, 4, 7])
def test_a_function_of_one_state_is_not_mistaken_for_one_of_many(n):
    states = np.random.default_rng(n).normal(size=(n, 4))  # four states of four numbers are the trap
    policy = as_policy(lambda state: (np.asarray(state).reshape(1, -1)[:, 2] > 0) * 1)
    assert (policy.act(states).ravel() == (states[:, 2] > 0)).all()
    rows = as_policy(lambda state: np.array([state[0].sum() > 0]))  # of one row it would sum all
    assert (rows.act(states).ravel() == (states[:, 0] > 0)).all()


def test_a_function_that_fails_later_says_where():
    policy = as_policy(lambda states: (1 // int(states[0, 0] < 5)) * np.ones(len(states), int))
    assert policy.act(np.zeros((2, 3))).tolist() == [1, 1]
    with pytest.raises(BadValueError, match=r"ZeroDivisionError.*test_function_policy.py, line \d+"):
        policy.act(np.full((2, 3), 9.0))


class Crane(gym.Env):
    """Takes a dictionary, or a tuple, of a choice and forces."""

    observation_space = spaces.Box(-1, 1, (3,), np.float32)

    def __init__(self, action_space):
        self.action_space = action_space

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.seen, self.count = self.np_random.uniform(-1, 1, 3).astype(np.float32), 0
        return self.seen, {}

    def step(self, action):
        assert self.action_space.contains(action), action
        grip = action["grip"] if isinstance(action, dict) else action[0]
        reward, self.count = float(grip == (self.seen[0] > 0)), self.count + 1
        self.seen = self.np_random.uniform(-1, 1, 3).astype(np.float32)
        return self.seen, reward, False, self.count >= 10, {}


FORCES = spaces.Box(-1, 1, (2,), np.float32)


@pytest.mark.parametrize(
    ("space", "policy"),
    [
        (
            spaces.Dict(force=FORCES, grip=spaces.Discrete(2)),
            lambda state: {"grip": int(state[0] > 0), "force": state[1:]},
        ),
        (
            spaces.Dict(force=FORCES, grip=spaces.Discrete(2)),
            lambda states: ({"force": states[:, 1:], "grip": (states[:, 0] > 0) * 1}, None),
        ),
        (spaces.Tuple([spaces.Discrete(2), FORCES]), lambda state: (int(state[0] > 0), state[1:])),
        (spaces.Tuple([spaces.Discrete(2), FORCES]), lambda states: ((states[:, 0] > 0) * 1, states[:, 1:])),
    ],
)
def test_actions_as_the_environment_takes_them(space, policy):
    data = terc.rollout(lambda: Crane(space), policy, steps=200, n_envs=2)
    grip = 2 if isinstance(space, spaces.Dict) else 0
    assert (data.actions[:, grip] == (data.states[:, 0] > 0)).all()
    assert terc.play(lambda: Crane(space), policy, episodes=4, random=False).mean == 10


def test_one_value_for_each_dimension_of_the_action_is_an_action():
    forces = lambda state: (np.tanh(state[..., 0]), np.tanh(state[..., 1]))  # noqa: E731
    data = terc.rollout(lambda: Crane(FORCES), forces, steps=60, n_envs=2)
    assert np.allclose(data.actions, np.tanh(data.states[:, :2]), atol=1e-6)


def test_what_does_not_answer():
    states = np.zeros((5, 3))
    with pytest.raises(BadValueError, match=r"shape \(7, 3\), it raised KeyError \('a'\) in test_func"):
        as_policy(lambda seen: {}["a"]).act(states)
    with pytest.raises(BadValueError, match=r"TypeError .*'start'\)\. It is called with the states alone"):
        as_policy(lambda seen, start: 0).act(states)
    with pytest.raises(BadValueError, match=r"of shape \(7, 3\), it returned None\.$"):
        as_policy(lambda seen: None).act(states)
    with pytest.raises(BadValueError, match=r"shape \(2, 3\); asked about one of shape \(3,\), it raised"):
        as_policy(lambda seen: seen[:2, :]).act(states)
    with pytest.raises(BadTypeError, match=r"returned 2 values; .*give lambda states: f\(states\)\[0\]"):
        as_policy(lambda seen: (np.zeros(len(seen)), np.ones((2, 3)))).act(states)
    with pytest.raises(BadTypeError, match="returned 4 values; terc takes the actions alone"):
        as_policy(lambda seen: (*np.zeros((3, len(seen))), np.zeros((len(seen), 1)))).act(states)
    with pytest.raises(BadValueError, match=r"returned 2 values; .*give lambda states: f\(states\)\[0\]"):
        terc.rollout("CartPole-v1", lambda seen: tuple(np.zeros((2, len(seen)))), steps=20)
    with pytest.raises(BadValueError, match=r"it returned objects \(int\), not numbers"):
        as_policy(lambda seen: np.array([1] * len(seen), object)).act(states)
    calls = []
    FunctionPolicy(lambda seen: calls.append(seen.shape) or 1, one_by_one=True).act(states)
    assert set(calls) == {(3,)}


class Remembers:
    """A controller that adds up what it saw."""

    def __init__(self):
        self.sum = 0.0

    def __call__(self, state):
        self.sum += abs(float(state[2])) + 0.1
        return int(self.sum > 1.0)


def test_a_memory_or_a_luck_of_its_own_is_said():
    luck = np.random.default_rng(0)
    for policy in (Remembers(), lambda states: luck.integers(2, size=len(states))):
        with pytest.warns(TercWarning, match="asked twice about the same states, it acts differently"):
            terc.play("CartPole-v1", policy, episodes=3, random=False)
    drawing = FunctionPolicy(lambda states, deterministic: luck.integers(2, size=len(states)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawing.act(np.zeros((20, 4)), greedy=False)
        FunctionPolicy(lambda states, deterministic: np.zeros(len(states), int)).act(np.zeros((20, 4)))
