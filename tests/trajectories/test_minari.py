import sys

import gymnasium
import numpy as np
import pytest

import terc
from terc.errors import DataFileError, MissingExtraError, UnknownNameError


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """Two short episodes with a box of three numbers and a discrete action, stored by Minari itself."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    import minari
    from minari.data_collector import EpisodeBuffer

    rng = np.random.default_rng(0)
    episodes = [
        EpisodeBuffer(
            id=number,
            observations=rng.normal(size=(length + 1, 3)).astype(np.float32),
            actions=rng.integers(0, 2, length),
            rewards=rng.normal(size=length).tolist(),
            terminations=[False] * (length - 1) + [True],
            truncations=[False] * length,
            infos={},
        )
        for number, length in enumerate([4, 2])
    ]
    minari.create_dataset_from_buffers(
        "terc-test/box-v0",
        episodes,
        observation_space=gymnasium.spaces.Box(-9, 9, (3,), np.float32),
        action_space=gymnasium.spaces.Discrete(2),
    )
    return episodes


@pytest.mark.filterwarnings("ignore")
def test_a_recorded_data_set(recorded):
    data = terc.load("minari:terc-test/box-v0")
    assert data.names == ("observation_0", "observation_1", "observation_2")
    # The state after the last action has no action of its own and is left out.
    assert data.states.tolist() == np.concatenate([e.observations[:-1] for e in recorded]).tolist()
    assert data.actions.tolist() == np.concatenate([e.actions for e in recorded]).tolist()
    assert data.rewards.tolist() == recorded[0].rewards + recorded[1].rewards
    assert data.episodes.tolist() == [0, 0, 0, 0, 1, 1]
    assert data.action_kind == "discrete"
    assert terc.load("minari:terc-test/box-v0", drop="observation_1").names == (
        "observation_0",
        "observation_2",
    )
    with pytest.raises(UnknownNameError, match="no column named 'x'"):
        terc.load("minari:terc-test/box-v0", action="x")


@pytest.mark.filterwarnings("ignore")
def test_columns_have_the_names_of_the_environment_of_the_data_set(recorded):
    import minari

    for name, env in (("pendulum", "Pendulum-v1"), ("wide", "CartPole-v1")):
        spaces = {"observation_space": gymnasium.spaces.Box(-9, 9, (3,), np.float32)}
        spaces["action_space"] = gymnasium.spaces.Discrete(2)
        minari.create_dataset_from_buffers(f"terc-test/{name}-v0", recorded, env=env, **spaces)
    assert terc.load("minari:terc-test/pendulum-v0").names == ("cos_angle", "sin_angle", "angular_velocity")
    # recorded behind a wrapper that shows another number of columns
    assert terc.load("minari:terc-test/wide-v0").names[0] == "observation_0"


def test_a_data_set_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    with pytest.raises(
        DataFileError, match="no readable Minari data set 'no/such-v0'.*minari download no/such-v0"
    ) as caught:
        terc.load("minari:no/such-v0")
    assert "\n" not in str(caught.value)


def test_without_minari(monkeypatch):
    monkeypatch.setitem(sys.modules, "minari", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'terc\[minari\]'"):
        terc.load("minari:terc-test/cartpole-v0")


def test_nested_spaces_become_named_columns():
    from terc.trajectories.minari import _flat

    parts = [{"arm": (np.arange(3.0), np.ones((3, 2))), "lamp": np.array([0, 1, 0])}]
    columns = _flat("observation", parts, [2])
    assert [column.name for column in columns] == [
        "observation_arm_0",
        "observation_arm_1_0",
        "observation_arm_1_1",
        "observation_lamp",
    ]
    assert all(len(column.values) == 2 for column in columns)
