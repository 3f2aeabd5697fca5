import numpy as np
import pytest

import terc
from terc.errors import BadValueError, UnknownNameError
from terc.selection.targets import Target


@pytest.fixture(scope="module")
def world():
    """The reward is the square of p; p drifts slowly with v, v follows the action; n is noise."""
    rng, n = np.random.default_rng(0), 1200
    x, a = rng.standard_normal((n, 3)), rng.integers(0, 2, n)
    for t in range(n - 1):
        if (t + 1) % 20:
            x[t + 1, 0] = x[t, 0] + 0.05 * x[t, 1]
            x[t + 1, 1] = 0.7 * x[t, 1] + 0.5 * (2 * a[t] - 1) + 0.1 * x[t + 1, 1]
    rewards = x[:, 0] ** 2 + 0.1 * rng.standard_normal(n)
    return terc.Trajectories(x, a, names=list("pvn"), episodes=np.arange(n) // 20, rewards=rewards)


def test_what_tells_the_reward(world):
    found = terc.select(world, target="reward")
    assert found.kept == ("p",) and found.names == ("p", "v", "n", "action")
    assert found.config["target"] == "reward"


def test_what_tells_next_values_and_the_action_is_among_them(world):
    assert terc.select(world, target="next", of=["v"]).kept == ("v", "action")


def test_the_change_of_a_slow_variable_shows_what_moves_it(world):
    assert terc.select(world, target="next", of="p", keep=["p"]).kept == ("p", "v")


def test_the_last_step_of_an_episode_has_no_next(world):
    asked = Target("next", ["p"]).asked_of(world)
    assert len(asked) == len(world) - world.n_episodes and asked.n_episodes == world.n_episodes
    assert np.allclose(asked.actions[:19], world.states[1:20, 0], atol=0.5)
    assert np.allclose(asked.actions[19:38], world.states[21:40, 0], atol=0.5)


def test_a_target_of_numbers_labels_and_bits_together():
    rng, n = np.random.default_rng(1), 200
    states = np.column_stack([rng.standard_normal(n), rng.integers(0, 7, n), rng.integers(0, 2, n)])
    data = terc.Trajectories(states, rng.integers(0, 2, n), names=["x", "label", "bit"], nominal=["label"])
    asked = Target("next").asked_of(data)
    assert asked.actions.shape == (n - 1, 1 + 6 + 1) and asked.action_kind == "continuous"
    assert Target("next", "label").asked_of(data).action_kind == "discrete"
    assert "action" in asked.nominal


def test_a_mixed_target_is_told_by_what_moves_its_parts():
    rng, n = np.random.default_rng(2), 1200
    x, label, noise = rng.standard_normal(n), rng.integers(0, 3, n), rng.standard_normal(n)
    actions = rng.standard_normal((n, 2))
    for t in range(n - 1):
        x[t + 1] = actions[t, 0] + 0.5 * x[t + 1]
        label[t + 1] = (label[t] + (actions[t, 1] > 0)) % 3
    data = terc.Trajectories(
        np.column_stack([x, label, noise]), actions, names=["x", "label", "noise"], nominal=["label"],
        episodes=np.arange(n) // 50,
    )  # fmt: skip
    found = terc.select(data, target="next", of=["x", "label"])
    assert found.kept == ("label", "action_0", "action_1")


def test_what_cannot_be_asked_is_refused(world):
    with pytest.raises(UnknownNameError, match="no target named 'rewards'"):
        terc.select(world, target="rewards")
    with pytest.raises(BadValueError, match="of= says whose next values"):
        terc.select(world, target="reward", of=["p"])
    with pytest.raises(UnknownNameError, match="'q'"):
        terc.select(world, target="next", of=["q"])
    without = terc.Trajectories(world.states, world.actions)
    with pytest.raises(BadValueError, match="needs data with rewards"):
        terc.select(without, target="reward")
    constant = terc.Trajectories(world.states, world.actions, rewards=np.ones(len(world)))
    with pytest.raises(BadValueError, match="'reward' never changes"):
        terc.select(constant, target="reward")
    single = terc.Trajectories(world.states, world.actions, episodes=np.arange(len(world)))
    with pytest.raises(BadValueError, match="two steps or more"):
        terc.select(single, target="next")


def test_the_end_of_a_single_step_is_no_question():
    data = terc.Trajectories(np.zeros((1, 1)), np.zeros(1, dtype=int))
    with pytest.raises(terc.TercError, match="target 'end' needs episodes of two steps or more"):
        terc.select(data, target="end")


def test_ends_of_a_time_limit_are_nothing_to_predict_and_the_message_says_so():
    data = terc.Trajectories(np.zeros((40, 1)), np.arange(40) % 2, episodes=np.arange(40) // 10)
    with pytest.raises(terc.TercError, match="'end' never changes, episodes end at the longest length alone"):
        terc.select(data, target="end")


def test_sentences_about_another_target_are_sentences():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, 2))
    data = terc.Trajectories(
        x,
        rng.integers(0, 2, 3000),
        rewards=0.2 * x[:, 0] + rng.normal(size=3000),
        episodes=np.arange(3000) // 20,
    )
    (text,) = [
        note.text for note in terc.select(data, target="reward").notes if note.code == "little-explained"
    ]
    assert text.endswith("% of the entropy of the reward.")
