"""Observations and actions of every form become flat rows, and what is played comes back in its own form."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

import terc
from terc.environments import Doped, Flattened, HistoryOf, SelectVariables, variable_names
from terc.errors import BadTypeError
from terc.flattening.layout import Layout

ACTIONS = {
    "binary": spaces.MultiBinary(2),
    "choices": spaces.MultiDiscrete([2, 3]),
    "grid": spaces.MultiDiscrete([[2, 3]]),
    "mixed": spaces.Dict(gear=spaces.Discrete(3), push=spaces.Box(-1, 1, (1,), np.float32)),
    "pair": spaces.Tuple([spaces.Discrete(2), spaces.Discrete(3, start=1)]),
    "matrix": spaces.Box(-1, 1, (2, 1), np.float32),
}


class Strict(gym.Env):
    """Takes only true members of its action space, and pays for the first number to be as its state says."""

    def __init__(self, actions, observations=None):
        self.action_space = actions
        self.observation_space = observations or spaces.Tuple(
            [spaces.Discrete(2), spaces.Box(-1, 1, (2,), np.float32)]
        )

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.observation_space.seed(int(self.np_random.integers(2**31)))
        self.t = 0
        return self.draw(), {}

    def draw(self):
        self.now = self.observation_space.sample()
        return self.now

    def step(self, action):
        assert self.action_space.contains(action), action
        first = float(Layout.of(self.action_space, shaped=True).row(action)[0])
        reward, self.t = float(np.round(first) == self.now[0]), self.t + 1
        return self.draw(), reward, False, self.t == 10, {}


def follow(width, low):
    """The first number follows the first variable, the others are the lowest."""

    def act(states):
        actions = np.tile(np.asarray(low), (len(states), 1))
        actions[:, 0] = states[:, 0]
        return actions

    return act


@pytest.mark.parametrize("kind", ACTIONS)
def test_actions_of_every_form_through_rollout_ablation_and_distillation(kind):
    flat = Flattened(Strict(ACTIONS[kind]))
    low = getattr(flat.action_space, "start", None)
    low = flat.action_space.low if low is None else low
    make = lambda: Strict(ACTIONS[kind])  # noqa: E731
    policy = follow(len(low), low)
    data = terc.rollout(make, policy, steps=400)
    assert (
        data.names == ("part0", "part1.0", "part1.1")
        and data.nominal == {"part0"}
        and data.rewards.mean() == 1
    )
    assert data.action_kind == ("continuous" if kind in ("mixed", "matrix") else "discrete")
    ablation = terc.ablate(make, policy, ["part0"], episodes=5, steps=200)
    assert ablation.to_frame()["return"].min() < 8
    if kind in ("binary", "mixed"):
        small = terc.distill(make, policy, ["part0"], hidden=(8,), steps=300, episodes=5)
        assert small.returns.mean == 10


def test_vector_environments_alike():
    for kind in ("mixed", "binary", "pair"):
        envs = gym.vector.SyncVectorEnv([lambda kind=kind: Strict(ACTIONS[kind])] * 3)
        low = Flattened(envs).single_action_space
        low = getattr(low, "start", None) if hasattr(low, "start") else low.low
        assert terc.rollout(envs, follow(len(low), low), steps=60).rewards.mean() == 1


def test_rows_and_back():
    space = spaces.Dict(
        camera=spaces.Dict(x=spaces.Box(-1, 1, (1,)), y=spaces.Box(-1, 1, (1,))),
        gear=spaces.Discrete(3, start=-1),
        lights=spaces.MultiBinary(2),
        exact=spaces.Box(-1, 1, (1,), np.float64),
    )
    layout, members = Layout.of(space), [space.sample() for _ in range(5)]
    rows = np.stack([layout.row(member) for member in members])
    assert layout.names == ("camera.x", "camera.y", "gear", "lights.0", "lights.1", "exact")
    assert rows.dtype == np.float64 and layout.box.contains(rows[0])
    for member, row in zip(members, rows, strict=True):
        back = layout.back_one(row)
        assert space.contains(back)
        np.testing.assert_array_equal(layout.row(back), layout.row(member))


def test_our_wrappers_take_dictionaries():
    env = Strict(spaces.Discrete(2), spaces.Dict({"a": spaces.Box(-1, 1, (2,)), "0": spaces.Discrete(2)}))
    assert variable_names(Doped(env, n=1)) == ("0", "a.0", "a.1", "noise_0")
    assert SelectVariables(env, ["a.1"]).reset(seed=0)[0].shape == (1,)
    assert HistoryOf(env, 1).variable_names[:2] == ("0", "0[t-1]")


def test_masks_need_a_method():
    with pytest.raises(BadTypeError, match=r"no method action_masks\(\).*ActionMasker"):
        Flattened(gym.make("CartPole-v1"), masks=True)
    with pytest.raises(BadTypeError, match="actions of the space Text.*ActionWrapper"):
        Flattened(Strict(spaces.Text(3)))
