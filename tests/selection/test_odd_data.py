"""Actions and columns at the edge of what numbers, folds and predictors can take: an answer, no warning."""

import numpy as np
import pytest

import terc

pytestmark = pytest.mark.filterwarnings("error")
X = np.random.default_rng(0).standard_normal((600, 3))
EPISODES = np.arange(600) // 15
SIGN = np.sign(X[:, 0])


def huge(values):
    return np.where(values > 0, 1.7e308, -1.7e308)


@pytest.mark.parametrize(
    ("states", "actions", "given"),
    [
        (np.stack([X[:, 0], huge(X[:, 1]), X[:, 2]], 1), SIGN, {"action_kind": "discrete"}),
        (X, huge(X[:, 0]) * np.abs(np.tanh(X[:, 0])), {"action_kind": "continuous"}),
        (X, np.where(EPISODES < 3, X[:, 0], SIGN), {"action_kind": "continuous"}),
        (X, np.where(EPISODES < 1, X[:, 0], SIGN), {"action_kind": "continuous"}),
        (X, np.char.add("a", np.clip(X[:, 0] * 9 + 20, 0, 39).astype(int).astype(str)), {}),
        (X, np.stack([X[:, 0], np.zeros(600)], 1), {"action_kind": "continuous"}),
        (X, np.where(X[:, 0] > 0, 5, 0), {"probabilities": None}),
    ],
    ids=["huge column", "huge action", "numbers in 3 episodes", "numbers in 1", "40 labels", "still", "gap"],
)
def test_an_answer(states, actions, given):
    data = terc.Trajectories(states, actions, episodes=EPISODES, **given)
    assert terc.select(data).kept == ("x_0",)


def test_probabilities_that_never_change_leave_nothing_to_keep():
    drawn = np.random.default_rng(1).integers(0, 20, 600)
    data = terc.Trajectories(X, drawn, episodes=EPISODES, probabilities=np.full((600, 20), 0.05))
    with pytest.warns(terc.TercWarning, match="the probabilities never change: no variable"):
        assert terc.select(data).kept == ()


def test_probabilities_count_though_one_action_was_never_drawn():
    rare = 0.2 + 0.1 * SIGN
    data = terc.Trajectories(
        X, np.zeros(600, dtype=int), episodes=EPISODES, probabilities=np.stack([1 - rare, rare], 1)
    )
    assert terc.select(data).kept == ("x_0",)


@pytest.mark.parametrize("draw", range(4))
def test_numbers_in_few_episodes_may_leave_a_fold_without_any(draw):
    active = np.isin(EPISODES, np.random.default_rng(draw).choice(40, 5, replace=False))
    data = terc.Trajectories(X, np.where(active, X[:, 0], 0.0), episodes=EPISODES)
    assert set(terc.select(data).kept) <= {"x_0"}


@pytest.mark.parametrize("asked", [{"target": "reward"}, {"target": "next", "of": "x_1"}])
def test_the_unit_of_a_column_changes_no_answer(asked):
    states = np.stack([X[:, 0], np.r_[0, X[:-1, 0]] + 0.1 * X[:, 1]], 1)
    kept = []
    for unit in (1.0, 2.0**1000):
        data = terc.Trajectories(
            states * unit, (X[:, 0] > 0).astype(int), episodes=EPISODES, rewards=X[:, 0] * unit
        )
        kept.append(terc.select(data, **asked).kept)
    assert kept[0] == kept[1] and "x_0" in kept[0]
