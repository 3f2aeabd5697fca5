import numpy as np
import pytest

import terc
from terc.errors import BadTypeError, BadValueError, DataFileError, UnknownNameError
from terc.task.audited import Audit


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
    with pytest.raises(DataFileError, match="not a saved Audit"):
        Audit.load(tmp_path / "none.json")


def test_without_rewards_only_next_values_are_asked_about(world):
    data = terc.Trajectories(world.states, world.actions, names=world.names, episodes=world.episodes)
    found = terc.audit(data, ["c"], estimator="plugin")
    assert found.sufficient and "No rewards" in str(found)


def test_bad_input(world):
    with pytest.raises(UnknownNameError, match="'z'"):
        terc.audit(world, ["z"])
    with pytest.raises(BadTypeError, match="a Selection or a list of names"):
        terc.audit(world, "a")
    with pytest.raises(BadTypeError, match="must be Trajectories"):
        terc.audit(world.states, ["a"])
    with pytest.raises(BadValueError, match="every episode has one step"):
        terc.audit(terc.Trajectories(world.states, world.actions, episodes=np.arange(len(world))), [])
