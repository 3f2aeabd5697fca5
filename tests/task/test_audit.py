import numpy as np
import pytest

import terc
from terc.errors import BadTypeError, BadValueError, DataFileError, UnknownNameError
from terc.task.audit import Audit


@pytest.fixture(scope="module")
def world():
    """The policy reads a; the reward is in c; a follows b, c keeps to itself, d follows the action."""
    rng, n = np.random.default_rng(0), 3000
    bits = rng.integers(0, 2, (n, 5))
    actions = np.where(rng.random(n) < 0.3, rng.integers(0, 2, n), bits[:, 0])
    for t in range(n - 1):
        if (t + 1) % 20:
            actions[t] = bits[t, 0] if rng.random() > 0.3 else rng.integers(0, 2)
            keeps = rng.random(5) > 0.15
            bits[t + 1, :4] = np.where(
                keeps[:4], [bits[t, 1], bits[t, 1], bits[t, 2], actions[t]], bits[t + 1, :4]
            )
    return terc.Trajectories(
        bits, actions, names=list("abcde"), episodes=np.arange(n) // 20, rewards=bits[:, 2].astype(float)
    )


@pytest.fixture(scope="module")
def audit(world):
    return terc.audit(world, ["a"], estimator="plugin")


def test_what_reward_and_next_values_need_is_added_and_nothing_else(audit):
    assert audit.state == ("a", "b", "c") and audit.add == ("b", "c") and not audit.sufficient
    assert "the reward" in audit.reasons["c"] and "the next a" in audit.reasons["b"]
    assert [finding.of for finding in audit.findings] == ["", "a", "c", "b"]


def test_a_state_is_sufficient(world):
    found = terc.audit(world, ["c", "b", "a"], estimator="plugin")
    assert found.sufficient and found.state == ("a", "b", "c") and "are a state" in str(found)


def test_the_answer_can_be_printed_tabled_and_saved(audit, tmp_path):
    assert "b, c are missing" in str(audit) and "<li>" in audit._repr_html_()
    assert audit.to_frame().loc["b", "needed_for"] == "the next a"
    audit.save(tmp_path / "audit.json")
    assert Audit.load(tmp_path / "audit.json") == audit
    with pytest.raises(DataFileError, match="Audit.load: there is no file"):
        Audit.load(tmp_path / "none.json")


def said(found):
    return " ".join(str(found).split())


def test_without_rewards_only_next_values_are_asked_about(world):
    data = terc.Trajectories(world.states, world.actions, names=world.names, episodes=world.episodes)
    found = terc.audit(data, ["c"], estimator="plugin")
    assert found.sufficient and "No rewards" in str(found) and "their ends were not asked" in str(found)
    assert "as far as these steps show: nothing else carries more about next values." in said(found)
    same = terc.Trajectories(
        world.states, world.actions, names=world.names, episodes=world.episodes, rewards=np.ones(len(world))
    )
    found = terc.audit(same, [], estimator="plugin")
    assert "0 kept variables are a state in name only" in said(found) and "reward never changes" in str(found)


def test_bad_input(world):
    with pytest.raises(UnknownNameError, match="'z'"):
        terc.audit(world, ["z"])
    with pytest.raises(BadTypeError, match="a Selection or a list of names"):
        terc.audit(world, "a")
    with pytest.raises(BadTypeError, match="must be Trajectories"):
        terc.audit(world.states, ["a"])
    with pytest.raises(BadValueError, match="every episode has one step"):
        terc.audit(terc.Trajectories(world.states, world.actions, episodes=np.arange(len(world))), [])


def test_the_end_of_an_episode_needs_its_variable_and_a_time_limit_is_none():
    rng, states, actions, episodes = np.random.default_rng(1), [], [], []
    for episode in range(250):
        heat = 0
        for _ in range(15):
            read, noise, action = rng.integers(0, 2, 3)
            action = read if rng.random() < 0.7 else action
            states.append([read, heat, noise])
            actions.append(action)
            episodes.append(episode)
            if heat == 2 and rng.random() < 0.5:
                break
            heat = min(2, heat + int(rng.random() < 0.3))
    data = terc.Trajectories(states, actions, names=["read", "heat", "noise"], episodes=episodes)
    found = terc.audit(data, ["read"], estimator="plugin")
    assert found.add == ("heat",) and "the end of the episode" in found.reasons["heat"]
    alike = terc.Trajectories(
        data.states, data.actions, names=data.names, episodes=np.arange(len(data)) // 15
    )
    assert "end" not in [finding.what for finding in terc.audit(alike, ["read"], estimator="plugin").findings]


def test_how_next_values_go_together_is_part_of_the_state_and_a_constant_predicts_itself():
    rng, n = np.random.default_rng(2), 3000
    coin, action, noise, flips = rng.integers(0, 2, (4, n))
    link = np.repeat(rng.integers(0, 2, n // 5), 5)
    x, y = np.roll(coin, 1), np.roll(coin ^ link, 1)  # each alone is a coin; together they show the link
    goal = np.repeat(rng.integers(0, 2, n // 20), 20)
    states = np.stack([x, y, link, goal, noise, flips], 1)
    data = terc.Trajectories(
        states, action, names=["x", "y", "link", "goal", "noise", "flips"], episodes=np.arange(n) // 20
    )
    found = terc.audit(data, ["x", "y", "goal"], estimator="plugin")
    assert found.add == ("link",) and found.state == ("x", "y", "link", "goal")
