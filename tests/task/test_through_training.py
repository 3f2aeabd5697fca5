import numpy as np
import pytest

import terc
from terc.errors import BadTypeError, BadValueError
from terc.task.through_training import ThroughTraining


def agent(seed, n=2400):
    """Learns to read x_0, forgets x_1, reads x_2 throughout."""
    rng = np.random.default_rng(seed)
    bits, progress = rng.integers(0, 2, (n, 4)), np.arange(n) / n
    logits = (2 * bits - 1) @ np.array([0, 0, 0.8, 0])
    logits = logits + 2 * progress * (2 * bits[:, 0] - 1) + 2 * (1 - progress) * (2 * bits[:, 1] - 1)
    actions = (rng.random(n) < 1 / (1 + np.exp(-logits))).astype(int)
    return terc.Trajectories(bits, actions, episodes=np.arange(n) // 10, progress=progress)


@pytest.fixture(scope="module")
def found():
    return terc.through_training([agent(k) for k in range(4)], ["x_0", "x_1", "x_2"], estimator="plugin")


def test_what_grew_and_what_fell(found):
    assert found.grew == ("x_0",) and found.fell == ("x_1",) and found.agents == 4
    assert found.to_frame().loc["x_0", "verdict"] == "grew"
    assert "grew: x_0; fell: x_1." in str(found) and "<pre>" in found._repr_html_()


def test_of_one_agent_its_own_intervals_decide():
    alone = terc.through_training(agent(9), estimator="plugin")
    assert alone.grew == ("x_0",) and alone.fell == ("x_1",)


def test_the_figure_and_the_file(found, tmp_path):
    assert "x_0: 1 " in terc.figures.quarter_gains(found.stages()).get_label()
    found.save(tmp_path / "training.json")
    assert ThroughTraining.load(tmp_path / "training.json") == found


def test_nothing_grows_where_nothing_changes():
    def steady(seed):
        one = agent(seed)
        order = np.random.default_rng(seed).permutation(len(one))
        return terc.Trajectories(
            one.states[order], one.actions[order], episodes=one.episodes, progress=one.progress
        )

    same = [terc.through_training([steady(5 * k + j) for j in range(3)], ["x_0", "x_1"], estimator="plugin")
            for k in range(5)]  # fmt: skip
    assert sum(bool(one.grew or one.fell) for one in same) <= 2


def test_bad_input():
    with pytest.raises(BadValueError, match="at least one recording"):
        terc.through_training([])
    with pytest.raises(BadTypeError, match="one per agent"):
        terc.through_training([3])


def test_a_recording_that_is_given_twice_is_one_agent():
    """Else two agents that are alike to the last digit would show for certain what is luck."""
    once, twice = (terc.through_training([agent(0)] * times, ["x_0"], estimator="plugin") for times in (1, 2))
    assert twice == once
    assert twice.agents == 1
