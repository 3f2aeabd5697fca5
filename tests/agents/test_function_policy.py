"""Whatever acts is asked in the form that it answers to, and answers the same as when called by hand."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

import terc
from terc.agents import FunctionPolicy, as_policy
from terc.errors import BadTypeError, BadValueError


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


def test_a_table_is_read_by_the_number_of_the_state():
    table = {state: state % 4 for state in range(16)}
    data = terc.rollout("FrozenLake-v1", lambda state: table[state], steps=50)
    states = np.array(data.levels["state"])[data.states[:, 0].astype(int)]
    assert (data.actions == states % 4).all()


def test_frames_as_they_are_stacked():
    stacked = lambda: gym.wrappers.FrameStackObservation(gym.make("CartPole-v1"), 3)  # noqa: E731
    data = terc.rollout(stacked, lambda s: (s[:, -1, 2] > 0).astype(int), steps=50)
    assert (data.actions == (data.states[:, data.column("pole_angle")] > 0)).all()


def test_what_does_not_answer():
    states = np.zeros((5, 3))
    with pytest.raises(BadValueError, match=r"shape \(5, 3\), it raised KeyError.*one of shape \(3,\)"):
        as_policy(lambda seen: {}["a"]).act(states)
    with pytest.raises(BadValueError, match=r"shape \(2, 3\); asked about one of shape \(3,\), it raised"):
        as_policy(lambda seen: seen[:2, :]).act(states)
    with pytest.raises(BadTypeError, match=r"returned \(action, memory\)"):
        as_policy(lambda seen: (np.zeros(len(seen)), np.ones((2, 3)))).act(states)
    calls = []
    FunctionPolicy(lambda seen: calls.append(seen.shape) or 1, one_by_one=True).act(states)
    assert set(calls) == {(3,)}
